#include "ki/base/error.h"

#include "ki/base/result.h"

#include <gtest/gtest.h>

namespace ki {
namespace {

TEST(Error, ReadsFromTheOutsideIn) {
  const Error error =
      Error(Code::kNotFound, "no such row").within("line 17").within("importing a.jsonl");
  EXPECT_EQ(error.to_string(), "importing a.jsonl: line 17: no such row");
}

TEST(Error, ListsEachIssueOnALineOfItsOwn) {
  const Error error(Code::kInvalidArgument, "2 problems",
                    {{"unknown_member", "/spec/x", 3, 5, "no such member", "remove it"},
                     {"missing", "", 0, 0, "'kind' is missing", ""}});
  EXPECT_EQ(error.to_string(),
            "2 problems\n  3:5 /spec/x: unknown_member: no such member (remove it)\n"
            "  missing: 'kind' is missing");
}

TEST(Error, ExitCodesTellTheCallerWhatToDo) {
  EXPECT_EQ(exit_code(Code::kInvalidArgument), 2);
  EXPECT_EQ(exit_code(Code::kNotFound), 3);
  EXPECT_EQ(exit_code(Code::kCorrupt), 1);
  EXPECT_EQ(exit_code(Code::kInternal), 70);
}

Result<int> half(int value) {
  if (value % 2 != 0) return fail(Code::kInvalidArgument, "odd");
  return value / 2;
}
Result<int> quarter(int value) {
  KI_TRY(const int first, half(value));
  KI_TRY(const int second, half(first));
  return second;
}

TEST(Result, TryReturnsTheFirstError) {
  EXPECT_EQ(quarter(12).value(), 3);
  EXPECT_EQ(quarter(6).error().message(), "odd");
}

}  // namespace
}  // namespace ki
