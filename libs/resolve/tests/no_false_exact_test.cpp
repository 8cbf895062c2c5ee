// The law of the resolver: what it calls exact was measured as asked, and what was measured as
// asked is found. Requests are made of measured runs, some of their parts then changed, and judged
// by an oracle that walks over all runs of the operation and knows nothing of the resolver's own
// rules.
#include "catalog_fixture.h"
#include "ki/base/text.h"
#include "ki/query/mismatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ki::resolve {
namespace {

using catalog::Snapshot;

// What is asked, as plain values.
struct Wish {
  Index operation = kNone;
  std::vector<std::pair<std::string, std::int64_t>> axes;
  std::optional<std::pair<std::string, std::vector<std::int64_t>>> tensor;  // name and shape
  std::optional<std::string> product;                                       // "NVIDIA B200"
  std::optional<std::string> dtype;
  std::optional<std::string> architecture;
  std::optional<int> cuda;
  std::optional<std::string> language;
  bool binds_case() const { return !axes.empty() || tensor.has_value(); }
};

// The word that people type for a product of the catalog.
std::string word_of(std::string_view product) {
  return std::string(product.substr(product.rfind(' ') + 1));
}

std::string text_of(const Snapshot& snapshot, const Wish& wish) {
  std::string text =
      fmt::format("op:{}", snapshot.text(snapshot.operations()[wish.operation].slug));
  for (const auto& [name, value] : wish.axes) text += fmt::format(" axis:{}={}", name, value);
  if (wish.tensor) {
    std::string dims;
    for (const std::int64_t dim : wish.tensor->second)
      dims += (dims.empty() ? "" : ",") + std::to_string(dim);
    text += fmt::format(" tensor:{}=[{}]", wish.tensor->first, dims);
  }
  if (wish.product) text += fmt::format(" gpu:{}", word_of(*wish.product));
  if (wish.dtype) text += fmt::format(" dtype:{}", *wish.dtype);
  if (wish.architecture) text += fmt::format(" arch:{}", *wish.architecture);
  if (wish.cuda) text += fmt::format(" cuda:{}", *wish.cuda);
  if (wish.language) text += fmt::format(" language:{}", *wish.language);
  return text;
}

class Oracle {
 public:
  explicit Oracle(const Snapshot& snapshot) : s_(snapshot) {
    for (Index i = 0; i < s_.runs().size(); ++i) {
      if ((s_.runs()[i].flags & catalog::run_flags::kEligible) != 0) {
        runs_[s_.workloads()[s_.runs()[i].workload].operation].push_back(i);
      }
    }
  }

  const std::vector<Index>& runs_of(Index operation) { return runs_[operation]; }
  const std::map<Index, std::vector<Index>>& measured() const { return runs_; }

  struct Case {
    std::map<std::string, std::int64_t> axes;
    std::map<std::string, std::vector<std::int64_t>> shapes;
    std::vector<std::string> dtypes;
    bool is_suite = false;
  };

  const Case& case_of(Index workload) {
    if (const auto known = cases_.find(workload); known != cases_.end()) return known->second;
    Case& made = cases_[workload];
    const catalog::WorkloadRow& row = s_.workloads()[workload];
    made.is_suite = row.kind == catalog::WorkloadKind::kSuite;
    catalog::CaseFacts facts;
    s_.read_case(row, facts);
    for (const auto& axis : facts.axes) made.axes[ascii_lower(s_.name(axis.name))] = axis.value;
    for (const auto& tensor : facts.tensors) {
      made.shapes[ascii_lower(s_.name(tensor.name))] = {tensor.dims.begin(), tensor.dims.end()};
      made.dtypes.emplace_back(s_.name(tensor.dtype));
    }
    if (made.is_suite) {
      for (const auto& argument : s_.arguments(s_.operations()[row.operation])) {
        if (argument.is_tensor != 0) made.dtypes.emplace_back(s_.name(argument.dtype));
      }
    }
    return made;
  }

