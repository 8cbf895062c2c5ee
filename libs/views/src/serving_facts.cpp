#include "ki/policy/serving.h"
#include "ki/views/lists.h"
#include "stored.h"

#include <unordered_map>

namespace ki::views {

using catalog::Snapshot;

Result<ServingFacts> read_serving_facts(const Snapshot& s, catalog::Store& store) {
  ServingFacts facts;
  std::unordered_map<std::string, Index> sources;
  for (Index i = 0; i < s.sources().size(); ++i) sources.emplace(id_text(s.sources()[i].id), i);
  std::unordered_map<std::string, std::size_t> by_id;  // position in facts.runs
  std::vector<std::string> superseded;
  for (const auto& row : s.columns().serving_runs) {
    KI_TRY(const json::Document document, read_row(store, row.entry));
    const json::Value& body = document.root;
    const std::string_view published = text_of(&body, "publishedAt");
    const auto source = sources.find(std::string(text_of(&body, "sourceId")));
    ServingFacts::Run run;
    run.accelerator = text_of(&body, "acceleratorModel");
    run.vendor = text_of(&body, "acceleratorVendor");
    run.source = source == sources.end() ? kNone : source->second;
    run.model = row.model;
    run.observed_ms = row.observed_ms;
    run.configuration_id = text_of(&body, "configurationId");
    run.is_published = !published.empty();
    run.is_eligible =
        policy::is_serving_eligible({.status = text_of(&body, "status"),
                                     .published = run.is_published,
                                     .retracted = !text_of(&body, "retractedAt").empty(),
                                     .superseded = false});
    if (run.is_published) {
      if (const auto original = text_of(&body, "supersedesId"); !original.empty()) {
        superseded.emplace_back(original);
      }
    }
    by_id.emplace(id_text(row.id), facts.runs.size());
    facts.runs.push_back(std::move(run));
  }
  for (const std::string& id : superseded) {
    if (const auto found = by_id.find(id); found != by_id.end()) {
      facts.runs[found->second].is_eligible = false;
    }
  }
  return facts;
}

}  // namespace ki::views
