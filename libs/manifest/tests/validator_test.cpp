#include "ki/manifest/validator.h"

#include "ki/json/canonical.h"
#include "ki/json/reader.h"
#include "support.h"

#include <gtest/gtest.h>

namespace ki::manifest {
namespace {

TEST(Validator, GivesTheDigestOfTheCanonicalText) {
  Validator validator(Profile::kStrict);
  const auto valid = validator.read(manifest_text(
      "SoftwareProject",
      R"({"repository":"https://example.invalid/vector/project","name":"Vector Project"})"));
  ASSERT_TRUE(valid);
  EXPECT_EQ(valid->kind, ManifestKind::kSoftwareProject);
  EXPECT_EQ(valid->canonical,
            R"({"apiVersion":"kernelindex.dev/v1alpha1","kind":"SoftwareProject",)"
            R"("metadata":{"name":"m"},"spec":{"name":"Vector Project",)"
            R"("repository":"https://example.invalid/vector/project"}})");
  // Spec 01.7, "Pinned".
  EXPECT_EQ(valid->digest.to_string(),
            "sha256:bea60af06f12216679b113d6624c5293d59bef2104ccc27cd33c992d124e039d");
}

TEST(Validator, ReportsEveryProblemInTheOrderOfTheText) {
  Validator validator(Profile::kCompat);
  const std::string text =
      "{\n"
      "  \"apiVersion\": \"kernelindex.dev/v2\",\n"
      "  \"kind\": \"SoftwareProject\",\n"
      "  \"metadata\": {\"name\": \"P\", \"titel\": \"x\"},\n"
      "  \"spec\": {\"repository\": null, \"kind\": \"libary\", \"packages\": [{\"ecosystem\": "
      "1}]},\n"
      "  \"extra/~\": {}\n"
      "}\n";
  const auto valid = validator.read(text);
  ASSERT_FALSE(valid);
  EXPECT_EQ(valid.error().code(), Code::kInvalidArgument);
  EXPECT_EQ(
      valid.error().to_string(),
      "the SoftwareProject manifest has 9 problems\n"
      "  2:17 /apiVersion: unknown_choice: 'kernelindex.dev/v2' is not known here; expected "
      "kernelindex.dev/v1alpha1\n"
      "  4:24 /metadata/name: bad_format: 'P' is not 1 to 200 of a-z, 0-9, '.', '_' and '-', "
      "starting with a letter or digit\n"
      "  4:29 /metadata/titel: unknown_member: the member 'titel' is not known here (did you mean "
      "\"title\"?)\n"
      "  5:11 /spec/name: missing_member: the member 'name' is missing\n"
      "  5:26 /spec/repository: wrong_type: expected text and found null (leave the member out "
      "instead of writing null)\n"
      "  5:40 /spec/kind: unknown_choice: 'libary' is not known here; expected one of library, "
      "individual, vendor (did you mean \"library\"?)\n"
      "  5:63 /spec/packages/0/name: missing_member: the member 'name' is missing\n"
      "  5:77 /spec/packages/0/ecosystem: wrong_type: expected text and found the number 1 (write "
      "it in quotes: \"1\")\n"
      "  6:3 /extra~1~0: unknown_member: the member 'extra/~' is not known here (known here: "
      "apiVersion, kind, metadata, spec)");
}

TEST(Validator, ChecksWhatItCanOfAnUnknownKind) {
  Validator validator(Profile::kCompat);
  EXPECT_EQ(verdict(validator, manifest_text("BenchmarkRum", "{}", R"({"name":"P"})")),
            "unknown_choice /kind; bad_format /metadata/name");
  EXPECT_EQ(verdict(validator, "[]"), "wrong_type ");
  EXPECT_EQ(verdict(validator, "just text"), "wrong_type ");
  EXPECT_EQ(verdict(validator, "{}"),
            "missing_member /apiVersion; missing_member /kind; missing_member /metadata; "
            "missing_member /spec");
  const auto valid = validator.read(manifest_text("BenchmarkRum", "{}"));
  ASSERT_FALSE(valid);
  EXPECT_EQ(valid.error().issues()[0].fix, "did you mean \"BenchmarkRun\"?");
}

struct RuleCase {
  const char* why;
  std::string kind;
  std::string spec;
  std::string compat;
  std::string strict;
};

std::string operation(std::string_view axes, std::string_view inputs) {
  return fmt::format(
      R"({{"family":"f","axes":{},"inputs":{},"outputs":[{{"name":"y","scalar":{{"dtype":"fp32"}}}}],"semantics":{{"mutation":"none","determinism":"deterministic"}}}})",
      axes, inputs);
}
constexpr std::string_view kInput = R"([{"name":"x","scalar":{"dtype":"fp32"}}])";
std::string axis(std::string_view text) {
  return operation(fmt::format(R"({{"a":{}}})", text), kInput);
}
std::string timing(std::string_view statistic, std::string_view latency) {
  return run_spec(fmt::format(
      R"("status":"passed","timing":{{"primaryStatistic":"{}","latencyNs":{}}},"observedAt":"2026-08-01T12:00:00.000Z")",
      statistic, latency));
}
std::string observed(std::string_view at) {
  return run_spec(fmt::format(R"("status":"timeout","observedAt":"{}")", at));
}
std::string workload(std::string_view rest) {
  return fmt::format(R"({{"streaming":true,"loadGeneration":"offline"{}}})", rest);
}

TEST(Validator, KnowsTheRulesOfBothProfiles) {
  const std::string ok = "accepted";
  for (
      const auto& [why, kind, spec, compat, strict] : std::initializer_list<RuleCase>{
          {"constant without value", "OperationSpec",
           axis(R"({"role":"constant","type":"integer"})"), "bad_axis /spec/axes/a",
           "bad_axis /spec/axes/a"},
          {"derived without expression", "OperationSpec",
           axis(R"({"role":"derived","type":"integer"})"), "bad_axis /spec/axes/a",
           "bad_axis /spec/axes/a"},
          {"range upside down", "OperationSpec",
           axis(R"({"role":"variable","type":"integer","minimum":5,"maximum":1})"), ok,
           "bad_range /spec/axes/a/minimum"},
          {"expression that does not parse", "OperationSpec",
           axis(R"({"role":"derived","type":"integer","expression":"))(("})"), ok,
           "bad_expression /spec/axes/a/expression"},
          {"expression with other characters", "OperationSpec",
           axis(R"({"role":"derived","type":"integer","expression":"A"})"),
           "bad_format /spec/axes/a/expression",
           "bad_format /spec/axes/a/expression; bad_expression /spec/axes/a/expression"},
          {"expression of an undeclared axis", "OperationSpec",
           axis(R"({"role":"derived","type":"integer","expression":"b+1"})"), ok,
           "unknown_axis /spec/axes/a/expression"},
          {"both tensor and scalar", "OperationSpec",
           operation(
               "{}",
               R"([{"name":"x","scalar":{"dtype":"fp32"},"tensor":{"shape":[1],"dtype":"bf16"}}])"),
           "bad_argument /spec/inputs/0", "bad_argument /spec/inputs/0"},
          {"neither", "OperationSpec", operation("{}", R"([{"name":"x"}])"),
           "bad_argument /spec/inputs/0", "bad_argument /spec/inputs/0"},
          {"two arguments of one name", "OperationSpec",
           operation(
               "{}",
               R"([{"name":"x","scalar":{"dtype":"fp32"}},{"name":"x","scalar":{"dtype":"fp32"}}])"),
           ok, "duplicate_name /spec/inputs/1/name"},
          {"undeclared axis in a shape", "OperationSpec",
           operation("{}", R"([{"name":"x","tensor":{"shape":[2,"zz"],"dtype":"bf16"}}])"), ok,
           "unknown_axis /spec/inputs/0/tensor/shape/1"},
          {"negative size", "OperationSpec",
           operation("{}", R"([{"name":"x","tensor":{"shape":[-1],"dtype":"bf16"}}])"),
           "out_of_range /spec/inputs/0/tensor/shape/0",
           "out_of_range /spec/inputs/0/tensor/shape/0"},
          {"size that is no integer", "OperationSpec",
           operation("{}", R"([{"name":"x","tensor":{"shape":[1.5],"dtype":"bf16"}}])"),
           "not_an_integer /spec/inputs/0/tensor/shape/0",
           "not_an_integer /spec/inputs/0/tensor/shape/0"},
          {"no inputs", "OperationSpec", operation("{}", "[]"), "too_few /spec/inputs",
           "too_few /spec/inputs"},
          {"run with a time", "BenchmarkRun", timing("median", R"({"median":8000})"), ok, ok},
          {"time in another spelling of the number", "BenchmarkRun",
           timing("median", R"({"median":8e3})"), ok,
           "noncanonical_number /spec/timing/latencyNs/median"},
          {"negative time", "BenchmarkRun", timing("median", R"({"median":-1})"),
           "out_of_range /spec/timing/latencyNs/median",
           "out_of_range /spec/timing/latencyNs/median"},
          {"no centre", "BenchmarkRun", timing("p95", R"({"p95":1})"),
           "missing_statistic /spec/timing/latencyNs", "missing_statistic /spec/timing/latencyNs"},
          {"interval upside down", "BenchmarkRun",
           timing("median", R"({"median":5,"confidence95":["9 ns",1]})"), ok,
           "bad_interval /spec/timing/latencyNs/confidence95"},
          {"interval with one end", "BenchmarkRun",
           timing("median", R"({"median":5,"confidence95":[9]})"),
           "too_few /spec/timing/latencyNs/confidence95",
           "too_few /spec/timing/latencyNs/confidence95"},
          {"statistic not reported", "BenchmarkRun", timing("p50", R"({"median":5})"), ok,
           "unreported_statistic /spec/timing/primaryStatistic"},
          {"min reported as minimum", "BenchmarkRun", timing("min", R"({"median":5,"minimum":4})"),
           ok, ok},
          {"passed without number", "BenchmarkRun",
           run_spec(R"("status":"passed","observedAt":"2026-08-01T12:00:00.000Z")"), ok,
           "missing_measurement /spec"},
          {"reported twice", "BenchmarkRun",
           run_spec(
               R"("status":"passed","timing":{"primaryStatistic":"mean","latencyNs":{"mean":1}},"measurements":[{"metric":"latency","unit":"ns","statistic":"mean","value":2}],"observedAt":"2026-08-01T12:00:00.000Z")"),
           ok, "duplicate_measurement /spec/measurements/0"},
          {"instant without milliseconds", "BenchmarkRun", observed("2026-08-01T12:00:00Z"), ok,
           "noncanonical_instant /spec/observedAt"},
          {"instant with nanoseconds", "BenchmarkRun", observed("2026-08-01T12:00:00.123456789Z"),
           ok, "noncanonical_instant /spec/observedAt"},
          {"leap second", "BenchmarkRun", observed("2026-06-30T23:59:60Z"),
           "bad_instant /spec/observedAt", "bad_instant /spec/observedAt"},
          {"hour 24", "BenchmarkRun", observed("2026-06-30T24:00:00Z"),
           "bad_instant /spec/observedAt", "bad_instant /spec/observedAt"},
          {"offset", "BenchmarkRun", observed("2026-06-30T12:00:00+00:20"),
           "bad_instant /spec/observedAt", "bad_instant /spec/observedAt"},
          {"30 February", "BenchmarkRun", observed("2026-02-30T12:00:00.000Z"),
           "bad_instant /spec/observedAt", "bad_instant /spec/observedAt"},
          {"loose URL", "SoftwareProject", R"({"name":"P","repository":"HTTPS://u@x.y"})", ok,
           "bad_format /spec/repository"},
          {"long token", "ServingWorkload",
           workload(fmt::format(R"(,"arrival":"{}")", std::string(101, 'a'))), ok,
           "bad_format /spec/arrival"},
          {"rate of zero", "ServingWorkload", workload(R"(,"requestRatePerSecond":0)"),
           "out_of_range /spec/requestRatePerSecond", "out_of_range /spec/requestRatePerSecond"},
          {"ratio above one", "WorkloadCase",
           fmt::format(
               R"({{"operationSpecDigest":"{}","axes":{{}},"tensors":{{}},"correctness":{{"comparator":"c","requiredMatchedRatio":1.5}}}})",
               digest_text('0')),
           "out_of_range /spec/correctness/requiredMatchedRatio",
           "out_of_range /spec/correctness/requiredMatchedRatio"},
          {"text of 201 code units", "SoftwareProject",
           fmt::format(R"({{"name":"{}"}})", std::string(201, 'n')), "too_long /spec/name",
           "too_long /spec/name"},
      }) {
    SCOPED_TRACE(why);
    Validator loose(Profile::kCompat);
    Validator tight(Profile::kStrict);
    const std::string text = manifest_text(kind, spec);
    EXPECT_EQ(verdict(loose, text), compat);
    EXPECT_EQ(verdict(tight, text), strict);
  }
}

TEST(Validator, CountsLengthsInUtf16Units) {
  Validator validator(Profile::kCompat);
  std::string text;
  for (int i = 0; i < 100; ++i) text += "😀";  // two units each
  EXPECT_EQ(
      verdict(validator, manifest_text("SoftwareProject", fmt::format(R"({{"name":"{}"}})", text))),
      "accepted");
  EXPECT_EQ(verdict(validator,
                    manifest_text("SoftwareProject", fmt::format(R"({{"name":"{}x"}})", text))),
            "too_long /spec/name");
}

TEST(Validator, RefusesPrototypeNamesLikeAnyOther) {
  Validator validator(Profile::kCompat);
  EXPECT_EQ(verdict(validator, manifest_text("SoftwareProject", R"({"name":"A","__proto__":{}})")),
            "unknown_member /spec/__proto__");
}

TEST(Validator, BoundsLists) {
  Validator validator(Profile::kCompat);
  std::string slo;
  for (int i = 0; i < 9; ++i) {
    slo +=
        fmt::format(R"({}{{"metric":"m","statistic":"s{}","operator":"<","value":1,"unit":"ms"}})",
                    i == 0 ? "" : ",", i);
  }
  EXPECT_EQ(
      verdict(validator, manifest_text("ServingWorkload", workload(",\"slo\":[" + slo + "]"))),
      "too_many /spec/slo");
}

TEST(Validator, NormalisesDurationsAndSets) {
  Validator validator(Profile::kStrict);
  const std::string run_text = manifest_text(
      "BenchmarkRun",
      timing("median", R"({"mean":"0.008 ms","median":"8 µs","confidence95":["7.5us",8500]})"));
  const auto run = validator.read(run_text);
  ASSERT_TRUE(run);
  EXPECT_NE(
      run->canonical.find(R"("latencyNs":{"confidence95":[7500,8500],"mean":8000,"median":8000})"),
      std::string_view::npos);
  // The value says the same as the text.
  EXPECT_EQ(json::canonical(run->root), run->canonical);
  EXPECT_EQ(json::canonical(run->spec), json::canonical(*run->root.find("spec")));

  const std::string text = manifest_text(
      "ImplementationRevision",
      fmt::format(
          R"({{"projectRevision":{{}},"operation":{{"specDigest":"{}"}},"callable":{{"language":"c"}},"support":{{"hardwareArchitectures":["sm_90","sm_100","sm_90"],"dtypes":[],"layouts":["﹐","😀"]}},"licensing":{{}}}})",
          digest_text('0')));
  const auto implementation = validator.read(text);
  ASSERT_TRUE(implementation);
  // U+1F600 is D83D DE00 in UTF-16 and so sorts before U+FE50.
  EXPECT_NE(
      implementation->canonical.find(
          R"("support":{"dtypes":[],"hardwareArchitectures":["sm_100","sm_90"],"layouts":["😀","﹐"]})"),
      std::string_view::npos);
  EXPECT_EQ(json::canonical(implementation->root), implementation->canonical);
}

TEST(Validator, KeepsItsIdentityWhenReadAgain) {
  Validator validator(Profile::kStrict);
  const auto first =
      validator.read(manifest_text("BenchmarkRun", timing("median", R"({"median":"8 µs"})")));
  ASSERT_TRUE(first);
  const Digest digest = first->digest;
  const std::string text(first->canonical);
  const auto again = validator.read(text);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->digest, digest);
  EXPECT_EQ(again->canonical, text);
}

TEST(Validator, ChecksABareSpec) {
  Validator validator(Profile::kCompat);
  const auto document = json::read_document(R"({"name":"P"})").value();
  const auto bare = validator.validate_spec(ManifestKind::kSoftwareProject, document.root);
  ASSERT_TRUE(bare);
  EXPECT_EQ(
      bare->canonical,
      R"({"apiVersion":"kernelindex.dev/v1alpha1","kind":"SoftwareProject","spec":{"name":"P"}})");
  const Digest digest = bare->digest;
  const auto whole = validator.read(manifest_text("SoftwareProject", R"({"name":"P"})"));
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->digest, digest);
}

TEST(Validator, TakesTextAsYamlOrJson) {
  Validator validator(Profile::kCompat);
  const std::string yaml =
      "apiVersion: kernelindex.dev/v1alpha1\nkind: SoftwareProject\nmetadata: {name: p}\nspec: "
      "{name: no}\n";
  EXPECT_EQ(verdict(validator, yaml), "accepted");
  EXPECT_EQ(verdict(validator, "\xEF\xBB\xBF" + yaml), "accepted");
  EXPECT_EQ(
      verdict(validator, "\xEF\xBB\xBF" + manifest_text("SoftwareProject", R"({"name":"P"})")),
      "accepted");
  // JSON text goes to the JSON reader: surrogate pairs are what JSON says they are.
  const std::string surrogates = manifest_text("SoftwareProject", R"({"name":"\ud83d\ude00"})");
  const auto pair = validator.read(surrogates);
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->spec.find("name")->string(), "😀");
  EXPECT_EQ(verdict(validator, "{a: 1}"), "syntax ");
  const auto flow = validator.read("{a: 1}", TextForm::kYaml);
  ASSERT_FALSE(flow);
  EXPECT_EQ(flow.error().issues()[0].code, "missing_member");
  EXPECT_EQ(verdict(validator, std::string(1'048'577, ' ')), "too_large ");
}

TEST(Validator, TakesOtherRadixesOnlyInTheCompatProfile) {
  const auto text = [](std::string_view count) {
    return fmt::format(
        "apiVersion: kernelindex.dev/v1alpha1\nkind: ServingWorkload\nmetadata: {{name: p}}\nspec: "
        "{{streaming: true, loadGeneration: offline, requestCount: {}}}\n",
        count);
  };
  Validator loose(Profile::kCompat);
  Validator tight(Profile::kStrict);
  EXPECT_EQ(verdict(loose, text("16")), "accepted");
  const Digest sixteen = loose.read(text("16"))->digest;
  for (const char* spelling : {"0x10", "0o20", "+16", "016", "16.0", "1.6e1"}) {
    SCOPED_TRACE(spelling);
    const auto valid = loose.read(text(spelling));
    ASSERT_TRUE(valid);
    EXPECT_EQ(valid->digest, sixteen);
    EXPECT_EQ(verdict(tight, text(spelling)), "noncanonical_number /spec/requestCount");
  }
  EXPECT_EQ(verdict(loose, text("1_6")), "wrong_type /spec/requestCount");
}

TEST(Validator, AsksForQuotesInTheStrictProfile) {
  const auto text = [](std::string_view version) {
    return fmt::format(
        "apiVersion: kernelindex.dev/v1alpha1\nkind: ModelRevision\nmetadata: {{name: p}}\nspec: "
        "{{model: m, architecture: {}}}\n",
        version);
  };
  struct Case {
    const char* spelling;
    const char* compat;
    const char* strict;
  };
  for (const auto& [spelling, compat, strict] : std::initializer_list<Case>{
           {"1_000", "accepted", "ambiguous_scalar /spec/architecture"},
           {"-0x1F", "accepted", "ambiguous_scalar /spec/architecture"},
           {"0b101", "accepted", "ambiguous_scalar /spec/architecture"},
           {"'1_000'", "accepted", "accepted"},
           {"1.2.3", "accepted", "accepted"},
           {"0:41:0", "accepted", "accepted"},
           {"yes", "accepted", "accepted"},
           {"2026-08-01", "accepted", "accepted"},
           {"12.10", "wrong_type /spec/architecture", "wrong_type /spec/architecture"},
           {"true", "wrong_type /spec/architecture", "wrong_type /spec/architecture"},
           {"~", "wrong_type /spec/architecture", "wrong_type /spec/architecture"},
       }) {
    SCOPED_TRACE(spelling);
    Validator loose(Profile::kCompat);
    Validator tight(Profile::kStrict);
    EXPECT_EQ(verdict(loose, text(spelling)), compat);
    EXPECT_EQ(verdict(tight, text(spelling)), strict);
  }
}

TEST(Validator, CollectsWarningsOnRequest) {
  Validator validator(Profile::kCompat);
  const std::string text = manifest_text(
      "OperationSpec", axis(R"({"role":"derived","type":"integer","expression":"))(("})"));
  ASSERT_TRUE(validator.read(text));
  EXPECT_TRUE(validator.warnings().empty());
  validator.collect_warnings(true);
  ASSERT_TRUE(validator.read(text));
  ASSERT_EQ(validator.warnings().size(), 1U);
  EXPECT_EQ(validator.warnings()[0].code, "bad_expression");
  ASSERT_TRUE(validator.read(manifest_text("SoftwareProject", "{\"name\":\"cafe\\u0301\"}")));
  ASSERT_EQ(validator.warnings().size(), 1U);
  EXPECT_EQ(validator.warnings()[0].code, "not_nfc");
  ASSERT_TRUE(validator.read(manifest_text("SoftwareProject", "{\"name\":\"café\"}")));
  EXPECT_TRUE(validator.warnings().empty());
}

}  // namespace
}  // namespace ki::manifest
