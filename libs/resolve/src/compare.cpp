#include "ki/resolve/compare.h"

#include "ki/base/uuid.h"
#include "ki/policy/evidence.h"
#include "ki/resolve/describe.h"
#include "run_facts.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::resolve {
namespace {

using catalog::Bytes32;
using catalog::Snapshot;

std::string short_hex(const Bytes32& digest) {
  return fmt::format("{:02x}{:02x}{:02x}{:02x}", digest[0], digest[1], digest[2], digest[3]);
}

// One run with the rows that it refers to.
struct Parts {
  const catalog::RunRow& run;
  const catalog::CohortRow& cohort;
  const catalog::WorkloadRow& workload;
  const catalog::OperationRow& operation;
  const catalog::ImplementationRow& implementation;
  const catalog::ProtocolRow& protocol;
  const catalog::EnvironmentRow& environment;
  const catalog::MetricRow& metric;
};

Parts parts_of(const Snapshot& snapshot, Index index) {
  const catalog::RunRow& run = snapshot.runs()[index];
  const catalog::CohortRow& cohort = snapshot.cohorts()[run.cohort];
  const catalog::WorkloadRow& workload = snapshot.workloads()[run.workload];
  return {run,
          cohort,
          workload,
          snapshot.operations()[workload.operation],
          snapshot.implementations()[run.implementation],
          snapshot.protocols()[cohort.protocol],
          snapshot.environments()[cohort.environment],
          snapshot.metrics()[cohort.metric]};
}

const Bytes32& correctness_of(const Snapshot& snapshot, const Parts& parts) {
  return snapshot.columns().correctness_keys[parts.workload.correctness];
}

std::string or_unknown(std::string_view text) {
  return std::string(text.empty() ? "unknown" : text);
}

std::string metric_text(const Snapshot& snapshot, const catalog::MetricRow& metric) {
  return fmt::format("{} {} ({})", snapshot.name(metric.metric), snapshot.name(metric.statistic),
                     snapshot.name(metric.unit));
}

class Comparer {
 public:
  Comparer(const Snapshot& snapshot, Comparison& result) : snapshot_(snapshot), result_(result) {}

  void take(std::span<const std::string_view> ids) {
    for (const std::string_view id : ids) {
      Index found = kNone;
      if (const auto uuid = Uuid::parse(id)) {
        found = snapshot_.find_run(*uuid);
      } else if (const auto digest = Digest::parse(id)) {
        found = snapshot_.find_run(*digest);
      }
      const bool is_public =
          found != kNone && (snapshot_.runs()[found].flags & catalog::run_flags::kPublished) != 0;
      if (!is_public) {
        result_.missing.emplace_back(id);
      } else if (result_.runs.size() < kMaxCompared &&
                 std::ranges::find(result_.runs, found, &ComparedRun::run) == result_.runs.end()) {
        result_.runs.push_back(
            {.run = found,
             .ineligible = policy::eligibility_v1(run_facts(snapshot_.runs()[found]))});
      }
    }
    for (const ComparedRun& run : result_.runs) parts_.push_back(parts_of(snapshot_, run.run));
  }

  void compare_fields() {
    const auto hex_with = [](std::string_view label, const Bytes32& digest) {
      return fmt::format("{} · {}", label, short_hex(digest));
    };
    material(
        "operation", [](const Parts& p) { return p.operation.digest; },
        [&](const Parts& p) { return operation_name(snapshot_, p.workload.operation); });
    material(
        "workload", [](const Parts& p) { return p.workload.digest; },
        [&](const Parts& p) {
          return hex_with(workload_label(snapshot_, p.run.workload), p.workload.digest);
        });
    material(
        "protocol", [](const Parts& p) { return p.protocol.digest; },
        [&](const Parts& p) {
          return hex_with(snapshot_.name(p.protocol.harness), p.protocol.digest);
        });
    material(
        "environment", [](const Parts& p) { return p.environment.digest; },
        [&](const Parts& p) {
          return hex_with(snapshot_.name(p.environment.product), p.environment.digest);
        });
    material(
        "correctness policy", [&](const Parts& p) { return correctness_of(snapshot_, p); },
        [&](const Parts& p) { return short_hex(correctness_of(snapshot_, p)); });
    material(
        "metric", [&](const Parts& p) { return metric_text(snapshot_, p.metric); },
        [&](const Parts& p) { return metric_text(snapshot_, p.metric); });
    context("architecture", [&](const Parts& p) {
      return or_unknown(snapshot_.name(p.environment.display_architecture));
    });
    context("CUDA", [&](const Parts& p) { return or_unknown(snapshot_.name(p.environment.cuda)); });
    context("driver",
            [&](const Parts& p) { return or_unknown(snapshot_.name(p.environment.driver)); });
    context("framework", [&](const Parts& p) {
      const std::string_view version = snapshot_.name(p.environment.framework_version);
      return or_unknown(fmt::format("{}{}{}", snapshot_.name(p.environment.framework),
                                    version.empty() ? "" : " ", version));
    });
    context("samples", [](const Parts& p) {
      return p.run.samples == 0 ? std::string("unknown") : std::to_string(p.run.samples);
    });
    context("evidence", [](const Parts& p) {
      return std::string(policy::to_string(static_cast<policy::EvidenceLevel>(p.run.evidence)));
    });
    context("license", [&](const Parts& p) {
      const catalog::NameId id = p.implementation.license_concluded != 0
                                     ? p.implementation.license_concluded
                                     : p.implementation.license_declared;
      return or_unknown(snapshot_.name(id));
    });
    context("source", [&](const Parts& p) {
      return p.run.source == kNone
                 ? std::string("unknown")
                 : std::string(snapshot_.text(snapshot_.sources()[p.run.source].name));
    });
    context("status",
            [](const Parts& p) { return std::string(catalog::kRunStatusNames[p.run.status]); });
    context("observed", [](const Parts& p) { return Instant{p.run.observed_ms}.date(); });
  }

