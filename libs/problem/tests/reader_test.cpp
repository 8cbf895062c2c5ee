// Tables of what each reader accepts and refuses under its two verdicts (harness 12 section 1).
#include "ki/problem/directory.h"
#include "ki/problem/trace.h"
#include "ki/problem/workload.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace ki::problem {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::vector<std::string> codes(const Findings& findings) {
  std::vector<std::string> out;
  for (const Finding& finding : findings) out.push_back(finding.issue.code);
  return out;
}

std::string all(const Findings& findings) {
  std::string out;
  for (const Finding& finding : findings) out += finding.issue.to_string() + "\n";
  return out;
}

// A definition whose members are replaced one at a time.
std::string definition(const std::string& member = "", const std::string& json = "") {
  std::vector<std::pair<std::string, std::string>> members = {
      {"name", R"("d")"},
      {"axes", R"({"N": {"type": "var"}, "K": {"type": "const", "value": 4},
                   "M": {"type": "expr", "expression": "N * K"}})"},
      {"inputs", R"({"x": {"shape": ["N", "4"], "dtype": "float32"}})"},
      {"outputs", R"({"y": {"shape": ["M"], "dtype": "float32"}})"},
      {"reference", R"("def run(x):\n    return x.reshape(-1)\n")"}};
  bool is_there = member.empty();
  std::string out = "{";
  for (auto& [name, value] : members) {
    if (name == member) {
      value = json;
      is_there = true;
    }
    if (!value.empty()) out += fmt::format("{}\"{}\": {}", out.size() > 1 ? ", " : "", name, value);
  }
  if (!is_there) out += fmt::format(", \"{}\": {}", member, json);
  return out + "}";
}

struct Case {
  const char* why;
  std::string json;
  bool compatible, strict;
  const char* code;  // a finding that must be there; empty: none at all
};

template <class T>
void expect(const Case& test, const Reading<T>& reading) {
  SCOPED_TRACE(
      fmt::format("{}: {}\n{}", test.why, test.json.substr(0, 200), all(reading.findings)));
  EXPECT_EQ(reading.is_accepted(Mode::kCompatible), test.compatible);
  EXPECT_EQ(reading.is_accepted(Mode::kStrict), test.strict);
  if (*test.code == '\0') {
    EXPECT_TRUE(reading.findings.empty());
  } else {
    EXPECT_THAT(codes(reading.findings), Contains(test.code));
  }
}

