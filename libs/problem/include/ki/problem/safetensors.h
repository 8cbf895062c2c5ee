// Tensors in a safetensors file: eight bytes of header length, a JSON header of dtype, shape and
// offsets, the data. Nothing is executed, every offset is checked.
#pragma once

#include "ki/base/result.h"
#include "ki/problem/dtype.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ki::problem {

struct StoredTensor {
  Dtype dtype = Dtype::kF32;
  std::vector<std::int64_t> shape;  // of stored elements
  std::string bytes;
};

// One tensor of the file's bytes. Fails when the file is not one, the tensor is not there, or its
// dtype, shape and bytes do not agree.
Result<StoredTensor> read_safetensors(std::string_view file, std::string_view tensor);

}  // namespace ki::problem