  bool answers(Index index, const Wish& wish) {
    const catalog::RunRow& run = s_.runs()[index];
    const Case& workload = case_of(run.workload);
    if (s_.workloads()[run.workload].operation != wish.operation) return false;
    if (wish.binds_case() && workload.is_suite) return false;
    for (const auto& [name, value] : wish.axes) {
      const auto axis = workload.axes.find(ascii_lower(name));
      if (axis == workload.axes.end() || axis->second != value) return false;
    }
    if (wish.tensor) {
      const auto shape = workload.shapes.find(ascii_lower(wish.tensor->first));
      if (shape == workload.shapes.end() || shape->second != wish.tensor->second) return false;
    }
    if (wish.dtype && std::ranges::find(workload.dtypes, *wish.dtype) == workload.dtypes.end())
      return false;
    const catalog::EnvironmentRow& environment =
        s_.environments()[s_.cohorts()[run.cohort].environment];
    if (wish.product && *wish.product != s_.name(environment.product)) return false;
    if (wish.architecture && *wish.architecture != s_.name(environment.display_architecture))
      return false;
    if (wish.cuda && *wish.cuda != environment.cuda_major) return false;
    return !wish.language ||
           *wish.language == s_.name(s_.implementations()[run.implementation].language);
  }

 private:
  const Snapshot& s_;
  std::map<Index, std::vector<Index>> runs_;
  std::map<Index, Case> cases_;
};

class Wishes {
 public:
  Wishes(const Snapshot& snapshot, Oracle& oracle) : s_(snapshot), oracle_(oracle) {
    for (const auto& [operation, runs] : oracle.measured()) operations_.push_back(operation);
  }

  // A request that some run answers, then perhaps changed in one or two parts.
  Wish next() {
    Wish wish;
    wish.operation = operations_[below(operations_.size())];
    const auto& runs = oracle_.runs_of(wish.operation);
    const catalog::RunRow& run = s_.runs()[runs[below(runs.size())]];
    const Oracle::Case& workload = oracle_.case_of(run.workload);
    const catalog::EnvironmentRow& environment =
        s_.environments()[s_.cohorts()[run.cohort].environment];
    for (const auto& [name, value] : workload.axes) {
      if (chance(0.6)) wish.axes.emplace_back(chance(0.3) ? upper(name) : name, value);
    }
    if (!workload.shapes.empty() && chance(0.25)) {
      const auto tensor = std::next(workload.shapes.begin(),
                                    static_cast<std::ptrdiff_t>(below(workload.shapes.size())));
      if (!tensor->second.empty()) wish.tensor = *tensor;
    }
    if (chance(0.5)) wish.product = s_.name(environment.product);
    if (chance(0.3) && !workload.dtypes.empty())
      wish.dtype = plain_dtype(workload.dtypes[below(workload.dtypes.size())]);
    if (chance(0.2)) wish.architecture = architecture(s_.name(environment.display_architecture));
    if (chance(0.2) && environment.cuda_major >= 0) wish.cuda = environment.cuda_major;
    if (chance(0.1)) wish.language = s_.name(s_.implementations()[run.implementation].language);
    if (chance(0.6)) change(wish);
    if (chance(0.2)) change(wish);
    return wish;
  }

 private:
  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }
  bool chance(double p) { return std::bernoulli_distribution(p)(random_); }
  static std::string upper(std::string text) {
    for (char& c : text) c = is_ascii_lower(c) ? static_cast<char>(c - 32) : c;
    return text;
  }
  // dtypes that name exactly themselves in the query language.
  static std::optional<std::string> plain_dtype(const std::string& dtype) {
    constexpr std::array kPlain = {"bf16", "fp16", "fp32", "int32", "int64", "fp8_e4m3fnuz"};
    return std::ranges::find(kPlain, dtype) == kPlain.end() ? std::nullopt : std::optional(dtype);
  }
  static std::optional<std::string> architecture(std::string_view text) {
    return text.starts_with("sm_") || text.starts_with("gfx") ? std::optional(std::string(text))
                                                              : std::nullopt;
  }