TEST(DefinitionReader, AcceptsAndRefuses) {
  const std::string run = R"("def run(x):\n  return x\n)";
  const std::vector<Case> cases = {
      {"the plain one", definition(), true, true, ""},
      {"S08 unknown member", definition("nmae", "1"), true, false, "unknown_key"},
      {"no name", definition("name", ""), false, false, "missing"},
      {"empty name", definition("name", R"("")"), false, false, "empty_text"},
      {"name is a number", definition("name", "3"), false, false, "wrong_type"},
      {"S09 axis without type", definition("axes", R"({"N": {}, "M": {"type": "var"}})"), true,
       false, "missing_type"},
      {"S09 const by its value", definition("axes", R"({"N": {"value": 5}, "M": {"type": "var"}})"),
       true, false, "missing_type"},
      {"S09 expr by its expression",
       definition("axes", R"({"N": {"expression": "2*3"}, "M": {"type": "var"}})"), true, false,
       "missing_type"},
      {"S09 a negative value is a variable",
       definition("axes", R"({"N": {"value": -1}, "M": {"type": "var"}})"), true, false,
       "missing_type"},
      {"S09 const without value",
       definition("axes", R"({"N": {"type": "const"}, "M": {"type": "var"}})"), false, false,
       "missing"},
      {"negative constant",
       definition("axes", R"({"N": {"type": "const", "value": -1}, "M": {"type": "var"}})"), false,
       false, "negative_axis"},
      {"unknown axis type",
       definition("axes", R"({"N": {"type": "dynamic"}, "M": {"type": "var"}})"), false, false,
       "axis_type"},
      {"forward reference to an expression",
       definition(
           "axes",
           R"({"N": {"type": "expr", "expression": "M"}, "M": {"type": "expr", "expression": "2"}})"),
       false, false, "unknown_axis"},
      {"forward reference to a variable",
       definition("axes", R"({"M": {"type": "expr", "expression": "N"}, "N": {"type": "var"}})"),
       true, true, ""},
      {"True in an expression",
       definition("axes",
                  R"({"N": {"type": "var"}, "M": {"type": "expr", "expression": "True+1"}})"),
       true, false, "expression_boolean"},
      {"a shift in an expression",
       definition("axes", R"({"N": {"type": "var"}, "M": {"type": "expr", "expression": "1<<2"}})"),
       false, false, "expression"},
      {"S10 bare integer in a shape",
       definition("inputs", R"({"x": {"shape": [128], "dtype": "float32"}})"), false, false,
       "dimension"},
      {"S10 expression in a shape",
       definition("inputs", R"({"x": {"shape": ["N*2"], "dtype": "float32"}})"), false, false,
       "unknown_axis"},
      {"S10 superscript two",
       definition("inputs", R"({"x": {"shape": ["²"], "dtype": "float32"}})"), false, false,
       "unknown_axis"},
      {"S10 0-D tensor", definition("inputs", R"({"x": {"shape": [], "dtype": "float32"}})"), true,
       true, ""},
      {"S10 no shape", definition("inputs", R"({"x": {"dtype": "float32"}})"), false, false,
       "missing"},
      {"S10 scalar", definition("inputs", R"({"x": {"shape": null, "dtype": "float32"}})"), true,
       true, ""},
      {"S11 uint8", definition("inputs", R"({"x": {"shape": ["N"], "dtype": "uint8"}})"), false,
       false, "dtype"},
      {"S11 float8_e4m3",
       definition("inputs", R"({"x": {"shape": ["N"], "dtype": "float8_e4m3"}})"), false, false,
       "dtype"},
      {"packed fp4, both spellings",
       definition("inputs", R"({"x": {"shape": ["4"], "dtype": "float4_e2m1"}})"), true, true, ""},
      {"S12 async run", definition("reference", R"("async def run(x):\n  return x\n")"), false,
       false, "reference_run"},
      {"S12 nested run", definition("reference", R"("def f():\n  def run(x):\n    return x\n")"),
       false, false, "reference_run"},
      {"S12 run takes *a", definition("reference", R"("def run(*a):\n  return a\n")"), false, false,
       "reference_parameters"},
      {"S12 wrong name", definition("reference", R"("def run(y):\n  return y\n")"), false, false,
       "reference_parameters"},
      {"S12 syntax: unclosed bracket", definition("reference", R"("def run(x):\n  return (x\n")"),
       false, false, "reference_syntax"},
      {"S12 syntax: no body", definition("reference", R"("def run(x):\n")"), false, false,
       "reference_syntax"},
      {"S13 keyword-only", definition("reference", R"("def run(x,*,k=1):\n  return x\n")"), true,
       true, ""},
      {"S13 default", definition("reference", R"("def run(x=1):\n  return x\n")"), true, true, ""},
      {"S13 positional-only", definition("reference", R"("def run(x,/):\n  return x\n")"), true,
       true, ""},
      {"two runs", definition("reference", run + R"(def run(x):\n  return x\n")"), true, false,
       "reference_run"},
      {"S14 input named as an axis",
       definition("inputs", R"({"N": {"shape": ["N"], "dtype": "float32"}})"), false, false,
       "name_taken"},
      {"S14 output named as an axis",
       definition("outputs", R"({"N": {"shape": ["N"], "dtype": "float32"}})"), true, false,
       "name_taken"},
      {"S14 output named as an input",
       definition("outputs", R"({"x": {"shape": ["N"], "dtype": "float32"}})"), false, false,
       "name_taken"},
      {"S15 entry point not there", definition("custom_inputs_entrypoint", R"("make")"), false,
       false, "entrypoint"},
      {"S15 entry point no identifier", definition("custom_inputs_entrypoint", R"("a b")"), false,
       false, "entrypoint"},
      {"S16 no outputs", definition("outputs", "{}"), true, false, "no_outputs"},
      {"constraint", definition("constraints", R"(["N % 2 == 0"])"), true, true, ""},
      {"constraint that is no expression", definition("constraints", R"(["N << 2"])"), true, false,
       "expression"},
      {"not an object", "[]", false, false, "wrong_type"},
      {"S28 truncated", R"({"name": "d")", false, false, "syntax"},
      {"S28 lone surrogate", definition("description", R"("\ud800")"), false, false,
       "lone_surrogate"},
      {"S28 duplicate keys", R"({"name": "a", "name": "b"})", false, false, "duplicate_key"},
      {"S28 depth", std::string(100000, '['), false, false, "too_deep"},
      {"byte order mark", "\xEF\xBB\xBF" + definition(), false, false, "byte_order_mark"},
      {"trailing data", definition() + " 1", false, false, "trailing_data"},
      {"empty", "", false, false, "empty"},
  };
  for (const Case& test : cases) expect(test, read_definition(test.json));
}

