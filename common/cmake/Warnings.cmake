# SPDX-License-Identifier: MIT
# Warnings for our own C++; nvcc passes them on for the host half of its files.

# A compiler newer than ours may warn about correct code, and that must not end a user's build. Our own
# tests turn this on.
option(LAB_WARNINGS_AS_ERRORS "A warning in our own C++ ends the build" OFF)

add_library(lockstep_warnings INTERFACE)
target_compile_options(lockstep_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra>
  # GCC 12 sees overlapping copies inside std::string where there are none (its bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:$<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
if(LAB_WARNINGS_AS_ERRORS)
  target_compile_options(lockstep_warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Werror>)
endif()
