# SPDX-License-Identifier: MIT
# What clang is told for each of a rung's three compilations: clang_device_flags (PTX as compiled),
# clang_written_flags (PTX as written), clang_host_flags.

set(clang_common_flags -x cuda -fdeclspec --cuda-gpu-arch=sm_90 --cuda-path=/nonexistent -nocudainc -nocudalib
  -Xclang -target-sdk-version=12.9 -isystem ${common_dir}/cuda/toolkit ${clang_system_flags} -include cuda_runtime.h
  -std=c++20 -Wall -Wextra -Wshadow -Wconditional-uninitialized -Wno-unused-parameter -Wno-pass-failed -fno-caret-diagnostics -fno-crash-diagnostics
  -Wno-unknown-pragmas)
set(clang_ptx_flags --cuda-device-only -Xclang -target-feature -Xclang +ptx87 -S)
set(clang_device_flags ${clang_common_flags} ${clang_ptx_flags} -O2 -gline-tables-only)
# As written: each index, shift and sum is compared first, by clang's code (common/device/run/sanitizer.cpp). Its
# groups of such comparisons are refused for PTX.
set(clang_written_checks
  -Xclang -fsanitize=array-bounds,integer-divide-by-zero,return,shift-exponent,signed-integer-overflow,unreachable)
set(clang_written_flags ${clang_common_flags} ${clang_ptx_flags} -O0 -g ${clang_written_checks})
set(clang_host_flags ${clang_common_flags} --cuda-host-only -O1 -ffp-contract=off -gline-tables-only -fPIC -fno-addrsig -c)
