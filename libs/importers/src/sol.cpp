#include "ki/importers/sol.h"

#include "ki/base/text.h"
#include "ki/io/file.h"
#include "ki/json/reader.h"
#include "ki/manifest/scalar.h"
#include "ki/manifest/validator.h"
#include "sol_manifests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <map>

namespace ki::importers {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFileBytes = std::size_t{8} << 20;  // importers 00 section 4
constexpr json::Limits kFileLimits{.max_bytes = kMaxFileBytes};
// Submissions that a person looked at: implausible, but explained (importers 01 section 6).
constexpr std::array<std::int64_t, 1> kReviewedImplausible = {36950};

struct File {
  std::string locator;
  std::string name;    // base name
  std::string parent;  // name of the folder that holds it
  std::string folder;  // relative to the snapshot, with '/'
  std::string text;
};

class SolReader {
 public:
  SolReader(const SolOptions& options, catalog::Store* catalog)
      : options_(options), catalog_(catalog) {
    out_.report.source = "sol-execbench";
    out_.report.parser_version = "1";
    out_.bundle.source = {"sol-execbench", "leaderboard", "NVIDIA SOL-ExecBench", std::nullopt};
  }

  Result<SolImport> run(const fs::path& folder) {
    KI_TRY_VOID(read_files(folder));
    const bool is_api =
        std::ranges::any_of(files_, [](const File& f) { return f.name == "kernels.json"; });
    if (is_api) {
      read_api();
    } else {
      read_tree();
    }
    KI_TRY_VOID(reconcile());
    KI_TRY_VOID(compare_with_catalog());
    finish_report();
    return std::move(out_);
  }

 private:
  struct Kernel {
    std::string locator;
    const json::Value* root = nullptr;
    SolDefinition definition;
    std::vector<SolEntry> entries;
    std::vector<SolSubmission> submissions;
    std::string operation;                     // digest
    std::map<std::string, std::string> cases;  // key -> digest
    std::string suite;
    const json::Value* axes = nullptr;  // of the operation manifest
  };
  struct Solution {
    std::string locator, folder;
    SolSolution solution;
    std::string digest;
  };

  // ---- files

  Result<void> read_files(const fs::path& folder) {
    std::error_code error;
    if (!fs::is_directory(folder, error)) {
      return fail(Code::kNotFound, fmt::format("'{}' is not a folder", folder.string()));
    }
    std::vector<fs::path> paths;
    for (auto at = fs::recursive_directory_iterator(folder, error);
         !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
      if (at->is_regular_file(error) && is_input(at->path().filename().string()))
        paths.push_back(at->path());
    }
    if (error)
      return fail(Code::kUnavailable,
                  fmt::format("reading '{}': {}", folder.string(), error.message()));
    std::ranges::sort(paths);
    for (const fs::path& path : paths) {
      const fs::path relative = path.lexically_relative(folder);
      File file;
      file.name = path.filename().string();
      file.parent = path.parent_path().filename().string();
      file.folder = relative.parent_path().generic_string();
      file.locator = options_.locator_base.empty()
                         ? "file://" + fs::absolute(path).string()
                         : options_.locator_base + relative.generic_string();
      auto text = io::read_file(path, kMaxFileBytes);
      if (!text) {
        issue(file.locator, file.name, text.error().to_string());
        continue;
      }
      file.text = *std::move(text);
      const auto written = std::chrono::floor<std::chrono::milliseconds>(
          std::chrono::file_clock::to_sys(fs::last_write_time(path, error)));
      const Instant fetched{error ? 0 : written.time_since_epoch().count()};
      publish::BundleSnapshot snapshot{file.locator,     std::nullopt, Digest::of(file.text), {},
                                       file.text.size(), {},           "sol-execbench",       "1",
                                       fetched,          fetched};
      snapshot.media_type =
          file.name.ends_with(".jsonl") ? "application/jsonl" : "application/json";
      if (!find_invalid_utf8(file.text)) snapshot.body = file.text;
      out_.bundle.snapshots.push_back(std::move(snapshot));
      files_.push_back(std::move(file));
    }
    return {};
  }

  static bool is_input(std::string_view name) {
    const bool is_json = name.ends_with(".json");
    if (name == "definition.json" || name == "workload.jsonl" || name == "kernels.json")
      return true;
    if (is_json && (name.starts_with("solution") || name.starts_with("kernel-") ||
                    name.starts_with("submissions-")))
      return true;
    return name.find("trace") != std::string_view::npos && (is_json || name.ends_with(".jsonl"));
  }

