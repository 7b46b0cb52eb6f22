# SPDX-License-Identifier: MIT
# The clang that compiles rungs for the machine, and where its headers are. Included by the root file.
#
# LAB_CLANG names it: clang 19 or newer with the NVPTX target, or the program zig of PyPI's ziglang, which
# has one inside. `./lab` fetches the second into .venv/clang (toolchain/clang.py).

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
  message(FATAL_ERROR "${clang_path} is no clang that runs: ./lab doctor fetches one")
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

# clang_prelude(mode std header...): cuda_runtime.h and these headers precompiled for clang_${mode}_flags, which saves
# two thirds of the time of a short rung. Its file is ${prelude_folder}/${mode}${std}.pch, with each header's name
# before the dot: -atomic, -algorithm, or both. The target clang_prelude makes all rungs', program_prelude those of
# modes that begin with program.
# Each builds on the one without its last header. Templates that the headers use are instantiated in it, not once more
# in each rung: half of the time to read it.
# Unlike g++, clang refuses one that does not fit: Ninja makes it again when a header changes.
set(prelude_folder ${CMAKE_BINARY_DIR}/prelude/include)
function(clang_prelude mode std)
  list(TRANSFORM clang_${mode}_flags REPLACE "^-std=.*" "-std=c++${std}" OUTPUT_VARIABLE flags)
  list(REMOVE_ITEM flags -include cuda_runtime.h)
  set(name "")
  set(base "")
  set(text "#include \"cuda_runtime.h\"\n")
  foreach(header IN LISTS ARGN)
    set(base ${prelude_folder}/${mode}${std}${name}.pch)
    set(text "#include <${header}>\n")
    get_filename_component(header ${header} NAME)
    string(APPEND name "-${header}")
  endforeach()
  if(base)
    list(APPEND flags -include-pch ${base})
  endif()
  set(header ${prelude_folder}/prelude${name}.h)
  set(made ${prelude_folder}/${mode}${std}${name}.pch)
  set(depfile ${CMAKE_BINARY_DIR}/prelude/${mode}${std}${name}.d)
  file(CONFIGURE OUTPUT ${header} CONTENT "${text}")
  add_custom_command(OUTPUT ${made}
    COMMAND ${clang_command} ${flags} -Xclang -emit-pch -Xclang -fno-pch-timestamp
      -Xclang -fpch-instantiate-templates ${header} -o ${made} -MD -MT ${made} -MF ${depfile}
    DEPENDS ${header} ${base} ${clang_path} DEPFILE ${depfile}
    COMMENT "Precompiling CUDA's headers: ${mode}, C++${std} ${ARGN}" VERBATIM)
  set(all clang_prelude)
  if(mode MATCHES "^program")
    set(all program_prelude)
  endif()
  if(NOT TARGET ${all})
    add_custom_target(${all})
  endif()
  add_custom_target(clang_prelude_${mode}${std}${name} DEPENDS ${made})
  add_dependencies(${all} clang_prelude_${mode}${std}${name})
endfunction()

# zig's clang takes the musl library for the system's. /usr/lib/gcc/... has g++'s own headers, of which only
# those that clang lacks are of use: omp.h.
# clang looks for the headers of a precompiled one, and for the one that it builds on: a sandbox must show them, too.
set(clang_system_flags -idirafter ${prelude_folder} --target=${CMAKE_SYSTEM_PROCESSOR}-linux-gnu -nostdinc -nostdinc++)
# /usr/local/include, where some systems have a toolkit of NVIDIA's, is left out: counts would depend on it.
foreach(folder IN LISTS CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
  if(folder STREQUAL "/usr/local/include")
    continue()
  elseif(folder MATCHES "/gcc/.*/include(-fixed)?$")
    list(APPEND clang_system_flags -isystem ${clang_headers} -idirafter ${folder})
  else()
    list(APPEND clang_system_flags -isystem ${folder})
  endif()
endforeach()

# NVIDIA's CCCL. What `./lab` fetches has two folders: <cuda/atomic> and the rest of libcu++; and CUB and Thrust, for
# programs and for rungs that lab.toml allows them. In other rungs they are the student's to write, and hidden.
set(LAB_CCCL "$ENV{LOCKSTEP_CCCL}" CACHE PATH "folder of CCCL's headers (cuda, cub, thrust); empty: .venv/cccl")
set(cccl_folder ${LAB_CCCL})
if(NOT IS_DIRECTORY "${cccl_folder}")
  set(cccl_folder ${CMAKE_SOURCE_DIR}/.venv/cccl)
endif()
set(cccl_version "")
if(EXISTS ${cccl_folder}/whole.txt)
  file(STRINGS ${cccl_folder}/whole.txt cccl_version)
endif()
set(cccl_library_flags "")
set(cccl_program_flags "")
if(IS_DIRECTORY ${cccl_folder}/rungs)
  set(cccl_library_flags -isystem ${cccl_folder}/programs)
  set(cccl_program_flags -isystem ${CMAKE_SOURCE_DIR}/common/cuda/older ${cccl_library_flags})
  set(cccl_folder ${cccl_folder}/rungs)
endif()

# clang refuses a __shared__ variable whose class has a destructor; nvcc warns, and calls none either. The one of
# cuda::barrier only invalidates, so it gets another name, in a copy that comes first.
set(barrier_header cuda/__barrier/barrier_block_scope.h)
if(EXISTS ${cccl_folder}/${barrier_header})
  file(READ ${cccl_folder}/${barrier_header} text)
  string(REPLACE "~barrier()" "void invalidate_at_the_end()" text "${text}")
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/prelude/cccl/${barrier_header} CONTENT "${text}" @ONLY)
  list(APPEND clang_system_flags -isystem ${CMAKE_BINARY_DIR}/prelude/cccl)
endif()
list(APPEND clang_system_flags -isystem ${cccl_folder})
