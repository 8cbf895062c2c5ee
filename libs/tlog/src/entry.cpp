#include "ki/tlog/entry.h"

#include "ki/base/check.h"
#include "ki/json/reader.h"
#include "ki/json/writer.h"

#include <algorithm>
#include <array>

namespace ki::tlog {
namespace {

constexpr std::size_t kMaxParents = 700;  // an entry has at most 65,535 bytes

constexpr std::array<std::string_view, 12> kTypes = {
    "run",      "suite",          "protocol",   "environment",  "operation",
    "workload", "implementation", "retraction", "supersession", "attestation",
    "key",      "audit_head"};

std::string seconds_text(Instant at) {
  std::string text = at.to_string();  // "2026-08-15T02:02:57.440Z"
  return text.replace(19, 4, "");
}

std::unexpected<Error> refuse(std::string message) {
  return fail(Code::kInvalidArgument, "no log entry: " + std::move(message));
}

Result<Digest> digest_in(const json::Value* value) {
  if (value == nullptr || !value->is_string()) return refuse("a digest is missing");
  return Digest::parse(value->string());
}

}  // namespace

std::string_view to_string(EntryType type) { return kTypes.at(static_cast<std::size_t>(type)); }

std::string to_text(const Entry& entry) {
  KI_CHECK(entry.parents.size() <= kMaxParents);
  std::vector<Digest> parents = entry.parents;
  std::ranges::sort(parents);
  std::string out;
  json::Writer w(out);
  w.begin_object()
      .member("at", seconds_text(entry.at))
      .member("digest", entry.digest.to_string())
      .key("parents")
      .begin_array();
  for (const Digest& parent : parents) w.value(parent.to_string());
  w.end_array().member("type", to_string(entry.type)).member("v", 1).end_object();
  return out;
}

Result<Entry> read_entry(std::string_view text) {
  KI_TRY(const json::Document document, json::read_document(text, {.max_bytes = 65'535}));
  const json::Value& root = document.root;
  Entry entry;
  const json::Value* type = root.find("type");
  const auto found = type != nullptr && type->is_string()
                         ? std::ranges::find(kTypes, type->string())
                         : kTypes.end();
  if (found == kTypes.end()) return refuse("its type is not known");
  entry.type = static_cast<EntryType>(found - kTypes.begin());
  KI_TRY(entry.digest, digest_in(root.find("digest")));
  const json::Value* parents = root.find("parents");
  if (parents == nullptr || !parents->is_array() || parents->items().size() > kMaxParents)
    return refuse("it has no list of parents");
  for (const json::Value& parent : parents->items()) {
    KI_TRY(const Digest digest, digest_in(&parent));
    entry.parents.push_back(digest);
  }
  const json::Value* at = root.find("at");
  const auto instant =
      at != nullptr && at->is_string() ? parse_instant(at->string()) : std::nullopt;
  if (!instant) return refuse("it has no instant");
  entry.at = instant->instant;
  if (to_text(entry) != text) return refuse("it is not in its one spelling");
  return entry;
}

}  // namespace ki::tlog