  const File* find_file(std::string_view name) const {
    const auto found = std::ranges::find(files_, name, &File::name);
    return found == files_.end() ? nullptr : &*found;
  }

  void issue(std::string_view locator, std::string_view item, std::string_view problem) {
    out_.report.issues.push_back({std::string(locator), std::string(item), std::string(problem)});
  }
  void ambiguity(std::string_view code, std::string text) {
    out_.report.ambiguities.push_back({std::string(code), std::move(text)});
  }

  static std::string problem_of(const Error& error) {
    return error.issues().empty() ? error.message() : error.issues().front().to_string();
  }

  // A document of the file, with `data` unwrapped; an issue when there is none.
  const json::Value* parse(const File& file) {
    auto document = json::read_document(file.text, kFileLimits);
    if (!document) {
      issue(file.locator, file.name, problem_of(document.error()));
      return nullptr;
    }
    documents_.push_back(*std::move(document));
    const json::Value* root = &documents_.back().root;
    const json::Value* data = root->find("data");
    return data == nullptr ? root : data;
  }

  // The objects of a file that is one object, an array, or JSON Lines. A line that is not JSON is
  // an issue of its own.
  std::vector<const json::Value*> parse_many(const File& file) {
    std::vector<const json::Value*> out;
    const std::string_view text = trim(file.text);
    if (text.starts_with('[')) {
      if (const json::Value* root = parse(file); root != nullptr && root->is_array()) {
        for (const json::Value& item : root->items()) out.push_back(&item);
      }
      return out;
    }
    if (text.starts_with('{') && text.find("\n{") == std::string_view::npos) {
      if (const json::Value* root = parse(file)) out.push_back(root);
      return out;
    }
    std::size_t number = 0;
    for (const std::string_view line : split(file.text, '\n')) {
      ++number;
      if (trim(line).empty()) continue;
      auto document = json::read_document(line, kFileLimits);
      if (!document) {
        issue(file.locator, fmt::format("line {}", number), problem_of(document.error()));
        continue;
      }
      documents_.push_back(*std::move(document));
      out.push_back(&documents_.back().root);
    }
    return out;
  }

  // ---- the API's answers

  void read_api() {
    const json::Value* answer = parse(*find_file("kernels.json"));
    const json::Value* list = answer == nullptr ? nullptr : answer->find("kernels");
    if (list == nullptr || !list->is_array()) {
      if (answer != nullptr)
        issue("kernels.json", "kernels", "member 'kernels' is missing or not a list");
      return;
    }
    for (const json::Value* item : select(*list)) read_kernel(*item);
  }

  static std::string_view name_of(const json::Value& kernel) {
    const json::Value* name = kernel.find("name");
    return name != nullptr && name->is_string() ? name->string() : std::string_view();
  }

  std::vector<const json::Value*> select(const json::Value& list) {
    std::vector<const json::Value*> chosen;
    for (const json::Value& kernel : list.items()) {
      const std::string_view name = name_of(kernel);
      if (!options_.kernels.empty() &&
          std::ranges::find(options_.kernels, name) == options_.kernels.end())
        continue;
      if (options_.tag) {
        const json::Value* tags = kernel.find("tags");
        const bool has_tag = tags != nullptr && tags->is_array() &&
                             std::ranges::any_of(tags->items(), [&](const json::Value& t) {
                               return t.is_string() && t.string() == *options_.tag;
                             });
        if (!has_tag) continue;
      }
      chosen.push_back(&kernel);
    }
    if (!options_.resume) {
      for (const std::string& wanted : options_.kernels) {
        const bool is_there = std::ranges::any_of(
            list.items(), [&](const json::Value& k) { return name_of(k) == wanted; });
        if (!is_there) issue("kernels.json", wanted, "no kernel has this name");
      }
    } else {
      const auto at = std::ranges::find_if(
          chosen, [&](const json::Value* k) { return name_of(*k) == *options_.resume; });
      if (at != chosen.end()) chosen.erase(chosen.begin(), at);
    }
    if (options_.limit && chosen.size() > *options_.limit) chosen.resize(*options_.limit);
    return chosen;
  }

