// SPDX-License-Identifier: MIT
// What a command costs: the time of a call of the runtime that asks the device process, and what
// copies reach. Linked to the runtime as a program is, with a kernel of one thread.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <vector>

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFunction(void** image, const char* host_function, char*, const char* name, int,
                            void*, void*, void*, void*, int*);
}

namespace {

constexpr const char* kKernel = R"(
.version 8.7
.target sm_90
.address_size 64
.visible .entry nothing(.param .u64 out)
{
ret;
}
)";

struct {
  unsigned magic = 0x466243b1;
  unsigned version = 1;
  const char* image = kKernel;
  const void* unused = nullptr;
} wrapper;

void nothing() {}

using Clock = std::chrono::steady_clock;

// The median of several rounds, in microseconds for each call.
template <class Call>
double measure(int num_calls, const Call& call) {
  std::vector<double> rounds;
  for (int round = 0; round < 9; ++round) {
    const auto begin = Clock::now();
    for (int i = 0; i < num_calls; ++i) call();
    rounds.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  std::nth_element(rounds.begin(), rounds.begin() + 4, rounds.end());
  return rounds[4] / num_calls;
}

void print(const char* what, double microseconds) {
  std::printf("%-34s %9.2f us\n", what, microseconds);
}

void print_copies(std::size_t size_bytes) {
  std::vector<char> host(size_bytes, 1);
  void* device = nullptr;
  cudaMalloc(&device, size_bytes);
  const auto rate = [&](double microseconds) {
    return static_cast<double>(size_bytes) / microseconds / 1000;
  };
  const double to =
      measure(4, [&] { cudaMemcpy(device, host.data(), size_bytes, cudaMemcpyHostToDevice); });
  const double from =
      measure(4, [&] { cudaMemcpy(host.data(), device, size_bytes, cudaMemcpyDeviceToHost); });
  std::printf("copy of %8zu bytes to the device   %9.2f us %6.2f GB/s, back %9.2f us %6.2f GB/s\n",
              size_bytes, to, rate(to), from, rate(from));
  cudaFree(device);
}

}  // namespace

int main() {
  void** const image = __cudaRegisterFatBinary(&wrapper);
  const void* const kernel = reinterpret_cast<const void*>(&nothing);
  __cudaRegisterFunction(image, static_cast<const char*>(kernel), nullptr, "nothing", -1, nullptr,
                         nullptr, nullptr, nullptr, nullptr);
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  print("cudaMemGetInfo: a round trip",
        measure(2000, [&] { cudaMemGetInfo(&free_bytes, &total_bytes); }));
  print("cudaDeviceSynchronize", measure(2000, [] { cudaDeviceSynchronize(); }));
  print("cudaMalloc and cudaFree", measure(1000, [] {
          void* pointer = nullptr;
          cudaMalloc(&pointer, 1000);
          cudaFree(pointer);
        }));
  void* out = nullptr;
  void* arguments[] = {&out};
  print("launch of one thread",
        measure(1000, [&] { cudaLaunchKernel(kernel, 1, 1, arguments, 0, nullptr); }));
  std::size_t host_only = 0;
  print("cudaPeekAtLastError: no round trip",
        measure(100'000, [&] { host_only += static_cast<std::size_t>(cudaPeekAtLastError()); }));
  for (const std::size_t size_bytes : {std::size_t{4}, std::size_t{4} << 10, std::size_t{64} << 10,
                                       std::size_t{1} << 20, std::size_t{64} << 20}) {
    print_copies(size_bytes);
  }
  return static_cast<int>(host_only);
}
