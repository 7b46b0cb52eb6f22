// SPDX-License-Identifier: MIT
// Compares lab 07's occupancy formula with this machine's driver, for kernels of many shapes. The
// GPU must be one that architectures.cuh knows. Run it by `docs/bench/measure occupancy`.
//
// Writes one JSON object; its exit status is 0 when formula and driver agree everywhere.
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "architectures.cuh"
#include "scheduling.cuh"

namespace {

// Keeps kNumValues values alive at a time, so about as many registers.
template <int kNumValues>
__global__ void busy_kernel(float* d_values, int num_rounds) {
  float values[kNumValues];
#pragma unroll
  for (int i = 0; i < kNumValues; ++i) values[i] = d_values[i * blockDim.x + threadIdx.x];
  for (int round = 0; round < num_rounds; ++round) {
#pragma unroll
    for (int i = 0; i < kNumValues; ++i) values[i] *= values[(i + 1) % kNumValues];
  }
#pragma unroll
  for (int i = 0; i < kNumValues; ++i) d_values[i * blockDim.x + threadIdx.x] = values[i];
}

using Kernel = void (*)(float*, int);

template <int... kIndices>
std::vector<Kernel> kernels(std::integer_sequence<int, kIndices...>) {
  return {busy_kernel<2 * (kIndices + 1)>...};
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(3);
}

const lab::Architecture* find_architecture(const cudaDeviceProp& device) {
  const std::string capability = std::to_string(device.major) + "." + std::to_string(device.minor);
  for (const lab::Architecture& machine : lab::kArchitectures) {
    if (capability == machine.compute_capability) return &machine;
  }
  return nullptr;
}

}  // namespace

int main() {
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0));
  const lab::Architecture* machine = find_architecture(device);
  if (machine == nullptr) {
    std::fprintf(stderr, "architectures.cuh does not know an sm_%d%d\n", device.major,
                 device.minor);
    return 2;
  }
  std::set<int> register_counts;
  std::set<lab::Limiter> limiters;
  int num_compared = 0;
  int num_different = 0;
  const auto max_shared_bytes = static_cast<int>(device.sharedMemPerBlockOptin);
  for (const Kernel kernel : kernels(std::make_integer_sequence<int, 40>{})) {
    cudaFuncAttributes used;
    check(cudaFuncGetAttributes(&used, kernel));
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               max_shared_bytes));
    register_counts.insert(used.numRegs);
    for (int shared_bytes = 0; shared_bytes <= max_shared_bytes; shared_bytes += 1000) {
      for (int num_threads = 16; num_threads <= 1024; num_threads += 16) {
        int num_blocks = 0;
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &num_blocks, kernel, num_threads, static_cast<std::size_t>(shared_bytes)));
        const lab::Residency ours =
            lab::residency(machine->limits, {num_threads, used.numRegs, shared_bytes});
        ++num_compared;
        limiters.insert(ours.limiter);
        if (ours.num_blocks == num_blocks) continue;
        if (++num_different > 20) continue;
        std::fprintf(stderr, "%d threads, %d registers, %d bytes: formula %d, driver %d blocks\n",
                     num_threads, used.numRegs, shared_bytes, ours.num_blocks, num_blocks);
      }
    }
  }
  std::printf(
      "{\"gpu\": \"%s\", \"architecture\": \"%s\", \"compared\": %d, \"different\": %d,\n"
      " \"register_counts\": %zu, \"fewest_registers\": %d, \"most_registers\": %d,"
      " \"limiters_met\": %zu}\n",
      device.name, machine->name, num_compared, num_different, register_counts.size(),
      *register_counts.begin(), *register_counts.rbegin(), limiters.size());
  return num_different == 0 ? 0 : 1;
}
