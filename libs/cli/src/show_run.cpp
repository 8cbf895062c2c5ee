#include "show_run.h"

#include "document.h"
#include "ki/display/format.h"
#include "ki/display/labels.h"
#include "ki/display/table.h"
#include "ki/json/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace ki::cli {
namespace {

using json::Value;
using Facts = std::vector<std::pair<std::string, std::string>>;

void section(std::string& out, std::string_view title, const Facts& facts) {
  if (facts.empty()) return;
  out += fmt::format("\n{}\n", title);
  std::size_t width = 0;
  for (const auto& [key, value] : facts) width = std::max(width, display::display_width(key));
  for (const auto& [key, value] : facts) {
    out += fmt::format("  {}{}  {}\n", key, std::string(width - display::display_width(key), ' '),
                       value);
  }
}

Facts facts_at(const Value& d, std::string_view path) {
  Facts facts;
  for (const Value& fact : items_at(d, path)) {
    facts.emplace_back(text_at(fact, "key"), text_at(fact, "value"));
  }
  return facts;
}

Facts workload_facts(const Value& d) {
  Facts facts;
  if (const Value* axes = at(d, "workload.axes")) {
    for (const json::Member& axis : axes->members()) {
      facts.emplace_back(axis.key, json::number_text(axis.value.number()));
    }
  }
  for (const Value& tensor : items_at(d, "workload.tensors")) {
    facts.emplace_back(text_at(tensor, "name"),
                       fmt::format("{} {}", text_at(tensor, "dtype"), text_at(tensor, "shape")));
  }
  for (auto& [key, value] : facts_at(d, "workload.tolerance")) {
    facts.emplace_back(key == "comparator" ? "definition comparator" : key, std::move(value));
  }
  return facts;
}

std::string primary_line(const Value& d) {
  const Value* primary = at(d, "primary");
  if (primary == nullptr) return "none";
  const double value = number_at(*primary, "value");
  std::string out = measurement_text(primary);
  if (const Value* interval = at(*primary, "uncertainty")) {
    out += " " + display::spread({value, number_at(*interval, "low"), number_at(*interval, "high")},
                                 text_at(*primary, "unit"));
  }
  out += fmt::format(" {}", text_at(*primary, "statistic"));
  if (const auto samples = count_at(*primary, "sampleCount"); samples != 0) {
    out += fmt::format(" of {}", display::count(samples));
  }
  return out;
}

std::string lifecycle_lines(const Value& d) {
  std::string out;
  if (const Value* retracted = at(d, "lifecycle.retracted")) {
    out +=
        fmt::format("RETRACTED {}: {}\n", text_at(*retracted, "at"), text_at(*retracted, "reason"));
  }
  if (const auto id = text_at(d, "lifecycle.supersededById"); !id.empty()) {
    out += fmt::format("SUPERSEDED by run {}\n", id);
  }
  if (const auto id = text_at(d, "lifecycle.supersedesId"); !id.empty()) {
    out += fmt::format("Corrects run {}\n", id);
  }
  return out;
}

Facts identity_facts(const Value& d) {
  Facts facts;
  const auto add = [&](std::string_view key, std::string_view path) {
    if (const auto text = text_at(d, path); !text.empty()) facts.emplace_back(key, text);
  };
  add("implementation", "implementation.name");
  add("project", "project.name");
  add("revision", "implementation.revision");
  add("workload", "workload.label");
  add("comparison key", "cohort.comparisonKey");
  add("source", "provenance.source.name");
  add("external id", "provenance.externalId");
  add("run id", "run.id");
  add("digest", "run.digest");
  std::string evidence = display::evidence_label(text_at(d, "evidence"));
  if (const auto note = text_at(d, "evidenceNote"); !note.empty())
    evidence += " · " + std::string(note);
  facts.emplace_back("evidence", std::move(evidence));
  return facts;
}

Facts measurement_facts(const Value& d) {
  Facts facts;
  for (const Value& m : items_at(d, "measurements")) {
    std::string value = measurement_text(&m);
    if (at(m, "sampleCount") != nullptr) {
      value += fmt::format(" · n={}", count_at(m, "sampleCount"));
    }
    facts.emplace_back(fmt::format("{} · {}", text_at(m, "metric"), text_at(m, "statistic")),
                       std::move(value));
  }
  return facts;
}

Facts artifact_facts(const Value& d) {
  Facts facts;
  for (const Value& artifact : items_at(d, "artifacts")) {
    facts.emplace_back(
        text_at(artifact, "role"),
        fmt::format("{} · {}", text_at(artifact, "digest"), text_at(artifact, "availability")));
  }
  return facts;
}

void add_verifications(std::string& out, const Value& d) {
  for (const Value& one : items_at(d, "verifications")) {
    Facts facts;
    if (const auto problem = text_at(one, "problem"); !problem.empty())
      facts.emplace_back("not believed", problem);
    for (const Value& clause : items_at(one, "clauses")) {
      facts.emplace_back(fmt::format("({}) {}", text_at(clause, "clause"),
                                     flag_at(clause, "holds") ? "yes" : "NO"),
                         text_at(clause, "text"));
    }
    for (const Value& note : items_at(one, "notes")) facts.emplace_back("note", note.string());
    facts.emplace_back("runner", text_at(one, "owner"));
    facts.emplace_back("key", text_at(one, "keyId"));
    facts.emplace_back("statement", text_at(one, "digest"));
    const auto label = text_at(one, "label");
    section(out, label.empty() ? "Signed, not verified" : label, facts);
  }
}

// Words of somebody else, on one line.
std::string one_line(std::string_view words) {
  std::string out(words);
  std::ranges::replace(out, '\n', ' ');
  return out;
}

std::string said_by(const Value& one) {
  const auto signing = text_at(one, "signing");
  if (signing == "signed") return fmt::format("signed by {}", text_at(one, "owner"));
  return signing == "unsigned" ? "unsigned note" : "signature no longer believed";
}

void add_notes(std::string& out, const Value& d) {
  Facts facts;
  for (const Value& one : items_at(d, "attestations")) {
    const Value* hidden = at(one, "hidden");
    facts.emplace_back(
        display::words(text_at(one, "type")),
        fmt::format("{} · {} · {}", date_of(text_at(one, "createdAt")), said_by(one),
                    hidden != nullptr ? fmt::format("hidden: {}", text_at(*hidden, "reason"))
                                      : one_line(text_at(one, "body"))));
  }
  for (const Value& one : items_at(d, "reports")) {
    facts.emplace_back(
        "report",
        fmt::format("{} · {} · {}: {}", date_of(text_at(one, "createdAt")), text_at(one, "state"),
                    display::words(text_at(one, "reason")), one_line(text_at(one, "detail"))));
  }
  section(out, "Notes", facts);
}

}  // namespace

