// SPDX-License-Identifier: MIT
// Runs the cases on a GPU, and writes what it computed.
//   run_on_gpu LIST FOLDER_OF_CUBINS OUT
// OUT/results.bin is for the repository (cases.h). OUT/raw.bin has every value, in the order of the
// list, results one after another, each in the bytes of its register: to look at differences.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#include "cases.h"

namespace {

constexpr int kPerModule = 160;  // generate.py

void check(cudaError_t error, const std::string& what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what.c_str(), cudaGetErrorString(error));
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  using namespace opcodes;
  const std::vector<Case> cases = read_cases(argv[1]);
  std::uint64_t *d_in = nullptr, *d_out = nullptr;
  constexpr int kMostRows = 64;
  check(cudaMalloc(&d_in, kMostRows * kNumTuples * 8), "cudaMalloc");
  check(cudaMalloc(&d_out, kMostRows * kNumTuples * 8), "cudaMalloc");
  std::string results, raw;
  cudaLibrary_t library = nullptr;
  for (std::size_t n = 0; n < cases.size(); ++n) {
    const Case& made = cases[n];
    if (n % kPerModule == 0) {
      if (library != nullptr) check(cudaLibraryUnload(library), "cudaLibraryUnload");
      char name[32];
      std::snprintf(name, sizeof name, "/module%02d.cubin", static_cast<int>(n / kPerModule));
      check(cudaLibraryLoadFromFile(&library, (argv[2] + std::string(name)).c_str(), nullptr,
                                    nullptr, 0, nullptr, nullptr, 0),
            name);
    }
    cudaKernel_t kernel = nullptr;
    check(cudaLibraryGetKernel(&kernel, library, ("k" + std::to_string(n)).c_str()), made.text);
    std::vector<std::uint64_t> in(made.sources.size() * kNumTuples);
    for (std::size_t s = 0; s < made.sources.size(); ++s) {
      for (int i = 0; i < kNumTuples; ++i) {
        in[s * kNumTuples + i] = operand(made.sources[s].second, i, static_cast<int>(s));
      }
    }
    check(cudaMemcpy(d_in, in.data(), in.size() * 8, cudaMemcpyHostToDevice), "cudaMemcpy");
    check(cudaMemset(d_out, 0, kMostRows * kNumTuples * 8), "cudaMemset");
    void* arguments[] = {&d_in, &d_out};
    check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), kNumTuples / 256, 256, arguments,
                           0, nullptr),
          made.text);
    Values values(made.results.size() * kNumTuples);
    check(cudaMemcpy(values.data(), d_out, values.size() * 8, cudaMemcpyDeviceToHost), made.text);
    append_record(&results, made, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const int size = value_bytes(made.results[i / kNumTuples]);
      for (int k = 0; k < size; ++k) raw += static_cast<char>(values[i] >> 8 * k);
    }
  }
  const auto write = [&](const char* name, const std::string& bytes) {
    std::ofstream(argv[3] + std::string(name), std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  };
  write("/results.bin", results);
  write("/raw.bin", raw);
  std::printf("%zu cases, results.bin %zu bytes, raw.bin %zu bytes\n", cases.size(), results.size(),
              raw.size());
  return 0;
}