  void change(Wish& wish) {
    switch (below(8)) {
      case 0:
      case 1:
        if (!wish.axes.empty()) {
          auto& value = wish.axes[below(wish.axes.size())].second;
          constexpr std::array<std::int64_t, 5> kSteps = {1, -1, 7, 128, -64};
          value = std::max<std::int64_t>(0, value + kSteps[below(kSteps.size())]);
        }
        break;
      case 2:  // the value of another case
        if (!wish.axes.empty()) {
          auto& [name, value] = wish.axes[below(wish.axes.size())];
          const auto& runs = oracle_.runs_of(wish.operation);
          const auto& other = oracle_.case_of(s_.runs()[runs[below(runs.size())]].workload).axes;
          if (const auto at = other.find(ascii_lower(name)); at != other.end()) value = at->second;
        }
        break;
      case 3: {
        constexpr std::array kProducts = {
            "NVIDIA B200", "NVIDIA GB200", "NVIDIA H100",         "NVIDIA A100",
            "NVIDIA L4",   "NVIDIA L40S",  "AMD Instinct MI300X", "AMD Instinct MI355X"};
        wish.product = kProducts[below(kProducts.size())];
        break;
      }
      case 4: {
        constexpr std::array kDtypes = {"bf16", "fp16", "fp32", "int32"};
        wish.dtype = kDtypes[below(kDtypes.size())];
        break;
      }
      case 5:
        wish.cuda = 11 + static_cast<int>(below(3));
        break;
      case 6:
        wish.architecture = chance(0.5) ? "sm_90" : "sm_100";
        break;
      case 7:
        if (wish.tensor) {
          wish.tensor->second[below(wish.tensor->second.size())] += 1;
        } else {
          wish.axes.emplace_back("no_such_axis", 1);
        }
        break;
      default:
        break;
    }
  }

  const Snapshot& s_;
  Oracle& oracle_;
  std::vector<Index> operations_;
  std::mt19937_64 random_{20260816};
};

class PublicRows : public PublicCatalog {
 protected:
  std::vector<query::Mismatch> rule(const query::Intent& intent, const Row& row) const {
    const Snapshot& s = *snapshot_;
    const catalog::WorkloadRow& workload = s.workloads()[row.workload];
    catalog::CaseFacts decoded;
    s.read_case(workload, decoded);
    std::vector<query::AxisFacts> axes;
    for (const auto& axis : decoded.axes) axes.push_back({s.name(axis.name), axis.value});
    std::vector<query::TensorFacts> tensors;
    std::vector<std::string_view> dtypes, layouts;
    for (const auto& tensor : decoded.tensors) {
      tensors.push_back({.name = s.name(tensor.name),
                         .shape = tensor.dims,
                         .dtype = s.name(tensor.dtype),
                         .layout = "contiguous"});
      dtypes.push_back(s.name(tensor.dtype));
    }
    if (workload.kind == catalog::WorkloadKind::kSuite) {
      for (const auto& argument : s.arguments(s.operations()[workload.operation])) {
        if (argument.is_tensor != 0) dtypes.push_back(s.name(argument.dtype));
      }
    }
    std::ranges::sort(dtypes);
    dtypes.erase(std::unique(dtypes.begin(), dtypes.end()), dtypes.end());
    const query::CaseFacts facts{.is_suite = workload.kind == catalog::WorkloadKind::kSuite,
                                 .axes = axes,
                                 .tensors = tensors,
                                 .dtypes = dtypes,
                                 .layouts = layouts};
    const catalog::EnvironmentRow& environment = s.environments()[row.environment];
    const query::Gpu gpu = query::parse_gpu(s.name(environment.product));
    query::RunFacts run;
    run.workload = &facts;
    run.gpu = &gpu;
    run.architecture = s.name(environment.display_architecture);
    if (environment.cuda_major >= 0) run.cuda_major = environment.cuda_major;
    run.language = s.name(s.implementations()[row.implementation].language);
    return query::mismatches(intent, run);
  }
};

