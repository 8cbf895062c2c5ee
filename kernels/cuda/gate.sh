#!/usr/bin/env bash
# Compiles the GPU kernels for sm_90a and sm_100a and looks at what came out: no spills, no stack, no access to local memory,
# registers within the blocks a processor is to hold; of the KV cache, how many accesses are 16 bytes wide; of the projections,
# how many matrix instructions there are. Exit code 77 where nvcc is missing.
#   kernels/cuda/gate.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ ! -x "$nvcc" ]; then
  echo "skipped: nvcc is not installed"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAILED $*"; failed=1; }
source=kernels/kv_cache_update_with_rope_backward/kv_cache_rope_bwd.cu
kernels=2            # fused and eager
registers=128        # 65536 / (2 blocks * 256 threads)
loads=6 stores=5     # of 16 bytes, at least, in one kernel: cos, sin, g, k, u and a copied row; four outputs and a cache row
for arch in 90a 100a; do
  flags=(-std=c++20 -O3 -gencode "arch=compute_$arch,code=sm_$arch" -Werror all-warnings -Ikernels/cuda -Iinclude)
  "$nvcc" "${flags[@]}" -Xptxas -v -c "$source" -o "$work/kernel.o" 2>"$work/log" || { cat "$work/log"; fail "$arch: it does not compile"; continue; }
  clean=$(grep -c ' 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads' "$work/log" || true)
  [ "$clean" = $kernels ] || fail "$arch: $clean of $kernels kernels have no stack and no spills"
  used=$(sed -n 's/.*Used \([0-9]*\) registers.*/\1/p' "$work/log" | sort -n | tail -1)
  [ -n "$used" ] && [ "$used" -le $registers ] || fail "$arch: ${used:-no} registers; at most $registers"
  "$nvcc" "${flags[@]/code=sm_$arch/code=compute_$arch}" -ptx "$source" -o "$work/kernel.ptx"
  # One count a kernel: its own text is between .entry and the closing brace.
  awk -v loads=$loads -v stores=$stores -v arch=$arch '
    /\.entry/ { inside = 1; n++; l = s = bad = 0 }
    inside && /ld\.global\.nc\.L1::no_allocate\.v4/ { l++ }
    inside && /st\.global\.cs\.v4/ { s++ }
    inside && /(ld|st)\.local/ { bad++ }
    inside && /^}/ { inside = 0
      if (l < loads || s < stores || bad) { print "FAILED " arch ": kernel " n " has " l " wide loads, " s " wide stores, " bad " local accesses"; f = 1 } }
    END { if (n != 2) { print "FAILED " arch ": " n " kernels in the PTX"; f = 1 }; exit f }' "$work/kernel.ptx" || failed=1
  echo "sm_$arch: $clean kernels without stack and spills, at most $used registers"
done

# The projections: `rotate`, and `products` once a mode. How many matrix instructions the text of one mode must have
# follows from its tile: 2 x 4 fragments a warp, a step of 16, two kinds of tile in one kernel.
source=kernels/multi_head_qkv_projection_with_rope_backward/qkv_rope_bwd.cu
fragments=$((2 * 4)) kinds=2
registers=168        # 65536 / (3 blocks * 128 threads), in eights
for arch in 90a 100a; do
  flags=(-std=c++20 -O3 -gencode "arch=compute_$arch,code=sm_$arch" -Werror all-warnings -Ikernels/cuda -Iinclude)
  "$nvcc" "${flags[@]}" -Xptxas -v -c "$source" -o "$work/kernel.o" 2>"$work/log" || { cat "$work/log"; fail "$arch: it does not compile"; continue; }
  clean=$(grep -c ' 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads' "$work/log" || true)
  [ "$clean" = 5 ] || fail "$arch: $clean of 5 kernels of the projections have no stack and no spills"
  used=$(sed -n 's/.*Used \([0-9]*\) registers.*/\1/p' "$work/log" | sort -n | tail -1)
  [ -n "$used" ] && [ "$used" -le $registers ] || fail "$arch: ${used:-no} registers; at most $registers"
  "$nvcc" "${flags[@]/code=sm_$arch/code=compute_$arch}" -ptx "$source" -o "$work/kernel.ptx"
  # Kernel, f16 and tf32 matrix instructions, fused multiply-adds are a multiple of 64 (fp32 only).
  awk -v arch=$arch -v f=$((fragments * kinds)) '
    /\.entry/ { inside = 1; n++; name = $0; h = t = fma = bad = 0 }
    inside && /mma\.sync.*m16n8k16.*f16\.f16/ { h++ }
    inside && /mma\.sync.*m16n8k8.*tf32\.tf32/ { t++ }
    inside && /fma\.rn\.f32/ { fma++ }
    inside && /(ld|st)\.local/ { bad++ }
    inside && /^}/ { inside = 0
      wh = wt = 0
      if (name ~ /ModeE0/) wh = f
      if (name ~ /ModeE1/) wt = 2 * f
      if (name ~ /ModeE2/) wh = 3 * f
      if (h != wh || t != wt || bad || (name ~ /ModeE3/ && (fma == 0 || fma % 64))) {
        print "FAILED " arch ": " name ": " h " of " wh " f16, " t " of " wt " tf32 instructions, " fma " fma, " bad " local accesses"; e = 1 } }
    END { if (n != 5) { print "FAILED " arch ": " n " kernels in the PTX"; e = 1 }; exit e }' "$work/kernel.ptx" || failed=1
  echo "sm_$arch: $clean kernels of the projections without stack and spills, at most $used registers"
done
exit $failed
