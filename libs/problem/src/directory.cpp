#include "ki/problem/directory.h"

#include "ki/base/text.h"
#include "ki/io/file.h"
#include "ki/json/reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::problem {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFile = std::size_t{64} << 20;

// A source beside solution.json: a plain file that lies below the solution's folder.
Result<std::string> read_beside(const void* context, std::string_view path) {
  const fs::path& folder = *static_cast<const fs::path*>(context);
  const fs::path file = folder / fs::path(path);
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  if (error) return fail(Code::kNotFound, fmt::format("the file {} is not there", quote(path)));
  // problems/ lists sources of the kernel library through links: they may leave the solution's
  // folder, never as a path that the solution itself wrote.
  if (!fs::is_regular_file(real, error))
    return fail(Code::kInvalidArgument, fmt::format("{} is not a plain file", quote(path)));
  return io::read_file(real, kMaxFile);
}

void append(Findings& to, Findings from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

std::vector<fs::path> solution_files(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code error;
  for (fs::directory_iterator entry(folder / "solutions", error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path file = entry->path() / "solution.json";
    if (fs::is_regular_file(file, error)) out.push_back(file);
  }
  std::ranges::sort(out);
  return out;
}

constexpr std::string_view kDefinition = R"({{
  "name": "{0}",
  "op_type": "elementwise",
  "description": "Twice the input: y[i] = 2 * x[i]. Replace this with what the problem computes.",
  "axes": {{
    "n": {{"type": "var", "description": "length of the vectors"}}
  }},
  "inputs": {{
    "x": {{"shape": ["n"], "dtype": "float32"}}
  }},
  "outputs": {{
    "y": {{"shape": ["n"], "dtype": "float32"}}
  }},
  "reference": "def run(x):\n    return 2 * x\n"
}}
)";
constexpr std::string_view kWorkload =
    R"({"uuid": "n1024", "axes": {"n": 1024}, "inputs": {"x": {"type": "random"}}, "tolerance": {"max_atol": 1e-06, "max_rtol": 1e-06, "required_matched_ratio": 1}}
{"uuid": "n1000003", "axes": {"n": 1000003}, "inputs": {"x": {"type": "random"}}, "tolerance": {"max_atol": 1e-06, "max_rtol": 1e-06, "required_matched_ratio": 1}}
)";
constexpr std::string_view kSolution = R"({{
  "name": "{0}_reference",
  "definition": "{0}",
  "author": "unknown",
  "spec": {{
    "languages": ["x_c"],
    "target_hardware": ["X_CPU"],
    "entry_point": "kernel.c::kernel",
    "binding": "x_ki_abi1"
  }},
  "sources": [
    {{"path": "kernel.c", "content": ""}}
  ]
}}
)";
constexpr std::string_view kKernel = R"(/* y = 2 x. x, y: (n) f32. */
#include "ki/kernel_abi.h"

const uint32_t ki_kernel_abi = KI_KERNEL_ABI;

int32_t kernel(const ki_tensor* inputs, int32_t input_count, ki_tensor* outputs,
               int32_t output_count, const ki_exec* exec) {
  (void)exec;
  if (input_count != 1 || output_count != 1) return KI_INVALID_ARGUMENT;
  const float* x = (const float*)inputs[0].data;
  float* y = (float*)outputs[0].data;
  for (int64_t i = 0; i < outputs[0].numel; ++i) y[i] = 2 * x[i];
  return KI_DONE;
}
)";

}  // namespace

bool FolderReading::is_accepted(Mode mode) const {
  return problem && std::ranges::all_of(files, [&](const FileFindings& file) {
           return problem::is_accepted(file.findings, mode);
         });
}

Result<FolderReading> read_folder(const fs::path& folder) {
  FolderReading out;
  KI_TRY(const std::string definition_text, io::read_file(folder / "definition.json", kMaxFile));
  auto definition = read_definition(definition_text);
  out.files.push_back({"definition.json", std::move(definition.findings)});

  const auto workload_text = io::read_file(folder / "workload.jsonl", kMaxFile);
  Reading<std::vector<Workload>> workloads;
  if (workload_text) {
    workloads = read_workloads(*workload_text);
  } else {
    workloads.findings.push_back(
        {{"missing", "", 0, 0, workload_text.error().to_string(), ""}, true, true});
  }
  if (definition.value && workloads.value) {
    std::size_t i = 0;
    for (const Workload& workload : *workloads.value)
      append(workloads.findings,
             check_workload(*definition.value, workload, fmt::format("/{}", i++)));
  }
  out.files.push_back({"workload.jsonl", std::move(workloads.findings)});

  for (const fs::path& file : solution_files(folder)) {
    FileFindings findings{fs::relative(file, folder).generic_string(), {}};
    const auto text = io::read_file(file, kMaxFile);
    if (!text) {
      findings.findings.push_back(
          {{"missing", "", 0, 0, text.error().to_string(), ""}, true, true});
    } else {
      const fs::path beside = file.parent_path();
      auto solution = read_solution(*text, read_beside, &beside);
      findings.findings = std::move(solution.findings);
      if (definition.value && solution.value)
        append(findings.findings, check_solution(*definition.value, *solution.value));
    }
    out.files.push_back(std::move(findings));
  }
  if (definition.value && workloads.value) {
    out.problem = Problem{folder, *std::move(definition.value), *std::move(workloads.value)};
  }
  return out;
}