  void read_kernel(const json::Value& item) {
    const json::Value* id = item.find("id");
    const std::string_view name = name_of(item);
    if (id == nullptr || !id->integer() || name.empty()) {
      issue("kernels.json", quote(name), "a kernel has no integer id or no name");
      return;
    }
    const std::string file_name = fmt::format("kernel-{}.json", *id->integer());
    const File* file = find_file(file_name);
    if (file == nullptr) {
      issue(file_name, name, "the snapshot has no such file");
      return;
    }
    const json::Value* root = parse(*file);
    if (root == nullptr) return;
    Kernel* kernel = add_definition(*root, *file);
    if (kernel == nullptr) return;
    if (kernel->definition.tags.empty()) {
      if (const json::Value* tags = item.find("tags"); tags != nullptr && tags->is_array()) {
        for (const json::Value& tag : tags->items()) {
          if (tag.is_string()) kernel->definition.tags.push_back(tag.string());
        }
      }
    }
    if (kernel->definition.workloads != nullptr) {
      std::size_t number = 0;
      for (const json::Value& entry : kernel->definition.workloads->items())
        add_entry(*kernel, entry, file->locator, number++);
    }
    read_submissions(*kernel, *id->integer());
  }

  Kernel* add_definition(const json::Value& root, const File& file) {
    auto definition = read_sol_definition(root, out_.report.drift_warnings);
    if (!definition) {
      issue(file.locator, std::string(name_of(root)), problem_of(definition.error()));
      return nullptr;
    }
    ++definitions_;
    if (by_name_.contains(definition->name)) {
      issue(file.locator, std::string(definition->name),
            "another file defines a kernel of this name");
      return nullptr;
    }
    kernels_.emplace_back();
    Kernel& kernel = kernels_.back();
    kernel.locator = file.locator;
    kernel.root = &root;
    kernel.definition = *std::move(definition);
    by_name_.emplace(kernel.definition.name, &kernel);
    return &kernel;
  }

  void add_entry(Kernel& kernel, const json::Value& value, const std::string& locator,
                 std::size_t number) {
    ++workload_entries_;
    auto entry = read_sol_entry(value);
    if (!entry) {
      issue(locator, fmt::format("{} workload {}", kernel.definition.name, number),
            problem_of(entry.error()));
      return;
    }
    kernel.entries.push_back(*std::move(entry));
  }

  void read_submissions(Kernel& kernel, std::int64_t id) {
    const std::string file_name = fmt::format("submissions-{}.json", id);
    const File* file = find_file(file_name);
    if (file == nullptr) {
      issue(file_name, std::string(kernel.definition.name), "the snapshot has no such file");
      return;
    }
    const json::Value* answer = parse(*file);
    const json::Value* list = answer == nullptr ? nullptr : answer->find("submissions");
    if (list == nullptr || !list->is_array()) {
      if (answer != nullptr)
        issue(file->locator, "submissions", "member 'submissions' is missing or not a list");
      return;
    }
    for (const json::Value& item : list->items()) {
      ++submissions_;
      auto submission = read_sol_submission(item, out_.report.drift_warnings);
      if (!submission) {
        issue(file->locator, fmt::format("submission {}", submissions_),
              problem_of(submission.error()));
        continue;
      }
      kernel.submissions.push_back(*std::move(submission));
    }
  }

  // ---- folders of definitions and traces

  void read_tree() {
    for (const File& file : files_) {
      if (file.name != "definition.json") continue;
      if (const json::Value* root = parse(file)) add_definition(*root, file);
    }
    for (const File& file : files_) {
      if (file.name != "workload.jsonl") continue;
      Kernel* kernel = nullptr;
      if (const auto found = by_name_.find(file.parent); found != by_name_.end()) {
        kernel = found->second;
      } else if (kernels_.size() == 1) {
        kernel = &kernels_.front();
      }
      if (kernel == nullptr) {
        issue(file.locator, file.name,
              fmt::format("no definition is named {}", quote(file.parent)));
        continue;
      }
      std::size_t number = 0;
      for (const json::Value* entry : parse_many(file))
        add_entry(*kernel, *entry, file.locator, number++);
    }
    for (const File& file : files_) {
      if (!file.name.starts_with("solution")) continue;
      const json::Value* root = parse(file);
      if (root == nullptr) continue;
      ++solutions_found_;
      auto solution = read_sol_solution(*root);
      if (!solution) {
        issue(file.locator, file.name, problem_of(solution.error()));
        continue;
      }
      solutions_.push_back({file.locator, file.folder, *std::move(solution), {}});
    }
    for (const File& file : files_) {
      if (file.name.find("trace") == std::string::npos || file.name.starts_with("solution"))
        continue;
      for (const json::Value* value : parse_many(file)) {
        ++traces_found_;
        auto trace = read_sol_trace(*value);
        if (!trace) {
          issue(file.locator, fmt::format("trace {}", traces_found_), problem_of(trace.error()));
          continue;
        }
        traces_.emplace_back(file.locator, *std::move(trace));
      }
    }
  }

