// Any text is read as an expression and as a declaration; what is accepted can be evaluated.
#include "ki/base/check.h"
#include "ki/bounds/declaration.h"
#include "ki/json/reader.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::array<ki::bounds::AxisValue, 3> axes = {{{"m", 7}, {"n", 1 << 20}, {"k", 3}}};
  if (const auto expression = ki::bounds::Expression::parse(text)) {
    const auto value = expression->evaluate(axes);
    if (value) KI_CHECK(*value >= 0);
  }
  if (const auto document = ki::json::read_document(text)) {
    (void)ki::bounds::read_declaration(document->root);
  }
  return 0;
}
