#include "ki/importers/manifest_files.h"

#include "ki/base/text.h"
#include "ki/io/file.h"
#include "ki/json/canonical.h"
#include "ki/json/pointer.h"
#include "ki/json/reader.h"
#include "ki/yaml/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace ki::importers {
namespace {

namespace fs = std::filesystem;
using manifest::ManifestKind;

constexpr std::size_t kMaxFileBytes = std::size_t{4} << 20;

class FileReader {
 public:
  explicit FileReader(const ManifestOptions& options) : validator_(options.profile) {
    out_.bundle.source = options.source.value_or(
        publish::BundleSource{"local", "submission", "Local manifests", std::nullopt});
  }

  void read(const ManifestFile& file) {
    file_ = &file;
    const std::string_view text = trim(file.text);
    if (text.starts_with('{') || text.starts_with('[')) {
      auto document = json::read_document(file.text, json::Limits{.max_bytes = kMaxFileBytes});
      if (!document) return add_issues(document.error(), "");
      read_root(document->root);
    } else {
      auto document = yaml::read(file.text, yaml::Limits{.max_bytes = kMaxFileBytes});
      if (!document) return add_issues(document.error(), "");
      read_root(document->root);
    }
  }

  Result<ManifestImport> finish() {
    link();
    if (out_.objects.empty() && issues_.empty()) {
      issues_.push_back(
          {"empty", "", 0, 0, "no manifest was found", "give a manifest or a bundle document"});
    }
    if (!issues_.empty()) {
      const std::string message =
          issues_.size() == 1 ? std::string("a manifest has a problem")
                              : fmt::format("the manifests have {} problems", issues_.size());
      return fail(Error(Code::kInvalidArgument, message, std::move(issues_)));
    }
    return std::move(out_);
  }

  void add_issue(std::string code, std::string_view pointer, std::string message,
                 std::string fix = {}) {
    issues_.push_back({std::move(code), fmt::format("{}#{}", file_->name, pointer), 0, 0,
                       std::move(message), std::move(fix)});
  }
  void add_issues(const Error& error, std::string_view pointer) {
    if (error.issues().empty()) return add_issue("bad_file", pointer, error.message());
    for (Issue issue : error.issues()) {
      issue.pointer = fmt::format("{}#{}{}", file_->name, pointer, issue.pointer);
      issues_.push_back(std::move(issue));
    }
  }
  void set_file(const ManifestFile& file) { file_ = &file; }

 private:
  struct Manifest {
    ManifestKind kind;
    std::string canonical, name, digest, role;
    json::Document document;
  };
  // Protocols and environments of single files, by digest.
  struct LooseRun {
    std::string canonical, protocol, environment, where;
  };
  struct LooseImplementation {
    std::string canonical, slug, where;
  };

  void read_root(const json::Value& root) {
    if (!root.is_object()) return add_issue("wrong_type", "", "the document is not a mapping");
    if (root.find("apiVersion") != nullptr || root.find("kind") != nullptr)
      return read_single(root);
    static constexpr std::array<std::string_view, 6> kMembers = {
        "source", "projects", "operations", "workloads", "implementations", "runs"};
    bool has_list = false;
    for (const json::Member& m : root.members()) {
      if (std::ranges::find(kMembers, m.key) == kMembers.end()) {
        std::string fix;
        if (const auto close = did_you_mean(m.key, kMembers))
          fix = fmt::format("did you mean '{}'?", *close);
        add_issue("unknown_member", "/" + std::string(m.key),
                  "a bundle has source, projects, operations, workloads, implementations and runs",
                  fix);
        continue;
      }
      has_list = has_list || m.key != "source";
      if (m.key == "source") {
        read_source(m.value);
      } else if (!m.value.is_array()) {
        add_issue("wrong_type", "/" + std::string(m.key), "expected a list");
      } else {
        for (std::size_t i = 0; i < m.value.items().size(); ++i) {
          read_item(m.key, m.value.items()[i], fmt::format("/{}/{}", m.key, i));
        }
      }
    }
    if (!has_list) add_issue("empty", "", "the document is neither a manifest nor a bundle");
  }

