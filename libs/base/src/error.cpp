#include "ki/base/error.h"

#include "ki/base/check.h"

namespace ki {

std::string_view to_string(Code code) {
  switch (code) {
    case Code::kInvalidArgument:
      return "invalid_argument";
    case Code::kNotFound:
      return "not_found";
    case Code::kConflict:
      return "conflict";
    case Code::kUnavailable:
      return "unavailable";
    case Code::kCorrupt:
      return "corrupt";
    case Code::kUnsupported:
      return "unsupported";
    case Code::kCancelled:
      return "cancelled";
    case Code::kInternal:
      return "internal";
  }
  check_failed(__FILE__, __LINE__, "a known code");
}

int exit_code(Code code) {
  switch (code) {
    case Code::kInvalidArgument:
      return 2;
    case Code::kNotFound:
      return 3;
    case Code::kConflict:
    case Code::kUnavailable:
    case Code::kCorrupt:
    case Code::kUnsupported:
    case Code::kCancelled:
      return 1;
    case Code::kInternal:
      return 70;
  }
  check_failed(__FILE__, __LINE__, "a known code");
}

std::string Issue::to_string() const {
  std::string out;
  if (line != 0) out += std::to_string(line) + ":" + std::to_string(column) + " ";
  if (!pointer.empty())
    out += pointer + ": ";
  else if (line != 0)
    out.back() = ':', out += ' ';
  out += code + ": " + message;
  if (!fix.empty()) out += " (" + fix + ")";
  return out;
}

Error Error::within(std::string frame) && {
  frames_.push_back(std::move(frame));
  return std::move(*this);
}

std::string Error::to_string() const {
  std::string out;
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) out += *frame + ": ";
  out += message_;
  for (const Issue& issue : issues_) out += "\n  " + issue.to_string();
  return out;
}

}  // namespace ki
