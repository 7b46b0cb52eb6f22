# SPDX-License-Identifier: MIT
# The clang that compiles rungs for the machine, and where its headers are. Included by the root file.
#
# LAB_CLANG names it: clang 19 or newer with the NVPTX target, or the program zig of PyPI's ziglang, which
# has one inside. `./lab` fetches the second into .venv/clang (toolchain/clang.py).

set(on_machine ON)
set(LAB_CLANG "$ENV{LOCKSTEP_CLANG}" CACHE FILEPATH "clang 19 or newer, or ziglang's zig; empty: .venv/clang/zig")
set(clang_path ${LAB_CLANG})
if(NOT clang_path)
  set(clang_path ${CMAKE_SOURCE_DIR}/.venv/clang/zig)
endif()

set(clang_command ${clang_path})
get_filename_component(clang_name ${clang_path} NAME)
if(clang_name STREQUAL "zig")
  list(APPEND clang_command clang)
endif()
execute_process(COMMAND ${clang_command} --version OUTPUT_VARIABLE clang_version ERROR_QUIET RESULT_VARIABLE status)
if(NOT status EQUAL 0 OR NOT clang_version MATCHES "clang version ([0-9]+\\.[0-9.]+)")
  message(FATAL_ERROR "${clang_path} is no clang that runs: ./lab doctor --engine machine fetches one")
endif()
set(clang_version ${CMAKE_MATCH_1})

# The compiler's own headers; those of the C and the C++ library are the ones that g++ takes.
if(clang_name STREQUAL "zig")
  get_filename_component(clang_headers ${clang_path} DIRECTORY)
  set(clang_headers ${clang_headers}/lib/include)
else()
  execute_process(COMMAND ${clang_command} -print-resource-dir
    OUTPUT_VARIABLE clang_headers OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(clang_headers ${clang_headers}/include)
endif()
# zig's clang takes the musl library for the system's. /usr/lib/gcc/... has g++'s own headers.
set(clang_system_flags --target=${CMAKE_SYSTEM_PROCESSOR}-linux-gnu -nostdinc -nostdinc++)
# /usr/local/include, where some systems have a toolkit of NVIDIA's, is left out: counts would depend on it.
foreach(folder IN LISTS CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
  if(folder STREQUAL "/usr/local/include")
    continue()
  elseif(folder MATCHES "/gcc/.*/include(-fixed)?$")
    list(APPEND clang_system_flags -isystem ${clang_headers})
  else()
    list(APPEND clang_system_flags -isystem ${folder})
  endif()
endforeach()

# NVIDIA's CCCL, for <cuda/atomic> and its like: as clang's own headers it lies next to the compiler.
set(LAB_CCCL "$ENV{LOCKSTEP_CCCL}" CACHE PATH "folder of CCCL's headers (cuda, cub, thrust); empty: next to zig")
set(cccl_headers ${LAB_CCCL})
if(NOT cccl_headers)
  get_filename_component(cccl_headers ${clang_path} DIRECTORY)
  set(cccl_headers ${cccl_headers}/cccl)
endif()
list(APPEND clang_system_flags -isystem ${cccl_headers})
