// ki problem run: one solution against one problem on this machine.
#include "command.h"
#include "ki/base/text.h"
#include "ki/display/format.h"
#include "ki/harness/publication.h"
#include "ki/harness/record.h"
#include "ki/io/file.h"
#include "ki/json/reader.h"
#include "ki/machine/lock.h"
#include "listing.h"
#include "problem.h"
#include "publish_run.h"
#include "this_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <random>

namespace ki::cli {
namespace {

namespace fs = std::filesystem;
using harness::CaseResult;
using harness::RunResult;
using problem::Status;

judge::RunKey fresh_key() {
  std::random_device device;  // getrandom(2)
  std::array<std::uint8_t, 32> bytes{};
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(device());
  return judge::RunKey(bytes);
}

// "90", "90s", "10m", "1h": seconds.
Result<std::chrono::seconds> parse_limit(const std::string& text) {
  std::size_t digits = 0;
  while (digits < text.size() && is_ascii_digit(text[digits])) ++digits;
  const std::string_view unit = std::string_view(text).substr(digits);
  const std::int64_t factor = unit.empty() || unit == "s" ? 1
                              : unit == "m"               ? 60
                              : unit == "h"               ? 3600
                                                          : 0;
  if (digits == 0 || digits > 6 || factor == 0) {
    return fail(
        Code::kInvalidArgument,
        fmt::format("--time-limit is {}; expected a time such as 90s, 10m or 1h", quote(text)));
  }
  return std::chrono::seconds(std::stoll(text.substr(0, digits)) * factor);
}

// The finished cases of a run that was interrupted, with the key that they were made with. A file
// of this user alone, as the key is a secret until the run is over.
struct Unfinished {
  judge::RunKey key;
  std::vector<CaseResult> cases;
};

class StateFile {
 public:
  StateFile(const problem::Problem& problem, const problem::Solution& solution,
            const harness::RunPlan& plan, const judge::RunKey* seeded, const fs::path& folder)
      : identity_(Digest::of(fmt::format("{} {} {} {} {} {}", problem.definition.digest.to_string(),
                                         solution.digest().to_string(),
                                         harness::protocol_name(plan.cache), plan.processes,
                                         plan.is_quick, seeded == nullptr ? "" : seeded->hex()))),
        path_(folder / fmt::format(".ki-run-{}.jsonl", identity_.hex().substr(0, 16))) {}

  const fs::path& path() const { return path_; }

  Result<std::optional<Unfinished>> read() const {
    std::error_code error;
    if (!fs::exists(path_, error)) return std::nullopt;
    KI_TRY(const std::string text, io::read_file(path_));
    std::optional<Unfinished> out;
    for (const std::string_view line : split(text, '\n')) {
      // The last line may have been cut by whatever ended the run.
      const auto document = json::read_document(line, {.max_bytes = line.size() + 1});
      if (!document) break;
      if (!out) {
        const json::Value* identity = document->root.find("run");
        const json::Value* key = document->root.find("key");
        if (identity == nullptr || !identity->is_string() || key == nullptr || !key->is_string() ||
            identity->string() != identity_.to_string())
          return fail(Code::kConflict,
                      fmt::format("{} is of another run; remove it", path_.string()));
        KI_TRY(const judge::RunKey parsed, judge::RunKey::parse(key->string()));
        out = Unfinished{parsed, {}};
        continue;
      }
      KI_TRY(CaseResult one, harness::read_case(document->root, out->key));
      out->cases.push_back(std::move(one));
    }
    return out;
  }

  void begin(const judge::RunKey& key) {
    {
      std::ofstream create(path_, std::ios::trunc);
    }
    std::error_code error;
    fs::permissions(path_, fs::perms::owner_read | fs::perms::owner_write, error);
    append(fmt::format(R"({{"run":"{}","key":"{}"}})", identity_.to_string(), key.hex()));
  }
  void append(const std::string& line) {
    std::ofstream file(path_, std::ios::app);
    file << line << '\n';
  }
  void remove() {
    std::error_code error;
    fs::remove(path_, error);
  }

