#include "ki/query/bracket.h"

#include "ki/base/text.h"
#include "ki/query/bind.h"
#include "ki/query/mismatch.h"
#include "ki/query/print.h"
#include "ki/query/rewrite.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::query {
namespace {

// A case that differs from the request along one axis or dimension only.
struct Candidate {
  std::size_t index = 0;      // of the case
  std::size_t direction = 0;  // which axis of the target, or which dimension
  std::int64_t value = 0;
  std::string rest;  // everything in which both sides must agree, as text
};

// Axis values that would make a case the requested one.
using Target = std::vector<AxisBinding>;

const AxisFacts* find_axis(const CaseFacts& workload, std::string_view name) {
  for (const AxisFacts& axis : workload.axes) {
    if (equals_ignoring_case(axis.name, name)) return &axis;
  }
  return nullptr;
}

// The axes of the case for which `is_free` does not hold, and its dtypes.
template <class IsFree>
std::string rest_of(const CaseFacts& workload, IsFree is_free) {
  std::vector<const AxisFacts*> axes;
  axes.reserve(workload.axes.size());
  for (const AxisFacts& axis : workload.axes) {
    if (!is_free(axis)) axes.push_back(&axis);
  }
  std::vector<std::string_view> dtypes(workload.dtypes.begin(), workload.dtypes.end());
  std::ranges::sort(axes, {}, [](const AxisFacts* axis) { return ascii_lower(axis->name); });
  std::ranges::sort(dtypes);
  std::string text;
  for (const AxisFacts* axis : axes) {
    for (const char c : axis->name) text += ascii_lower(c);
    text += '=';
    text += std::to_string(axis->value);
    text += ',';
  }
  for (const std::string_view dtype : dtypes) {
    text += '|';
    text += dtype;
  }
  return text;
}

bool has_dtypes(const Intent& intent, const CaseFacts& workload) {
  return std::ranges::all_of(intent.dtypes, [&](const std::string& asked) {
    return std::ranges::any_of(workload.dtypes,
                               [&](std::string_view dtype) { return dtype_covers(asked, dtype); });
  });
}

struct Sides {
  std::optional<BracketSide> below;
  std::optional<BracketSide> above;
  std::size_t cases = 0;

  void add(const Candidate& candidate, std::int64_t requested) {
    ++cases;
    const BracketSide side{candidate.index, candidate.value};
    if (candidate.value < requested && (!below || candidate.value > below->value)) below = side;
    if (candidate.value > requested && (!above || candidate.value < above->value)) above = side;
  }
  bool is_pair() const { return below && above; }
  double distance(std::int64_t requested) const {
    const auto low = static_cast<double>(below ? below->value : requested);
    const auto high = static_cast<double>(above ? above->value : requested);
    return high - low;
  }
  bool is_better_than(const Sides& other, std::int64_t requested) const {
    if (is_pair() != other.is_pair()) return is_pair();
    if (distance(requested) != other.distance(requested)) {
      return distance(requested) < other.distance(requested);
    }
    return cases > other.cases;
  }
};

// The direction with most candidates; the first seen of equals.
std::size_t main_direction(const std::vector<Candidate>& candidates) {
  std::vector<std::size_t> counts(
      std::ranges::max(candidates, {}, &Candidate::direction).direction + 1);
  for (const Candidate& candidate : candidates) ++counts[candidate.direction];
  std::size_t best = candidates.front().direction;
  for (const Candidate& candidate : candidates) {
    if (counts[candidate.direction] > counts[best]) best = candidate.direction;
  }
  return best;
}

// The best sides along one direction among candidates that agree in the rest.
Sides best_sides(const std::vector<Candidate>& candidates, std::size_t direction,
                 std::int64_t requested) {
  std::vector<std::pair<std::string_view, Sides>> groups;  // in order of first mention
  for (const Candidate& candidate : candidates) {
    if (candidate.direction != direction) continue;
    auto group = std::ranges::find(groups, candidate.rest, &decltype(groups)::value_type::first);
    if (group == groups.end()) group = groups.insert(groups.end(), {candidate.rest, Sides{}});
    group->second.add(candidate, requested);
  }
  Sides best = groups.front().second;
  for (const auto& [rest, sides] : groups) {
    if (sides.is_better_than(best, requested)) best = sides;
  }
  return best;
}

class Bracketer {
 public:
  Bracketer(const Intent& intent, std::span<const BracketCase> cases,
            const OperationFacts* operation)
      : intent_(intent), operation_(operation) {
    if (operation != nullptr) {
      for (const OperationAxis& axis : operation->axes) {
        if (axis.role != AxisRole::kVariable) fixed_.push_back(axis.name);
      }
    }
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const CaseFacts& facts = cases[i].facts;
      if (cases[i].runs > 0 && !facts.is_suite && has_dtypes(intent, facts)) {
        cases_.push_back({i, &facts});
      }
    }
  }

