#include "ki/bounds/declaration.h"

#include "ki/bounds/hardware.h"
#include "ki/json/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ki::bounds {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<Declaration> read(std::string_view text) {
  KI_TRY(const json::Document document, json::read_document(text));
  return read_declaration(document.root, "/bound");
}

TEST(Declaration, IsReadInFull) {
  const auto d = read(R"({"axes_from": "manifest",
      "traffic": {"table": {"elements": "b*s*d", "why": "gathered rows"}, "bias": "none", "x": "once"},
      "extra_traffic": [{"bytes": "8*b", "why": "twice", "profile": "solar-compat"}],
      "work": [{"flops": "2*m*n*k", "unit": "tensor", "precision": "fp32->fp16", "passes": 3},
               {"flops": "m", "unit": "simt", "precision": "fp32", "why": "sums"}],
      "fixed_ns": 250, "ignores": "the norm"})");
  ASSERT_TRUE(d) << d.error().to_string();
  ASSERT_EQ(d->traffic.size(), 2U);
  EXPECT_EQ(d->traffic[0].elements.text(), "b*s*d");
  EXPECT_EQ(*d->traffic[1].elements.evaluate({}), 0);
  EXPECT_THAT(d->once, ElementsAre("x"));
  EXPECT_EQ(d->extra_traffic[0].only, Profile::kSolarCompat);
  EXPECT_EQ(d->work[0].operands, "fp32");
  EXPECT_EQ(d->work[0].precision, "fp16");
  EXPECT_EQ(d->work[0].passes, 3);
  EXPECT_EQ(d->work[1].unit, Unit::kSimt);
  EXPECT_EQ(d->work[1].operands, "fp32");
  EXPECT_EQ(d->fixed_ns, 250);
  EXPECT_EQ(d->label(), "traffic and work");
  EXPECT_EQ(read("{}")->label(), "traffic only");
}

TEST(Declaration, NamesEveryFaultWithItsPlace) {
  struct Row {
    const char* text;
    const char* pointer;
  };
  for (const auto& [text, pointer] : {
           Row{R"([])", "/bound"},
           Row{R"({"trafic": {}})", "/bound/trafic"},
           Row{R"({"traffic": {"x": "twice"}})", "/bound/traffic/x"},
           Row{R"({"traffic": {"x": {"elements": "n"}}})", "/bound/traffic/x/why"},
           Row{R"({"traffic": {"x": {"elements": "n/2", "why": "w"}}})",
               "/bound/traffic/x/elements"},
           Row{R"({"work": [{"flops": "n", "unit": "cuda", "precision": "fp32"}]})",
               "/bound/work/0/unit"},
           Row{R"({"work": [{"flops": "n", "unit": "simt"}]})", "/bound/work/0/precision"},
           Row{R"({"work": [{"flops": "n", "unit": "simt", "precision": "fp32", "passes": 0}]})",
               "/bound/work/0/passes"},
           Row{R"({"work": [{"flops": "n", "unit": "simt", "precision": "fp32", "ops": 1}]})",
               "/bound/work/0/ops"},
           Row{R"({"extra_traffic": [{"bytes": "n", "why": "w", "profile": "fast"}]})",
               "/bound/extra_traffic/0/profile"},
           Row{R"({"fixed_ns": -1})", "/bound/fixed_ns"},
           Row{R"({"axes_from": "guess"})", "/bound/axes_from"},
       }) {
    const auto d = read(text);
    ASSERT_FALSE(d) << text;
    ASSERT_FALSE(d.error().issues().empty()) << text;
    EXPECT_EQ(d.error().issues().front().pointer, pointer) << text;
  }
  EXPECT_EQ(read(R"({"fixed_ns": -1, "work": [{"flops": "", "unit": "", "precision": ""}]})")
                .error()
                .issues()
                .size(),
            5U)
      << "the flops, an empty unit, which is no unit either, the precision, the constant";
}

TEST(Hardware, EveryCompiledInRecordSaysWhereItsFiguresComeFrom) {
  const auto known = known_hardware();
  ASSERT_TRUE(known) << known.error().to_string();
  for (const char* name : {"B200", "H200", "H100", "A100", "MI300X"}) {
    const auto found = find_hardware(*known, name);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->kind, "gpu");
    EXPECT_TRUE(found->nominal.peak(Unit::kTensor, "bf16")) << name;
    EXPECT_TRUE(found->nominal.peak(Unit::kTensor, "tf32")) << name;
    EXPECT_TRUE(found->nominal.peak(Unit::kSimt, "fp32")) << name;
  }
  for (const Hardware& hardware : *known) {
    EXPECT_FALSE(hardware.provenance.empty()) << hardware.name;
    EXPECT_FALSE(hardware.clock.empty()) << hardware.name;
    EXPECT_EQ(hardware.measured.has_value(),
              std::ranges::any_of(hardware.provenance,
                                  [](const Provenance& p) { return p.what == "measured"; }))
        << hardware.name;
  }
  EXPECT_EQ(find_hardware(*known, "nvidia h200")->name, "H200");
  const auto wrong = find_hardware(*known, "H20");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code(), Code::kNotFound);
  EXPECT_THAT(wrong.error().message(), HasSubstr("B200, H200"));
}

TEST(Hardware, ARecordWithoutSourceOrWithUnknownMembersIsRefused) {
  const auto record = [](std::string_view text) {
    const json::Document document = *json::read_document(text);
    return read_hardware(document.root);
  };
  EXPECT_TRUE(record(R"({"name": "x", "title": "X", "dram_Bps": 1, "provenance": {"all": "me"}})"));
  EXPECT_FALSE(record(R"({"name": "x", "title": "X", "dram_Bps": 1})"));
  EXPECT_FALSE(record(R"({"name": "x", "dram_Bps": 0, "provenance": {"all": "me"}})"));
  EXPECT_FALSE(record(R"({"name": "x", "dram_Bps": 1, "dram": 2, "provenance": {"all": "me"}})"));
  EXPECT_FALSE(record(R"("B200")"));
}

}  // namespace
}  // namespace ki::bounds
