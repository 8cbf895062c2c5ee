#include "ki/resolve/testing/export_folder.h"

#include "ki/base/check.h"
#include "ki/catalog/table.h"
#include "ki/digest/digest.h"
#include "ki/io/lines.h"
#include "ki/json/canonical.h"
#include "ki/json/reader.h"
#include "ki/publish/backfill.h"

#include <cstdio>
#include <vector>

namespace ki::resolve::testing {
namespace {

using catalog::Table;
using json::Member;
using json::Value;

std::string_view text_of(const Value& row, std::string_view member) {
  const Value* value = row.find(member);
  return value != nullptr && value->is_string() ? value->string() : std::string_view();
}

// The members of a row, one of them replaced or added.
void set(std::vector<Member>& members, std::string_view key, Value value) {
  for (Member& member : members) {
    if (member.key == key) {
      member.value = value;
      return;
    }
  }
  members.push_back({key, 0, value});
}

std::vector<Member> members_of(const Value& row) {
  return {row.members().begin(), row.members().end()};
}

}  // namespace

Result<void> ExportFolder::apply(Table table, const Value& row) {
  KI_TRY(const std::string key, catalog::key_of(table, row));
  catalog::Entry entry;
  entry.seq = ++seq_;
  entry.table = table;
  entry.key = key;
  return builder_.apply(entry, row);
}

Result<std::string> ExportFolder::document(const Value& manifest) {
  std::string text = json::canonical(manifest);
  if (const auto known = documents_.find(text); known != documents_.end()) return known->second;
  std::string digest = Digest::of(text).to_string();
  // Spec 02: the digest of {apiVersion, kind, spec}.
  std::vector<Member> identity;
  for (const std::string_view member : {"apiVersion", "kind", "spec"}) {
    const Value* value = manifest.find(member);
    if (value == nullptr)
      return fail(Code::kInvalidArgument, "a document without " + std::string(member));
    identity.push_back({member, 0, *value});
  }
  const std::string spec_digest = Digest::of(json::canonical(Value::object(identity))).to_string();
  const std::vector<Member> row{{"documentDigest", 0, Value::string(digest)},
                                {"specDigest", 0, Value::string(spec_digest)},
                                {"manifest", 0, manifest}};
  KI_TRY_VOID(apply(Table::kDocuments, Value::object(row)));
  documents_.emplace(std::move(text), digest);
  return digest;
}

Result<void> ExportFolder::add_run(const Value& row) {
  const Value* manifest = row.find("manifest");
  if (manifest == nullptr) return fail(Code::kInvalidArgument, "a run without manifest");
  const Value* run = manifest->find("run");
  const Value* protocol = manifest->find("protocol");
  const Value* environment = manifest->find("environment");
  if (run == nullptr || protocol == nullptr || environment == nullptr) {
    return fail(Code::kInvalidArgument, "a run's manifest lacks run, protocol or environment");
  }
  KI_TRY(const std::string protocol_document, document(*protocol));
  KI_TRY(const std::string environment_document, document(*environment));
  std::vector<Member> body = members_of(row);
  set(body, "run", *run);
  set(body, "protocolDocument", Value::string(protocol_document));
  set(body, "environmentDocument", Value::string(environment_document));
  return apply(Table::kBenchmarkRuns, Value::object(body));
}

Result<void> ExportFolder::add(std::string_view table_name, const Value& row) {
  if (table_name == "measurements") return {};
  const auto table = catalog::find_table(table_name);
  if (!table) return {};
  switch (*table) {
    case Table::kBenchmarkRuns:
      return add_run(row);
    case Table::kProjects: {
      project_slugs_.emplace(text_of(row, "id"), text_of(row, "slug"));
      auto body = members_of(row);
      set(body, "kind",
          Value::string(
              publish::backfilled_project_kind(text_of(row, "slug"), text_of(row, "name"))));
      return apply(*table, Value::object(body));
    }
    case Table::kOperations: {
      auto body = members_of(row);
      set(body, "family", Value::string(publish::backfilled_family(text_of(row, "family"))));
      return apply(*table, Value::object(body));
    }
    case Table::kImplementations: {
      auto body = members_of(row);
      std::optional<std::string_view> label;
      if (const std::string_view stored = text_of(row, "role"); !stored.empty()) label = stored;
      const auto project = project_slugs_.find(text_of(row, "projectId"));
      const std::string_view slug =
          project == project_slugs_.end() ? std::string_view() : project->second;
      if (const auto role = publish::backfilled_role(label, slug, text_of(row, "title"))) {
        set(body, "role", Value::string(*role));
      }
      return apply(*table, Value::object(body));
    }
    case Table::kSources:
    case Table::kOperationAliases:
    case Table::kWorkloads:
    case Table::kRecordEvents:
    case Table::kModelRevisions:
      return apply(*table, row);
    default:
      return {};
  }
}

Result<void> ExportFolder::add(std::string_view table, std::string_view row) {
  json::Reader reader;
  KI_TRY(const Value value, reader.read(row));
  return add(table, value);
}

std::shared_ptr<const catalog::Snapshot> ExportFolder::finish() && {
  catalog::Head head;
  head.seq = seq_;
  return std::move(builder_).finish(head);
}

std::filesystem::path shared_folder() {
  return std::filesystem::path(KI_SOURCE_DIR).parent_path() / "shared";
}

std::shared_ptr<const catalog::Snapshot> real_catalog() {
  static const std::shared_ptr<const catalog::Snapshot> kSnapshot =
      []() -> std::shared_ptr<const catalog::Snapshot> {
    const auto path = shared_folder() / "data" / "catalog-2026-08-16.jsonl.zst";
    if (!std::filesystem::exists(path)) return nullptr;
    auto lines = io::LineReader::open(path);
    KI_CHECK(lines.has_value());
    ExportFolder folder;
    std::vector<std::string> events;
    json::Reader reader(
        json::Limits{.max_bytes = std::size_t{64} << 20, .max_depth = 64, .max_issues = 100});
    while (true) {
      auto line = lines->next();
      KI_CHECK(line.has_value());
      if (!*line) break;
      const auto value = reader.read(**line);
      KI_CHECK(value.has_value());
      // Events name runs, which an export may list later.
      if (text_of(*value, "table") == "record_events") {
        events.push_back(json::canonical(*value->find("row")));
        continue;
      }
      if (const auto added = folder.add(text_of(*value, "table"), *value->find("row")); !added) {
        std::fprintf(stderr, "%s\n", added.error().to_string().c_str());
        KI_CHECK(added.has_value());
      }
    }
    for (const std::string& event : events)
      KI_CHECK(folder.add("record_events", std::string_view(event)).has_value());
    return std::move(folder).finish();
  }();
  return kSnapshot;
}

}  // namespace ki::resolve::testing
