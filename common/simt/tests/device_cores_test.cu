// SPDX-License-Identifier: MIT
// A launch on several cores leaves the memory, the records and the findings that it leaves on one.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "device_test.h"
#include "simt/cores.h"
#include "simt/counters.h"

namespace simt_test::cores_test {
namespace {

constexpr int kBlocks = 48;
constexpr int kThreads = 64;
constexpr int kItems = kBlocks * kThreads;

__device__ int variable[kItems];

__device__ int item() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void map(int* out, const int* in) { out[item()] = 3 * in[item()] + 1; }
__global__ void leave_out_one(int* out, const int* in) {
  if (item() != kItems - 7) out[item()] = in[item()];
}
__global__ void stencil(int* out, const int* in) {
  const int i = item();
  out[i] = in[i] + (i > 0 ? in[i - 1] : 0) + in[(i + 1000) % kItems];
}
__global__ void sum_block(int* out, const int* in) {
  __shared__ int sums[kThreads];
  __shared__ int votes;
  if (threadIdx.x == 0) votes = 0;
  sums[threadIdx.x] = in[item()];
  for (unsigned stride = kThreads / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride) sums[threadIdx.x] += sums[threadIdx.x + stride];
  }
  atomicAdd(&votes, in[item()] % 2);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = 100 * sums[0] + votes;
}
__global__ void write_bytes(int* out, const int* in) {
  reinterpret_cast<char*>(out)[item()] = static_cast<char>(in[item()]);
}
__global__ void write_odd_bytes(int* out, const int* in) {  // words that two blocks write
  if (threadIdx.x < 63) {
    reinterpret_cast<char*>(out)[blockIdx.x * 63 + threadIdx.x] = static_cast<char>(in[item()]);
  }
}
__global__ void write_vectors(int* out, const int* in) {
  if (item() % 4 == 0) reinterpret_cast<int4*>(out)[item() / 4] = make_int4(in[item()], 2, 3, 4);
}
__global__ void clear(int* out, const int*) { std::memset(out + item(), item() % 3, sizeof(int)); }
__global__ void write_variable(int* out, const int* in) {
  variable[item()] = in[item()] + 5;
  out[item()] = variable[item()];
}
struct Many {
  int values[8];
};
__noinline__ __device__ Many make(int value) {
  Many made;
  for (int& one : made.values) one = value;
  return made;
}
// g++ announces no store where a function returns a struct straight into its place.
__global__ void construct_variable(int* out, const int* in) {
  if (threadIdx.x % 8 == 0) new (variable + item()) Many(make(in[item()]));
  out[item()] = in[item()];
}
__global__ void count(int* out, const int* in) { atomicAdd(out + in[item()] % 10, 1); }
__global__ void count_plainly(int* out, const int* in) { out[in[item()] % 10] += 1; }
__global__ void pass_on(int* out, const int* in) {
  out[(item() + kThreads) % kItems] = in[item()];
  out[item()] += 1;
}
__global__ void read_ahead(int* out, const int* in) {
  out[item()] = blockIdx.x == 10 ? out[kItems - 1] + in[0] : in[item()];
}
__global__ void past_the_end(int* out, const int* in) { out[item()] = in[item() + 1]; }
__global__ void trap_late(int* out, const int* in) {
  out[item()] = in[item()];
  if (blockIdx.x == 40) __trap();
}
__global__ void print_late(int* out, const int* in) {
  out[item()] = in[item()];
  if (threadIdx.x == 0 && blockIdx.x > 20) printf("block %d\n", blockIdx.x);
}
__global__ void allocate(int* out, const int* in) {
  auto* const own = static_cast<int*>(malloc(sizeof(int)));
  *own = in[item()];
  out[item()] = *own;
  free(own);
}
__global__ void chain(int* out, const int* in) {  // each block waits for the one before
  volatile int* const ready = out + kItems / 2;
  if (threadIdx.x != 0) return;
  if (blockIdx.x > 0) {
    while (ready[blockIdx.x - 1] == 0) {
    }
  }
  __threadfence();
  ready[blockIdx.x] = 1 + in[item()] * 0;
}
__global__ void overwrite(int* out, const int*) { out[item()] = 7; }

using Kernel = void (*)(int*, const int*);

struct Case {
  const char* name;
  Kernel kernel;
  bool is_divided;
};

// Everything that one may see of a launch, and of what comes after it.
struct Seen {
  std::vector<int> values;
  std::string text;
  cudaError_t error = cudaSuccess;
  bool is_divided = false;
};

// Each run allocates anew.
std::string without_allocation_numbers(std::string text) {
  const std::string word = "allocation ";
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const auto digits = at + word.size();
    text.erase(digits, text.find_first_not_of("0123456789", digits) - digits);
  }
  return text;
}

class Cores : public DeviceTest {
 protected:
  void TearDown() override {
    simt::set_cores(1);
    simt::set_division(0.02, 0.3);
    DeviceTest::TearDown();
  }

