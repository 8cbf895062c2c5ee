// Every oracle with the digest of the definition that it answers for. A definition that changes
// loses its oracle until its digest here is changed too, which is the moment to look at both.
#include "elementwise.h"
#include "products.h"
#include "rope_backward.h"
#include "rows.h"

#include <array>

namespace ki::harness {

std::span<const Oracle> oracles() {
  static constexpr std::array<Oracle, 19> kOracles = {{
      {"argmax", "sha256:33d21f96a24836bb976ac6ffc3ea6ba036a497f71fa85e310f3fbcd92f6bb4b3", argmax},
      {"embedding_gather",
       "sha256:beb7993218cfa0b5c69dd2888b394d0c02f923b1924e11ac7a921d20dad4327a", gather,
       draw_gather},
      {"fixed_gather", "sha256:85f490a386703b85869e2c94a5ae82b72993ce9ca9d16fe43badd13a63c86a53",
       gather},
      {"gemm", "sha256:09a9b53b8b65217a148f43a2db6e6a65242ee9085bcdb7264d27557418899227", gemm},
      {"gemv", "sha256:6cd831e11bba007c13e7526c543426506f3da2e2d6d3f7275af6b92d07808836", gemv},
      {"histogram", "sha256:4e1369cef578910c93ea740bc3106abb898abf872d738f644c41735ae90ee6d3",
       histogram},
      {"int8_dot", "sha256:cd011285baf54adc63d3081b9e718b6fa998f67c9311db41912a7de96fcba2f3",
       int8_dot},
      {"kv_cache_update_with_rope_backward",
       "sha256:e5c42a97059680d557b02f4e511b958ecb7a4ad3249900f2f05c9127d40b7616",
       kv_cache_rope_backward, draw_kv_cache},
      {"layernorm", "sha256:ca5e9f14e2c3710d2a4f19f416d43782532235d1670269b18491b28cd543e4d7",
       layernorm},
      {"masked_scores", "sha256:ab23db96ed0573ffa6ab22ca2087655d1602b2b701458c9358a0684769527faa",
       masked_scores},
      {"multi_head_qkv_projection_with_rope_backward",
       "sha256:a629442c94f2e92a2baa8d95a5739368abea5513adbbf91b166456537802780e",
       qkv_rope_backward},
      {"rmsnorm", "sha256:913eb2b36636cd9143831edab8a7383d1e3725e01e1b4966faf8bc07312575ac",
       rmsnorm},
      {"rope", "sha256:728ade58300e151c62dda4e6a962fee677e13c6297cf96ae5c926c1c74eb1ca0", rope},
      {"scan", "sha256:c254a9366c7a1981147c4e651d280a4a4f1e3faa2df42795dc9c374247b16ff0", scan},
      {"softmax", "sha256:c4a899e8ae3ffc3b9ae3165246b52727106c842adf523beeb5a691eb2aad5d84",
       softmax},
      {"sum_reduce", "sha256:7b2e1ae1064c2d18c6a3ab8e62288ac8d73d18b6803d82a0dc16f9d8b0954c29",
       sum_reduce},
      {"swiglu", "sha256:71bab4e89541eee992edd2c65b810ce9307b1ad5f84acb39dcbb981cac0e34d2", swiglu},
      {"transpose", "sha256:8d76a6af9b4357c8481e82fe83b71eae6fe73056f2415a40ea5efa0149018898",
       transpose},
      {"vec_add", "sha256:71661e27affb05514e0b9ce7bb2bf1155b6bc34b9d90b36657e059387f2fae56",
       vec_add},
  }};
  return kOracles;
}

}  // namespace ki::harness
