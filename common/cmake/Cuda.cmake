# SPDX-License-Identifier: MIT
# Sets up CUDA for the cuda backend. Included by the root file: enable_language(CUDA) belongs there.

# The architecture of this machine's GPU, or Hopper's where there is none (CI compiles, but cannot run).
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader -i 0
    OUTPUT_VARIABLE capability RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed OR NOT capability MATCHES "^[0-9]+\\.[0-9]+$")
    set(capability 9.0)
  endif()
  string(REPLACE "." "" capability "${capability}")
  set(CMAKE_CUDA_ARCHITECTURES ${capability} CACHE STRING "compute capability, without its dot")
endif()

if(NOT DEFINED CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(nvcc_path nvcc HINTS /usr/local/cuda/bin)
  if(nvcc_path)
    set(CMAKE_CUDA_COMPILER ${nvcc_path})
  endif()
endif()
# The same for rungs and anchors: with what only Hopper has, as wgmma.
set(exact_architectures ${CMAKE_CUDA_ARCHITECTURES})
list(TRANSFORM exact_architectures REPLACE "^90$" "90a")

enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
