// Labels that say what differs between cohorts of one GPU (spec 15 F45).
#include "resolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ki::resolve {
namespace {

struct Property {
  std::string_view key;
  std::string value;
};
constexpr std::size_t kProperties = 11;

std::string with_version(std::string_view name, std::string_view version) {
  return fmt::format("{}{}{}", name, version.empty() ? "" : " ", version);
}

// What a person would name, the most telling first.
std::array<Property, kProperties> properties_of(const catalog::Snapshot& snapshot,
                                                const catalog::CohortRow& cohort) {
  const catalog::ProtocolRow& protocol = snapshot.protocols()[cohort.protocol];
  const catalog::EnvironmentRow& environment = snapshot.environments()[cohort.environment];
  const catalog::MetricRow& metric = snapshot.metrics()[cohort.metric];
  const auto text = [&](catalog::NameId id) { return std::string(snapshot.name(id)); };
  const auto or_empty = [](std::int64_t value) {
    return value > 0 ? std::to_string(value) : std::string();
  };
  return {{
      {"Harness",
       with_version(snapshot.name(protocol.harness), snapshot.name(protocol.harness_version))},
      {"CUDA", text(environment.cuda)},
      {"Driver", text(environment.driver)},
      {"Framework", with_version(snapshot.name(environment.framework),
                                 snapshot.name(environment.framework_version))},
      {"Form factor", text(environment.form_factor)},
      {"Memory", environment.memory_bytes > 0
                     ? fmt::format("{} GiB", environment.memory_bytes >> 30)
                     : std::string()},
      {"Metric",
       fmt::format("{} {}", snapshot.name(metric.statistic), snapshot.name(metric.metric))},
      {"Timer", text(protocol.timer)},
      {"Samples", or_empty(protocol.samples)},
      {"Protocol", fmt::format("{:02x}{:02x}{:02x}{:02x}", protocol.digest[0], protocol.digest[1],
                               protocol.digest[2], protocol.digest[3])},
      {"Environment",
       fmt::format("{:02x}{:02x}{:02x}{:02x}", environment.digest[0], environment.digest[1],
                   environment.digest[2], environment.digest[3])},
  }};
}

}  // namespace

void Resolution::label_cohorts() {
  auto& options = answer_.cohort_options;
  std::vector<std::size_t> same;
  std::vector<std::array<Property, kProperties>> properties;
  std::vector<bool> is_labelled(options.size());
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (is_labelled[i]) continue;
    same.clear();
    for (std::size_t j = i; j < options.size(); ++j) {
      if (options[j].label == options[i].label) same.push_back(j);
    }
    if (same.size() < 2) continue;
    properties.clear();
    for (const std::size_t j : same)
      properties.push_back(properties_of(snapshot_, snapshot_.cohorts()[options[j].cohort]));
    // The fewest properties, in order of telling, that tell all of them apart.
    std::vector<std::size_t> chosen;
    const auto is_told_apart = [&](std::size_t a, std::size_t b) {
      return std::ranges::any_of(
          chosen, [&](std::size_t p) { return properties[a][p].value != properties[b][p].value; });
    };
    for (std::size_t p = 0; p < kProperties; ++p) {
      bool helps = false;
      for (std::size_t a = 0; a < same.size() && !helps; ++a) {
        for (std::size_t b = a + 1; b < same.size() && !helps; ++b) {
          helps = properties[a][p].value != properties[b][p].value && !is_told_apart(a, b);
        }
      }
      if (helps) chosen.push_back(p);
    }
    for (std::size_t k = 0; k < same.size(); ++k) {
      CohortOption& option = options[same[k]];
      std::string label(option.label);
      std::vector<Fact> facts;
      for (const std::size_t p : chosen) {
        const Property& property = properties[k][p];
        const std::string value = property.value.empty() ? "unknown" : property.value;
        // "CUDA 12.8" needs its key; a harness or framework names itself.
        const bool names_itself =
            property.key == "Harness" || property.key == "Framework" || property.key == "Metric";
        label += " · ";
        if (!names_itself || property.value.empty()) label += fmt::format("{} ", property.key);
        label += value;
        facts.push_back({property.key, answer_.texts.copy(value)});
      }
      option.label = answer_.texts.copy(label);
      option.differs = answer_.texts.copy(std::span<const Fact>(facts));
      is_labelled[same[k]] = true;
    }
  }
}

}  // namespace ki::resolve
