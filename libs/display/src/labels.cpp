#include "ki/display/labels.h"

#include "ki/base/text.h"
#include "ki/display/format.h"
#include "ki/json/number.h"

#include <algorithm>
#include <array>

namespace ki::display {
namespace {

constexpr std::string_view kDot = " · ";

void append_part(std::string& line, std::string_view part) {
  if (part.empty()) return;
  if (!line.empty()) line += kDot;
  line += part;
}

std::string cut(std::string_view text, std::size_t length) {
  if (text.size() <= length) return std::string(text);
  return std::string(text.substr(0, length)) + "…";
}

bool is_index_dtype(std::string_view dtype) {
  return dtype.starts_with("int") || dtype.starts_with("uint") || dtype == "bool" ||
         dtype.starts_with("index");
}

std::optional<double> number_of(const json::Value& object, std::string_view key) {
  const json::Value* value = object.find(key);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->number();
}

std::optional<double> either(const json::Value& object, std::string_view key,
                             std::string_view other) {
  const auto value = number_of(object, key);
  return value ? value : number_of(object, other);
}

}  // namespace

std::string suite_label(std::int64_t cases, std::string_view statistic, std::string_view metric) {
  std::string measured;
  for (const std::string_view part : {statistic, metric}) {
    if (part.empty() || part == "unspecified") continue;
    if (!measured.empty()) measured += ' ';
    measured += part;
  }
  std::string label = "suite of " + count_noun(cases, "case");
  append_part(label, measured);
  return label;
}

std::string case_label(std::span<const Axis> axes, std::span<const std::string_view> dtypes) {
  std::string label;
  for (const auto& [name, value] : axes)
    append_part(label, std::string(name) + " = " + json::number_text(value));
  append_part(label, dtype_label(dtypes));
  return label;
}

std::string dtype_label(std::span<const std::string_view> dtypes) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string_view> distinct;
  for (std::string_view dtype : dtypes) {
    if (dtype == "float4_e2m1fn_x2") dtype = "fp4";
    if (std::ranges::find(distinct, dtype) == distinct.end()) distinct.push_back(dtype);
  }
  if (!std::ranges::all_of(distinct, is_index_dtype)) std::erase_if(distinct, is_index_dtype);
  std::string label;
  for (std::size_t i = 0; i < std::min(distinct.size(), kShown); ++i) {
    if (i > 0) label += '/';
    label += distinct[i];
  }
  if (distinct.size() > kShown) label += " +" + std::to_string(distinct.size() - kShown);
  return label;
}

std::string workload_summary(std::span<const std::string_view> dtypes,
                             std::string_view shape_summary) {
  std::string summary = dtype_label(dtypes);
  append_part(summary, shape_summary == "[]" ? std::string_view() : shape_summary);
  return summary;
}

std::string tolerance_summary(const json::Value& correctness) {
  const auto absolute = either(correctness, "maxAbsoluteError", "maximumAbsoluteError");
  const auto relative_error = either(correctness, "maxRelativeError", "maximumRelativeError");
  const auto matched = either(correctness, "requiredMatchedRatio", "matchedRatio");
  std::string summary;
  const auto add = [&](std::string_view text, const std::string& number) {
    if (!summary.empty()) summary += ", ";
    summary += text;
    summary += number;
  };
  if (absolute) add("abs ≤ ", json::number_text(*absolute));
  if (relative_error) add("rel ≤ ", json::number_text(*relative_error));
  if (matched) {
    // 0.999 · 100 is 99.9 only after rounding: two decimals, trailing zeros dropped.
    std::string percent = to_fixed(*matched * 100, 4);
    percent.erase(percent.find_last_not_of('0') + 1);
    if (percent.ends_with('.')) percent.pop_back();
    add("matched ≥ ", percent + "%");
  }
  if (!summary.empty()) return summary;
  const json::Value* comparator = correctness.find("comparator");
  if (comparator != nullptr && comparator->is_string()) return std::string(comparator->string());
  return std::string(kMissing);
}