 private:
  Digest identity_;
  fs::path path_;
};

std::string_view word_of(Status status) { return problem::to_string(status); }

void print_table(const Context& context, const RunResult& result) {
  Listing listing("cases", {{"case", "case"},
                            {"status", "status"},
                            {"latencyNs", "latency", display::Align::kRight},
                            {"unit", "unit"},
                            {"halfWidth", "±", display::Align::kRight},
                            {"samples", "samples", display::Align::kRight},
                            {"checked", "checked", display::Align::kRight},
                            {"note", "note", display::Align::kLeft, 60}});
  std::size_t passed = 0, compatible = 0;
  bool is_unhealthy = false, is_wide = false;
  for (const CaseResult& one : result.cases) {
    passed += one.strict.status == Status::kPassed ? 1 : 0;
    compatible += one.compatible.status == Status::kPassed ? 1 : 0;
    std::string note = one.strict.reason.empty()
                           ? std::string()
                           : fmt::format("{}: {}", one.strict.reason, one.strict.detail);
    if (note.empty()) note = join(one.flags, ", ");
    is_unhealthy = is_unhealthy || std::ranges::find(one.flags, "unhealthy") != one.flags.end();
    const auto calls = static_cast<std::int64_t>(one.calls.size());
    if (one.timing) {
      const display::Readout readout = display::latency(one.timing->median);
      const double share = one.timing->half_width();
      is_wide = is_wide || share > 0.05;
      listing.add(
          {text_cell(one.uuid), text_cell(word_of(one.strict.status)),
           number_cell(one.timing->median, readout.value), text_cell(readout.unit),
           number_cell(share, display::improvement(100 * share)),
           text_cell(fmt::format("{} of {}", one.timing->rejections.accepted, one.samples.size())),
           count_cell(calls), text_cell(note)});
    } else {
      listing.add({text_cell(one.uuid), text_cell(word_of(one.strict.status)), null_cell(),
                   text_cell(""), null_cell(), null_cell(), count_cell(calls), text_cell(note)});
    }
  }
  std::string footer = fmt::format(
      "{} of {} passed strictly, {} compatibly", passed,
      display::count_noun(static_cast<std::int64_t>(result.cases.size()), "case"), compatible);
  if (result.held_out.status != Status::kPassed)
    footer += fmt::format("; held-out sizes: {}", result.held_out.detail);
  footer += fmt::format(". Isolation: {}. {:.1f} s.", sandbox::to_string(result.isolation.level),
                        result.elapsed_s);
  if (result.was_cancelled)
    footer += "\nStopped before the end: the same line with --resume goes on.";
  if (is_unhealthy)
    footer +=
        "\nOver a fifth of the samples were rejected: other programs are running. Stop them, or "
        "try later.";
  if (is_wide && !is_unhealthy)
    footer +=
        "\nAn interval is wider than ±5%: more --processes narrow it; so does a quieter machine.";
  listing.set_footer(footer);
  context.print(listing);
}

std::string plan_text(const problem::Problem& problem, const problem::Solution& solution,
                      const harness::RunPlan& plan) {
  std::int64_t calls = 0, bytes = 0;
  for (const harness::CasePlan& one : plan.cases) {
    calls += one.public_rounds + one.hidden_rounds + 3 +
             plan.processes * (one.warmup_calls + one.samples);
    bytes = std::max(bytes, one.bytes);
  }
  return fmt::format(
      "{} · {} · {} · {}, {}, at least {} checked calls, up to {:.1f} MB a call · about {:.0f} s\n",
      problem.definition.name, solution.name, harness::protocol_name(plan.cache),
      display::count_noun(static_cast<std::int64_t>(plan.cases.size()), "case"),
      display::count_noun(plan.processes, "process", "processes"), display::count(calls),
      static_cast<double>(bytes) / 1e6, plan.estimate_s);
}

Result<harness::RunPlan> plan_of(const Context& context, const problem::Problem& problem,
                                 const Judging& judging) {
  harness::PlanOptions options;
  if (judging.plan) {
    options = *judging.plan;
  } else {
    KI_TRY(options, plan_options(context));
  }
  options.cases = judging.cases;
  KI_TRY(const auto held_out, problem::held_out_axes(problem.folder));
  return harness::make_plan(problem, held_out, options);
}

Result<void> write_traces(const fs::path& file, const RunResult& result,
                          const problem::Problem& problem, const harness::MachineName& machine,
                          const std::string& timestamp) {
  std::string lines;
  for (const CaseResult& one : result.cases) {
    KI_TRY(const std::string line,
           problem::write_trace(harness::trace_of(result, one, problem, machine, timestamp)));
    lines += line + "\n";
  }
  std::error_code error;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), error);
  return io::write_file_atomically(file, lines);
}

}  // namespace

Result<int> run_problem_run(Context& context, std::span<const std::string> operands) {
  if (operands.size() != 1) return context.usage("run which problem's folder?");
  const auto file = context.arguments().value("solution");
  if (!file) return context.usage("run needs --solution FILE");
  KI_TRY(const problem::Problem problem,
         problem::load_problem(operands.front(), problem::Mode::kStrict));
  KI_TRY(problem::Solution solution,
         problem::load_solution(*file, problem.definition, problem::Mode::kStrict));
  return judge_and_time(context, problem, std::move(solution),
                        {.cases = context.arguments().values("case"),
                         .is_published = context.arguments().has("publish"),
                         .record_file = context.arguments().value("record")});
}

Result<harness::PlanOptions> plan_options(const Context& context) {
  const Arguments& arguments = context.arguments();
  harness::PlanOptions options;
  options.is_quick = arguments.has("quick");
  KI_TRY(const std::int64_t processes, arguments.integer("processes", 6, 1, 100));
  options.processes = static_cast<int>(processes);
  const std::string protocol = arguments.value("protocol").value_or("ki_cold_v1");
  if (protocol == "ki_hot_v1") {
    options.cache = harness::Cache::kHot;
  } else if (protocol != "ki_cold_v1") {
    return fail(Code::kInvalidArgument,
                fmt::format("--protocol is {}; expected ki_cold_v1 or ki_hot_v1", quote(protocol)));
  }
  return options;
}