Result<Problem> load_problem(const fs::path& folder, Mode mode) {
  KI_TRY(FolderReading reading, read_folder(folder));
  for (const FileFindings& file : reading.files) {
    if (file.file != "definition.json" && file.file != "workload.jsonl") continue;
    if (!is_accepted(file.findings, mode)) {
      return fail(refusal(file.findings, mode,
                          fmt::format("{} is not valid", (folder / file.file).string())));
    }
  }
  return *std::move(reading.problem);
}

Result<Solution> load_solution(const fs::path& file, const Definition& definition, Mode mode) {
  KI_TRY(const std::string text, io::read_file(file, kMaxFile));
  const fs::path beside = file.parent_path();
  auto reading = read_solution(text, read_beside, &beside);
  if (reading.value) append(reading.findings, check_solution(definition, *reading.value));
  // An extension of ours is no reason to refuse in the compatible mode when it is we who run it.
  std::erase_if(reading.findings, [](const Finding& f) { return f.issue.code == "extension"; });
  if (!reading.value || !is_accepted(reading.findings, mode)) {
    return fail(refusal(reading.findings, mode, fmt::format("{} is not valid", file.string())));
  }
  return *std::move(reading.value);
}

Result<std::vector<std::vector<AxisValue>>> held_out_axes(const fs::path& folder) {
  std::vector<std::vector<AxisValue>> out;
  std::error_code error;
  if (!fs::exists(folder / "bounds.json", error)) return out;
  KI_TRY(const std::string text, io::read_file(folder / "bounds.json", kMaxFile));
  KI_TRY(const json::Document document, json::read_document(text));
  const json::Value* list = document.root.find("heldOut");
  if (list == nullptr) return out;
  const auto wrong = [] {
    return fail(Code::kInvalidArgument,
                "bounds.json: /heldOut is not a list of objects of axis sizes");
  };
  if (!list->is_array()) return wrong();
  for (const json::Value& item : list->items()) {
    if (!item.is_object()) return wrong();
    std::vector<AxisValue> axes;
    for (const json::Member& axis : item.members()) {
      const auto size = axis.value.integer();
      if (!size || *size < 0) return wrong();
      axes.push_back({std::string(axis.key), *size});
    }
    out.push_back(std::move(axes));
  }
  return out;
}

Result<void> write_new_problem(const fs::path& folder, std::string_view name) {
  const bool is_token = !name.empty() && is_ascii_lower(name.front()) && name.size() <= 100 &&
                        std::ranges::all_of(name, [](char c) {
                          return is_ascii_lower(c) || is_ascii_digit(c) || c == '_';
                        });
  if (!is_token) {
    return fail(Code::kInvalidArgument,
                fmt::format("the name {} is not one; use a lower-case letter, then letters, digits "
                            "and '_'",
                            quote(name)));
  }
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error)) {
    return fail(Code::kConflict, fmt::format("{} is not empty", folder.string()));
  }
  const fs::path solution = folder / "solutions" / "reference";
  fs::create_directories(solution, error);
  if (error) return fail(io::system_error(error.value(), "making", solution));
  KI_TRY_VOID(
      io::write_file_atomically(folder / "definition.json", fmt::format(kDefinition, name)));
  KI_TRY_VOID(io::write_file_atomically(folder / "workload.jsonl", kWorkload));
  KI_TRY_VOID(io::write_file_atomically(
      folder / "README.md",
      fmt::format(
          "# {}\n\nWhat the problem computes, what limits it, and why its tolerance is what "
          "it is.\n",
          name)));
  KI_TRY_VOID(io::write_file_atomically(solution / "solution.json", fmt::format(kSolution, name)));
  return io::write_file_atomically(solution / "kernel.c", kKernel);
}

}  // namespace ki::problem