std::string run_text(const Value& d) {
  const auto id = text_at(d, "run.id");
  std::string out = fmt::format("Run {} · {} · {}\n", display::title_id(id),
                                text_at(d, "operation.name"), text_at(d, "workload.label"));
  out += lifecycle_lines(d);
  out += fmt::format("\nPrimary measurement\n  {}\n  {}\n", primary_line(d),
                     text_at(d, "cohort.line"));
  const auto head = text_at(d, "cohort.headRunId");
  if (flag_at(d, "cohort.eligible") && !head.empty() && head != id) {
    out += fmt::format("  Compare with #1: ki compare {} {}\n", id, head);
  }
  if (const auto line = text_at(d, "sourceNativeLine"); !line.empty()) {
    out += fmt::format("  {}\n", line);
  }
  for (const Value& note : items_at(d, "sourceNativeNotes")) {
    out += fmt::format("  ({})\n", note.string());
  }
  section(out, "Identity", identity_facts(d));
  out += fmt::format("\nCorrectness\n  {}\n", text_at(d, "correctnessText"));
  section(out, "Workload", workload_facts(d));
  section(out, "Measurements", measurement_facts(d));
  section(out, "Protocol", facts_at(d, "protocol"));
  section(out, "Environment", facts_at(d, "environment"));
  section(out, "Artifacts", artifact_facts(d));
  add_verifications(out, d);
  add_notes(out, d);
  if (const auto published = text_at(d, "run.publishedAt"); !published.empty()) {
    out += fmt::format("\nPublished {} · {}\n", date_of(published),
                       text_at(d, "provenance.source.name"));
  }
  out += fmt::format(
      "\nRecompute it: ki verify {}\nCite it: ki show run {} --cite\nAll results of the operation: "
      "ki search op:{}\n",
      id, id, text_at(d, "operation.slug"));
  return out;
}

}  // namespace ki::cli
