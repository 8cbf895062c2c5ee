// The ABI that the kernels beside this file were written for.
#include "ki/kernel_abi.h"

#include <cstdint>

extern "C" {
extern const std::uint32_t ki_kernel_abi;
const std::uint32_t ki_kernel_abi = KI_KERNEL_ABI;
}