  std::optional<Bracket> read() {
    for (const auto& [index, facts] : cases_) {
      if (matches_case(intent_, *facts)) return std::nullopt;
    }
    if (intent_.shape && operation_ == nullptr) return along_dimension();
    for (const Target& target : targets()) {
      if (auto found = along_axis(target)) return found;
    }
    return std::nullopt;
  }

 private:
  struct Case {
    std::size_t index;
    const CaseFacts* facts;
  };

  // One for each meaning of the request.
  std::vector<Target> targets() const {
    Target axes = intent_.axes;
    const auto add = [](Target& target, const std::vector<AxisBinding>& more) {
      for (const AxisBinding& axis : more) {
        if (std::ranges::find(target, axis.name, &AxisBinding::name) == target.end()) {
          target.push_back(axis);
        }
      }
    };
    if (operation_ == nullptr) return {axes};
    for (const TensorRequest& tensor : intent_.tensors) {
      if (!tensor.shape) continue;
      const auto readings = read_shape(*tensor.shape, axes, *operation_);
      const auto own = std::ranges::find_if(readings, [&](const ShapeReading& reading) {
        return equals_ignoring_case(reading.tensor, tensor.name);
      });
      if (own == readings.end()) return {};
      add(axes, own->axes);
    }
    if (!intent_.shape) return {axes};
    std::vector<Target> found;
    for (const ShapeReading& reading : read_shape(intent_.shape->dims, axes, *operation_)) {
      Target target = axes;
      add(target, reading.axes);
      if (!target.empty() && std::ranges::find(found, target) == found.end()) {
        found.push_back(std::move(target));
      }
    }
    return found;
  }

  std::optional<Bracket> along_axis(const Target& target) const {
    std::vector<Candidate> candidates;
    for (const auto& [index, facts] : cases_) {
      if (auto candidate = candidate_on(target, *facts)) {
        candidate->index = index;
        candidates.push_back(std::move(*candidate));
      }
    }
    if (candidates.empty()) return std::nullopt;
    const AxisBinding& axis = target[main_direction(candidates)];
    Bracket bracket = along(candidates, axis.value);
    bracket.axis = axis.name;
    bracket.token = axis_token_typed(axis.name);
    if (bracket.token.empty()) {
      bracket.token = shape_token_typed();
      if (intent_.shape) bracket.shape = intent_.shape->dims;
    }
    return bracket;
  }

  std::optional<Candidate> candidate_on(const Target& target, const CaseFacts& facts) const {
    std::optional<Candidate> found;
    for (std::size_t i = 0; i < target.size(); ++i) {
      const AxisFacts* axis = find_axis(facts, target[i].name);
      if (axis == nullptr) return std::nullopt;
      if (axis->value == target[i].value) continue;
      if (found) return std::nullopt;  // differs twice
      found = Candidate{.index = 0, .direction = i, .value = axis->value, .rest = {}};
    }
    if (!found) return std::nullopt;
    found->rest = rest_of(facts, [&](const AxisFacts& axis) {
      return is_fixed(axis.name) || std::ranges::any_of(target, [&](const AxisBinding& bound) {
               return equals_ignoring_case(bound.name, axis.name);
             });
    });
    return found;
  }

