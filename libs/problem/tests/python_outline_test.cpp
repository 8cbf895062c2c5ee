#include "ki/problem/python_outline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace ki::problem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(PythonOutline, FindsTopLevelFunctionsAndTheirPositionalParameters) {
  const auto functions = outline_python(R"PY("""def no(x): a text"""
import torch  # def no(y):
@torch.no_grad()
def run(x, w: "a, b" = (1, [2, 3]), *, k=1):
    def inner(z):
        return z
    s = 'def no(x): \' still'
    return x + \
        w
async def later(a): pass
def rest(a, /, b: dict[str, int] = {"x": 1}, f=lambda p, q: p, *args, **kw) -> tuple[int,
    int]: return 1
class C:
    def method(self):
        return f"{self}"
if True:
    def conditional(): pass
def generic[T](x: T): return rb'\''
)PY");
  ASSERT_TRUE(functions) << functions.error().to_string();
  std::vector<std::string> names;
  for (const PythonFunction& f : *functions) names.push_back(f.name);
  EXPECT_THAT(names, ElementsAre("run", "later", "rest", "generic"));
  EXPECT_THAT((*functions)[0].positional, ElementsAre("x", "w"));
  EXPECT_EQ((*functions)[0].line, 4U);
  EXPECT_TRUE((*functions)[1].is_async);
  EXPECT_THAT((*functions)[2].positional, ElementsAre("a", "b", "f"));
  EXPECT_THAT((*functions)[3].positional, ElementsAre("x"));
}

TEST(PythonOutline, RefusesWhatCannotBePython) {
  struct Case {
    const char* why;
    const char* source;
    const char* message;
  };
  for (const auto& [why, source, message] : std::initializer_list<Case>{
           {"unclosed bracket", "x = (1,\n2\n", "line 3: '(' of line 1 is never closed"},
           {"wrong bracket", "x = (1]\n", "line 1: ']' closes '(' of line 1"},
           {"bracket that closes nothing", "x = 1)\n", "line 1: ')' closes nothing"},
           {"open string", "x = 'a\n", "line 1: a string is not closed on its line"},
           {"open long string", "\nx = '''a\n", "line 2: a string is never closed"},
           {"no colon", "def run(x)\n  return x\n", "line 1: ':' is missing"},
           {"no name", "def (x): pass\n", "line 1: 'def' is not followed by a name"},
           {"no block", "def run(x):\nreturn x\n", "line 1: an indented block is missing"},
           {"block missing at the end", "def run(x):\n", "line 1: an indented block is missing"},
           {"unexpected indentation", "x = 1\n  y = 2\n", "line 2: the line is indented further"},
           {"dedent to no level", "if x:\n    a\n  b\n",
            "line 3: the indentation returns to no level"},
           {"a number as parameter", "def run(1): pass\n", "line 1: '1' is not a parameter"},
           {"a question mark", "x ? y\n", "line 1: '?' is not Python"}}) {
    SCOPED_TRACE(why);
    const auto functions = outline_python(source);
    ASSERT_FALSE(functions);
    EXPECT_THAT(functions.error().message(), HasSubstr(message));
  }
}

TEST(PythonOutline, AcceptsEveryLineEndingAndNoFinalOne) {
  for (const char* source :
       {"def run(x):\r\n  return x\r\n", "def run(x):\r  return x", "def run(x): return x",
        "\n\n# c\ndef run(x):\n\n  # c\n  return x\n# c"}) {
    SCOPED_TRACE(source);
    const auto functions = outline_python(source);
    ASSERT_TRUE(functions) << functions.error().to_string();
    ASSERT_EQ(functions->size(), 1U);
    EXPECT_THAT(functions->front().positional, ElementsAre("x"));
  }
  EXPECT_THAT(outline_python("").value(), IsEmpty());
}

}  // namespace
}  // namespace ki::problem
