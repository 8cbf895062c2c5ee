#include "ki/io/file.h"
#include "ki/json/reader.h"
#include "ki/machine/ceilings.h"
#include "ki/machine/health.h"
#include "ki/machine/lock.h"
#include "ki/machine/snapshot.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <set>

namespace ki::machine {
namespace {

TEST(Snapshot, HasSixtyMembersOfWhichFortyAreKnown) {
  const Snapshot snapshot = take_snapshot();
  EXPECT_GE(snapshot.members.size(), 60u);
  EXPECT_GE(snapshot.known(), 40u);
  std::set<std::string_view> names;
  for (const Member& member : snapshot.members) {
    EXPECT_TRUE(names.insert(member.name).second) << member.name;
    EXPECT_FALSE(member.unit.empty() || member.source.empty()) << member.name;
  }
  EXPECT_GT(snapshot.number("memory_total").value_or(0), 1 << 28);
  EXPECT_FALSE(snapshot.text("kernel_release").value_or("").empty());
  EXPECT_EQ(snapshot.find("no_such_member"), nullptr);
}

TEST(Snapshot, HoldsNoNamesAddressesOrForeignVariables) {
  ::setenv("KI_SECRET_FOR_THIS_TEST", "do-not-record-me", 1);
  ::setenv("OMP_KI_TEST", "recorded", 1);
  const std::string text = to_json(take_snapshot());
  ::unsetenv("KI_SECRET_FOR_THIS_TEST");
  ::unsetenv("OMP_KI_TEST");
  EXPECT_EQ(text.find("do-not-record-me"), std::string::npos);
  EXPECT_NE(text.find("recorded"), std::string::npos);
  char host[256] = {};
  ASSERT_EQ(::gethostname(host, sizeof host - 1), 0);
  if (std::string(host).size() > 3) {
    EXPECT_EQ(text.find(host), std::string::npos);
  }
  for (const char* forbidden :
       {"serial", "hostname", "mac_address", "ip_address", "login", "uuid"}) {
    for (const Member& member : all_members()) {
      EXPECT_EQ(std::string(member.name).find(forbidden), std::string::npos) << member.name;
    }
  }
}

TEST(Snapshot, ItsJsonHasEveryMemberAndTheSchemaNamesThemAll) {
  const auto document = json::read_document(to_json(take_snapshot()));
  ASSERT_TRUE(document) << document.error().to_string();
  const auto schema = io::read_file(std::filesystem::path(KI_SOURCE_DIR) / "schemas" /
                                    "environment-snapshot.v1.schema.json");
  const auto page =
      io::read_file(std::filesystem::path(KI_SOURCE_DIR) / "docs" / "reference" / "environment.md");
  ASSERT_TRUE(schema && page);
  ASSERT_TRUE(json::read_document(*schema));
  for (const Member& member : all_members()) {
    EXPECT_NE(document->root.find("members")->find(member.name), nullptr) << member.name;
    EXPECT_NE(schema->find(fmt::format("\"{}\"", member.name)), std::string::npos) << member.name;
    EXPECT_NE(
        page->find(fmt::format("| `{}` | {} | {} |", member.name, member.unit, member.source)),
        std::string::npos)
        << fmt::format("missing in docs/reference/environment.md: | `{}` | {} | {} |", member.name,
                       member.unit, member.source);
  }
}

Snapshot with(std::initializer_list<std::pair<std::string_view, bool>> values) {
  Snapshot out;
  for (const auto& [name, value] : values)
    out.members.push_back({name, "bool", "test", MemberValue(value)});
  return out;
}
TEST(HostClass, ComesFromProbesAlone) {
  EXPECT_EQ(host_class_of(with({{"cpu_hypervisor", true},
                                {"cpu_frequency_fixed", true},
                                {"perf_hardware_counters", true}})),
            HostClass::kVm);
  EXPECT_EQ(host_class_of(with({})), HostClass::kVm) << "what does not deny a hypervisor has one";
  EXPECT_EQ(host_class_of(with({{"cpu_hypervisor", false}})), HostClass::kBare);
  EXPECT_EQ(host_class_of(with({{"cpu_hypervisor", false}, {"cpu_frequency_fixed", true}})),
            HostClass::kBare);
  EXPECT_EQ(host_class_of(with({{"cpu_hypervisor", false},
                                {"cpu_frequency_fixed", true},
                                {"perf_hardware_counters", true}})),
            HostClass::kBareLocked);
}

Examination good() {
  Examination out;
  out.host_class = HostClass::kBareLocked;
  out.processors = 2;
  out.has_invariant_clock = true;
  out.clock_step_ns = 20;
  out.isolation = sandbox::IsolationReport{sandbox::IsolationLevel::kFull, {}};
  out.compiler = "g++ 12";
  out.has_called = true;
  return out;
}

TEST(Health, AGoodMachineHasNothingToSay) {
  const Health health = judge(good());
  EXPECT_TRUE(health.is_healthy());
  EXPECT_TRUE(health.can_verify());
  for (const Check& check : health.checks) EXPECT_TRUE(check.advice.empty()) << check.id;
  EXPECT_NE(health.summary().find("verify"), std::string::npos);
}

struct Fault {
  const char* id;
  void (*spoil)(Examination&);
  Severity severity;
};
TEST(Health, EachFaultIsOneCheckWithAdvice) {
  for (const Fault& fault : std::initializer_list<Fault>{
           {"isolation",
            [](Examination& e) {
              e.isolation.reset();
              e.no_sandbox = "no namespaces";
            },
            Severity::kUnhealthy},
           {"isolation",
            [](Examination& e) { e.isolation->level = sandbox::IsolationLevel::kNone; },
            Severity::kLowers},
           {"compiler", [](Examination& e) { e.compiler.clear(); }, Severity::kUnhealthy},
           {"call", [](Examination& e) { e.has_called = false; }, Severity::kUnhealthy},
           {"clock", [](Examination& e) { e.has_invariant_clock = false; }, Severity::kUnhealthy},
           {"processors", [](Examination& e) { e.processors = 1; }, Severity::kLowers},
           {"clocks_controlled", [](Examination& e) { e.host_class = HostClass::kVm; },
            Severity::kLowers},
           {"load", [](Examination& e) { e.load = 1.6; }, Severity::kUnhealthy},
           {"quiet", [](Examination& e) { e.wait_share = 0.02; }, Severity::kUnhealthy},
           {"quiet", [](Examination& e) { e.steal_share = 0.03; }, Severity::kUnhealthy},
           {"sentinels", [](Examination& e) { e.moved_sentinels = {"fma_chain (+9.0 %)"}; },
            Severity::kUnhealthy},
           {"spread", [](Examination& e) { e.call_spread = 0.2; }, Severity::kLowers},
           {"alone", [](Examination& e) { e.other_holder = "ki bench (process 7)"; },
            Severity::kUnhealthy}}) {
    SCOPED_TRACE(fault.id);
    Examination examination = good();
    fault.spoil(examination);
    const Health health = judge(examination);
    int found = 0;
    for (const Check& check : health.checks) {
      if (check.severity == Severity::kGood) continue;
      EXPECT_EQ(check.id, fault.id);
      EXPECT_EQ(check.severity, fault.severity);
      EXPECT_FALSE(check.advice.empty());
      ++found;
    }
    EXPECT_EQ(found, 1);
    EXPECT_EQ(health.is_healthy(), fault.severity != Severity::kUnhealthy);
    EXPECT_NE(health.summary().find(fault.id), std::string::npos);
  }
}

TEST(Health, AnExaminationOfThisMachinePerformsEveryAct) {
  const Examination seen = examine(take_snapshot());
  EXPECT_GT(seen.processors, 0);
  EXPECT_GT(seen.clock_cost_ns, 0);
  if (!seen.isolation) GTEST_SKIP() << "skipped: " << seen.no_sandbox;
  EXPECT_TRUE(seen.has_called);
  EXPECT_GT(seen.empty_call_ns, 0);
  EXPECT_FALSE(seen.compiler.empty());
}

TEST(MeasuringLock, IsHeldByOneAndSaysByWhom) {
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("ki-lock-test-{}", ::getpid());
  EXPECT_TRUE(MeasuringLock::holder(path).empty());
  {
    const auto lock = MeasuringLock::acquire("ki bench", path);
    ASSERT_TRUE(lock);
    const auto second = MeasuringLock::acquire("ki rerun", path);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code(), Code::kUnavailable);
    EXPECT_NE(second.error().message().find("ki bench (process"), std::string::npos);
    EXPECT_NE(MeasuringLock::holder(path).find("ki bench"), std::string::npos);
  }
  EXPECT_TRUE(MeasuringLock::holder(path).empty());
  EXPECT_TRUE(MeasuringLock::acquire("ki rerun", path));
  std::filesystem::remove(path);
}

TEST(Ceilings, EveryCopyCopies) {
  constexpr std::size_t kBytes = 16 * 8192;
  auto* source = static_cast<std::byte*>(std::aligned_alloc(4096, kBytes));
  auto* target = static_cast<std::byte*>(std::aligned_alloc(4096, kBytes + 4096));
  for (std::size_t i = 0; i < kBytes; ++i) source[i] = static_cast<std::byte>(i * 7 + i / 251);
  for (const NamedCopy& one : copies()) {
    SCOPED_TRACE(one.name);
    std::fill_n(target, kBytes + 4096, std::byte{0xee});
    one.copy(target, source, kBytes);
    EXPECT_TRUE(std::equal(source, source + kBytes, target));
    EXPECT_EQ(target[kBytes], std::byte{0xee});
  }
  std::free(source);
  std::free(target);
}

TEST(Ceilings, AreMeasuredInUnitsThatMakeSense) {
  const auto ceilings = measure_ceilings(
      {.threads = {1, 2}, .copy_bytes = 4 << 20, .copy_repetitions = 3, .fma_repetitions = 3});
  ASSERT_GE(ceilings.size(), 8u);
  for (const Ceiling& ceiling : ceilings) {
    SCOPED_TRACE(ceiling.name);
    EXPECT_GT(ceiling.median, 1e8);
    EXPECT_LT(ceiling.median, 1e15);
    EXPECT_LE(ceiling.low, ceiling.median);
    EXPECT_GE(ceiling.high, ceiling.median);
    EXPECT_GE(ceiling.best, ceiling.high);
  }
}

}  // namespace
}  // namespace ki::machine