  void judge() {
    const auto differing = std::ranges::find_if(
        result_.fields, [](const ComparedField& f) { return f.is_material && f.differs; });
    if (differing != result_.fields.end()) {
      result_.first_material_mismatch =
          static_cast<std::size_t>(differing - result_.fields.begin());
    }
    const bool is_one_key = !parts_.empty() && std::ranges::all_of(parts_, [&](const Parts& p) {
      return p.cohort.key == parts_.front().cohort.key;
    });
    if (is_one_key) {
      result_.comparison_key.emplace(parts_.front().cohort.key);
      result_.is_source_native = parts_.front().cohort.is_source_native != 0;
    }
    const auto ineligible = std::ranges::find_if(
        result_.runs, [](const ComparedRun& run) { return !run.ineligible.empty(); });
    result_.is_comparable =
        result_.runs.size() >= 2 && is_one_key && ineligible == result_.runs.end();
    if (result_.is_comparable) {
      rank();
      result_.explanation =
          fmt::format("The {} runs share one comparison group.", result_.runs.size());
    } else if (result_.runs.size() < 2) {
      result_.explanation = "A comparison needs at least two published runs.";
    } else if (result_.first_material_mismatch) {
      result_.explanation = fmt::format(
          "The runs cannot be ranked against each other: they differ in {}.", differing->field);
    } else if (ineligible != result_.runs.end()) {
      result_.explanation = fmt::format(
          "Run {} cannot be ranked: {}.", Uuid{snapshot_.runs()[ineligible->run].id}.to_string(),
          policy::explain_eligibility(ineligible->ineligible.front()));
    } else {
      result_.explanation =
          "The runs cannot be ranked against each other: their comparison keys differ.";
    }
  }

 private:
  template <class KeyOf, class TextOf>
  void material(std::string_view field, KeyOf key_of, TextOf text_of) {
    add(field, true, text_of);
    for (const Parts& p : parts_) {
      if (key_of(p) != key_of(parts_.front())) result_.fields.back().differs = true;
    }
  }
  template <class TextOf>
  void context(std::string_view field, TextOf text_of) {
    add(field, false, text_of);
    for (const std::string& value : result_.fields.back().values) {
      if (value != result_.fields.back().values.front()) result_.fields.back().differs = true;
    }
  }
  template <class TextOf>
  void add(std::string_view field, bool is_material, TextOf text_of) {
    ComparedField& added = result_.fields.emplace_back(
        ComparedField{.field = field, .is_material = is_material, .differs = false, .values = {}});
    for (const Parts& p : parts_) added.values.push_back(text_of(p));
  }

  void rank() {
    std::vector<policy::RankInput> inputs;
    inputs.reserve(parts_.size());
    for (const Parts& p : parts_) inputs.push_back(rank_input(snapshot_, p.run));
    const auto profile =
        result_.is_source_native ? policy::Profile::kSourceNative : policy::Profile::kStrictExact;
    for (const policy::Ranked& ranked : policy::rank_v1(inputs, profile)) {
      ComparedRun& run = result_.runs[ranked.index];
      run.rank = ranked.rank;
      run.is_tied_with_previous = ranked.tied_with_previous;
      result_.order.push_back(run.run);
    }
  }

  const Snapshot& snapshot_;
  Comparison& result_;
  std::vector<Parts> parts_;
};

}  // namespace

Comparison compare(const Snapshot& snapshot, std::span<const std::string_view> ids) {
  Comparison result;
  Comparer comparer(snapshot, result);
  comparer.take(ids);
  comparer.compare_fields();
  comparer.judge();
  return result;
}

}  // namespace ki::resolve
