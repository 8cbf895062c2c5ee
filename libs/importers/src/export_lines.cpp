#include "export_lines.h"

#include "ki/json/canonical.h"
#include "ki/json/number.h"
#include "ki/json/reader.h"
#include "ki/json/writer.h"
#include "ki/manifest/derived.h"
#include "ki/manifest/keys.h"
#include "ki/publish/row_codec.h"

#include <fmt/format.h>

#include <string>
#include <unordered_map>

namespace ki::importers {
namespace {

using catalog::Entry;
using catalog::Step;
using catalog::Table;

constexpr json::Limits kRowLimits{.max_bytes = std::size_t{64} << 20, .max_depth = 72};

std::string_view text_of(const json::Value& row, std::string_view column) {
  const json::Value* v = row.find(column);
  return v != nullptr && v->is_string() ? v->string() : std::string_view();
}

class LineGenerator {
 public:
  LineGenerator(catalog::Store& store, const catalog::Head& head, const LineSink& sink)
      : store_(store), head_(head), sink_(sink) {}

  Result<void> run() {
    for (const catalog::TableInfo& table : catalog::tables()) {
      KI_TRY_VOID(
          store_.read_table(table.table, head_.seq, [&](const Entry& entry) -> Result<Step> {
            KI_TRY_VOID(write_entry(table, entry));
            return Step::kGoOn;
          }));
    }
    KI_TRY_VOID(write_measurements(Table::kBenchmarkRuns, kMeasurements));
    KI_TRY_VOID(write_measurements(Table::kServingRuns, kServingMeasurements));
    return write_commits();
  }

 private:
  struct Document {
    json::Document row;
    std::string spec_digest;
  };
  struct Workload {
    std::string operation_digest, correctness_key;
  };

  Result<void> write_entry(const catalog::TableInfo& table, const Entry& entry) {
    std::string_view row = entry.body;
    switch (entry.table) {
      case Table::kOperations:
      case Table::kWorkloads:
      case Table::kDocuments:
        KI_TRY_VOID(remember(entry));
        break;
      case Table::kBenchmarkRuns: {
        KI_TRY(const json::Value stored, reader_.read(entry.body));
        const Document* protocol = find(documents_, text_of(stored, "protocolDocument"));
        const Document* environment = find(documents_, text_of(stored, "environmentDocument"));
        const Workload* workload = find(workloads_, text_of(stored, "workloadId"));
        if (protocol == nullptr || environment == nullptr || workload == nullptr) {
          return fail(Code::kCorrupt,
                      fmt::format("run {} refers to rows that are not in the catalog; run ki fsck",
                                  entry.key));
        }
        full_row_.clear();
        publish::append_run_row(full_row_, stored,
                                {.protocol = protocol->row.root.find("manifest"),
                                 .environment = environment->row.root.find("manifest"),
                                 .protocol_key = protocol->spec_digest,
                                 .environment_key = environment->spec_digest,
                                 .operation_digest = workload->operation_digest,
                                 .correctness_key = workload->correctness_key});
        row = full_row_;
        break;
      }
      default:
        break;
    }
    line_ = "{\"row\":";
    line_ += row;
    line_ += ",\"seq\":";
    json::append_integer(line_, static_cast<std::int64_t>(entry.seq));
    line_ += ",\"table\":\"";
    line_ += table.name;
    line_ += '"';
    if (entry.version != 0) line_ += fmt::format(",\"version\":{}", entry.version);
    line_ += "}\n";
    return sink_(table.name, line_);
  }

  // What the rows of runs need from rows before them.
  Result<void> remember(const Entry& entry) {
    if (entry.version != 0) return {};
    if (entry.table == Table::kDocuments) {
      KI_TRY(json::Document row, json::read_document(entry.body, kRowLimits));
      std::string spec_digest(text_of(row.root, "specDigest"));
      documents_.emplace(entry.key, Document{std::move(row), std::move(spec_digest)});
      return {};
    }
    KI_TRY(const json::Value row, reader_.read(entry.body));
    if (entry.table == Table::kOperations) {
      operations_.emplace(entry.key, text_of(row, "semanticDigest"));
      return {};
    }
    const auto operation = operations_.find(std::string(text_of(row, "operationId")));
    const json::Value* manifest = row.find("manifest");
    const json::Value* spec = manifest == nullptr ? nullptr : manifest->find("spec");
    if (operation == operations_.end() || spec == nullptr) {
      return fail(
          Code::kCorrupt,
          fmt::format("workload {} has no operation or no manifest; run ki fsck", entry.key));
    }
    workloads_.emplace(entry.key,
                       Workload{operation->second, manifest::correctness_key(*spec).to_string()});
    return {};
  }

  template <class Map>
  static const typename Map::mapped_type* find(const Map& map, std::string_view key) {
    const auto found = map.find(std::string(key));
    return found == map.end() ? nullptr : &found->second;
  }

  Result<void> write_measurements(Table table, std::string_view name) {
    return store_.read_table(table, head_.seq, [&](const Entry& entry) -> Result<Step> {
      if (entry.version != 0) return Step::kGoOn;  // the manifest never changes
      KI_TRY(const json::Value row, reader_.read(entry.body));
      const json::Value* manifest = row.find(table == Table::kBenchmarkRuns ? "run" : "manifest");
      const json::Value* spec = manifest == nullptr ? nullptr : manifest->find("spec");
      if (spec == nullptr)
        return fail(Code::kCorrupt, fmt::format("run {} has no manifest; run ki fsck", entry.key));
      const auto all = table == Table::kBenchmarkRuns
                           ? manifest::expand_measurements(*spec)
                           : manifest::derive_serving_run(*spec).measurements;
      for (const manifest::Measurement& measurement : all) {
        line_ = "{\"row\":";
        publish::append_measurement_row(line_, entry.key, measurement);
        line_ += fmt::format(",\"table\":\"{}\"}}\n", name);
        KI_TRY_VOID(sink_(name, line_));
      }
      return Step::kGoOn;
    });
  }

  Result<void> write_commits() {
    KI_TRY(const auto commits, store_.commits(0));
    for (const catalog::Commit& commit : commits) {
      if (commit.last > head_.seq) break;
      line_ = "{\"row\":";
      json::Writer w(line_);
      w.begin_object()
          .member("at", commit.at.to_string())
          .member("chain", commit.chain.to_string())
          .member("first", commit.first)
          .member("last", commit.last)
          .member("reason", commit.reason)
          .end_object();
      line_ += fmt::format(",\"table\":\"{}\"}}\n", kCommits);
      KI_TRY_VOID(sink_(kCommits, line_));
    }
    return {};
  }

  catalog::Store& store_;
  const catalog::Head& head_;
  const LineSink& sink_;
  json::Reader reader_{kRowLimits};
  std::string line_, full_row_;
  std::unordered_map<std::string, Document> documents_;
  std::unordered_map<std::string, std::string> operations_;
  std::unordered_map<std::string, Workload> workloads_;
};

}  // namespace

Result<void> generate_export_lines(catalog::Store& store, const catalog::Head& head,
                                   const LineSink& sink) {
  return LineGenerator(store, head, sink).run();
}

}  // namespace ki::importers