  // ---- reconcile (importers 01 section 7)

  // Digest of a manifest; an issue, and nothing, when it is not valid.
  std::optional<std::string> digest_of(const std::string& manifest, std::string_view locator,
                                       std::string_view item) {
    const auto valid = validator_.read(manifest, manifest::TextForm::kJson);
    if (!valid) {
      issue(locator, item, problem_of(valid.error()));
      return std::nullopt;
    }
    return valid->digest.to_string();
  }

  void propose(std::string_view entity, std::string_view name, const std::string& digest) {
    out_.report.proposed.push_back({std::string(entity), std::string(name), digest, false});
  }

  Result<void> reconcile() {
    for (Kernel& kernel : kernels_) add_operation(kernel);
    for (Kernel& kernel : kernels_) {
      if (!kernel.operation.empty()) add_cases(kernel);
    }
    add_solutions();
    for (Kernel& kernel : kernels_) {
      if (!kernel.operation.empty()) add_submissions(kernel);
    }
    for (const auto& [locator, trace] : traces_) add_trace(locator, trace);
    return {};
  }

  void add_operation(Kernel& kernel) {
    const SolDefinition& d = kernel.definition;
    auto manifest = sol_operation(d);
    if (!manifest) return issue(kernel.locator, d.name, problem_of(manifest.error()));
    const auto digest = digest_of(*manifest, kernel.locator, d.name);
    if (!digest) return;
    auto document = json::read_document(*manifest);
    KI_CHECK(document.has_value());
    documents_.push_back(*std::move(document));
    kernel.axes = documents_.back().root.find("spec")->find("axes");
    kernel.operation = *digest;
    ++families_[sol_family(d.op_type, d.tags)];
    const std::string slug = kebab(d.name);
    propose("operation", slug, *digest);
    out_.bundle.operations.push_back(
        {*std::move(manifest), slug, {ascii_lower(d.name)}, sol_tags(d.tags), std::string(d.name)});
  }

  // The digest of a case, made when it is new.
  std::optional<std::string> add_case(Kernel& kernel, const SolEntry& entry,
                                      std::string_view locator) {
    if (const auto known = kernel.cases.find(entry.key); known != kernel.cases.end())
      return known->second;
    const std::string item = fmt::format("{} case {}", kernel.definition.name, entry.key);
    auto manifest = sol_case(kernel.definition, entry, *kernel.axes, kernel.operation);
    if (!manifest) {
      issue(locator, item, problem_of(manifest.error()));
      return std::nullopt;
    }
    auto digest = digest_of(*manifest, locator, item);
    if (!digest) return std::nullopt;
    propose("workload", fmt::format("{}-{}", kebab(kernel.definition.name), entry.key.substr(0, 8)),
            *digest);
    out_.bundle.workloads.push_back({*std::move(manifest), entry.key});
    kernel.cases.emplace(entry.key, *digest);
    return digest;
  }

  void add_cases(Kernel& kernel) {
    for (const SolEntry& entry : kernel.entries) add_case(kernel, entry, kernel.locator);
    if (kernel.submissions.empty()) return;
    std::string manifest = sol_suite(kernel.definition, kernel.entries, kernel.operation);
    const std::string name = kebab(kernel.definition.name) + "-suite";
    const auto digest = digest_of(manifest, kernel.locator, name);
    if (!digest) return;
    kernel.suite = *digest;
    propose("workload", name, *digest);
    out_.bundle.workloads.push_back(
        {std::move(manifest), fmt::format("{}/suite", kernel.definition.name)});
  }

  void add_project(const std::string& slug, std::string manifest,
                   std::optional<std::string> external_id) {
    if (std::ranges::find(out_.bundle.projects, slug, &publish::BundleProject::slug) !=
        out_.bundle.projects.end())
      return;
    out_.bundle.projects.push_back({std::move(manifest), slug, std::move(external_id)});
  }

