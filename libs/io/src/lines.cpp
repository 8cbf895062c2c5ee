#include "ki/io/lines.h"

#include <fmt/format.h>

namespace ki::io {

Result<LineReader> LineReader::open(const std::filesystem::path& path, std::size_t max_line) {
  KI_TRY(ByteSource source, ByteSource::open(path));
  return LineReader(std::move(source), max_line);
}

Result<std::optional<std::string_view>> LineReader::next() {
  if (is_partial_returned_) {
    partial_.clear();
    is_partial_returned_ = false;
  }
  for (;;) {
    if (const std::size_t end = chunk_.find('\n'); end != chunk_.npos) {
      const std::string_view line = chunk_.substr(0, end);
      chunk_.remove_prefix(end + 1);
      ++line_number_;
      if (partial_.empty()) return line;
      partial_ += line;
      is_partial_returned_ = true;
      return std::string_view(partial_);
    }
    partial_ += chunk_;
    if (partial_.size() > max_line_) {
      return fail(Code::kInvalidArgument,
                  fmt::format("line {} is longer than {} bytes", line_number_ + 1, max_line_));
    }
    KI_TRY(chunk_, source_.next());
    if (chunk_.empty()) {
      if (partial_.empty()) return std::nullopt;
      ++line_number_;
      ended_with_newline_ = false;
      is_partial_returned_ = true;
      return std::string_view(partial_);
    }
  }
}

}  // namespace ki::io
