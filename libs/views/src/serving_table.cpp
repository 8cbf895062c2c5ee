#include "ki/digest/digest.h"
#include "ki/views/serving.h"
#include "stored.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace ki::views {
namespace {

using catalog::Snapshot;
using catalog::Table;

std::int64_t integer_at(const json::Value& row, std::string_view member) {
  const json::Value* value = row.find(member);
  return value != nullptr && value->is_number() ? value->integer().value_or(0) : 0;
}

std::span<const json::Value> items_of(const json::Value* object, std::string_view member) {
  const json::Value* value = object == nullptr ? nullptr : object->find(member);
  return value != nullptr && value->is_array() ? value->items() : std::span<const json::Value>();
}

double number_of(const json::Value& object, std::string_view member) {
  const json::Value* value = object.find(member);
  return value != nullptr && value->is_number() ? value->number() : 0;
}

class Reading {
 public:
  Reading(const Snapshot& s, catalog::Store& store) : s_(s), store_(store) {}

  Result<ServingTable> read() {
    for (Index i = 0; i < s_.sources().size(); ++i)
      sources_.emplace(id_text(s_.sources()[i].id), i);
    for (const Table table :
         {Table::kServingWorkloads, Table::kServingStackRevisions, Table::kServingConfigurations}) {
      for (const catalog::OtherRow& other : s_.columns().others) {
        if (other.table != static_cast<std::uint32_t>(table)) continue;
        KI_TRY(const json::Document document, read_row(store_, other.entry));
        KI_TRY_VOID(add(table, document.root));
      }
    }
    std::uint32_t row = 0;
    for (const catalog::ServingRunRow& run : s_.columns().serving_runs) {
      KI_TRY(const json::Document document, read_row(store_, run.entry));
      KI_TRY_VOID(add_run(run, row++, document.root));
    }
    finish();
    return std::move(out_);
  }

 private:
  Result<void> add(Table table, const json::Value& row) {
    const std::string id(text_of(&row, "id"));
    const json::Value* spec = spec_of(row);
    if (table == Table::kServingWorkloads) {
      ServingTable::Workload workload{
          .id = id,
          .slug = std::string(text_of(&row, "slug")),
          .name = std::string(text_of(&row, "name")),
          .load_generation = std::string(text_of(&row, "loadGeneration"))};
      const json::Value* streaming = row.find("streaming");
      workload.is_streaming = streaming != nullptr && streaming->is_bool() && streaming->boolean();
      for (const json::Value& bound : items_of(spec, "slo")) {
        workload.slo.push_back(
            {std::string(text_of(&bound, "metric")), std::string(text_of(&bound, "statistic")),
             std::string(text_of(&bound, "operator")), number_of(bound, "value")});
      }
      workloads_.emplace(id, out_.workloads.size());
      out_.workloads.push_back(std::move(workload));
    } else if (table == Table::kServingStackRevisions) {
      stacks_.emplace(id, out_.stacks.size());
      out_.stacks.push_back({id, std::string(text_of(&row, "slug")),
                             std::string(text_of(&row, "name")),
                             std::string(text_of(&row, "version"))});
    } else {
      const auto stack = stacks_.find(std::string(text_of(&row, "stackRevisionId")));
      if (stack == stacks_.end()) return missing("configuration", id);
      configurations_.emplace(id, out_.configurations.size());
      out_.configurations.push_back(
          {id, std::string(text_of(&row, "configurationDigest")),
           std::string(text_of(&row, "summary")), std::string(text_of(&row, "dtype")),
           std::string(text_of(&row, "quantization")), static_cast<std::uint32_t>(stack->second)});
    }
    return {};
  }

  static std::unexpected<Error> missing(std::string_view kind, std::string_view id) {
    return fail(Code::kCorrupt,
                fmt::format("serving {} {} names what the catalog lacks; run ki fsck", kind, id));
  }