std::string mismatch_field(std::string_view field) {
  if (field == "hardware.gpu") return "GPU";
  for (const std::string_view prefix : {"axes.", "workload.", "environment.", "hardware."}) {
    if (field.starts_with(prefix)) {
      field.remove_prefix(prefix.size());
      break;
    }
  }
  return words(field);
}

std::string evidence_label(std::string_view level) {
  constexpr std::array<std::string_view, 4> kLabels{"Verified", "Replicated", "Reproducible",
                                                    "Reported"};
  const auto label = std::ranges::find_if(kLabels, [&](auto l) { return ascii_lower(l) == level; });
  return std::string(label == kLabels.end() ? "No evidence" : *label);
}

std::string words(std::string_view identifier) {
  std::string text(identifier);
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string rank_text(std::optional<std::uint32_t> rank, bool is_tied) {
  if (!rank) return std::string(kMissing);
  return std::to_string(*rank) + (is_tied ? "=" : "");
}

std::string rank_of(std::uint32_t rank, std::uint32_t cohort_size) {
  return "#" + count(rank) + " of " + count(cohort_size);
}

std::string rank_bounds(std::uint32_t best, std::uint32_t worst) {
  if (best == worst) return std::to_string(best);
  return std::to_string(best) + "–" + std::to_string(worst);
}

std::string title_id(std::string_view run_id) { return std::string(run_id.substr(0, 8)); }
std::string short_run_id(std::string_view run_id) { return cut(run_id, 13); }
std::string short_key(std::string_view comparison_key) { return cut(comparison_key, 23); }
std::string short_digest(std::string_view digest) { return cut(digest, 30); }

std::optional<std::string> source_native_line(const json::Value& metrics) {
  if (!metrics.is_object()) return std::nullopt;
  std::string line;
  const auto score = number_of(metrics, "sol_score");
  if (score) append_part(line, "SOL " + to_fixed(*score, 4));
  const auto speedup = either(metrics, "avg_speedup", "speedup_factor");
  if (speedup) append_part(line, to_fixed(*speedup, 2) + "× reference");
  const auto faster = number_of(metrics, "fast_1_count");
  const auto total = number_of(metrics, "fast_1_total");
  if (faster && total) {
    append_part(line,
                json::number_text(*faster) + "/" + json::number_text(*total) + " cases faster");
  }

  std::vector<const json::Member*> others;
  for (const json::Member& member : metrics.members()) {
    const auto is = [&](std::string_view key) { return member.key == key; };
    const bool is_shown = is("sol_score") || is("avg_speedup") || is("speedup_factor") ||
                          (faster && total && (is("fast_1_count") || is("fast_1_total")));
    const bool is_hidden = is("latency_ms") || is("reference_latency_ms");
    if (member.value.is_number() && !is_shown && !is_hidden) others.push_back(&member);
  }
  // By UTF-16 code units, as canonical JSON has them: never by the order in the text (spec 02.3).
  std::ranges::sort(others,
                    [](const auto* a, const auto* b) { return utf16_less(a->key, b->key); });
  for (const json::Member* member : others) {
    append_part(line, words(member->key) + " " + json::number_text(member->value.number()));
  }
  if (line.empty()) return std::nullopt;
  return line;
}

std::string rank_line(const RankLine& facts) {
  std::string line;
  if (!facts.ineligible.empty()) {
    line = "Not eligible: " + join(facts.ineligible, ", ");
  } else if (facts.rank) {
    line = "Rank " + rank_text(facts.rank, facts.is_tied);
    if (facts.cohort_size > 0) line += " of " + count(facts.cohort_size);
    line += " in its comparison group";
  }
  append_part(line,
              facts.is_source_native ? "source-native comparison" : "strict exact comparison");
  if (facts.observed_at) append_part(line, "observed " + date(facts.observed_at));
  append_part(line, facts.policy_version);
  if (facts.as_of) append_part(line, "as of " + date(facts.as_of));
  return line;
}

}  // namespace ki::display
