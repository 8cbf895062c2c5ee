#include "ki/problem/safetensors.h"

#include "ki/base/text.h"
#include "ki/json/reader.h"

#include <fmt/format.h>

#include <array>
#include <optional>

namespace ki::problem {
namespace {

std::optional<Dtype> dtype_of(std::string_view name) {
  using Pair = std::pair<std::string_view, Dtype>;
  constexpr std::array<Pair, 11> kNames = {{{"F64", Dtype::kF64},
                                            {"F32", Dtype::kF32},
                                            {"F16", Dtype::kF16},
                                            {"BF16", Dtype::kBf16},
                                            {"F8_E4M3", Dtype::kF8E4m3fn},
                                            {"F8_E5M2", Dtype::kF8E5m2},
                                            {"I64", Dtype::kI64},
                                            {"I32", Dtype::kI32},
                                            {"I16", Dtype::kI16},
                                            {"I8", Dtype::kI8},
                                            {"BOOL", Dtype::kBool}}};
  for (const auto& [known, dtype] : kNames) {
    if (known == name) return dtype;
  }
  return std::nullopt;
}

std::unexpected<Error> wrong(std::string_view what) {
  return fail(Code::kInvalidArgument, fmt::format("not a safetensors file: {}", what));
}

}  // namespace

Result<StoredTensor> read_safetensors(std::string_view file, std::string_view tensor) {
  if (file.size() < 8) return wrong("it is shorter than its header's length");
  std::uint64_t length = 0;
  for (std::size_t i = 8; i-- > 0;) length = (length << 8) | static_cast<std::uint8_t>(file[i]);
  if (length > file.size() - 8) return wrong("its header is longer than the file");
  const std::string_view header = file.substr(8, static_cast<std::size_t>(length));
  const std::string_view data = file.substr(8 + static_cast<std::size_t>(length));
  KI_TRY(const json::Document document,
         json::read_document(trim(header), {.max_bytes = std::size_t{64} << 20}));
  const json::Value* entry = document.root.find(tensor);
  if (entry == nullptr || tensor == "__metadata__") {
    return fail(Code::kNotFound, fmt::format("the file has no tensor {}", quote(tensor)));
  }
  const json::Value* dtype = entry->find("dtype");
  const json::Value* shape = entry->find("shape");
  const json::Value* offsets = entry->find("data_offsets");
  if (dtype == nullptr || !dtype->is_string() || shape == nullptr || !shape->is_array() ||
      offsets == nullptr || !offsets->is_array() || offsets->items().size() != 2)
    return wrong("a tensor has no dtype, shape or data_offsets");
  StoredTensor out;
  const auto known = dtype_of(dtype->string());
  if (!known) {
    return fail(Code::kUnsupported,
                fmt::format("the dtype {} is not one that problems use", quote(dtype->string())));
  }
  out.dtype = *known;
  std::int64_t bytes = byte_size(out.dtype);
  for (const json::Value& size : shape->items()) {
    const auto extent = size.integer();
    if (!extent || *extent < 0 || __builtin_mul_overflow(bytes, *extent, &bytes))
      return wrong("a shape is not one");
    out.shape.push_back(*extent);
  }
  const auto begin = offsets->items()[0].integer(), end = offsets->items()[1].integer();
  if (!begin || !end || *begin < 0 || *end < *begin ||
      static_cast<std::uint64_t>(*end) > data.size() || *end - *begin != bytes)
    return wrong("the offsets of a tensor do not fit its shape or the file");
  out.bytes = data.substr(static_cast<std::size_t>(*begin), static_cast<std::size_t>(bytes));
  return out;
}

}  // namespace ki::problem