  Result<void> add_run(const catalog::ServingRunRow& row, std::uint32_t position,
                       const json::Value& body) {
    ServingTable::Run run;
    run.row = position;
    run.id = id_text(row.id);
    run.digest = text_of(&body, "runDigest");
    run.cohort_key = text_of(&body, "cohortKey");
    run.model = row.model;
    const auto configuration = configurations_.find(std::string(text_of(&body, "configurationId")));
    const auto workload = workloads_.find(std::string(text_of(&body, "workloadId")));
    if (configuration == configurations_.end() || workload == workloads_.end() ||
        row.model == kNone) {
      return missing("run", run.id);
    }
    run.configuration = static_cast<std::uint32_t>(configuration->second);
    run.workload = static_cast<std::uint32_t>(workload->second);
    const auto source = sources_.find(std::string(text_of(&body, "sourceId")));
    run.source = source == sources_.end() ? kNone : source->second;
    run.accelerator = text_of(&body, "acceleratorModel");
    run.vendor = text_of(&body, "acceleratorVendor");
    run.scenario = text_of(&body, "scenario");
    run.quality = text_of(&body, "qualityPolicy");
    run.per_node = integer_at(body, "acceleratorCount");
    run.nodes = integer_at(body, "nodeCount");
    run.total = integer_at(body, "totalAccelerators");
    run.status = text_of(&body, "status");
    run.retracted_at = text_of(&body, "retractedAt");
    run.retraction_reason = text_of(&body, "retractionReason");
    run.observed_ms = row.observed_ms;
    run.is_published = !text_of(&body, "publishedAt").empty();
    run.is_eligible = policy::is_serving_eligible({.status = run.status,
                                                   .published = run.is_published,
                                                   .retracted = !run.retracted_at.empty()});
    if (const auto original = text_of(&body, "supersedesId"); !original.empty() && run.is_published)
      successors_.emplace(original, run.id);
    if (const json::Value* spec = spec_of(body)) {
      if (const json::Value* harness = spec->find("harness")) {
        run.harness = fmt::format("{} {}", text_of(harness, "name"), text_of(harness, "version"));
      }
      for (const json::Value& m : items_of(spec, "measurements")) {
        const json::Value* samples = m.find("sampleCount");
        run.measurements.push_back(
            {std::string(text_of(&m, "metric")), std::string(text_of(&m, "statistic")),
             std::string(text_of(&m, "unit")), number_of(m, "value"),
             samples != nullptr && samples->is_number() ? samples->integer() : std::nullopt});
      }
      for (const json::Value& caveat : items_of(spec, "caveats")) {
        if (caveat.is_string()) run.caveats.emplace_back(caveat.string());
      }
      if (const json::Value* native = spec->find("sourceNative")) {
        run.external_id = text_of(native, "externalId");
        run.division = text_of(native, "division");
        run.category = text_of(native, "category");
      }
    }
    out_.runs.push_back(std::move(run));
    return {};
  }

  void finish() {
    out_.model_runs.assign(s_.columns().models.size(), 0);
    for (ServingTable::Run& run : out_.runs) {
      if (const auto found = successors_.find(run.id); found != successors_.end()) {
        run.superseded_by = found->second;
        run.is_eligible = false;
      }
      if (!run.is_eligible) continue;
      ++out_.model_runs[run.model];
      ++out_.workloads[run.workload].runs;
      ++out_.configurations[run.configuration].runs;
    }
    std::ranges::sort(out_.runs, [](const auto& a, const auto& b) {
      return a.observed_ms != b.observed_ms ? a.observed_ms > b.observed_ms : a.id > b.id;
    });
  }

  const Snapshot& s_;
  catalog::Store& store_;
  ServingTable out_;
  std::unordered_map<std::string, Index> sources_;
  std::unordered_map<std::string, std::size_t> workloads_, stacks_, configurations_;
  std::unordered_map<std::string, std::string> successors_;
};

}  // namespace

std::string ServingTable::Stack::label() const {
  return version.empty() || version == name ? name : fmt::format("{} {}", name, version);
}

std::string ServingTable::Run::topology() const {
  return nodes > 1 ? fmt::format("{}× {} × {} nodes", per_node, accelerator, nodes)
                   : fmt::format("{}× {}", per_node, accelerator);
}

const ServingTable::Measured* ServingTable::Run::find(std::string_view metric,
                                                      std::string_view statistic) const {
  const auto found = std::ranges::find_if(measurements, [&](const Measured& m) {
    return m.metric == metric && m.statistic == statistic;
  });
  return found == measurements.end() ? nullptr : &*found;
}

Result<ServingTable> read_serving_table(const Snapshot& snapshot, catalog::Store& store) {
  return Reading(snapshot, store).read();
}

Result<const ServingTable::Run*> find_serving_run(const ServingTable& table, std::string_view id) {
  const auto found = std::ranges::find_if(table.runs, [&](const ServingTable::Run& run) {
    return run.is_published && (run.id == id || run.digest == id);
  });
  if (found == table.runs.end()) {
    return fail(Code::kNotFound, fmt::format("no serving run is {}", id));
  }
  return &*found;
}

}  // namespace ki::views