Result<int> judge_and_time(const Context& context, const problem::Problem& problem,
                           problem::Solution solution, const Judging& judging) {
  const Arguments& arguments = context.arguments();
  const Instant started = context.now();
  KI_TRY(const std::int64_t threads, arguments.integer("threads", solution.x_threads, 1, 1024));
  solution.x_threads = static_cast<int>(threads);
  KI_TRY(const harness::RunPlan plan, plan_of(context, problem, judging));
  std::optional<judge::RunKey> seeded;
  if (arguments.has("seed")) {
    KI_TRY(const std::int64_t seed, arguments.integer("seed", 0, 0, std::int64_t{1} << 52));
    seeded = judge::RunKey::of_seed(static_cast<std::uint64_t>(seed));
  }
  const bool is_events = arguments.has("jsonl");
  if (judging.is_published && (seeded || plan.is_quick || plan.processes < 6)) {
    return fail(Code::kInvalidArgument,
                "only a full run is published: no --quick, no --seed, at least 6 --processes");
  }
  if (arguments.has("dry-run")) {
    context.out(plan_text(problem, solution, plan));
    return kDone;
  }
  if (!context.is_json() && !is_events) context.err(plan_text(problem, solution, plan));

  // Two that measure at once would measure each other.
  std::optional<machine::MeasuringLock> lock;
  if (!judging.has_lock) {
    KI_TRY(lock, machine::MeasuringLock::acquire("ki problem run"));
  }
  KI_TRY(const sandbox::Host host, sandbox::Host::open());
  StateFile state(problem, solution, plan, seeded ? &*seeded : nullptr,
                  judging.state_folder.value_or(fs::path()));
  std::vector<CaseResult> finished;
  judge::RunKey key = seeded ? *seeded : fresh_key();
  bool is_resumed = false;
  if (arguments.has("resume") || judging.state_folder) {
    KI_TRY(auto unfinished, state.read());
    if (unfinished) {
      key = unfinished->key;
      finished = std::move(unfinished->cases);
      is_resumed = true;
      context.err(
          fmt::format("resuming: {} done\n",
                      display::count_noun(static_cast<std::int64_t>(finished.size()), "case")));
    }
  }
  if (!is_resumed) state.begin(key);
  std::optional<std::chrono::steady_clock::time_point> deadline;
  if (const auto limit = arguments.value("time-limit")) {
    KI_TRY(const std::chrono::seconds seconds, parse_limit(*limit));
    deadline = std::chrono::steady_clock::now() + seconds;
  }

  ProgressLine line(context);
  const auto show = [&](const harness::Progress& p) {
    if (is_events) {
      std::string event;
      json::Writer w(event);
      w.begin_object().member("event", "progress").member("what", p.what);
      w.member("done", p.done).member("total", p.total).end_object();
      context.out(event + "\n");
    } else {
      line.show(fmt::format("{}/{} {}", p.done, p.total, p.what));
    }
  };
  const auto store = [&](const CaseResult& one) {
    std::string text;
    json::Writer w(text);
    harness::write_case(w, one, key);
    state.append(text);
    if (is_events) context.out(R"({"event":"case","result":)" + text + "}\n");
  };
  KI_TRY(const RunResult result,
         harness::run(
             {.problem = problem,
              .solution = solution,
              .plan = plan,
              .host = host,
              .key = key,
              .progress = show,
              .cancel = judging.cancel != nullptr ? judging.cancel : context.environment().cancel,
              .deadline = deadline,
              .on_case = store,
              .finished = std::move(finished)}));
  line.clear();
  if (!result.was_cancelled && !judging.state_folder) state.remove();

  const harness::MachineName machine{processor_name(), std::string(KI_VERSION)};
  const std::string timestamp = context.now().to_string();
  if (const auto output = arguments.value("output"))
    KI_TRY_VOID(write_traces(*output, result, problem, machine, timestamp));
  if (judging.record_file) {
    KI_TRY_VOID(io::write_file_atomically(
        *judging.record_file, harness::result_json(result, key, machine, timestamp) + "\n"));
  }
  if (context.is_json()) {
    context.out(harness::result_json(result, key, machine, timestamp) + "\n");
  } else if (is_events) {
    context.out(R"({"event":"result","result":)" +
                harness::result_json(result, key, machine, timestamp) + "}\n");
  } else {
    if (result.build.outcome != sandbox::BuildOutcome::kBuilt) context.err(result.build.log);
    print_table(context, result);
  }
  Published published;
  if (judging.is_published && !result.was_cancelled) {
    if (judging.before_publishing) KI_TRY_VOID(judging.before_publishing());
    KI_TRY(published, publish_run(context,
                                  {result, problem, solution, key, seeded.has_value(), started,
                                   context.now(), judging.job},
                                  machine));
  }
  if (judging.on_end) judging.on_end(result, published.run_ids);
  const int code = harness::exit_code_of(result);
  if (code == kDone && judging.must_be_verified && !published.is_verified) return kNothingExact;
  return code;
}

}  // namespace ki::cli
