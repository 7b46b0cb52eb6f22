# SPDX-License-Identifier: MIT
# Warnings are errors in our own C++; nvcc passes them on for the host half of its files.
add_library(lockstep_warnings INTERFACE)
target_compile_options(lockstep_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Werror>
  # GCC 12 sees overlapping copies inside std::string where there are none (its bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:$<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Werror>)
