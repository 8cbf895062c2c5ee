// Backward pass of a KV-cache update with rotary embedding on a GPU, in one launch: every byte of
// the operation moves once. The same text runs on a host, in emulator/.
//
// Half a warp owns a row of 128 bf16 numbers, 8 a lane. Tasks of a warp, in one list: pairs of
// tokens with all heads, whose sums over heads stay in registers and are added in order; then
// groups of 32 rows of a cache, which are zeroed without being read where the bit of the row is
// set, and copied elsewhere. Each block first makes the bits of all rows, in shared memory.
// Positions outside the cache: their tokens get zeros; no memory outside a tensor is touched.
#pragma once

#include "device.h"

namespace ki_kv_cache {

constexpr int kThreads = 256, kHeadDim = 128, kRowGroup = 32;
constexpr std::int64_t kMaxRows = 65536;  // 8 KiB of bits

struct Args {
  std::int64_t batch, heads, rows, tokens;
  const std::uint16_t *grad_key_cache, *grad_value_cache, *key_states, *cos, *sin;
  const std::int64_t* positions;
  std::uint16_t *grad_key_states, *grad_value_states, *grad_cos, *grad_sin, *grad_key_cache_input,
      *grad_value_cache_input;
};

using ki_device::Line;

KI_DEVICE float element(const Line& v, int i) {
  const std::uint32_t word = v.word[i / 2];
  return ki_device::number(i % 2 == 0 ? word << 16 : word & 0xffff0000u);
}
KI_DEVICE std::uint32_t rounded_bits(float x) {
  const std::uint32_t bits = ki_device::bits(x);
  if (x != x) return (bits >> 16) | 0x40u;
  return (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
}
KI_DEVICE Line packed(const float* x) {
  Line v;
  KI_UNROLL(8)
  for (int i = 0; i < 4; ++i)
    v.word[i] = rounded_bits(x[2 * i]) | (rounded_bits(x[2 * i + 1]) << 16);
  return v;
}
// The numbers of the other half of the head: 8 lanes away.
KI_DEVICE Line partner(const Line& v) {
  Line out;
  KI_UNROLL(8)
  for (int i = 0; i < 4; ++i) out.word[i] = ki_device::exchange(v.word[i], 8);
  return out;
}
template <bool kEager>
KI_DEVICE float product(float a, float b) {
  const float p = ki_device::product(a, b);
  return kEager ? ki_device::number(rounded_bits(p) << 16) : p;
}

template <bool kEager>
KI_DEVICE void rotate_pair(const Args& a, std::int64_t pair, int lane) {
  const std::int64_t all = a.batch * a.tokens;
  const std::int64_t wanted = pair * 2 + lane / 16;
  const bool is_there = wanted < all;  // the last pair may be one
  const std::int64_t token = is_there ? wanted : all - 1;
  const std::int64_t b = token / a.tokens, s = token % a.tokens;
  const int d = lane % 16 * 8;
  const bool is_low = d < kHeadDim / 2;
  const std::int64_t position = ki_device::load_position(a.positions + s);
  const bool is_inside = position >= 0 && position < a.rows;
  const bool reads = is_there && is_inside;
  const Line zero = {{0, 0, 0, 0}};
  const Line cos = reads ? ki_device::load_once(a.cos + token * kHeadDim + d) : zero;
  const Line sin = partner(reads ? ki_device::load_once(a.sin + token * kHeadDim + d) : zero);
  float grad_cos[8] = {}, grad_sin[8] = {};
  for (std::int64_t h = 0; h < a.heads; ++h) {
    const std::int64_t plane = b * a.heads + h;
    const std::int64_t cached = (plane * a.rows + (is_inside ? position : 0)) * kHeadDim + d;
    const std::int64_t row = (plane * a.tokens + s) * kHeadDim + d;
    const Line g = reads ? ki_device::load_once(a.grad_key_cache + cached) : zero;
    const Line k = reads ? ki_device::load_once(a.key_states + row) : zero;
    const Line u = reads ? ki_device::load_once(a.grad_value_cache + cached) : zero;
    const Line other_g = partner(g), other_k = partner(k);
    float grad_key[8];
    KI_UNROLL(8)
    for (int i = 0; i < 8; ++i) {
      const float turned = product<kEager>(element(other_g, i), element(sin, i));
      grad_key[i] = ki_device::sum(product<kEager>(element(g, i), element(cos, i)),
                                   is_low ? turned : -turned);
      const float direct = product<kEager>(element(g, i), element(k, i));
      const float crossed = product<kEager>(element(g, i), element(other_k, i));
      grad_cos[i] = h == 0 ? direct : ki_device::sum(grad_cos[i], direct);
      grad_sin[i] = h == 0 ? (is_low ? -crossed : crossed)
                           : ki_device::sum(grad_sin[i], is_low ? -crossed : crossed);
    }
    if (is_there) {
      ki_device::store_once(a.grad_key_states + row, packed(grad_key));
      ki_device::store_once(a.grad_value_states + row, u);
    }
  }
  if (is_there) {
    ki_device::store_once(a.grad_cos + token * kHeadDim + d, packed(grad_cos));
    ki_device::store_once(a.grad_sin + token * kHeadDim + d, packed(grad_sin));
  }
}

KI_DEVICE void copy_group(const Args& a, std::int64_t group, int lane,
                          const std::uint32_t* is_written) {
  const std::int64_t groups = (a.rows + kRowGroup - 1) / kRowGroup;
  const std::int64_t planes = a.batch * a.heads;
  const std::int64_t plane = group / groups % planes;
  const bool is_value = group / groups >= planes;
  const std::uint16_t* from = is_value ? a.grad_value_cache : a.grad_key_cache;
  std::uint16_t* to = is_value ? a.grad_value_cache_input : a.grad_key_cache_input;
  const std::uint32_t bits = is_written[group % groups];
  const Line zero = {{0, 0, 0, 0}};
  KI_UNROLL(4)
  for (int i = lane / 16; i < kRowGroup; i += 2) {
    const std::int64_t row = group % groups * kRowGroup + i;
    if (row >= a.rows) break;
    const std::int64_t at = (plane * a.rows + row) * kHeadDim + lane % 16 * 8;
    ki_device::store_once(to + at, (bits >> i & 1u) != 0 ? zero : ki_device::load_once(from + at));
  }
}

template <bool kEager>
KI_KERNEL(kThreads, 2)
kernel(Args a) {
  KI_SHARED(std::uint32_t, is_written);
  const std::int64_t groups = (a.rows + kRowGroup - 1) / kRowGroup;
  for (std::int64_t i = ki_device::thread(); i < groups; i += kThreads) is_written[i] = 0;
  ki_device::barrier();
  for (std::int64_t s = ki_device::thread(); s < a.tokens; s += kThreads) {
    const std::int64_t position = ki_device::load_position(a.positions + s);
    if (position >= 0 && position < a.rows)
      ki_device::set_bits(is_written + position / 32, 1u << (position % 32));
  }
  ki_device::barrier();
  const int lane = ki_device::thread() % 32;
  const std::int64_t pairs = (a.batch * a.tokens + 1) / 2;
  const std::int64_t tasks = pairs + 2 * a.batch * a.heads * groups;
  const std::int64_t warps = static_cast<std::int64_t>(ki_device::blocks()) * (kThreads / 32);
  for (std::int64_t i = static_cast<std::int64_t>(ki_device::block()) * (kThreads / 32) +
                        ki_device::thread() / 32;
       i < tasks; i += warps) {
    if (i < pairs) {
      rotate_pair<kEager>(a, i, lane);
    } else {
      copy_group(a, i - pairs, lane, is_written);
    }
  }
}

}  // namespace ki_kv_cache