TEST_F(PublicCatalog, NothingIsExactThatNobodyMeasuredAndNothingMeasuredIsMissed) {
  Oracle oracle(*snapshot_);
  Wishes wishes(*snapshot_, oracle);
  constexpr int kCount = 100'000;
  Scratch scratch;
  Answer answer;
  int exact = 0, near = 0;
  for (int i = 0; i < kCount; ++i) {
    const Wish wish = wishes.next();
    const std::string text = text_of(*snapshot_, wish);
    SCOPED_TRACE(text);
    const query::Intent intent = query::parse_query(text);
    ASSERT_FALSE(intent.has_refusals());
    Request request{.intent = &intent, .query = text, .cohort = {}, .now = {}};
    request.limit = kMaxPageSize;
    resolver_->resolve(request, scratch, answer);
    ASSERT_EQ(answer.operation, wish.operation);

    std::map<Index, std::uint32_t> answering;  // runs by cohort
    std::map<Index, std::uint32_t> of_workload;
    for (const Index run : oracle.runs_of(wish.operation)) {
      if (!oracle.answers(run, wish)) continue;
      ++answering[snapshot_->runs()[run].cohort];
      ++of_workload[snapshot_->runs()[run].workload];
    }
    const Group& group = answer.group(GroupKind::kExact);
    ASSERT_EQ(answer.mode == Mode::kExact, wish.binds_case() && !answering.empty());
    ASSERT_EQ(group.total > 0, !answering.empty());
    if (group.total > 0) {
      ASSERT_EQ(group.total, answering[answer.selected.cohort])
          << "all runs of the cohort that answer";
      for (const auto& [cohort, runs] : answering) {
        if (snapshot_->cohorts()[cohort].workload == answer.selected.workload) {
          ASSERT_LE(runs, group.total);
        }
      }
      for (const auto& [workload, runs] : of_workload)
        ASSERT_LE(runs, of_workload[answer.selected.workload]);
    }
    for (const Row& row : group.rows) ASSERT_TRUE(oracle.answers(row.run, wish));
    for (const Row& row : answer.group(GroupKind::kCompatible).rows) {
      ASSERT_TRUE(row.workload != answer.selected.workload || !oracle.answers(row.run, wish));
      ASSERT_FALSE(row.mismatches.empty());
    }
    if (answer.nearest) {
      ASSERT_TRUE(answering.empty());
      ++near;
    }
    exact += answer.mode == Mode::kExact ? 1 : 0;
  }
  EXPECT_GT(exact, kCount / 20) << "enough requests that are answered";
  EXPECT_LT(exact, kCount / 2) << "enough that are not";
  EXPECT_GT(near, 0);
}

// The rows' mismatches are put together from parts that are decided once; libs/query states the
// rule for one run at a time. Both must say the same of every row of the selected workload.
TEST_F(PublicRows, MismatchesAreThoseOfTheRuleForOneRun) {
  Oracle oracle(*snapshot_);
  Wishes wishes(*snapshot_, oracle);
  Scratch scratch;
  Answer answer;
  std::size_t compared = 0;
  for (int i = 0; i < 5'000; ++i) {
    const std::string text = text_of(*snapshot_, wishes.next());
    SCOPED_TRACE(text);
    const query::Intent intent = query::parse_query(text);
    resolver_->resolve({.intent = &intent, .query = text, .cohort = {}, .now = {}}, scratch,
                       answer);
    for (const GroupKind kind : {GroupKind::kCompatible, GroupKind::kReported}) {
      for (const Row& row : answer.group(kind).rows) {
        if (row.workload != answer.selected.workload) continue;
        const auto expected = rule(intent, row);
        ASSERT_EQ(row.mismatches.size(), expected.size());
        for (std::size_t m = 0; m < expected.size(); ++m) {
          ASSERT_EQ(row.mismatches[m].field, expected[m].field);
          ASSERT_EQ(row.mismatches[m].requested, expected[m].requested);
          // The snapshot does not hold the cases of suites.
          if (row.mismatches[m].observed == "suite aggregate") continue;
          ASSERT_EQ(row.mismatches[m].observed, expected[m].observed);
        }
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 1'000U);
}

// An unbound shape names a tensor only by its size: a row that is called exact has a tensor of it.
TEST_F(PublicCatalog, AnExactRowHasATensorOfTheShapeAskedFor) {
  Oracle oracle(*snapshot_);
  int exact = 0;
  for (Index workload = 0; workload < snapshot_->workloads().size(); workload += 3) {
    const Oracle::Case& made = oracle.case_of(workload);
    for (const auto& [name, shape] : made.shapes) {
      if (shape.size() < 2) continue;
      std::string dims;
      for (const std::int64_t dim : shape) dims += (dims.empty() ? "" : ",") + std::to_string(dim);
      const std::string text = fmt::format(
          "op:{} [{}]",
          snapshot_->text(snapshot_->operations()[snapshot_->workloads()[workload].operation].slug),
          dims);
      const Answer answer = ask(text);
      if (answer.mode != Mode::kExact) continue;
      ++exact;
      for (const Row& row : answer.group(GroupKind::kExact).rows) {
        const auto& shapes = oracle.case_of(row.workload).shapes;
        EXPECT_TRUE(std::ranges::any_of(shapes, [&](const auto& tensor) {
          return tensor.second == shape;
        })) << text;
      }
      break;
    }
  }
  EXPECT_GT(exact, 10);
}

}  // namespace
}  // namespace ki::resolve
