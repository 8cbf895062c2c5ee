#include "ki/views/find.h"

#include "ki/base/text.h"
#include "ki/base/uuid.h"
#include "ki/digest/digest.h"

#include <fmt/format.h>

#include <vector>

namespace ki::views {
namespace {

using catalog::Index;
using catalog::kNone;
using catalog::Snapshot;

std::unexpected<Error> missing(std::string_view what, std::string_view id,
                               std::string_view near = {}) {
  return fail(Code::kNotFound,
              near.empty() ? fmt::format("no {} is {}", what, quote(id))
                           : fmt::format("no {} is {}; did you mean '{}'?", what, quote(id), near));
}

// The closest slug among the rows, for a message.
template <class Rows>
std::string_view near_slug(const Snapshot& s, const Rows& rows, std::string_view wanted) {
  std::size_t best_distance = 3;
  std::string_view best;
  for (const auto& row : rows) {
    const std::string_view slug = s.text(row.slug);
    const std::size_t distance = edit_distance(wanted, slug, 2);
    if (distance < best_distance) {
      best_distance = distance;
      best = slug;
    }
  }
  return best;
}

}  // namespace

Result<Index> find_run(const Snapshot& s, std::string_view id) {
  if (const auto uuid = Uuid::parse(id)) {
    if (const Index found = s.find_run(*uuid); found != kNone) return found;
    return missing("run", id);
  }
  if (id.size() == Digest::kTextLength) {
    KI_TRY(const Digest digest, Digest::parse(id));
    if (const Index found = s.find_run(digest); found != kNone) return found;
    return missing("run", id);
  }
  // The beginning of an id or of a digest's hexadecimal digits.
  const bool is_digest = id.starts_with("sha256:");
  if (id.size() < 6)
    return fail(Code::kInvalidArgument,
                fmt::format("{} is too short for a run; give 6 characters or more", quote(id)));
  std::vector<Index> found;
  for (Index i = 0; i < s.runs().size() && found.size() < 3; ++i) {
    const std::string text =
        is_digest ? Digest(s.runs()[i].digest).to_string() : Uuid{s.runs()[i].id}.to_string();
    if (text.starts_with(id)) found.push_back(i);
  }
  if (found.empty()) return missing("run", id);
  if (found.size() > 1)
    return fail(Code::kInvalidArgument,
                fmt::format("{} fits several runs; give more characters", quote(id)));
  return found.front();
}

Result<Index> find_operation(const Snapshot& s, std::string_view id) {
  Index found = s.find_operation(id);
  if (const auto uuid = Uuid::parse(id); found == kNone && uuid) found = s.find_operation(*uuid);
  if (const auto digest = Digest::parse(id); found == kNone && digest)
    found = s.find_operation(*digest);
  if (found != kNone) return found;
  return missing("operation", id, near_slug(s, s.operations(), id));
}

Result<Index> find_implementation(const Snapshot& s, std::string_view id) {
  Index found = s.find_implementation(id);
  if (const auto uuid = Uuid::parse(id); found == kNone && uuid)
    found = s.find_implementation(*uuid);
  if (const auto digest = Digest::parse(id); found == kNone && digest)
    found = s.find_implementation(*digest);
  if (found != kNone) return found;
  return missing("implementation", id, near_slug(s, s.implementations(), id));
}

Result<Index> find_project(const Snapshot& s, std::string_view slug) {
  if (const Index found = s.find_project(slug); found != kNone) return found;
  return missing("project", slug, near_slug(s, s.projects(), slug));
}

Result<Index> find_workload(const Snapshot& s, std::string_view id) {
  Index found = kNone;
  if (const auto uuid = Uuid::parse(id)) found = s.find_workload(*uuid);
  if (const auto digest = Digest::parse(id)) found = s.find_workload(*digest);
  if (found == kNone) return missing("workload", id);
  return found;
}

Result<Index> find_cohort(const Snapshot& s, std::string_view key) {
  KI_TRY(const Digest digest, Digest::parse(key));
  const Index found = s.find_cohort(digest);
  if (found == kNone) return missing("comparison group", key);
  return found;
}

}  // namespace ki::views