TEST(DefinitionReader, ReportsEverythingAtOnceWithPlaceAndFix) {
  const auto reading = read_definition(
      "{\"name\": \"\",\n \"axes\": {\"N\": {\"type\": \"vra\"}},\n \"inputs\": {\"x\": "
      "{\"shape\": "
      "[3], \"dtype\": \"float3\"}},\n \"outputs\": {}, \"reference\": \"def run(x): return x\"}");
  EXPECT_FALSE(reading.value);
  EXPECT_EQ(
      all(reading.findings),
      "1:10 /name: empty_text: the text is empty; at least one character is expected\n"
      "2:16 /axes/N/type: axis_type: the axis type 'vra' is not known (use const, var or "
      "expr)\n"
      "3:29 /inputs/x/shape/0: dimension: a number stands here; a dimension is a text: digits, "
      "or the name of an axis (put the number in quotes)\n"
      "3:42 /inputs/x/dtype: dtype: the dtype 'float3' is not known (use float64, float32, "
      "float16, bfloat16, float8_e4m3fn, float8_e5m2, float4_e2m1fn_x2, int64, int32, int16, "
      "int8 or bool)\n"
      "4:13 /outputs: no_outputs: there is no output\n");
}

TEST(DefinitionReader, NamesAnOracleByEverythingButTheDescription) {
  const auto plain = read_definition(definition());
  const auto described = read_definition(definition("description", R"("words")"));
  const auto renamed = read_definition(definition("name", R"("e")"));
  ASSERT_TRUE(plain.value && described.value && renamed.value);
  EXPECT_EQ(plain.value->digest, described.value->digest);
  EXPECT_NE(plain.value->digest, renamed.value->digest);
}

std::string workload(const std::string& axes, const std::string& inputs,
                     const std::string& rest = "") {
  return fmt::format(R"({{"uuid": "u", "axes": {}, "inputs": {}{}}})", axes, inputs, rest);
}
std::string with_input(const std::string& input) {
  return workload("{}", fmt::format(R"({{"x": {}}})", input));
}
std::string with_axis(const std::string& size) {
  return workload(fmt::format(R"({{"n": {}}})", size), "{}");
}
std::string with_tolerance(const std::string& t) {
  return workload("{}", "{}", R"(, "tolerance": )" + t);
}

TEST(WorkloadReader, AcceptsAndRefuses) {
  const std::vector<Case> cases = {
      {"the plain one", workload("{}", "{}"), true, true, ""},
      {"S01 random by its keys", with_input("{}"), true, false, "missing_type"},
      {"S01 scalar by its keys", with_input(R"({"value": 3})"), true, false, "missing_type"},
      {"S01 safetensors by its keys", with_input(R"({"path": "p", "tensor_key": "k"})"), true,
       false, "missing_type"},
      {"S02 random with a value", with_input(R"({"type": "random", "value": 3})"), true, false,
       "unknown_key"},
      {"S03 scalar without value", with_input(R"({"type": "scalar"})"), false, false, "missing"},
      {"S03 unknown type", with_input(R"({"type": "bogus"})"), false, false, "input_type"},
      {"S03 null value", with_input(R"({"type": "scalar", "value": null})"), false, false,
       "wrong_type"},
      {"S04 value as text", with_input(R"({"type": "scalar", "value": "3"})"), true, false,
       "coerced"},
      {"value as other text", with_input(R"({"type": "scalar", "value": "three"})"), false, false,
       "wrong_type"},
      {"S05 4.0", with_axis("4.0"), true, false, "coerced"},
      {"S05 text", with_axis(R"("4")"), true, false, "coerced"},
      {"S05 true", with_axis("true"), true, false, "coerced"},
      {"S05 -1", with_axis("-1"), false, false, "negative_axis"},
      {"S05 4.5", with_axis("4.5"), false, false, "wrong_type"},
      {"S05 0", with_axis("0"), true, true, ""},
      {"S06 null", with_tolerance("null"), false, false, "wrong_type"},
      {"S06 negative", with_tolerance(R"({"max_atol": -1})"), true, false, "tolerance_range"},
      {"S06 ratio 2", with_tolerance(R"({"required_matched_ratio": 2})"), true, false,
       "tolerance_range"},
      {"S06 ratio 0", with_tolerance(R"({"required_matched_ratio": 0})"), true, false,
       "tolerance_range"},
      {"S06 NaN", with_tolerance(R"({"max_atol": NaN})"), true, false, "not_finite"},
      {"S06 infinity", with_tolerance(R"({"max_rtol": Infinity})"), true, false, "not_finite"},
      {"S06 text", with_tolerance(R"({"max_atol": "1e-3"})"), true, false, "coerced"},
      {"a large cap", with_tolerance(R"({"max_error_cap": 1e300})"), true, true, ""},
      {"S07 mixed custom",
       workload("{}", R"({"x": {"type": "custom"}, "s": {"type": "scalar", "value": 1}})"), false,
       false, "mixed_custom"},
      {"S08 empty uuid", R"({"uuid": "", "axes": {}, "inputs": {}})", false, false, "empty_text"},
      {"S08 unknown member", workload("{}", "{}", R"(, "extra": 1)"), true, false, "unknown_key"},
      {"no inputs", R"({"uuid": "u", "axes": {}})", false, false, "missing"},
  };
  for (const Case& test : cases) expect(test, read_workload(test.json));
}