  static Seen see(const Case& launched, int num_cores) {
    Seen seen;
    simt::set_cores(num_cores);
    simt::set_division(0, 0);  // all cases are launched in one line, so they have one name
    simt::forget_races();
    const std::uint64_t before = simt::num_divided_launches();
    testing::internal::CaptureStdout();
    std::vector<int> host(kItems);
    for (int i = 0; i < kItems; ++i) host[i] = i * 7 % 100;
    int *in = nullptr, *out = nullptr;
    cudaMalloc(&in, kItems * sizeof(int));
    cudaMalloc(&out, kItems * sizeof(int));
    cudaMemcpy(in, host.data(), kItems * sizeof(int), cudaMemcpyHostToDevice);
    if (launched.kernel == count || launched.kernel == count_plainly || launched.kernel == chain) {
      cudaMemset(out, 0, kItems * sizeof(int));
    }
    cudaStream_t streams[2];
    for (cudaStream_t& stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    launched.kernel<<<kBlocks, kThreads, 0, streams[0]>>>(out, in);
    seen.is_divided = simt::num_divided_launches() != before;
    cudaDeviceSynchronize();
    cudaMemcpy(host.data(), out, kItems * sizeof(int), cudaMemcpyDeviceToHost);  // all written?
    seen.values = host;
    int from_variable[kItems] = {};
    cudaMemcpyFromSymbol(from_variable, variable, sizeof from_variable);
    seen.values.insert(seen.values.end(), from_variable, from_variable + kItems);
    // Two launches without an ordering between them: what is remembered of the first?
    launched.kernel<<<kBlocks, kThreads, 0, streams[0]>>>(out, in);
    overwrite<<<kBlocks, kThreads, 0, streams[1]>>>(out, in);
    overwrite<<<kBlocks, kThreads, 0, streams[1]>>>(const_cast<int*>(in), in);
    seen.error = cudaDeviceSynchronize();
    simt::clear_errors();
    for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
    cudaFree(in);
    cudaFree(out);
    for (const simt::Finding& finding : simt::take_findings()) {
      seen.text += std::to_string(finding.line) + ": " + finding.message + "\n";
    }
    seen.text = without_allocation_numbers(seen.text);
    seen.text += testing::internal::GetCapturedStdout();
    cudaGetLastError();
    return seen;
  }
};

TEST_F(Cores, ChangeNothing) {
  const Case cases[] = {
      {"map", map, true},
      {"leave_out_one", leave_out_one, true},
      {"stencil", stencil, true},
      {"sum_block", sum_block, true},
      {"write_bytes", write_bytes, true},
      {"write_odd_bytes", write_odd_bytes, false},
      {"write_vectors", write_vectors, true},
      {"clear", clear, true},
      {"write_variable", write_variable, true},
      {"construct_variable", construct_variable, true},
      {"count", count, false},
      {"count_plainly", count_plainly, false},
      {"pass_on", pass_on, false},
      {"read_ahead", read_ahead, false},
      {"past_the_end", past_the_end, false},
      {"trap_late", trap_late, false},
      {"print_late", print_late, false},
      {"allocate", allocate, false},
      {"chain", chain, false},
  };
  for (const Case& launched : cases) {
    SCOPED_TRACE(launched.name);
    const Seen on_one = see(launched, 1);
    EXPECT_FALSE(on_one.is_divided);
    std::vector<int> numbers = {3};
    if (launched.kernel == stencil) numbers.push_back(kBlocks);  // more than blocks that are left
    for (const int num_cores : numbers) {
      const Seen on_more = see(launched, num_cores);
      EXPECT_EQ(on_more.is_divided, launched.is_divided);
      EXPECT_EQ(on_more.values, on_one.values);
      EXPECT_EQ(on_more.text, on_one.text);
      EXPECT_EQ(on_more.error, on_one.error);
    }
  }
}

// Of a kernel that is not divided because of its order, its counters or other streams.
TEST_F(Cores, AreNotUsedWhereTheOrderMatters) {
  simt::set_cores(3);
  simt::set_division(0, 0);
  const std::uint64_t before = simt::num_divided_launches();
  Managed<int> in(kItems, 1), out(kItems);
  simt::set_schedule(5);
  map<<<kBlocks, kThreads>>>(out.get(), in.get());
  cudaDeviceSynchronize();
  simt::set_schedule(0);
  simt::set_counting(true);
  map<<<kBlocks, kThreads>>>(out.get(), in.get());
  cudaDeviceSynchronize();
  simt::set_counting(false);
  simt::take_counters();
  EXPECT_EQ(simt::num_divided_launches(), before);
  map<<<kBlocks, kThreads>>>(out.get(), in.get());
  EXPECT_EQ(out[kItems - 1], 4);
  EXPECT_EQ(simt::num_divided_launches(), before + 1);
}

}  // namespace
}  // namespace simt_test::cores_test