  void read_source(const json::Value& value) {
    const auto text = [&](std::string_view member) {
      const json::Value* v = value.find(member);
      if (v == nullptr || !v->is_string()) {
        add_issue("wrong_type", fmt::format("/source/{}", member), "expected text");
        return std::string();
      }
      return std::string(v->string());
    };
    publish::BundleSource source{text("slug"), text("kind"), text("name"), std::nullopt};
    if (const json::Value* policy = value.find("policy")) source.policy = json::canonical(*policy);
    if (has_source_ &&
        (source.slug != out_.bundle.source.slug || source.policy != out_.bundle.source.policy)) {
      add_issue("several_sources", "/source", "the files state different sources");
    }
    has_source_ = true;
    out_.bundle.source = std::move(source);
  }

  // A valid manifest of one of the kinds, or nothing (issues were added).
  std::optional<Manifest> valid(const json::Value& value, const std::string& pointer,
                                std::initializer_list<ManifestKind> kinds) {
    const auto checked = validator_.validate(value, file_->text);
    if (!checked) {
      add_issues(checked.error(), pointer);
      return std::nullopt;
    }
    if (kinds.size() != 0 && std::ranges::find(kinds, checked->kind) == kinds.end()) {
      add_issue("wrong_kind", pointer,
                fmt::format("a {} does not belong here; expected a {}", to_string(checked->kind),
                            to_string(*kinds.begin())));
      return std::nullopt;
    }
    Manifest m{
        checked->kind, std::string(checked->canonical), {}, checked->digest.to_string(), {}, {}};
    if (const json::Value* name =
            checked->metadata.is_object() ? checked->metadata.find("name") : nullptr)
      m.name = name->string();
    auto document = json::read_document(m.canonical, json::Limits{.max_bytes = kMaxFileBytes});
    KI_CHECK(document.has_value());
    m.document = *std::move(document);
    out_.objects.push_back({file_->name, std::string(to_string(m.kind)), m.name, m.digest});
    return m;
  }

  void read_single(const json::Value& root) {
    auto m = valid(root, "", {});
    if (!m) return;
    switch (m->kind) {
      case ManifestKind::kSoftwareProject:
        add_project(*m, {});
        break;
      case ManifestKind::kOperationSpec:
        add_operation(*m, {});
        break;
      case ManifestKind::kWorkloadCase:
      case ManifestKind::kWorkloadSuite:
        out_.bundle.workloads.push_back({m->canonical, std::nullopt});
        break;
      case ManifestKind::kImplementationRevision:
        implementations_.push_back({m->canonical, kebab(m->name), file_->name});
        break;
      case ManifestKind::kBenchmarkProtocol:
      case ManifestKind::kExecutionEnvironment:
        documents_.emplace(m->digest, m->canonical);
        break;
      case ManifestKind::kBenchmarkRun: {
        const json::Value* spec = m->document.root.find("spec");
        runs_.push_back({m->canonical, std::string(spec->find("protocolDigest")->string()),
                         std::string(spec->find("environmentDigest")->string()), file_->name});
        break;
      }
      case ManifestKind::kModelRevision:
      case ManifestKind::kServingStackRevision:
      case ManifestKind::kServingConfiguration:
      case ManifestKind::kServingWorkload:
      case ManifestKind::kServingRun:
        add_issue("unsupported_kind", "/kind",
                  fmt::format("{} manifests cannot be imported from files", to_string(m->kind)));
        break;
    }
  }

