#include "page_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ki::web::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string page(std::string_view body) {
  return "<!doctype html><html lang=\"en\"><head><title>t</title></head><body><main><h1>a</h1>" +
         std::string(body) + "</main></body></html>";
}

TEST(PageCheck, AcceptsAWellFormedPage) {
  EXPECT_THAT(page_faults(page("<p>a &amp; b</p><ul><li><a href=\"/x\">y</a></li></ul>")),
              IsEmpty());
}

TEST(PageCheck, FindsEachFault) {
  struct Case {
    std::string_view why;
    std::string_view body;
    std::string_view fault;
  };
  const Case cases[] = {
      {"unclosed", "<p>", "closes <p>"},
      {"wrong order", "<b><i></b></i>", "</b> closes <i>"},
      {"twice the id", "<p id=\"a\"></p><p id=\"a\"></p>", "id a twice"},
      {"second h1", "<h1>b</h1>", "2 h1"},
      {"skipped level", "<h3>b</h3>", "<h3> after <h1>"},
      {"inline script", "<script>1</script>", "an inline script"},
      {"inline style", "<p style=\"x\"></p>", "an inline style"},
      {"event handler", "<p onclick=\"x\"></p>", "an event handler"},
      {"script address", "<a href=\"javascript:x\">y</a>", "address 'javascript:x'"},
      {"other host", "<a href=\"//evil.example\">y</a>", "address"},
      {"no caption", "<table><thead></thead></table>", "without caption"},
      {"no scope", "<table><caption>c</caption><thead><tr><th>a</th></tr></thead></table>",
       "without scope"},
      {"no label", "<input type=\"text\" id=\"q\">", "the field q has no label"},
      {"raw ampersand", "<p>a & b</p>", "ampersand"},
      {"block in paragraph", "<p><ul></ul></p>", "<ul> inside <p>"},
      {"bare number",
       "<table><caption>c</caption><tbody><tr><td class=\"num\" data-label=\"l\">12"
       "</td></tr></tbody></table>",
       "a bare number '12'"},
      {"missing reference", "<section aria-labelledby=\"x\"></section>", "missing id x"},
      {"link without text", "<a href=\"/x\"></a>", "<a> without text"},
      {"unquoted", "<p class=a></p>", "without quotes"},
      {"comment", "<!-- a -->", "a comment"},
      {"unnamed picture", "<svg></svg>", "an svg without a name"},
  };
  for (const Case& c : cases) {
    const auto faults = page_faults(page(c.body));
    EXPECT_THAT(faults, ::testing::Contains(HasSubstr(std::string(c.fault)))) << c.why;
  }
}

TEST(PageCheck, ReadsWhatAPersonReads) {
  EXPECT_EQ(visible_text(page("<p>a &lt;b&gt;</p><p>c</p>")), "a\na <b>\nc\n");
  EXPECT_EQ(squeezed("1.16 ms\n mean"), "1.16msmean");
}

}  // namespace
}  // namespace ki::web::testing
