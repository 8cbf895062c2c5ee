// ki problem: problems in the format of SOL-ExecBench.
#include "problem.h"

#include "command.h"
#include "ki/base/text.h"
#include "ki/json/writer.h"
#include "ki/problem/directory.h"
#include "listing.h"
#include "python_parse.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::cli {
namespace {

namespace fs = std::filesystem;
using problem::Finding;
using problem::Mode;

struct Checked {
  problem::FolderReading reading;
  std::string reference_check;  // which parser looked at the reference
};

Result<Checked> check(const fs::path& folder) {
  KI_TRY(problem::FolderReading reading, problem::read_folder(folder));
  Checked out{std::move(reading), "tokens"};
  if (out.reading.problem) {
    const auto parsed = parse_python(out.reading.problem->definition.reference);
    if (parsed.is_available) out.reference_check = "python3";
    if (!parsed.message.empty()) {
      out.reading.files.front().findings.push_back(
          {{"reference_syntax", "/reference", 0, 0,
            "python3 does not parse the reference: " + parsed.message, ""},
           true,
           true});
    }
  }
  return out;
}

void write_json(json::Writer& w, const std::string& folder, const Checked& checked) {
  w.begin_object().member("folder", folder);
  w.member("strict", checked.reading.is_accepted(Mode::kStrict));
  w.member("compatible", checked.reading.is_accepted(Mode::kCompatible));
  w.member("referenceCheck", checked.reference_check);
  w.key("definitionDigest");
  if (checked.reading.problem) {
    w.value(checked.reading.problem->definition.digest.to_string());
  } else {
    w.null();
  }
  w.key("files").begin_array();
  for (const problem::FileFindings& file : checked.reading.files) {
    w.begin_object().member("file", file.file);
    w.member("strict", problem::is_accepted(file.findings, Mode::kStrict));
    w.member("compatible", problem::is_accepted(file.findings, Mode::kCompatible));
    w.key("findings").begin_array();
    for (const Finding& finding : file.findings) {
      const Issue& issue = finding.issue;
      w.begin_object().member("code", issue.code).member("pointer", issue.pointer);
      w.member("line", issue.line).member("column", issue.column);
      w.member("message", issue.message).member("fix", issue.fix);
      w.member("refusedStrictly", finding.is_refused_strictly);
      w.member("refusedCompatibly", finding.is_refused_compatibly).end_object();
    }
    w.end_array().end_object();
  }
  w.end_array().end_object();
}

std::string_view cost(const Finding& finding) {
  if (finding.is_refused_strictly && finding.is_refused_compatibly) return "refused";
  return finding.is_refused_strictly ? "strict only" : "compatible only";
}

void print(const Context& context, const std::string& folder, const Checked& checked) {
  for (const problem::FileFindings& file : checked.reading.files) {
    for (const Finding& finding : file.findings) {
      // Extensions are no fault; the verdict below says what they cost.
      if (finding.issue.code == "extension" && !context.arguments().has("compat")) continue;
      context.out(fmt::format("{}/{}:{} [{}]\n", folder, file.file, finding.issue.to_string(),
                              cost(finding)));
    }
  }
  const bool is_strict = checked.reading.is_accepted(Mode::kStrict);
  bool is_refused_for_more = !checked.reading.problem;
  for (const problem::FileFindings& file : checked.reading.files) {
    for (const Finding& finding : file.findings) {
      is_refused_for_more |= finding.is_refused_compatibly && finding.issue.code != "extension";
    }
  }
  const std::string_view compatible = checked.reading.is_accepted(Mode::kCompatible) ? "compatible"
                                      : is_refused_for_more ? "not compatible"
                                                            : "compatible but for our extensions";
  const auto solutions = std::ranges::count_if(
      checked.reading.files, [](const auto& file) { return file.file.starts_with("solutions/"); });
  std::string size;
  if (checked.reading.problem) {
    size = fmt::format(" · {} workloads · {} solutions · reference checked by {}",
                       checked.reading.problem->workloads.size(), solutions,
                       checked.reference_check == "python3" ? "python3" : "its tokens");
  }
  context.out(fmt::format("{}: strict {} · {}{}\n", folder, is_strict ? "valid" : "refused",
                          compatible, size));
}

Result<int> validate(const Context& context, std::span<const std::string> folders) {
  const Mode mode = context.arguments().has("compat") ? Mode::kCompatible : Mode::kStrict;
  bool are_all_valid = true;
  std::string out;
  json::Writer w(out, json::Writer::Style::kIndented);
  if (context.is_json()) w.begin_array();
  for (const std::string& folder : folders) {
    KI_TRY(const Checked checked, check(folder));
    are_all_valid = are_all_valid && checked.reading.is_accepted(mode);
    if (context.is_json()) {
      write_json(w, folder, checked);
    } else {
      print(context, folder, checked);
    }
  }
  if (context.is_json()) {
    w.end_array();
    context.out(out + "\n");
  }
  return are_all_valid ? kDone : kDidNotPass;
}

Result<int> init(const Context& context, std::span<const std::string> operands) {
  if (operands.size() != 1) return context.usage("init which folder?");
  const auto name = context.arguments().value("name");
  if (!name) return context.usage("init needs --name NAME");
  KI_TRY_VOID(problem::write_new_problem(operands.front(), *name));
  context.out(
      fmt::format("{0}: a problem that validates; edit it, then run ki problem validate {0}\n",
                  operands.front()));
  return kDone;
}

Result<int> list(const Context& context, std::span<const std::string> operands) {
  const fs::path root = operands.empty() ? fs::path("problems") : fs::path(operands.front());
  std::error_code error;
  std::vector<fs::path> folders;
  for (fs::directory_iterator entry(root, error), end; !error && entry != end;
       entry.increment(error)) {
    if (fs::exists(entry->path() / "definition.json")) folders.push_back(entry->path());
  }
  if (error) {
    return fail(Code::kNotFound,
                fmt::format("{}: {}; name the folder of problems", root.string(), error.message()));
  }
  std::ranges::sort(folders);
  Listing listing("problems", {{"folder", "problem"},
                               {"workloads", "workloads", display::Align::kRight},
                               {"solutions", "solutions", display::Align::kRight},
                               {"strict", "strict"},
                               {"definitionDigest", ""},
                               {"description", "description", display::Align::kLeft, 60}});
  for (const fs::path& folder : folders) {
    KI_TRY(const problem::FolderReading reading, problem::read_folder(folder));
    const auto solutions = std::ranges::count_if(
        reading.files, [](const auto& file) { return file.file.starts_with("solutions/"); });
    const bool is_valid = reading.is_accepted(Mode::kStrict);
    const auto& problem = reading.problem;
    listing.add(
        {text_cell(folder.filename().string()),
         problem ? count_cell(static_cast<std::int64_t>(problem->workloads.size())) : null_cell(),
         count_cell(solutions), text_cell(is_valid ? "valid" : "refused"),
         problem ? text_cell(problem->definition.digest.to_string()) : null_cell(),
         text_cell(problem ? problem->definition.description : "")});
  }
  listing.set_footer(folders.empty() ? fmt::format("no problem lies below {}", root.string())
                                     : fmt::format("{} problems", folders.size()));
  context.print(listing);
  return kDone;
}

}  // namespace

Result<int> run_problem(Context& context) {
  const auto& operands = context.operands();
  if (operands.empty()) return context.usage("which verb? init, validate, list or run");
  const std::string& verb = operands.front();
  const std::span<const std::string> rest(operands.begin() + 1, operands.end());
  if (verb == "init") return init(context, rest);
  if (verb == "list") return list(context, rest);
  if (verb == "run") return run_problem_run(context, rest);
  if (verb == "validate") {
    if (rest.empty()) return context.usage("validate which folders?");
    return validate(context, rest);
  }
  const auto near = did_you_mean(verb, context.command().verbs);
  return context.usage(fmt::format("{} is no verb of problem{}", quote(verb),
                                   near ? fmt::format("; did you mean '{}'?", *near) : ""));
}

}  // namespace ki::cli