  // Without the operation's symbolic shapes: the first tensor of each case.
  std::optional<Bracket> along_dimension() const {
    const std::vector<std::int64_t>& dims = intent_.shape->dims;
    std::vector<Candidate> candidates;
    for (const auto& [index, facts] : cases_) {
      if (facts->tensors.empty() || facts->tensors.front().shape.size() != dims.size()) continue;
      const auto shape = facts->tensors.front().shape;
      std::optional<std::size_t> differing;
      std::size_t differences = 0;
      for (std::size_t i = 0; i < dims.size(); ++i) {
        if (shape[i] == dims[i]) continue;
        differing = i;
        ++differences;
      }
      if (differences != 1) continue;
      candidates.push_back({.index = index,
                            .direction = *differing,
                            .value = shape[*differing],
                            .rest = rest_along(*differing, *facts)});
    }
    if (candidates.empty()) return std::nullopt;
    const std::size_t dimension = main_direction(candidates);
    Bracket bracket = along(candidates, dims[dimension]);
    bracket.token = shape_token_typed();
    if (const auto axis = axis_of_dimension(dimension)) {
      bracket.axis = *axis;
    } else {
      bracket.axis = fmt::format("dim {}", dimension);
      bracket.dimension = dimension;
    }
    bracket.shape = dims;
    return bracket;
  }

  // The other dimensions of the tensor agree anyway; of a dimension without a name, no axis can be
  // told to be another one.
  std::string rest_along(std::size_t dimension, const CaseFacts& facts) const {
    const auto own = axis_of_dimension(dimension);
    return rest_of(facts, [&](const AxisFacts& axis) {
      return !own || equals_ignoring_case(axis.name, *own);
    });
  }

  // The first axis that equals the dimension in every case of that rank.
  std::optional<std::string> axis_of_dimension(std::size_t dimension) const {
    const std::size_t rank = intent_.shape->dims.size();
    const CaseFacts* first = nullptr;
    std::vector<std::string_view> names;
    for (const auto& [index, facts] : cases_) {
      if (facts->tensors.empty() || facts->tensors.front().shape.size() != rank) continue;
      if (first == nullptr) {
        first = facts;
        for (const AxisFacts& axis : facts->axes) names.push_back(axis.name);
      }
      std::erase_if(names, [&](std::string_view name) {
        const AxisFacts* axis = find_axis(*facts, name);
        return axis == nullptr || axis->value != facts->tensors.front().shape[dimension];
      });
    }
    if (names.empty()) return std::nullopt;
    return ascii_lower(names.front());
  }

  static Bracket along(const std::vector<Candidate>& candidates, std::int64_t requested) {
    const Sides sides = best_sides(candidates, main_direction(candidates), requested);
    Bracket bracket;
    bracket.requested = requested;
    bracket.below = sides.below;
    bracket.above = sides.above;
    return bracket;
  }

  std::string axis_token_typed(std::string_view axis) const {
    std::string token;
    for (const Facet& facet : intent_.facets) {
      if (facet.field == "axis" && facet.name == axis) token = facet.token;
    }
    return token;
  }

  std::string shape_token_typed() const {
    std::string token;
    for (const Facet& facet : intent_.facets) {
      if (facet.field == "shape" || (facet.field == "tensor" && !intent_.shape)) {
        token = facet.token;
      }
    }
    return token;
  }

  // Constant or derived: it says nothing that the other axes do not say.
  bool is_fixed(std::string_view name) const {
    return std::ranges::any_of(
        fixed_, [&](std::string_view fixed) { return equals_ignoring_case(fixed, name); });
  }

  const Intent& intent_;
  const OperationFacts* operation_;
  std::vector<std::string_view> fixed_;
  std::vector<Case> cases_;
};

}  // namespace

std::optional<Bracket> bracket(const Intent& intent, std::span<const BracketCase> cases,
                               const OperationFacts* operation) {
  if (!intent.binds_case()) return std::nullopt;
  return Bracketer(intent, cases, operation).read();
}

std::string bracket_query(std::string_view query, const Intent& parsed, const Bracket& bracket,
                          const BracketSide& side) {
  std::string text = remove_facet(query, parsed, bracket.token);
  if (!text.empty()) text += ' ';
  if (!bracket.dimension) return text + axis_token(bracket.axis, side.value);
  std::vector<std::int64_t> dims = bracket.shape;
  dims[*bracket.dimension] = side.value;
  return text + "shape:" + fmt::format("[{}]", fmt::join(dims, ","));
}

}  // namespace ki::query
