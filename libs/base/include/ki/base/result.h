// Result<T>: the value, or the Error that the outside world caused. Bugs are KI_CHECK instead.
#pragma once

#include "ki/base/error.h"

#include <expected>
#include <utility>

namespace ki {

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(Code code, std::string message) {
  return std::unexpected(Error(code, std::move(message)));
}
inline std::unexpected<Error> fail(Error error) { return std::unexpected(std::move(error)); }

}  // namespace ki

#define KI_CONCAT_INNER(a, b) a##b
#define KI_CONCAT(a, b) KI_CONCAT_INNER(a, b)

// KI_TRY(auto x, expression);  declares x from a Result, or returns its Error from this function.
#define KI_TRY(declaration, ...) \
  KI_TRY_IMPL(KI_CONCAT(ki_try_, __COUNTER__), declaration, __VA_ARGS__)
#define KI_TRY_IMPL(name, declaration, ...)                   \
  auto name = (__VA_ARGS__);                                  \
  if (!name) return std::unexpected(std::move(name).error()); \
  declaration = *std::move(name)

// KI_TRY_VOID(expression);  for a Result<void>, or when the value is not needed.
#define KI_TRY_VOID(...) KI_TRY_VOID_IMPL(KI_CONCAT(ki_try_void_, __LINE__), __VA_ARGS__)
#define KI_TRY_VOID_IMPL(name, ...)                                                        \
  do {                                                                                     \
    if (auto name = (__VA_ARGS__); !name) return std::unexpected(std::move(name).error()); \
  } while (false)