  void add_solutions() {
    for (Solution& s : solutions_) {
      const auto kernel = by_name_.find(s.solution.definition);
      if (kernel == by_name_.end() || kernel->second->operation.empty()) {
        issue(
            s.locator, s.solution.name,
            fmt::format("its definition {} is not in the snapshot", quote(s.solution.definition)));
        continue;
      }
      if (!options_.examples_commit || !manifest::is_commit(*options_.examples_commit)) {
        issue(s.locator, s.solution.name,
              "the commit of the examples repository is not stated: pass --examples-commit with 40 "
              "hexadecimal digits");
        continue;
      }
      std::string manifest = sol_solution_implementation(s.solution, kernel->second->definition,
                                                         kernel->second->operation,
                                                         *options_.examples_commit, s.folder);
      const auto digest = digest_of(manifest, s.locator, s.solution.name);
      if (!digest) continue;
      s.digest = *digest;
      add_project("nvidia-sol-execbench", sol_examples_project(), std::nullopt);
      propose("implementation", s.solution.name, *digest);
      out_.bundle.implementations.push_back({std::move(manifest),
                                             kebab(fmt::format("sol-example-{}", s.solution.name)),
                                             "nvidia-sol-execbench",
                                             fmt::format("solution/{}", s.solution.name),
                                             {}});
    }
  }

  // The lowest bound of the suite's cases; nothing when any case states none.
  static std::optional<double> sol_bound(const Kernel& kernel) {
    if (kernel.definition.is_sol_dummy || kernel.entries.empty()) return std::nullopt;
    std::optional<double> bound;
    for (const SolEntry& entry : kernel.entries) {
      if (!entry.sol_ms || !(*entry.sol_ms > 0)) return std::nullopt;
      bound = std::min(bound.value_or(*entry.sol_ms), *entry.sol_ms);
    }
    return bound;
  }

  void add_submissions(Kernel& kernel) {
    const std::optional<double> bound = sol_bound(kernel);
    std::vector<const SolSubmission*> kept;
    for (const SolSubmission& s : kernel.submissions) {
      if (s.is_disqualified) {
        ++disqualified_;
      } else if (s.status != "COMPLETED" || !s.is_correct) {
        ++incorrect_;
      } else if (options_.source_revision && s.stack != *options_.source_revision) {
        ++filtered_;
      } else if (!s.latency_ms || !(*s.latency_ms > 0)) {
        ++incorrect_;
      } else if (bound && *s.latency_ms < *bound) {
        if (std::ranges::find(kReviewedImplausible, s.id) != kReviewedImplausible.end()) {
          ++reviewed_implausible_;
        } else {
          ambiguity(
              "SUSPECTED_IMPLAUSIBLE",
              fmt::format("submission {}: {} ms is under the lowest bound of the suite, {} ms",
                          s.id, *s.latency_ms, *bound));
        }
      } else {
        kept.push_back(&s);
      }
    }
    std::ranges::stable_sort(kept, [](const SolSubmission* a, const SolSubmission* b) {
      return a->sol_score.value_or(0) > b->sol_score.value_or(0);
    });
    if (kept.size() > options_.top) kept.resize(options_.top);
    for (const SolSubmission* s : kept) add_submission(kernel, *s);
  }

