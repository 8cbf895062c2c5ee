#include "publish_world.h"

#include "ki/json/canonical.h"
#include "ki/manifest/validator.h"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <sstream>

namespace ki::publish {

namespace {

std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

std::string manifest_text(std::string_view kind, std::string_view name, const std::string& spec) {
  return fmt::format(
      R"({{"apiVersion":"kernelindex.dev/v1alpha1","kind":"{}","metadata":{{"name":"{}"}},"spec":{}}})",
      kind, name, spec);
}

}  // namespace

std::string project_manifest(std::string_view name) {
  return manifest_text("SoftwareProject", name, fmt::format(R"({{"name":"{}"}})", name));
}

std::string operation_manifest(std::string_view name, std::string_view family) {
  return manifest_text(
      "OperationSpec", name,
      fmt::format(R"({{"axes":{{"n":{{"role":"variable","type":"integer"}}}},"family":"{}",)"
                  R"("inputs":[{{"name":"x","tensor":{{"dtype":"bf16","shape":["n"]}}}}],)"
                  R"("outputs":[{{"name":"y","tensor":{{"dtype":"bf16","shape":["n"]}}}}],)"
                  R"("semantics":{{"determinism":"deterministic","mutation":"none"}}}})",
                  family));
}

std::string case_manifest(const Digest& operation, std::int64_t n) {
  return manifest_text("WorkloadCase", fmt::format("copy-{}", n),
                       fmt::format(R"({{"axes":{{"n":{0}}},"correctness":{{"comparator":"equal"}},)"
                                   R"("operationSpecDigest":"{1}",)"
                                   R"("tensors":{{"x":{{"dtype":"bf16","shape":[{0}]}}}}}})",
                                   n, operation.to_string()));
}

std::string implementation_manifest(const Digest& operation, std::string_view version) {
  return manifest_text(
      "ImplementationRevision", fmt::format("copy-{}", version),
      fmt::format(R"({{"callable":{{"language":"cuda"}},"licensing":{{"declared":"Apache-2.0"}},)"
                  R"("operation":{{"specDigest":"{}"}},"projectRevision":{{"version":"{}"}},)"
                  R"("support":{{"dtypes":["bf16"],"hardwareArchitectures":["sm_90"],)"
                  R"("productsTested":["NVIDIA H100 SXM"]}}}})",
                  operation.to_string(), version));
}

std::string protocol_manifest(std::string_view harness) {
  return manifest_text(
      "BenchmarkProtocol", "example-protocol",
      fmt::format(R"({{"comparability":{{"family":"example"}},)"
                  R"("correctness":{{"comparator":"equal","reference":"a copy"}},)"
                  R"("harness":{{"name":"{}","version":"1.0"}},)"
                  R"("measurement":{{"primaryStatistic":"median","timer":"device_events"}}}})",
                  harness));
}

std::string environment_manifest(std::string_view product) {
  return manifest_text("ExecutionEnvironment", "example-environment",
                       fmt::format(R"({{"hardware":{{"architecture":"sm_90","product":"{}",)"
                                   R"("vendor":"nvidia"}},"software":{{"cudaToolkit":"12.10"}}}})",
                                   product));
}

std::string run_manifest(const RunFacts& facts) {
  const std::string timing = facts.value.empty()
                                 ? std::string()
                                 : fmt::format(R"("timing":{{"latencyNs":{{"median":{}}},)"
                                               R"("primaryStatistic":"median"}},)",
                                               facts.value);
  return manifest_text(
      "BenchmarkRun", "example-run",
      fmt::format(R"({{"environmentDigest":"{}","implementationDigest":"{}","observedAt":"{}",)"
                  R"("protocolDigest":"{}","status":"{}",{}"workloadDigest":"{}"}})",
                  digest_of(environment_manifest()).to_string(), facts.implementation.to_string(),
                  facts.observed_at, digest_of(protocol_manifest()).to_string(), facts.status,
                  timing, facts.workload.to_string()));
}

Digest digest_of(std::string_view manifest) {
  manifest::Validator validator(manifest::Profile::kStrict);
  const auto valid = validator.read(manifest);
  EXPECT_TRUE(valid) << (valid ? "" : valid.error().to_string());
  return valid ? valid->digest : Digest::of({});
}

Bundle group_bundle(const std::vector<Timing>& timings, int first) {
  Bundle bundle;
  bundle.source = {"example-source", "benchmark", "Example source", std::nullopt};
  bundle.projects.push_back({project_manifest("example-project"), "example-project", "project/1"});
  bundle.operations.push_back(
      {operation_manifest("copy"), "copy", {"Copy_1D"}, {"memory"}, "copy"});
  const Digest operation = digest_of(bundle.operations.front().manifest);
  bundle.workloads.push_back({case_manifest(operation, 4096), "copy/4096"});
  const Digest workload = digest_of(bundle.workloads.front().manifest);
  for (std::size_t i = 0; i < timings.size(); ++i) {
    const std::string version = fmt::format("{}", first + static_cast<int>(i));
    const std::string manifest = implementation_manifest(operation, version);
    bundle.implementations.push_back(
        {manifest, "copy-" + version, "example-project", "implementation/" + version, {}});
    bundle.runs.push_back(
        {run_manifest({digest_of(manifest), workload, timings[i].value, timings[i].observed_at}),
         protocol_manifest(),
         environment_manifest(),
         "run/" + version,
         {}});
  }
  return bundle;
}

ServingBundle serving_bundle() {
  const auto example = [](std::string_view name) {
    return file_text(fmt::format("{}/registry/examples/{}.yaml", KI_SOURCE_DIR, name));
  };
  ServingBundle bundle;
  bundle.source = {"example-source", "benchmark", "Example source", std::nullopt};
  bundle.projects.push_back({project_manifest("example-server"), "example-server", std::nullopt});
  bundle.models.push_back({example("model-revision"), "example-8b", std::nullopt});
  bundle.stacks.push_back(
      {example("serving-stack-revision"), "example-server-2-1", "example-server"});
  bundle.configurations.push_back({example("serving-configuration"), "tensor parallel 2"});
  bundle.workloads.push_back({example("serving-workload"), "example-chat", "Example chat"});
  bundle.runs.push_back({example("serving-run"), "serving/1"});
  return bundle;
}

catalog::EntryVisitor AlteredStore::altered(const catalog::EntryVisitor& visit) const {
  return [&visit, this](const catalog::Entry& entry) -> Result<catalog::Step> {
    catalog::OwnedEntry own{entry.seq,     entry.table,  std::string(entry.key),
                            entry.version, entry.digest, std::string(entry.body)};
    if (!edit_(own)) return catalog::Step::kGoOn;
    return visit({own.seq, own.table, own.key, own.version, own.digest, own.body});
  };
}

void PublishWorld::SetUp() {
  auto live = catalog::LiveCatalog::open(store_, std::nullopt);
  ASSERT_TRUE(live) << live.error().to_string();
  live_ = *std::move(live);
}

std::vector<json::Document> PublishWorld::rows(catalog::Table table) {
  std::map<std::string, std::string> newest;
  const auto read = store_.read_table(table, head(), [&](const catalog::Entry& entry) {
    newest[std::string(entry.key)] = std::string(entry.body);
    return Result<catalog::Step>(catalog::Step::kGoOn);
  });
  EXPECT_TRUE(read);
  std::vector<json::Document> out;
  for (const auto& [key, body] : newest) out.push_back(*json::read_document(body));
  return out;
}

std::string PublishWorld::column(catalog::Table table, std::string_view key,
                                 std::string_view member) {
  const auto entry = store_.find(table, key, head());
  if (!entry || !*entry) {
    ADD_FAILURE() << "there is no row " << key;
    return {};
  }
  const auto row = json::read_document((*entry)->body);
  const json::Value* value = row->root.find(member);
  return value == nullptr ? "absent" : json::canonical(*value);
}

const catalog::RunRow& PublishWorld::run(std::string_view id) {
  seen_ = live_->current();
  const catalog::Index index = seen_->find_run(*Uuid::parse(id));
  EXPECT_NE(index, catalog::kNone) << id;
  return seen_->runs()[index];
}

std::vector<std::string> PublishWorld::leader_history() {
  std::vector<std::string> out;
  const auto read = store_.read_since(0, head(), [&](const catalog::Entry& entry) {
    if (entry.table == catalog::Table::kLeaderChanges) {
      const auto row = json::read_document(entry.body);
      const json::Value* value = row->root.find("value");
      out.push_back(
          fmt::format("{} {}", row->root.find("cause")->string(),
                      value == nullptr || value->is_null() ? "none" : json::canonical(*value)));
    }
    return Result<catalog::Step>(catalog::Step::kGoOn);
  });
  EXPECT_TRUE(read);
  return out;
}

void PublishWorld::expect_sound() {
  const auto report = fsck(store_);
  ASSERT_TRUE(report) << report.error().to_string();
  for (const Problem& problem : report->problems) ADD_FAILURE() << problem.to_string();
}

}  // namespace ki::publish
