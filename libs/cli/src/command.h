// Command and Context: the frame that all commands share.
#pragma once

#include "arguments.h"
#include "ki/base/result.h"
#include "ki/catalog/live.h"
#include "ki/cli/cli.h"
#include "ki/store_sqlite/sqlite_store.h"
#include "listing.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::cli {

// Exit codes beside those of errors.
inline constexpr int kDone = 0;
inline constexpr int kDidNotPass = 1;
inline constexpr int kUsage = 2;
inline constexpr int kNotFound = 3;
inline constexpr int kNothingExact = 4;

class Context;

struct Command {
  std::string_view name;      // "search"; "manifest" takes a verb as first operand
  std::string_view summary;   // one line
  std::string_view operands;  // "QUERY..."
  std::vector<Option> options;
  bool is_listing = false;     // also --json --jsonl --tsv --quiet --limit
  bool has_json = false;       // also --json
  bool needs_catalog = false;  // also --catalog
  bool is_reading = false;     // also --api: a server may answer instead
  Result<int> (*run)(Context&);
  std::string_view help;                     // Markdown of the page, compiled in
  std::vector<std::string_view> verbs = {};  // for completion

  std::vector<Option> all_options() const;
};

// All commands, in the order of `ki --help`.
std::span<const Command> commands();

// A catalog file with its current snapshot.
struct OpenCatalog {
  // What is written through it is appended to the catalog's transparency log, if it has one.
  std::unique_ptr<catalog::Store> store;
  std::unique_ptr<catalog::LiveCatalog> live;
  std::filesystem::path path;

  std::shared_ptr<const catalog::Snapshot> snapshot() const { return live->current(); }
  // After a write: catches up and keeps the snapshot file in step.
  Result<void> refresh_and_save();
};

class Context {
 public:
  Context(const Command& command, Arguments arguments, const Environment& environment)
      : command_(command), arguments_(std::move(arguments)), environment_(environment) {}

  const Command& command() const { return command_; }
  const Arguments& arguments() const { return arguments_; }
  const std::vector<std::string>& operands() const { return arguments_.operands(); }
  const Environment& environment() const { return environment_; }
  Instant now() const { return environment_.clock->now(); }

  void out(std::string_view text) const { environment_.out(text); }
  void err(std::string_view text) const { environment_.err(text); }
  Format format() const;
  bool is_json() const { return arguments_.has("json"); }
  void print(const Listing& listing) const {
    out(listing.render(format(), !arguments_.has("quiet")));
  }

  std::filesystem::path catalog_path() const;
  static std::filesystem::path snapshot_path(const std::filesystem::path& catalog);
  // Static files of the transparency log, and the private keys, beside the catalog.
  static std::filesystem::path log_path(const std::filesystem::path& catalog);
  static std::filesystem::path keys_path(const std::filesystem::path& catalog);
  enum class Access { kRead, kWrite, kCreate };
  Result<OpenCatalog> open_catalog(Access access) const;

  // The usage line of the command, as an error.
  std::unexpected<Error> usage(std::string_view problem) const;

 private:
  const Command& command_;
  Arguments arguments_;
  const Environment& environment_;
};

// A line on a terminal that is rewritten in place, at most ten times a second; nothing elsewhere.
class ProgressLine {
 public:
  explicit ProgressLine(const Context& context) : context_(context) {}
  ~ProgressLine() { clear(); }
  void show(std::string_view text);
  void clear();

 private:
  const Context& context_;
  std::size_t width_ = 0;
  std::chrono::steady_clock::time_point last_{};
};

// The Markdown of a help page, compiled in from help/<name>.md; empty when there is none.
std::string_view help_page(std::string_view name);

// One function a command.
Result<int> run_search(Context&);
Result<int> run_resolve(Context&);
Result<int> run_show(Context&);
Result<int> run_compare(Context&);
Result<int> run_operations(Context&);
Result<int> run_projects(Context&);
Result<int> run_hardware(Context&);
Result<int> run_models(Context&);
Result<int> run_sources(Context&);
Result<int> run_coverage(Context&);
Result<int> run_runs(Context&);
Result<int> run_records(Context&);
Result<int> run_changes(Context&);
Result<int> run_ranks(Context&);
Result<int> run_sol(Context&);
Result<int> run_import(Context&);
Result<int> run_export(Context&);
Result<int> run_verify(Context&);
Result<int> run_fsck(Context&);
Result<int> run_backup(Context&);
Result<int> run_stats(Context&);
Result<int> run_manifest(Context&);
Result<int> run_problem(Context&);
Result<int> run_rerun(Context&);
Result<int> run_job(Context&);
Result<int> run_runner(Context&);
Result<int> run_retract(Context&);
Result<int> run_supersede(Context&);
Result<int> run_serving(Context&);
Result<int> run_attest(Context&);
Result<int> run_report(Context&);
Result<int> run_moderate(Context&);
Result<int> run_key(Context&);
Result<int> run_log(Context&);
Result<int> run_serve(Context&);
Result<int> run_bench(Context&);
Result<int> run_doctor(Context&);
Result<int> run_completion(Context&);

}  // namespace ki::cli
