// KI_CHECK: a condition whose failure is a bug. Prints file, line and condition, then aborts.
#pragma once

namespace ki {
[[noreturn]] void check_failed(const char* file, int line, const char* condition);
}  // namespace ki

#define KI_CHECK(condition)                               \
  do {                                                    \
    if (!(condition)) [[unlikely]]                        \
      ::ki::check_failed(__FILE__, __LINE__, #condition); \
  } while (false)