TEST(WorkloadReader, KeepsTheKindOfAScalarAndTheValuesThatItCoerces) {
  const auto scalar = [](const char* text) {
    const auto reading =
        read_workload(with_input(fmt::format(R"({{"type": "scalar", "value": {}}})", text)));
    return std::get<ScalarInput>(reading.value->input("x")).value;
  };
  EXPECT_EQ(std::get<std::int64_t>(scalar("3")), 3);
  EXPECT_EQ(std::get<double>(scalar("3.0")), 3.0);
  EXPECT_EQ(std::get<bool>(scalar("true")), true);
  EXPECT_EQ(std::get<std::int64_t>(scalar(R"("3")")), 3);
  EXPECT_EQ(std::get<double>(scalar("-3.4028234663852886e+38")), -3.4028234663852886e+38);
  EXPECT_TRUE(std::isinf(std::get<double>(scalar("-Infinity"))));
  const auto coerced = read_workload(with_axis("4.0"));
  EXPECT_EQ(coerced.value->axes.front().value, 4);
  const auto nan = read_workload(with_tolerance(R"({"max_atol": NaN})"));
  EXPECT_TRUE(std::isnan(nan.value->tolerance.max_atol));
}

TEST(WorkloadReader, ReadsLinesAndNamesTheLine) {
  const auto reading =
      read_workloads(workload("{}", "{}") + "\n\n" + workload("{}", "{}") + "\n{\"uuid\": 1}\n");
  EXPECT_FALSE(reading.value);
  ASSERT_GE(reading.findings.size(), 2U);
  EXPECT_EQ(reading.findings[0].issue.code, "duplicate_uuid");
  EXPECT_EQ(reading.findings[0].issue.line, 3U);
  EXPECT_EQ(reading.findings[0].issue.pointer, "/1/uuid");
  EXPECT_EQ(reading.findings[1].issue.line, 4U);
  EXPECT_EQ(read_workloads("\n \n").findings.front().issue.code, "empty");
}

TEST(Workload, IsCheckedAgainstItsDefinition) {
  const auto d = read_definition(definition());
  ASSERT_TRUE(d.value);
  struct Pair {
    const char* why;
    std::string json;
    bool compatible, strict;
    const char* code;
  };
  for (const auto& [why, json, compatible, strict, code] : std::initializer_list<Pair>{
           {"complete", workload(R"({"N": 3})", "{}"), true, true, ""},
           {"S17 constant overridden", workload(R"({"N": 3, "K": 5})", "{}"), true, false,
            "axis_override"},
           {"S17 extra axis", workload(R"({"N": 3, "Z": 5})", "{}"), true, false, "extra_axis"},
           {"S17 missing variable", workload("{}", "{}"), false, false, "axes"},
           {"extra input", workload(R"({"N": 3})", R"({"z": {"type": "random"}})"), true, false,
            "extra_input"},
           {"scalar for a tensor",
            workload(R"({"N": 3})", R"({"x": {"type": "scalar", "value": 1}})"), true, false,
            "scalar_for_tensor"},
           {"custom without entry point", workload(R"({"N": 3})", R"({"x": {"type": "custom"}})"),
            true, false, "no_entrypoint"},
           {"too many elements", workload(R"({"N": 900719925474099})", "{}"), false, false,
            "shapes"}}) {
    const auto w = read_workload(json);
    ASSERT_TRUE(w.value) << why;
    const Findings findings = check_workload(*d.value, *w.value);
    SCOPED_TRACE(std::string(why) + "\n" + all(findings));
    EXPECT_EQ(is_accepted(findings, Mode::kCompatible), compatible);
    EXPECT_EQ(is_accepted(findings, Mode::kStrict), strict);
    if (*code != '\0') {
      EXPECT_THAT(codes(findings), Contains(code));
    }
  }
}

