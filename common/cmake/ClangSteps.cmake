# SPDX-License-Identifier: MIT
# What clang is told for each of a rung's three compilations: clang_device_flags (PTX as compiled),
# clang_written_flags (PTX as written), clang_host_flags. The exact counters depend on them.

# No toolkit of NVIDIA's is read, where there is one. The version decides what a launch becomes.
# An array at a struct's end has the length that it declares.
# CCCL declares functions with `...`, which clang 19 and 20 refuse for a device. Pointers of any type may point to
# the same memory, as nvcc has it.
set(clang_common_flags -x cuda -fdeclspec --cuda-gpu-arch=sm_90 --cuda-path=/nonexistent -nocudainc -nocudalib
  -Xclang -target-sdk-version=12.9 -Xclang -fcuda-allow-variadic-functions -fno-strict-aliasing
  -fstrict-flex-arrays=2
  -isystem ${common_dir}/cuda/toolkit ${clang_system_flags} -include cuda_runtime.h
  -std=c++20 -Wall -Wextra -Wconditional-uninitialized -Wno-unused-parameter -Wno-pass-failed
  -Wno-unknown-pragmas -fno-caret-diagnostics -fno-crash-diagnostics)

# Without a name of PTX's version clang takes one that does not know sm_90.
set(clang_ptx +ptx87)
if(clang_version VERSION_LESS 20)
  set(clang_ptx +ptx85)
endif()
# A kernel's malloc and free are calls, too: else memory that is never read is not allocated, and the mistakes in
# its use are gone.
set(clang_kept_calls -fno-builtin-malloc -fno-builtin-free)

# -fmath-errno keeps the C library's functions calls, which the machine answers: there are no instructions for them.
# Endless loops and accesses through null are the student's, and have to stay.
set(clang_ptx_flags --cuda-device-only -Xclang -target-feature -Xclang ${clang_ptx} -S
  ${clang_kept_calls} -Xclang -fmath-errno -ffp-contract=fast -fno-finite-loops -fno-delete-null-pointer-checks)

# As compiled: as nvcc does, which unrolls more than clang (a thread's arrays become registers, and loads wait
# together: docs/time.md), but that
#   sanitize_thread, an attribute that instruments nothing  no load moves before the condition that guards it: it
#                                                           would be a race, or reach past an array
#   memdep-block-scan-limit   a load from shared memory stays, where a store to it is far away
#   hoist and sink            two branches do not share an access: it would belong to the line of one of them
#   pick-merged               what other passes merge has one of the lines, instead of none
set(clang_optimizer_flags -O2 -mllvm -unroll-threshold=3000 -mllvm -unroll-partial-threshold=150
  -mllvm -force-attribute=sanitize_thread -mllvm -memdep-block-scan-limit=1
  -mllvm -hoist-common-insts=false -mllvm -sink-common-insts=false)
if(clang_version VERSION_GREATER_EQUAL 22)
  list(APPEND clang_optimizer_flags -mllvm -pick-merged-source-locations)
endif()
set(clang_device_flags ${clang_common_flags} ${clang_ptx_flags} ${clang_optimizer_flags} -gline-tables-only)

# As written: each index, shift and sum is compared first, by clang's code (common/device/run/sanitizer.cpp), in
# the student's text and not in headers. Its groups of such comparisons are refused for PTX.
set(clang_unchecked -Xclang -fsanitize-ignorelist=${common_dir}/cuda/toolkit/lockstep/unchecked.txt)
set(clang_written_checks -Xclang
  -fsanitize=alignment,array-bounds,integer-divide-by-zero,null,return,shift-exponent,signed-integer-overflow,unreachable
  ${clang_unchecked})
# The first half runs no pass. It needs a level of optimisation, without which clang leaves its marks of types out, and
# with which it gives a debugger's information only by these words.
set(clang_written_flags ${clang_common_flags} ${clang_ptx_flags} -O1 -Xclang -disable-lifetime-markers -g
  -Xclang -debug-info-kind=constructor ${clang_written_checks})

# lockstep_front compiles in two halves (common/device/front). The commands of the second:
set(clang_lower ${clang_command} -x ir --target=nvptx64-nvidia-cuda -march=sm_90 -Xclang -target-feature -Xclang ${clang_ptx}
  -S ${clang_kept_calls} -ffp-contract=fast)
set(clang_lower_device ${clang_lower} ${clang_optimizer_flags})
set(clang_lower_written ${clang_lower} -O0)

# As compiled, with those comparisons that addresses cannot replace: for a program with a main() of its own, which
# runs once. It costs more branches, so the counts are those of clang_device_flags. A store of a local variable that was
# never set stays, and so does the mistake in its address.
set(clang_checked_flags -Xclang -fsanitize=array-bounds,integer-divide-by-zero ${clang_unchecked}
  -ftrivial-auto-var-init=pattern)

# The host's code is as written, for the lines of its own mistakes. It does not fuse multiply-adds. A local variable
# that was never set holds a pattern, not by chance zero. An index past an array ends it with a trap, and so does a sum
# that does not fit its type, in a rung: programs may use such sums to hash (common/runtime/crash.cpp).
set(clang_rung_host_checks -Xclang -fsanitize=signed-integer-overflow -Xclang -fsanitize-trap=signed-integer-overflow)
set(clang_host_flags ${clang_common_flags} --cuda-host-only -O0 -ffp-contract=off -fno-delete-null-pointer-checks
  -Xclang -fsanitize=array-bounds,return -Xclang -fsanitize-trap=array-bounds,return ${clang_unchecked}
  -ftrivial-auto-var-init=pattern -gline-tables-only -fPIC -fno-addrsig -c)
