#include "ki/digest/digest.h"
#include "world.h"

namespace ki::sandbox {
namespace {

TEST(Builder, FlagsOutsideTheListAreRejectedOneByOne) {
  for (const char* flag :
       {"-O0", "-O3", "-Os", "-ffast-math", "-fopenmp", "-funroll-loops", "-march=native", "-mavx2",
        "-mprefer-vector-width=256", "-std=c++20", "-std=gnu17", "-DN=4", "-DNAME", "-lm",
        "-lopenblas", "-Iinclude", "-Wall", "-Wno-unused"}) {
    EXPECT_TRUE(check_flags({flag})) << flag;
  }
  for (const char* flag : {"-fplugin=x.so",
                           "@file",
                           "-Wl,--wrap=malloc",
                           "-B/tmp",
                           "-I/etc",
                           "-I../x",
                           "-Iinclude/../..",
                           "-include",
                           "-x",
                           "-specs=x",
                           "-Wa,-v",
                           "-Wp,-v",
                           "-o",
                           "out",
                           "-L/usr/lib",
                           "-D",
                           "-Dx=$(id)",
                           "-Dx=`id`",
                           "-l/etc/x",
                           "-l:x.a",
                           "",
                           "-O9",
                           "-fsanitize=address",
                           "-static",
                           "-nostdlib",
                           "-M",
                           "-save-temps",
                           "--param",
                           "-T",
                           "-Xlinker"}) {
    const auto checked = check_flags({flag});
    ASSERT_FALSE(checked) << flag;
    EXPECT_EQ(checked.error().issues().front().code, "flag_rejected");
  }
  EXPECT_EQ(check_flags({"-O2", "-fplugin=x", "@y"}).error().issues().size(), 2u);
}

class BuilderRun : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    host_ = shared_host(why);
    if (host_ == nullptr) GTEST_SKIP() << "skipped: " << why;
  }
  const Host* host_ = nullptr;
};

TEST_F(BuilderRun, MakesAnObjectAndSaysWithWhat) {
  const auto built = build(
      *host_,
      {.sources = {
           {"src/a.c",
            "#include <ki/kernel_abi.h>\n#include \"h/b.h\"\nconst uint32_t ki_kernel_abi = B;"},
           {"h/b.h", "#define B KI_KERNEL_ABI\n"},
           {"src/c.cpp",
            "#include <cmath>\nextern \"C\" float f(float x) { return std::sin(x); }"}}});
  ASSERT_TRUE(built) << built.error().to_string();
  ASSERT_EQ(built->outcome, BuildOutcome::kBuilt) << built->log;
  EXPECT_TRUE(built->object.starts_with("\177ELF"));
  EXPECT_EQ(built->commands.size(), 3u);
  EXPECT_NE(built->compiler.version.find("g++"), std::string::npos) << built->compiler.version;
  EXPECT_TRUE(Digest::parse(built->compiler.digest)) << built->compiler.digest;
  EXPECT_NE(built->compiler.machine_flags.find("-march="), std::string::npos)
      << built->compiler.machine_flags;
  EXPECT_EQ(built->compiler.machine_flags.find("-march=native"), std::string::npos)
      << "not expanded";
}

TEST_F(BuilderRun, Clang19MayBeAskedForWhereInstalled) {
  if (!is_installed(Compiler::kClang19)) GTEST_SKIP() << "skipped: clang-19 is not installed";
  const auto built = build(*host_, {.sources = {{"a.cpp", "extern \"C\" int f() { return 1; }"}},
                                    .compiler = Compiler::kClang19});
  ASSERT_TRUE(built) << built.error().to_string();
  ASSERT_EQ(built->outcome, BuildOutcome::kBuilt) << built->log;
  EXPECT_NE(built->compiler.version.find("clang"), std::string::npos);
  EXPECT_NE(built->compiler.machine_flags.find("+sse2"), std::string::npos)
      << built->compiler.machine_flags;
}

TEST_F(BuilderRun, ErrorsOfTheSourceAreAnOutcomeWithTheCompilersWords) {
  const auto built = build(*host_, {.sources = {{"a.c", "int f( { return 1; }"}}});
  ASSERT_TRUE(built);
  EXPECT_EQ(built->outcome, BuildOutcome::kCompileError);
  EXPECT_NE(built->log.find("error:"), std::string::npos);
  EXPECT_EQ(built->reason, "step 1 of 2 failed");
  const auto undefined =
      build(*host_, {.sources = {{"a.c", "int g(void); int f(void) { return g(); }"}}});
  ASSERT_TRUE(undefined);
  EXPECT_EQ(undefined->outcome, BuildOutcome::kCompileError);
  EXPECT_EQ(undefined->reason, "step 2 of 2 failed");
}

TEST_F(BuilderRun, ARejectedFlagStartsNothing) {
  const auto built = build(*host_, {.sources = {{"a.c", ""}}, .flags = {"-fplugin=/tmp/x.so"}});
  ASSERT_TRUE(built);
  EXPECT_EQ(built->outcome, BuildOutcome::kFlagRejected);
  EXPECT_TRUE(built->commands.empty());
}

TEST_F(BuilderRun, TheFilesOfTheMachineCannotBeIncluded) {
  for (const char* path :
       {"/etc/passwd", "/proc/self/environ", "/root/.bashrc", "/sys/kernel/notes"}) {
    const auto built =
        build(*host_, {.sources = {{"a.c", std::string("#include \"") + path + "\"\n"}}});
    ASSERT_TRUE(built);
    EXPECT_EQ(built->outcome, BuildOutcome::kCompileError);
    EXPECT_NE(built->log.find("No such file"), std::string::npos) << built->log;
  }
}

TEST_F(BuilderRun, ACompilerThatTakesTooLongIsATimeout) {
  const auto built = build(
      *host_, {.sources = {{"a.cpp",
                            "template <int N, int M> struct F { static constexpr long v = F<N - 1, "
                            "M>::v + F<N - 1, M + 1>::v; };\n"
                            "template <int M> struct F<0, M> { static constexpr long v = M; };\n"
                            "constexpr long loop(long n) { long s = 0; for (long i = 0; i < n; "
                            "++i) s ^= i; return s; }\n"
                            "long x = F<10, 0>::v; constinit long y = loop(400000000);\n"}},
               .flags = {"-fno-exceptions"},
               .cpu_per_unit = std::chrono::seconds(1)});
  ASSERT_TRUE(built);
  // The loop is beyond the compiler's own limit of operations, so either ends it.
  EXPECT_NE(built->outcome, BuildOutcome::kBuilt);
  const auto late = build(*host_, {.sources = {{"a.c", "int f(void) { return 1; }"}},
                                   .deadline = std::chrono::seconds(0)});
  ASSERT_TRUE(late);
  EXPECT_EQ(late->outcome, BuildOutcome::kTimeout);
}

TEST_F(BuilderRun, PathsThatLeaveTheFolderAreRefused) {
  for (const char* path :
       {"/a.c", "../a.c", "x/../../a.c", "", "x//a.c", "-o.c", ".ki/a.c", "a b.c"}) {
    const auto built = build(*host_, {.sources = {{path, "int f(void) { return 0; }"}}});
    ASSERT_FALSE(built) << path;
    EXPECT_EQ(built.error().code(), Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace ki::sandbox