TEST(Workload, ResolvesAxesAndShapes) {
  const auto d = read_definition(definition());
  const auto axes = resolve_axes(*d.value, {{"N", 3}});
  ASSERT_TRUE(axes);
  EXPECT_EQ(*axes, (std::vector<AxisValue>{{"K", 4}, {"N", 3}, {"M", 12}}));
  const auto inputs = resolve_arguments(d.value->inputs, *axes);
  ASSERT_TRUE(inputs);
  EXPECT_EQ(inputs->front().shape, (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(inputs->front().bytes, 48);
  const auto violating = read_definition(definition("constraints", R"(["N % 2 == 0"])"));
  const auto violated = violated_constraint(*violating.value, *axes);
  ASSERT_TRUE(violated);
  EXPECT_EQ(violated->value_or(""), "N % 2 == 0");
}

std::string solution(const std::string& spec,
                     const std::string& sources = R"([{"path": "k.py", "content": "x"}])") {
  return fmt::format(
      R"({{"name": "s", "definition": "d", "author": "a", "spec": {{{}}}, "sources": {}}})", spec,
      sources);
}
std::string spec(const char* languages, const char* hardware, const char* entry,
                 const char* rest = "") {
  return fmt::format(R"("languages": {}, "target_hardware": {}, "entry_point": "{}"{})", languages,
                     hardware, entry, rest);
}
std::string sources(const std::vector<std::string>& paths) {
  std::string out = "[";
  for (const std::string& path : paths)
    out += fmt::format(R"({}{{"path": "{}", "content": "x"}})", out.size() > 1 ? ", " : "", path);
  return out + "]";
}

TEST(SolutionReader, AcceptsAndRefuses) {
  const std::string good = spec(R"(["triton"])", R"(["B200"])", "k.py::run");
  const char* cpp = R"(["cuda_cpp"])";
  const char* b200 = R"(["B200"])";
  const std::string ours =
      spec(R"(["x_c"])", R"(["X_CPU"])", "k.c::f", R"(, "binding": "x_ki_abi1")");
  const std::vector<Case> cases = {
      {"the plain one", solution(good), true, true, ""},
      {"S18 no languages", solution(spec("[]", b200, "k.py::run")), true, false, "languages"},
      {"S18 mixed", solution(spec(R"(["triton", "cuda_cpp"])", b200, "k.py::run")), false, false,
       "mixed_languages"},
      {"S18 C++ with a Python file", solution(spec(cpp, b200, "k.py::run")), false, false,
       "entry_point"},
      {"S18 .cuh entry", solution(spec(cpp, b200, "k.cuh::run"), sources({"k.cuh"})), true, true,
       ""},
      {"unknown language", solution(spec(R"(["rust"])", b200, "k.py::run")), false, false,
       "language"},
      {"S19 local in lower case", solution(spec(R"(["triton"])", R"(["local"])", "k.py::run")),
       false, false, "hardware"},
      {"S19 H100", solution(spec(R"(["triton"])", R"(["H100"])", "k.py::run")), false, false,
       "hardware"},
      {"S19 none", solution(spec(R"(["triton"])", "[]", "k.py::run")), false, false, "hardware"},
      {"S20 no colons", solution(spec(R"(["triton"])", b200, "k.py")), false, false, "entry_point"},
      {"S20 two separators", solution(spec(R"(["triton"])", b200, "a::b::c")), false, false,
       "entry_point"},
      {"S20 empty function", solution(spec(R"(["triton"])", b200, "k.py::")), true, false,
       "entry_point"},
      {"S20 file not in sources", solution(spec(R"(["triton"])", b200, "z.py::run")), false, false,
       "entry_point"},
      {"S21 absolute", solution(good, sources({"k.py", "/a"})), false, false, "source_path"},
      {"S21 parent", solution(good, sources({"k.py", "../a"})), false, false, "source_path"},
      {"S21 parent inside", solution(good, sources({"k.py", "a/../b"})), false, false,
       "source_path"},
      {"S21 ./", solution(good, sources({"k.py", "./z.py"})), true, false, "source_path"},
      {"S21 backslash", solution(good, sources({"k.py", R"(a\\..\\k)"})), true, false,
       "source_path"},
      {"S21 k.py and ./k.py", solution(good, sources({"k.py", "./k.py"})), true, false,
       "source_path"},
      {"the same path twice", solution(good, sources({"k.py", "k.py"})), false, false,
       "duplicate_path"},
      {"the same path in another case", solution(good, sources({"k.py", "K.py"})), true, false,
       "duplicate_path"},
      {"S22 a file of the harness", solution(good, sources({"k.py", "definition.json"})), true,
       false, "source_path"},
      {"trailing slash", solution(good, sources({"k.py", "a/"})), true, false, "source_path"},
      {"control character", solution(good, sources({"k.py", R"(a\u0001)"})), true, false,
       "source_path"},
      {"empty content", solution(good, R"([{"path": "k.py", "content": ""}])"), false, false,
       "no_content"},
      {"no sources", solution(good, "[]"), false, false, "no_sources"},
      {"ours, which the original refuses", solution(ours, sources({"k.c"})), false, true,
       "extension"},
      {"ours without its binding",
       solution(spec(R"(["x_c"])", R"(["X_CPU"])", "k.c::f"), sources({"k.c"})), false, false,
       "binding"},
      {"ours with returned values",
       solution(ours + R"(, "destination_passing_style": false)", sources({"k.c"})), false, false,
       "binding"},
      {"0 threads", solution(ours + R"(, "x_threads": 0)", sources({"k.c"})), false, false,
       "threads"},
      {"unknown binding", solution(good + R"(, "binding": "ffi")"), false, false, "binding"},
      {"unknown member", solution(good + R"(, "bindin": "torch")"), true, false, "unknown_key"},
      {"DPS as text", solution(good + R"(, "destination_passing_style": "yes")"), true, false,
       "coerced"},
  };
  for (const Case& test : cases) expect(test, read_solution(test.json));
}

TEST(SolutionReader, TellsNoOptionsFromEmptyOnes) {
  const auto none = read_solution(
      solution(spec(R"(["cuda_cpp"])", R"(["B200"])", "k.cu::f", R"(, "compile_options": null)"),
               sources({"k.cu"})));
  ASSERT_TRUE(none.value);
  EXPECT_FALSE(none.value->compile_options);
  const auto empty = read_solution(
      solution(spec(R"(["cuda_cpp"])", R"(["B200"])", "k.cu::f", R"(, "compile_options": {})"),
               sources({"k.cu"})));
  ASSERT_TRUE(empty.value && empty.value->compile_options);
  EXPECT_EQ(empty.value->compile_options->cuda_cflags,
            (std::vector<std::string>{"-O3", "--use_fast_math"}));
  EXPECT_EQ(empty.value->compile_options->ld_flags, std::vector<std::string>{"-lcuda"});
}

TEST(SolutionReader, NamesADefinitionOfAnotherName) {
  const auto d = read_definition(definition("name", R"("other")"));
  const auto s = read_solution(solution(spec(R"(["triton"])", R"(["B200"])", "k.py::run")));
  const Findings findings = check_solution(*d.value, *s.value);
  EXPECT_TRUE(is_accepted(findings, Mode::kCompatible));
  EXPECT_FALSE(is_accepted(findings, Mode::kStrict));
}

TEST(Solution, HasAnIdentityOfEverythingThatIsBuilt) {
  const auto one = read_solution(solution(spec(R"(["triton"])", R"(["B200"])", "k.py::run")));
  const auto other = read_solution(solution(spec(R"(["triton"])", R"(["B200"])", "k.py::run"),
                                            R"([{"path": "k.py", "content": "y"}])"));
  EXPECT_EQ(one.value->digest(), one.value->digest());
  EXPECT_NE(one.value->digest(), other.value->digest());
  // printf 'sdtritonk.py::runk.pyx' | sha1sum
  EXPECT_EQ(one.value->compat_sha1(), "b8e93de9d7b5c708e81f894cf5c6bc1ffa170138");
}

}  // namespace
}  // namespace ki::problem