  std::optional<std::string> text_member(const json::Value& item, std::string_view member,
                                         const std::string& pointer) {
    const json::Value* v = item.find(member);
    if (v == nullptr) return std::nullopt;
    if (!v->is_string()) {
      add_issue("wrong_type", fmt::format("{}/{}", pointer, member), "expected text");
      return std::nullopt;
    }
    return std::string(v->string());
  }
  std::vector<std::string> text_list(const json::Value& item, std::string_view member,
                                     const std::string& pointer) {
    std::vector<std::string> out;
    const json::Value* v = item.find(member);
    if (v == nullptr) return out;
    if (v->is_array() && std::ranges::all_of(v->items(), &json::Value::is_string)) {
      for (const json::Value& text : v->items()) out.emplace_back(text.string());
    } else {
      add_issue("wrong_type", fmt::format("{}/{}", pointer, member), "expected a list of texts");
    }
    return out;
  }
  void check_members(const json::Value& item, const std::string& pointer,
                     std::initializer_list<std::string_view> known) {
    for (const json::Member& m : item.members()) {
      if (std::ranges::find(known, m.key) == known.end()) {
        add_issue("unknown_member", fmt::format("{}/{}", pointer, m.key),
                  fmt::format("{} is not known here", quote(m.key)));
      }
    }
  }

  // An item is a manifest, or {manifest, ...} with what a row needs beside it.
  void read_item(std::string_view list, const json::Value& item, const std::string& pointer) {
    if (!item.is_object()) return add_issue("wrong_type", pointer, "expected a mapping");
    if (list == "runs") return read_run(item, pointer);
    const json::Value* wrapped = item.find("manifest");
    const json::Value& value = wrapped == nullptr ? item : *wrapped;
    const std::string at = wrapped == nullptr ? pointer : pointer + "/manifest";
    if (wrapped != nullptr) {
      if (list == "operations") {
        check_members(item, pointer, {"manifest", "slug", "aliases", "tags", "externalId"});
      } else if (list == "implementations") {
        check_members(item, pointer, {"manifest", "slug", "projectSlug", "externalId"});
      } else {
        check_members(item, pointer, {"manifest", "slug", "externalId"});
      }
    }
    const json::Value none;
    const json::Value& beside = wrapped == nullptr ? none : item;
    if (list == "projects") {
      if (auto m = valid(value, at, {ManifestKind::kSoftwareProject})) {
        m->role = text_member(beside, "slug", pointer).value_or("");
        add_project(*m, text_member(beside, "externalId", pointer));
      }
    } else if (list == "operations") {
      if (auto m = valid(value, at, {ManifestKind::kOperationSpec})) {
        m->role = text_member(beside, "slug", pointer).value_or("");
        publish::BundleOperation& operation =
            add_operation(*m, text_member(beside, "externalId", pointer));
        operation.aliases = text_list(beside, "aliases", pointer);
        operation.tags = text_list(beside, "tags", pointer);
      }
    } else if (list == "workloads") {
      if (const auto m =
              valid(value, at, {ManifestKind::kWorkloadCase, ManifestKind::kWorkloadSuite})) {
        out_.bundle.workloads.push_back({m->canonical, text_member(beside, "externalId", pointer)});
      }
    } else {
      const auto m = valid(value, at, {ManifestKind::kImplementationRevision});
      const auto project = text_member(beside, "projectSlug", pointer);
      if (wrapped == nullptr || !project) {
        add_issue("missing_member", pointer + "/projectSlug",
                  "an implementation of a bundle names its project: {manifest, projectSlug}");
      }
      if (m && project) {
        out_.bundle.implementations.push_back(
            {m->canonical,
             text_member(beside, "slug", pointer).value_or(kebab(m->name)),
             *project,
             text_member(beside, "externalId", pointer),
             {}});
      }
    }
  }

  void read_run(const json::Value& item, const std::string& pointer) {
    check_members(item, pointer, {"run", "protocol", "environment", "externalId"});
    const auto part = [&](std::string_view member, ManifestKind kind) -> std::optional<Manifest> {
      const json::Value* v = item.find(member);
      const std::string at = fmt::format("{}/{}", pointer, member);
      if (v == nullptr) {
        add_issue("missing_member", at, "a run of a bundle is {run, protocol, environment}");
        return std::nullopt;
      }
      return valid(*v, at, {kind});
    };
    const auto run = part("run", ManifestKind::kBenchmarkRun);
    const auto protocol = part("protocol", ManifestKind::kBenchmarkProtocol);
    const auto environment = part("environment", ManifestKind::kExecutionEnvironment);
    if (run && protocol && environment) {
      out_.bundle.runs.push_back({run->canonical,
                                  protocol->canonical,
                                  environment->canonical,
                                  text_member(item, "externalId", pointer),
                                  {}});
    }
  }

