// Every state of evidence as a person reads it: golden renders of the run, search and operation
// pages of the states catalog. KI_ACCEPT=1 rewrites them, and skips.
#include "page_check.h"
#include "web_world.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ki::web::testing {
namespace {

void expect_golden(const std::string& name, const std::string& actual) {
  const auto path = std::filesystem::path(KI_SOURCE_DIR) / "libs/web/tests/data" / (name + ".txt");
  if (std::getenv("KI_ACCEPT") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << actual;
    return;
  }
  std::ifstream in(path);
  std::stringstream stored;
  stored << in.rdbuf();
  if (actual == stored.str()) return;
  std::istringstream was(stored.str()), is(actual);
  std::string old_line, new_line;
  while (old_line == new_line) {
    old_line = new_line = "(end)";
    const bool has_old = static_cast<bool>(std::getline(was, old_line));
    const bool has_new = static_cast<bool>(std::getline(is, new_line));
    if (!has_old && !has_new) break;
  }
  ADD_FAILURE() << name
                << " reads otherwise; KI_ACCEPT=1 writes what it shows now.\n  golden: " << old_line
                << "\n  now:    " << new_line;
}

// The part between the header and the footer.
std::string main_text(std::string_view target) {
  const std::string page = states_world().web->page(target);
  const std::size_t from = page.find("<main");
  const std::size_t to = page.find("</main>") + 7;
  return visible_text("<!doctype html>" + page.substr(from, to - from));
}

TEST(States, EachReadsAsItsGolden) {
  const StatesWorld& world = states_world();
  const std::pair<const char*, std::string> states[] = {
      {"run-leads", "/runs/" + world.first},
      {"run-tied", "/runs/" + world.tied},
      {"run-stale", "/runs/" + world.stale},
      {"run-retracted", "/runs/" + world.retracted},
      {"run-superseded", "/runs/" + world.superseded},
      {"run-correction", "/runs/" + world.correction},
      {"run-failed", "/runs/" + world.failed},
      {"run-long-names", "/runs/" + world.long_name},
      {"run-hostile-names", "/runs/" + world.hostile},
      {"search-exact", "/search?q=op:gemm-n64+m%3D128"},
      {"search-nearest", "/search?q=op:gemm-n64+m%3D300"},
      {"search-chooser", "/search?q=gemm+attention"},
      {"search-nothing", "/search?q=zzzz"},
      {"operation", "/operations/gemm-n64"},
      {"operation-unmeasured", "/operations/unmeasured"},
      {"implementation", "/implementations/a1"},
      {"compare", "/compare?run=" + world.first + "&run=" + world.second},
      {"compare-differs", "/compare?run=" + world.first + "&run=" + world.stale},
      {"records", "/records?source=0&baselines=1"},
  };
  for (const auto& [name, target] : states) {
    SCOPED_TRACE(name);
    expect_golden(name, main_text(target));
  }
  if (std::getenv("KI_ACCEPT") != nullptr) GTEST_SKIP() << "skipped: goldens were rewritten";
}

}  // namespace
}  // namespace ki::web::testing
