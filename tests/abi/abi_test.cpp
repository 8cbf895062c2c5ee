#include "ki/kernel_abi.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <type_traits>

extern "C" {
extern const std::uint32_t ki_kernel_abi;
std::int32_t abi_test_copy(const ki_tensor* inputs, std::int32_t input_count, ki_tensor* outputs,
                           std::int32_t output_count, const ki_exec* exec);
}

namespace {

// What abi_c11.c asserts for C holds for C++ too: the two languages see one layout.
static_assert(std::is_standard_layout_v<ki_tensor> && std::is_trivially_copyable_v<ki_tensor>);
static_assert(std::is_standard_layout_v<ki_exec> && std::is_trivially_copyable_v<ki_exec>);
static_assert(sizeof(ki_tensor) == 40 && offsetof(ki_tensor, numel) == 24 &&
              offsetof(ki_tensor, dtype) == 36);
static_assert(sizeof(ki_exec) == 56 && offsetof(ki_exec, stream) == 16 &&
              offsetof(ki_exec, reserved) == 24);
static_assert(std::is_same_v<decltype(&abi_test_copy), ki_entry>);

TEST(KernelAbi, AnEntryPointCompiledAsC11IsCalledFromCpp) {
  EXPECT_EQ(ki_kernel_abi, 1U);
  std::array<float, 3> x = {1.0F, 2.0F, 3.0F};
  std::array<float, 3> y = {};
  const std::array<std::int64_t, 1> shape = {3};
  const std::array<std::int64_t, 1> stride = {1};
  const ki_tensor input{x.data(), shape.data(), stride.data(), 3, 1, KI_F32};
  ki_tensor output{y.data(), shape.data(), stride.data(), 3, 1, KI_F32};
  const ki_exec exec{sizeof(ki_exec), KI_KERNEL_ABI, 1, 0, nullptr, {}};
  const ki_entry entry = abi_test_copy;
  EXPECT_EQ(entry(&input, 1, &output, 1, &exec), KI_DONE);
  EXPECT_EQ(y, x);
  EXPECT_EQ(entry(&input, 0, &output, 1, &exec), KI_INVALID_ARGUMENT);
}

TEST(KernelAbi, AScalarIsATensorWithoutDimensions) {
  float value = 2.5F;
  float copy = 0;
  const ki_tensor input{&value, nullptr, nullptr, 1, 0, KI_F32};
  ki_tensor output{&copy, nullptr, nullptr, 1, 0, KI_F32};
  const ki_exec exec{sizeof(ki_exec), KI_KERNEL_ABI, 1, 0, nullptr, {}};
  EXPECT_EQ(abi_test_copy(&input, 1, &output, 1, &exec), KI_DONE);
  EXPECT_EQ(copy, 2.5F);
}

}  // namespace
