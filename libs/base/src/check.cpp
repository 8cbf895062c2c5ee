#include "ki/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace ki {
void check_failed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "ki: internal error at %s:%d: %s does not hold\n", file, line, condition);
  std::abort();
}
}  // namespace ki
