#include "prepared.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::publish {

void Preparer::refuse(std::string code, const std::string& pointer, std::string message,
                      std::string fix) {
  Issue issue;
  issue.code = std::move(code);
  issue.pointer = pointer;
  issue.message = std::move(message);
  issue.fix = std::move(fix);
  issues_.push_back(std::move(issue));
}

std::optional<Prepared> Preparer::prepare(std::string_view text, const std::string& pointer,
                                          std::initializer_list<manifest::ManifestKind> kinds) {
  auto valid = validator_.read(text);
  if (!valid) {
    if (valid.error().issues().empty()) refuse("bad_manifest", pointer, valid.error().message());
    for (Issue issue : valid.error().issues()) {
      issue.pointer = pointer + issue.pointer;
      issues_.push_back(std::move(issue));
    }
    return std::nullopt;
  }
  if (std::ranges::find(kinds, valid->kind) == kinds.end()) {
    refuse("wrong_kind", pointer,
           fmt::format("the manifest is a {}; expected {}", to_string(valid->kind),
                       to_string(*kinds.begin())));
    return std::nullopt;
  }
  Prepared prepared;
  prepared.kind = valid->kind;
  prepared.digest = valid->digest;
  prepared.canonical = valid->canonical;
  auto document =
      json::read_document(prepared.canonical, json::Limits{.max_bytes = std::size_t{4} << 20});
  KI_CHECK(document.has_value());
  prepared.document = *std::move(document);
  return prepared;
}

}  // namespace ki::publish
