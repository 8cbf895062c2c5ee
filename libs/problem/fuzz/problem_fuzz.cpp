// Laws: what the strict verdict accepts the compatible one accepts too, but for our extensions; a
// refusal names at least one issue; a trace that is read and can be written reads back to the same
// text; an expression evaluates to the same value twice and the Python outline never crashes.
#include "ki/problem/python_outline.h"
#include "ki/problem/solution.h"
#include "ki/problem/trace.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

using namespace ki::problem;

template <class T>
void check(const Reading<T>& reading) {
  if (!reading.value && reading.findings.empty()) std::abort();
  if (!reading.is_accepted(Mode::kStrict) || reading.is_accepted(Mode::kCompatible)) return;
  for (const Finding& finding : reading.findings) {
    if (!finding.is_refused_strictly && finding.is_refused_compatibly &&
        finding.issue.code != "extension")
      std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 6) {
    case 0: {
      const auto definition = read_definition(text);
      check(definition);
      if (definition.value) (void)operation_manifest(*definition.value);
      break;
    }
    case 1:
      check(read_workloads(text));
      break;
    case 2: {
      const auto solution = read_solution(text);
      check(solution);
      if (solution.value) (void)solution.value->digest();
      break;
    }
    case 3: {
      const auto trace = read_trace(text);
      check(trace);
      if (!trace.value) break;
      const auto once = write_trace(*trace.value);
      if (!once) break;
      const auto again = read_trace(*once);
      if (!again.value || write_trace(*again.value).value_or("") != *once) std::abort();
      break;
    }
    case 4: {
      const auto expression = Expression::parse_constraint(text);
      if (!expression) break;
      const auto lookup = [](std::string_view name) -> std::optional<std::int64_t> {
        return static_cast<std::int64_t>(name.size());
      };
      const auto once = expression->evaluate(lookup);
      const auto again = expression->evaluate(lookup);
      if (once.has_value() != again.has_value() || (once && *once != *again)) std::abort();
      break;
    }
    default:
      (void)outline_python(text);
  }
  return 0;
}
