// Resolver: Intent -> Answer, over one snapshot (spec 05, 06). Pure: the clock is an input, and any
// number of threads may use one Resolver, each with a Scratch of its own.
#pragma once

#include "ki/catalog/snapshot.h"
#include "ki/digest/digest.h"
#include "ki/query/intent.h"
#include "ki/resolve/answer.h"
#include "ki/resolve/search_index.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace ki::resolve {

inline constexpr std::uint32_t kPageSize = 50;
inline constexpr std::uint32_t kMaxPageSize = 200;

enum class BrowseOrder : std::uint8_t { kRuns, kNewest, kName };

struct Request {
  const query::Intent* intent = nullptr;  // never null
  std::string_view query;                 // the text that it was parsed from; empty: structured
  std::optional<Digest> cohort;           // comparison key of the cohort to lead with
  Instant now;                            // for age and staleness
  std::uint32_t limit = kPageSize;        // rows of each group or list; at most kMaxPageSize
  std::array<std::uint32_t, kGroupKinds> offsets{};  // first row of each group, by GroupKind
  std::uint32_t list_offset = 0;                     // of chooser, model and browse lists
  BrowseOrder browse_order = BrowseOrder::kRuns;
};

// Working memory; one per thread, reused from request to request.
class Scratch {
 public:
  struct State;  // internal
  Scratch();
  ~Scratch();
  Scratch(Scratch&&) noexcept;
  Scratch& operator=(Scratch&&) noexcept;

 private:
  friend class Resolver;
  std::unique_ptr<State> state_;
};

class Resolver {
 public:
  struct State;  // internal
  // Both must outlive the resolver; the index must be of this snapshot.
  Resolver(const catalog::Snapshot& snapshot, const SearchIndex& index);
  ~Resolver();
  Resolver(Resolver&&) noexcept;
  Resolver& operator=(Resolver&&) noexcept;

  // Replaces `answer`. Never fails: what cannot be understood is an issue of the answer, and a case
  // that nobody measured is never called exact.
  void resolve(const Request& request, Scratch& scratch, Answer& answer) const;
  Answer resolve(const Request& request) const;

  const catalog::Snapshot& snapshot() const;
  const SearchIndex& index() const;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace ki::resolve
