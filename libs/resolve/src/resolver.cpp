#include "ki/resolve/resolver.h"

#include "ki/base/check.h"
#include "resolution.h"

#include <algorithm>

namespace ki::resolve {
namespace {

using namespace catalog::run_flags;

// Implementations whose eligible runs are all of other operations' workloads: few, so they are kept
// as a list.
std::vector<Index> measured_elsewhere(const catalog::Snapshot& snapshot) {
  std::vector<Index> found;
  for (const catalog::RunRow& run : snapshot.runs()) {
    if ((run.flags & (kEligible | kOperationMismatch)) == (kEligible | kOperationMismatch)) {
      found.push_back(run.implementation);
    }
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::erase_if(found, [&](Index implementation) {
    const Index operation = snapshot.implementations()[implementation].operation;
    return std::ranges::any_of(snapshot.runs_of_implementation(implementation), [&](Index run) {
      return snapshot.workloads()[snapshot.runs()[run].workload].operation == operation;
    });
  });
  return found;
}

}  // namespace

Scratch::Scratch() : state_(std::make_unique<State>()) {}
Scratch::~Scratch() = default;
Scratch::Scratch(Scratch&&) noexcept = default;
Scratch& Scratch::operator=(Scratch&&) noexcept = default;

Resolver::Resolver(const catalog::Snapshot& snapshot, const SearchIndex& index)
    : state_(std::make_unique<State>(snapshot, index)) {
  state_->measured_elsewhere = measured_elsewhere(snapshot);
  state_->has_verified = std::ranges::any_of(snapshot.runs(), [](const catalog::RunRow& run) {
    return (run.flags & kEligible) != 0 &&
           run.evidence >= static_cast<std::uint8_t>(policy::EvidenceLevel::kVerified);
  });
  state_->has_installable = std::ranges::any_of(
      snapshot.implementations(),
      [](const catalog::ImplementationRow& row) { return row.installable != 0; });
  state_->baseline_role = snapshot.find_name("baseline").value_or(0);
  for (const catalog::SourceRow& source : snapshot.sources()) {
    state_->is_illustrative.push_back(snapshot.text(source.kind) == "illustrative" ? 1 : 0);
  }
}
Resolver::~Resolver() = default;
Resolver::Resolver(Resolver&&) noexcept = default;
Resolver& Resolver::operator=(Resolver&&) noexcept = default;

void Resolver::resolve(const Request& request, Scratch& scratch, Answer& answer) const {
  KI_CHECK(request.intent != nullptr);
  answer.clear();
  Resolution(*state_, request, *scratch.state_, answer).run();
}

Answer Resolver::resolve(const Request& request) const {
  Scratch scratch;
  Answer answer;
  resolve(request, scratch, answer);
  return answer;
}

const catalog::Snapshot& Resolver::snapshot() const { return state_->snapshot; }
const SearchIndex& Resolver::index() const { return state_->index; }

}  // namespace ki::resolve
