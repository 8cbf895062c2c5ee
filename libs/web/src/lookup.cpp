#include "lookup.h"

#include "ki/base/uuid.h"
#include "ki/digest/digest.h"

#include <algorithm>

namespace ki::web {

Index find_run(const Snapshot& s, std::string_view text) {
  Index run = kNone;
  if (const auto id = Uuid::parse(text)) {
    run = s.find_run(*id);
  } else if (const auto digest = Digest::parse(text)) {
    run = s.find_run(*digest);
  }
  if (run == kNone || (s.runs()[run].flags & catalog::run_flags::kPublished) == 0) return kNone;
  return run;
}

Index find_operation(const Snapshot& s, std::string_view text) {
  if (const Index by_slug = s.find_operation(text); by_slug != kNone) return by_slug;
  if (const auto id = Uuid::parse(text)) return s.find_operation(*id);
  if (const auto digest = Digest::parse(text)) return s.find_operation(*digest);
  return kNone;
}

Index find_implementation(const Snapshot& s, std::string_view text) {
  if (const Index by_slug = s.find_implementation(text); by_slug != kNone) return by_slug;
  if (const auto id = Uuid::parse(text)) return s.find_implementation(*id);
  if (const auto digest = Digest::parse(text)) return s.find_implementation(*digest);
  return kNone;
}

Index find_cohort(const Snapshot& s, std::string_view text) {
  const auto key = Digest::parse(text);
  return key ? s.find_cohort(*key) : kNone;
}

Index find_workload(const Snapshot& s, std::string_view text) {
  if (const auto id = Uuid::parse(text)) return s.find_workload(*id);
  if (const auto digest = Digest::parse(text)) return s.find_workload(*digest);
  return kNone;
}

http::Response not_found(std::string_view code, std::string_view detail) {
  return http::Response::of(
      http::Problem{.status = 404, .code = std::string(code), .detail = std::string(detail)});
}

std::string_view caveat_sentence(std::string_view code) {
  if (code == "OPERATION_MISMATCH") {
    return "The implementation is stated to belong to another operation; ranking-v2 leaves it out.";
  }
  return code;
}

}  // namespace ki::web