  void add_project(const Manifest& m, std::optional<std::string> external_id) {
    out_.bundle.projects.push_back(
        {m.canonical, m.role.empty() ? kebab(m.name) : m.role, std::move(external_id)});
  }
  publish::BundleOperation& add_operation(const Manifest& m,
                                          std::optional<std::string> external_id) {
    return out_.bundle.operations.emplace_back(publish::BundleOperation{
        m.canonical, m.role.empty() ? kebab(m.name) : m.role, {}, {}, std::move(external_id)});
  }

  // Single files: runs find their documents by digest; implementations go to the one project there
  // is.
  void link() {
    for (const LooseRun& run : runs_) {
      const auto protocol = documents_.find(run.protocol);
      const auto environment = documents_.find(run.environment);
      const ManifestFile where{run.where, {}};
      file_ = &where;
      if (protocol == documents_.end()) {
        add_issue("dangling_reference", "/spec/protocolDigest",
                  fmt::format("no file holds the protocol {}", run.protocol));
      }
      if (environment == documents_.end()) {
        add_issue("dangling_reference", "/spec/environmentDigest",
                  fmt::format("no file holds the environment {}", run.environment));
      }
      if (protocol != documents_.end() && environment != documents_.end()) {
        out_.bundle.runs.push_back(
            {run.canonical, protocol->second, environment->second, std::nullopt, {}});
      }
    }
    for (const LooseImplementation& implementation : implementations_) {
      const ManifestFile where{implementation.where, {}};
      file_ = &where;
      if (out_.bundle.projects.size() != 1) {
        add_issue(
            "missing_member", "/metadata",
            fmt::format("the files hold {} projects: which one does the implementation belong to?",
                        out_.bundle.projects.size()),
            "put it into a bundle as {manifest, projectSlug}");
        continue;
      }
      out_.bundle.implementations.push_back({implementation.canonical,
                                             implementation.slug,
                                             out_.bundle.projects.front().slug,
                                             std::nullopt,
                                             {}});
    }
  }

  manifest::Validator validator_;
  const ManifestFile* file_ = nullptr;
  ManifestImport out_;
  std::vector<Issue> issues_;
  std::map<std::string, std::string> documents_;
  std::vector<LooseRun> runs_;
  std::vector<LooseImplementation> implementations_;
  bool has_source_ = false;
};

bool is_manifest_file(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

}  // namespace

Result<ManifestImport> read_manifest_files(std::span<const ManifestFile> files,
                                           const ManifestOptions& options) {
  FileReader reader(options);
  for (const ManifestFile& file : files) reader.read(file);
  return reader.finish();
}

Result<ManifestImport> read_manifest_files(std::span<const fs::path> paths,
                                           const ManifestOptions& options) {
  std::vector<fs::path> found;
  for (const fs::path& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      found.push_back(path);
      continue;
    }
    std::vector<fs::path> inside;
    for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
      if (entry.is_regular_file() && is_manifest_file(entry.path())) inside.push_back(entry.path());
    }
    if (error)
      return fail(Code::kUnavailable,
                  fmt::format("reading '{}': {}", path.string(), error.message()));
    std::ranges::sort(inside);
    found.insert(found.end(), inside.begin(), inside.end());
  }
  std::vector<ManifestFile> files;
  for (const fs::path& path : found) {
    KI_TRY(std::string text, io::read_file(path, kMaxFileBytes));
    files.push_back({path.string(), std::move(text)});
  }
  return read_manifest_files(files, options);
}

}  // namespace ki::importers