  void add_submission(Kernel& kernel, const SolSubmission& stated) {
    SolSubmission s = stated;
    const std::string item = fmt::format("submission {}", s.id);
    const std::string_view observed_text = s.finished_at.empty() ? s.submitted_at : s.finished_at;
    const auto observed = to_utc_instant(observed_text);
    if (!observed) {
      return issue(kernel.locator, item,
                   observed_text.empty()
                       ? "it states neither finished_at nor submitted_at"
                       : fmt::format("{} is not an instant", quote(observed_text)));
    }
    const auto latency_ns = nanoseconds_of_ms(*s.latency_ms);
    if (!latency_ns) return issue(kernel.locator, item, "its latency is out of range");
    if (s.sol_score && !(*s.sol_score >= 0 && *s.sol_score <= 1)) {
      issue(kernel.locator, item,
            fmt::format("its sol_score {} is outside 0 to 1 and is left out", *s.sol_score));
      s.sol_score.reset();
    }
    if (kernel.suite.empty()) return issue(kernel.locator, item, "its suite could not be made");
    const std::string stack(s.stack.empty() ? std::string_view("unknown") : s.stack);
    const SolHardware hardware = sol_hardware(s.gpu_type);
    std::string implementation =
        sol_submission_implementation(s, kernel.definition, kernel.operation);
    std::string protocol = sol_leaderboard_protocol(stack);
    std::string environment = sol_leaderboard_environment(hardware, s.gpu_type, stack);
    const auto implementation_digest = digest_of(implementation, kernel.locator, item);
    const auto protocol_digest = digest_of(protocol, kernel.locator, item);
    const auto environment_digest = digest_of(environment, kernel.locator, item);
    if (!implementation_digest || !protocol_digest || !environment_digest) return;
    std::string run = sol_submission_run(s, *latency_ns, *observed, *implementation_digest,
                                         kernel.suite, *protocol_digest, *environment_digest);
    const auto run_digest = digest_of(run, kernel.locator, item);
    if (!run_digest) return;
    ++out_.report.selected_submissions;
    const std::string project = "sol-user-" + kebab(s.username);
    if (!manifest::is_slug(project))
      return issue(kernel.locator, item, "its user name makes no slug");
    add_project(project, sol_user_project(s.username), fmt::format("user/{}", s.username));
    const std::string external_id = fmt::format("submission/{}", s.id);
    propose("implementation", external_id, *implementation_digest);
    out_.bundle.implementations.push_back(
        {std::move(implementation),
         kebab(fmt::format("sol-{}-{}", s.kernel_name, s.username)),
         project,
         external_id,
         {}});
    propose("run", fmt::format("sol-submission-{}", s.id), *run_digest);
    out_.bundle.runs.push_back(
        {std::move(run), std::move(protocol), std::move(environment), external_id, {}});
    out_.report.license_warnings.push_back(
        fmt::format("submission {}: the leaderboard publishes neither source nor licence; only the "
                    "result is recorded",
                    s.id));
  }

  void add_trace(const std::string& locator, const SolTrace& t) {
    const std::string item = fmt::format("trace of {} on {}", t.solution, t.definition);
    const auto kernel = by_name_.find(t.definition);
    if (kernel == by_name_.end() || kernel->second->operation.empty()) {
      return issue(locator, item,
                   fmt::format("its definition {} is not in the snapshot", quote(t.definition)));
    }
    if (!t.has_evaluation) return issue(locator, item, "it has no evaluation");
    const auto solution = std::ranges::find_if(solutions_, [&](const Solution& s) {
      return s.solution.name == t.solution && !s.digest.empty();
    });
    if (solution == solutions_.end()) {
      return ambiguity("UNKNOWN_SOLUTION",
                       fmt::format("{}: the solution is not among the imported ones", item));
    }
    const auto status = sol_trace_status(t.status);
    if (!status)
      return issue(locator, item, fmt::format("status {} is not known", quote(t.status)));
    const auto observed = to_utc_instant(t.timestamp);
    if (!observed)
      return issue(locator, item, fmt::format("{} is not an instant", quote(t.timestamp)));
    auto entry = read_sol_entry(*t.workload);
    if (!entry) return issue(locator, item, problem_of(entry.error()));
    const auto workload = add_case(*kernel->second, *entry, locator);
    if (!workload) return;
    std::optional<std::int64_t> latency_ns;
    if (t.latency_ms) {
      latency_ns = nanoseconds_of_ms(*t.latency_ms);
      if (!latency_ns) return issue(locator, item, "its latency is out of range");
    }
    std::vector<publish::BundleArtifact> artifacts;
    std::optional<std::string> log_digest;
    if (!t.log.empty()) {
      const Digest digest = Digest::of(t.log);
      log_digest = digest.to_string();
      artifacts.push_back({digest, "logs", "log", "text/plain", t.log.size(), "inline",
                           std::nullopt, std::string(t.log), std::nullopt});
    }
    std::string protocol = sol_trace_protocol();
    std::string environment = sol_trace_environment(t);
    const auto protocol_digest = digest_of(protocol, locator, item);
    const auto environment_digest = digest_of(environment, locator, item);
    if (!protocol_digest || !environment_digest) return;
    std::string run =
        sol_trace_run(t, entry->key, *status, *observed, latency_ns,
                      log_digest ? std::optional<std::string_view>(*log_digest) : std::nullopt,
                      solution->digest, *workload, *protocol_digest, *environment_digest);
    const auto run_digest = digest_of(run, locator, item);
    if (!run_digest) return;
    propose("run",
            kebab(fmt::format("sol-trace-{}-{}", t.definition,
                              std::string_view(entry->key).substr(0, 8))),
            *run_digest);
    out_.bundle.runs.push_back({std::move(run), std::move(protocol), std::move(environment),
                                fmt::format("trace/{}/{}", t.solution, entry->key),
                                std::move(artifacts)});
  }

