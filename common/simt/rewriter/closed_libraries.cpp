// SPDX-License-Identifier: MIT
#include "closed_libraries.h"

#include <algorithm>
#include <array>
#include <string>

namespace simt::rewriter {
namespace {

struct Library {
  std::string_view beginning;  // of its headers' names
  std::string_view name;
  std::string_view why =
      "is not part of the emulator: write this part as kernels of your own, or run the program on "
      "a GPU";
};

constexpr std::array kLibraries = {
    Library{"cublas", "cuBLAS"},
    Library{"cusparse", "cuSPARSE"},
    Library{"cufft", "cuFFT"},
    Library{"curand_mtgp32", "the generator MTGP32 of cuRAND"},
    Library{"curand_", "this header of cuRAND (include curand_kernel.h)"},
    Library{"cusolver", "cuSOLVER"},
    Library{"cutensor", "cuTENSOR"},
    Library{"cudnn", "cuDNN"},
    Library{"nccl", "NCCL"},
    Library{"nvrtc", "NVRTC, the compiler at run time,"},
    Library{"nvJitLink", "the linker at run time"},
    Library{"nvml", "NVML"},
    Library{"npp", "NPP"},
    Library{"nvjpeg", "nvJPEG"},
    Library{"nvgraph", "nvGRAPH"},
    Library{"nvscibuf", "NvSci"},
    Library{"nvscisync", "NvSci"},
    Library{
        "thrust/", "Thrust",
        "comes with NVIDIA's CCCL, and this header is not here: install the CUDA toolkit, or let "
        "`./lab --nvcc doctor` fetch CCCL"},
    Library{"cub/", "this header of CUB"},
    Library{"cutlass/", "CUTLASS"},
    Library{"cute/", "CuTe"},
    Library{"cuda_fp6", "the 6-bit floating-point format"},
    Library{"cuda_fp4", "the 4-bit floating-point format"},
    Library{"cudaGL.h", "OpenGL"},
    Library{"cuda_gl_interop.h", "OpenGL"},
    Library{"cuda_egl_interop.h", "EGL"},
    Library{"cudaEGL.h", "EGL"},
    Library{"cuda_vdpau_interop.h", "VDPAU"},
    Library{"cuda_d3d", "Direct3D"},
};

// Those of closed libraries that the emulator has.
constexpr std::array<std::string_view, 1> kOwnHeaders = {"curand_kernel.h"};

const Library* library_of(std::string_view header) {
  if (std::find(kOwnHeaders.begin(), kOwnHeaders.end(), header) != kOwnHeaders.end()) {
    return nullptr;
  }
  for (const Library& library : kLibraries) {
    if (header.substr(0, library.beginning.size()) == library.beginning) return &library;
  }
  return nullptr;
}

}  // namespace

std::string_view missing_library(std::string_view header) {
  const Library* const library = library_of(header);
  return library == nullptr ? "" : library->name;
}

bool is_cubs(std::string_view header) { return header.substr(0, 4) == "cub/"; }
bool is_thrusts(std::string_view header) { return header.substr(0, 7) == "thrust/"; }
bool is_libcuxxs(std::string_view header) { return header.substr(0, 5) == "cuda/"; }

void refuse_closed_library(const Include& include, Edits& edits) {
  const Library* const library = library_of(include.name);
  if (library == nullptr) return;
  // One line, as before, so that no later line changes its number.
  edits.replace(include.directive, include.end,
                "#error " + std::string(library->name) + " " + std::string(library->why));
}

}  // namespace simt::rewriter
