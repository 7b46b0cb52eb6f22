# SPDX-License-Identifier: MIT
# Settings that shorten the first build: a student waits for it before the first verdict.

# Most of our files take longer to compile than to run. The device, which takes most of the time of
# a judgement, asks for more.
add_compile_options($<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>)

# Several files of a library are compiled as one, so their common headers are read once. Therefore
# names in unnamed namespaces must differ within a library. OFF compiles file by file, for editors.
option(CMAKE_UNITY_BUILD "Compile several source files as one" ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 38)

# Such a long text outgrows g++'s usual 128 MiB, and then every collection of garbage walks all of it: a
# tenth of the time. With this limit nothing is collected; g++ takes 600 MB instead of 440.
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=524288>)

# A program is the same, byte for byte, in every checkout: GoogleTest's macros name files from the
# root on. So its results can be shared, too.
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=>)

# Objects are shared between checkouts where ccache is installed: paths below this checkout are
# taken relative to it.
find_program(LAB_CCACHE ccache)
mark_as_advanced(LAB_CCACHE)
if(LAB_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${LAB_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()