  // ---- the catalog

  Result<void> compare_with_catalog() {
    using catalog::Table;
    // Slugs that would be taken, also inside the bundle.
    std::map<std::string, std::string> slugs;
    if (catalog_ != nullptr) {
      KI_TRY(const catalog::Head head, catalog_->head());
      KI_TRY_VOID(catalog_->read_table(
          Table::kOperations, head.seq, [&](const catalog::Entry& entry) -> Result<catalog::Step> {
            KI_TRY(
                const json::Document row,
                json::read_document(entry.body, json::Limits{.max_bytes = std::size_t{64} << 20}));
            slugs.insert_or_assign(std::string(row.root.find("slug")->string()),
                                   entry.digest->to_string());
            return catalog::Step::kGoOn;
          }));
    }
    for (Proposed& p : out_.report.proposed) {
      if (p.entity == "operation") {
        const auto [at, is_free] = slugs.try_emplace(p.name, p.digest);
        if (!is_free && at->second != p.digest) {
          ambiguity("SLUG_CONFLICT",
                    fmt::format("operation {}: the slug already names {}", p.name, at->second));
        }
      }
      if (catalog_ == nullptr) continue;
      const Table table = p.entity == "operation"        ? Table::kOperations
                          : p.entity == "workload"       ? Table::kWorkloads
                          : p.entity == "implementation" ? Table::kImplementations
                                                         : Table::kBenchmarkRuns;
      KI_TRY(const Digest digest, Digest::parse(p.digest));
      KI_TRY(const auto known, catalog_->find_digest(table, digest));
      p.exists = known.has_value();
    }
    return {};
  }

  void finish_report() {
    ReviewReport& r = out_.report;
    // Operations, workloads, implementations, runs; in order of discovery inside each.
    const auto rank = [](const Proposed& p) {
      return p.entity == "operation"        ? 0
             : p.entity == "workload"       ? 1
             : p.entity == "implementation" ? 2
                                            : 3;
    };
    std::ranges::stable_sort(r.proposed, {}, rank);
    r.discovered = {{"definitions", definitions_}, {"workloadEntries", workload_entries_},
                    {"submissions", submissions_}, {"solutions", solutions_found_},
                    {"traces", traces_found_},     {"snapshots", out_.bundle.snapshots.size()}};
    r.skipped_submissions = {{"incorrect", incorrect_},
                             {"disqualified", disqualified_},
                             {"filtered", filtered_},
                             {"reviewedImplausible", reviewed_implausible_}};
    r.operations_by_family.assign(families_.begin(), families_.end());
    const auto existing = std::ranges::count_if(r.proposed, &Proposed::exists);
    r.plan =
        fmt::format("Insert {} and keep {} existing objects of source {}.",
                    static_cast<std::ptrdiff_t>(r.proposed.size()) - existing, existing, r.source);
  }

  const SolOptions& options_;
  catalog::Store* catalog_;
  SolImport out_;
  manifest::Validator validator_{manifest::Profile::kCompat};
  std::vector<File> files_;
  std::deque<json::Document> documents_;
  std::deque<Kernel> kernels_;
  std::map<std::string_view, Kernel*> by_name_;
  std::vector<Solution> solutions_;
  std::vector<std::pair<std::string, SolTrace>> traces_;
  std::map<std::string, std::uint64_t> families_;
  std::uint64_t definitions_ = 0, workload_entries_ = 0, submissions_ = 0, solutions_found_ = 0,
                traces_found_ = 0;
  std::uint64_t incorrect_ = 0, disqualified_ = 0, filtered_ = 0, reviewed_implausible_ = 0;
};

}  // namespace

Result<SolImport> read_sol(const fs::path& folder, const SolOptions& options,
                           catalog::Store* catalog) {
  return SolReader(options, catalog).run(folder);
}

}  // namespace ki::importers
