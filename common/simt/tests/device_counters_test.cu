// SPDX-License-Identifier: MIT
// Memory counters against the numbers that textbooks and Nsight Compute give.
#include "device_counting.h"

namespace simt_test::counters_test {
namespace {

class Counters : public CountingTest {};

constexpr int kNumWarps = 4;
constexpr int kNumThreads = kNumWarps * 32;

template <class T>
__global__ void read_strided(const T* in, T* out, int stride, int first) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const T item = in[first + thread * stride];
  out[thread] = item;
}

template <class T>
KernelCounters read(int stride, int first = 0) {
  Managed<T> in(kNumThreads * 64 + 64), out(kNumThreads);
  simt::take_counters();
  simt::set_counting(true);
  read_strided<<<1, kNumThreads>>>(in.get(), out.get(), stride, first);
  simt::set_counting(false);
  return simt::take_counters().at(0);
}

double sectors_per_read(const KernelCounters& kernel) {
  return double(kernel.counters[Counter::kGlobalReadSectors]) /
         double(kernel.counters[Counter::kGlobalReadRequests]);
}

TEST_F(Counters, ContiguousFloatsTakeFourSectors) {
  const KernelCounters kernel = read<float>(1);
  EXPECT_EQ(kernel.name, "read_strided");
  EXPECT_EQ(kernel.counters[Counter::kLaunches], 1u);
  EXPECT_EQ(kernel.counters[Counter::kBlocks], 1u);
  EXPECT_EQ(kernel.counters[Counter::kWarps], 4u);
  EXPECT_EQ(kernel.counters[Counter::kThreads], 128u);
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadRequests], 4u);
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadSectors], 16u);
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadBytes], 512u);
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadLanes], 128u);
  EXPECT_EQ(kernel.counters[Counter::kGlobalWriteRequests], 4u);
  EXPECT_EQ(kernel.counters[Counter::kGlobalWriteSectors], 16u);
  EXPECT_EQ(kernel.counters[Counter::kDivergentBranches], 0u);
}

TEST_F(Counters, StridesTakeMoreSectors) {
  EXPECT_EQ(sectors_per_read(read<float>(0)), 1);  // broadcast
  EXPECT_EQ(sectors_per_read(read<float>(2)), 8);
  EXPECT_EQ(sectors_per_read(read<float>(4)), 16);
  EXPECT_EQ(sectors_per_read(read<float>(8)), 32);
  EXPECT_EQ(sectors_per_read(read<float>(64)), 32);
  EXPECT_EQ(sectors_per_read(read<char>(1)), 1);
  EXPECT_EQ(sectors_per_read(read<double>(1)), 8);
}

TEST_F(Counters, AMisalignedReadTakesOneSectorMore) {
  EXPECT_EQ(sectors_per_read(read<float>(1, 1)), 5);
  EXPECT_EQ(sectors_per_read(read<float>(1, 8)), 4);
}

TEST_F(Counters, AVectorIsOneRequest) {
  const KernelCounters kernel = read<float4>(1);
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadRequests], 4u);
  EXPECT_EQ(sectors_per_read(kernel), 16);
  EXPECT_EQ(kernel.counters[Counter::kGlobalWriteSectors], 64u);
  EXPECT_EQ(sectors_per_read(read<float2>(1)), 8);
}

TEST_F(Counters, AStructIsAsManyRequestsAsItHasWords) {
  const KernelCounters kernel = read<float3>(1);
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadRequests], 12u);
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadBytes], 128u * 12);
  EXPECT_EQ(sectors_per_read(kernel), 12);
}

// ---- copies that the host issues

// As cudaMemcpy2D transposes: words that are a row apart.
TEST_F(Counters, CopiesBetweenDeviceArraysCountByRows) {
  constexpr std::size_t kWord = sizeof(float), kSide = 32;
  Managed<float> in(kSide * kSide, 1), out(kSide * kSide);
  const KernelCounters column = counted([&] {
    cudaMemcpy2D(out.get(), kWord, in.get(), kSide * kWord, kWord, kSide, cudaMemcpyDefault);
  });
  EXPECT_EQ(column.name, "cudaMemcpy");
  EXPECT_EQ(column.counters[Counter::kLaunches], 0u);
  EXPECT_EQ(column.counters[Counter::kGlobalReadBytes], kSide * kWord);
  EXPECT_EQ(column.counters[Counter::kGlobalReadSectors], kSide);
  EXPECT_EQ(column.counters[Counter::kGlobalWriteSectors], kSide);
  EXPECT_EQ(column.counters[Counter::kGlobalReadLanes], kSide);
  const KernelCounters whole = counted(
      [&] { cudaMemcpy(out.get(), in.get(), kSide * kSide * kWord, cudaMemcpyDeviceToDevice); });
  EXPECT_EQ(whole.counters[Counter::kGlobalReadSectors], kSide * kSide * kWord / 32);
  EXPECT_EQ(whole.counters[Counter::kGlobalReadRequests], kSide);
  EXPECT_EQ(whole.lines.size(), 1u);
}

TEST_F(Counters, CopiesToAndFromTheHostCountOnTheDevicesSide) {
  std::vector<float> host(256, 1);
  Managed<float> device(256);
  const std::size_t size_bytes = host.size() * sizeof(float);
  const KernelCounters in =
      counted([&] { cudaMemcpy(device.get(), host.data(), size_bytes, cudaMemcpyHostToDevice); });
  EXPECT_EQ(in.counters[Counter::kGlobalReadBytes], 0u);
  EXPECT_EQ(in.counters[Counter::kGlobalWriteBytes], size_bytes);
  const KernelCounters out =
      counted([&] { cudaMemcpy(host.data(), device.get(), size_bytes, cudaMemcpyDeviceToHost); });
  EXPECT_EQ(out.counters[Counter::kGlobalReadBytes], size_bytes);
  EXPECT_EQ(out.counters[Counter::kGlobalWriteBytes], 0u);
  EXPECT_EQ(in.counters[Counter::kHostBytes] + out.counters[Counter::kHostBytes], 2 * size_bytes);

  void* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, size_bytes), cudaSuccess);
  const KernelCounters to_pinned =
      counted([&] { cudaMemcpy(pinned, device.get(), size_bytes, cudaMemcpyDefault); });
  EXPECT_EQ(to_pinned.counters[Counter::kGlobalReadBytes], size_bytes);
  EXPECT_EQ(to_pinned.counters[Counter::kGlobalWriteBytes], 0u);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

constexpr int kExposed = 64;
__device__ float d_exposed[kExposed];
__managed__ float m_exposed[kExposed];

__global__ void write_twice(float* out) {
  out[threadIdx.x] = 1;
  atomicAdd(out + threadIdx.x, 1);
}

__global__ void read_once(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; }

TEST_F(Counters, WordsThatAKernelWritesWhereTheHostReadsThemCountOncePerLaunch) {
  constexpr std::uint64_t kBytes = kExposed * sizeof(float);
  Managed<float> managed(kExposed);
  std::vector<float> registered(kExposed);
  ASSERT_EQ(cudaHostRegister(registered.data(), kBytes, 0), cudaSuccess);
  float* device = nullptr;
  float* variable = nullptr;
  ASSERT_EQ(cudaMalloc(&device, kBytes), cudaSuccess);
  ASSERT_EQ(cudaGetSymbolAddress(reinterpret_cast<void**>(&variable), d_exposed), cudaSuccess);
  const auto bytes_written = [&](Counter counter, float* out) {
    return counted([&] { write_twice<<<1, kExposed>>>(out); }).counters[counter];
  };
  for (float* const of_both : {managed.get(), registered.data(), m_exposed}) {
    EXPECT_EQ(bytes_written(Counter::kHostBytes, of_both), kBytes);
    EXPECT_EQ(bytes_written(Counter::kVariableBytes, of_both), 0u);
  }
  EXPECT_EQ(bytes_written(Counter::kHostBytes, variable), 0u);
  EXPECT_EQ(bytes_written(Counter::kVariableBytes, variable), kBytes);
  EXPECT_EQ(bytes_written(Counter::kHostBytes, device), 0u);
  EXPECT_EQ(bytes_written(Counter::kVariableBytes, device), 0u);
  const auto copied = [&](float* to) {
    return counted([&] { cudaMemcpy(to, device, kBytes, cudaMemcpyDeviceToDevice); }).counters;
  };
  EXPECT_EQ(copied(managed.get())[Counter::kHostBytes], kBytes);
  EXPECT_EQ(copied(variable)[Counter::kHostBytes], 0u);
  EXPECT_EQ(copied(variable)[Counter::kVariableBytes], kBytes);
  const auto read = [&](const float* in) {
    return counted([&] { read_once<<<1, kExposed>>>(in, device); }).counters;
  };
  EXPECT_EQ(read(managed.get())[Counter::kHostBytes], kBytes);
  EXPECT_EQ(read(variable)[Counter::kHostBytes], 0u);
  EXPECT_EQ(read(variable)[Counter::kVariableBytes], 0u);
  EXPECT_EQ(cudaHostUnregister(registered.data()), cudaSuccess);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
}

__global__ void fetch_kernel(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x);
}

TEST_F(Counters, TextureReadsAreGlobalReads) {
  Managed<float> in(64, 1), out(64);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {in.get(), cudaCreateChannelDesc<float>(), 64 * sizeof(float)};
  const cudaTextureDesc how = {};
  cudaTextureObject_t texture = 0;
  ASSERT_EQ(cudaCreateTextureObject(&texture, &resource, &how, nullptr), cudaSuccess);
  const KernelCounters kernel = counted([&] { fetch_kernel<<<1, 64>>>(texture, out.get()); });
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadRequests], 2u);
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadSectors], 8u);
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadBytes], 256u);
  EXPECT_EQ(cudaDestroyTextureObject(texture), cudaSuccess);
}

__constant__ float d_weights[32] = {1, 2};

__global__ void weigh(float* out, int stride) {
  out[threadIdx.x] = d_weights[threadIdx.x * stride];
}

TEST_F(Counters, ConstantMemoryIsFreeWhereAllLanesReadOneAddress) {
  Managed<float> out(32);
  const KernelCounters one = counted([&] { weigh<<<1, 32>>>(out.get(), 0); });
  EXPECT_EQ(one.counters[Counter::kGlobalReadRequests], 0u);
  const KernelCounters each = counted([&] { weigh<<<1, 32>>>(out.get(), 1); });
  EXPECT_EQ(each.counters[Counter::kGlobalReadRequests], 1u);
  EXPECT_EQ(each.counters[Counter::kGlobalReadSectors], 4u);
}

// ---- lines and patterns

__global__ void hinted_kernel(const float* in, const volatile float* volatile_in, float* out) {
  const int i = threadIdx.x;
  float sum = __ldg(in + i);     // hinted + 2
  sum += __ldcs(in + 2 * i);     // hinted + 3
  sum += volatile_in[3 * i];     // hinted + 4
  __stcg(out + i, sum);          // hinted + 5
  atomicAdd(out + i / 32, sum);  // hinted + 6
}
constexpr int kHintedLine = __LINE__ - 8;

TEST_F(Counters, BelongToTheStudentsLine) {
  Managed<float> in(96 * 2, 1), out(64);
  const KernelCounters kernel =
      counted([&] { hinted_kernel<<<1, 64>>>(in.get(), in.get(), out.get()); });
  const auto value = [&](int offset, Counter counter) {
    return line_of(kernel, kHintedLine + offset).counters[counter];
  };
  EXPECT_EQ(value(2, Counter::kGlobalReadSectors), 8u);
  EXPECT_EQ(value(3, Counter::kGlobalReadSectors), 16u);
  EXPECT_EQ(value(4, Counter::kGlobalReadSectors), 24u);
  EXPECT_EQ(value(5, Counter::kGlobalWriteSectors), 8u);
  EXPECT_EQ(value(6, Counter::kGlobalAtomicRequests), 2u);
  EXPECT_EQ(value(6, Counter::kGlobalAtomicMaxSameAddress), 32u);
  EXPECT_EQ(line_of(kernel, kHintedLine + 2).file, "device_counters_test.cu");
  for (const LineCounters& line : kernel.lines) EXPECT_NE(line.line, 0);
}

TEST_F(Counters, KeepThePatternOfAFullRequest) {
  const KernelCounters kernel = read<float>(2, 5);
  for (const LineCounters& line : kernel.lines) {
    for (const simt::AccessPattern& pattern : line.patterns) {
      if (pattern.access != simt::AccessKind::kRead) continue;
      EXPECT_EQ(pattern.space, simt::MemorySpace::kGlobal);
      EXPECT_EQ(pattern.size_bytes, 4);
      EXPECT_EQ(pattern.cost, 9);
      EXPECT_TRUE(contains(pattern.base, "allocation"));
      EXPECT_EQ(pattern.offsets[0], 20);
      EXPECT_EQ(pattern.offsets[31], 20 + 31 * 8);
      return;
    }
  }
  FAIL() << "no pattern of a read";
}

// ---- shared memory

constexpr int kTile = 32;

// Transposes (gridDim.x * 32)^2 items; a block of 32x8 threads does a tile.
template <int kPadding>
__global__ void transpose_tile(const float* in, float* out) {
  __shared__ float tile[kTile][kTile + kPadding];
  const int width = gridDim.x * kTile;
  for (int row = threadIdx.y; row < kTile; row += blockDim.y) {
    tile[row][threadIdx.x] =
        in[(blockIdx.y * kTile + row) * width + blockIdx.x * kTile + threadIdx.x];
  }
  __syncthreads();
  for (int row = threadIdx.y; row < kTile; row += blockDim.y) {
    out[(blockIdx.x * kTile + row) * width + blockIdx.y * kTile + threadIdx.x] =
        tile[threadIdx.x][row];
  }
}

__global__ void transpose_naive(const float* in, float* out, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  out[x * width + y] = in[y * width + x];
}

TEST_F(Counters, ANaiveTransposeStoresToAsManySectorsAsLanes) {
  Managed<float> in(256 * 256), out(256 * 256);
  const KernelCounters kernel =
      counted([&] { transpose_naive<<<dim3(8, 8), dim3(32, 32)>>>(in.get(), out.get(), 256); });
  EXPECT_EQ(kernel.counters[Counter::kGlobalWriteRequests], 2048u);
  EXPECT_EQ(kernel.counters[Counter::kGlobalWriteSectors], 2048u * 32);
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadSectors], 2048u * 4);
}

TEST_F(Counters, AColumnOfATileConflictsUnlessPadded) {
  Managed<float> in(64 * 64), out(64 * 64);
  const KernelCounters plain =
      counted([&] { transpose_tile<0><<<dim3(2, 2), dim3(32, 8)>>>(in.get(), out.get()); });
  EXPECT_EQ(plain.name, "transpose_tile<0>");
  EXPECT_EQ(plain.counters[Counter::kSharedReadRequests], 128u);
  EXPECT_EQ(plain.counters[Counter::kSharedReadConflicts], 128u * 31);
  EXPECT_EQ(plain.counters[Counter::kSharedReadWavefronts], 128u * 32);
  EXPECT_EQ(plain.counters[Counter::kSharedWriteConflicts], 0u);
  EXPECT_EQ(plain.counters[Counter::kBarriers], 4u);
  EXPECT_EQ(plain.counters[Counter::kGlobalWriteSectors], 128u * 4);
  EXPECT_EQ(plain.static_shared_bytes, 32u * 32 * 4);
  EXPECT_EQ(plain.counters[Counter::kDivergentBranches], 0u);
  const KernelCounters padded =
      counted([&] { transpose_tile<1><<<dim3(2, 2), dim3(32, 8)>>>(in.get(), out.get()); });
  EXPECT_EQ(padded.counters[Counter::kSharedReadConflicts], 0u);
  EXPECT_EQ(padded.static_shared_bytes, 32u * 33 * 4);
  bool found = false;
  for (const LineCounters& line : padded.lines) {
    for (const simt::AccessPattern& pattern : line.patterns) {
      if (pattern.space != simt::MemorySpace::kShared) continue;
      if (pattern.access != simt::AccessKind::kRead) continue;
      found = true;
      EXPECT_EQ(pattern.base, "tile");
      EXPECT_EQ(*pattern.offsets[1] - *pattern.offsets[0], 33 * 4);
      EXPECT_EQ(pattern.cost, 1);
    }
  }
  EXPECT_TRUE(found);
}

template <class T>
__global__ void shared_strided(int stride, T* out) {
  extern __shared__ unsigned char bytes[];
  T* const items = reinterpret_cast<T*>(bytes);
  items[threadIdx.x * stride] = out[threadIdx.x];
  __syncwarp();
  out[threadIdx.x] = items[threadIdx.x * stride];
}

template <class T>
std::uint64_t read_wavefronts(int stride) {
  Managed<T> out(32);
  simt::take_counters();
  simt::set_counting(true);
  shared_strided<T><<<1, 32, 32 * 32 * sizeof(T)>>>(stride, out.get());
  simt::set_counting(false);
  const KernelCounters kernel = simt::take_counters().at(0);
  EXPECT_EQ(kernel.counters[Counter::kSharedReadRequests], 1u);
  EXPECT_EQ(kernel.dynamic_shared_bytes, 32 * 32 * sizeof(T));
  EXPECT_EQ(kernel.counters[Counter::kWarpOperations], 1u);
  const std::uint64_t wavefronts = kernel.counters[Counter::kSharedReadWavefronts];
  EXPECT_EQ(kernel.counters[Counter::kSharedWriteWavefronts], wavefronts);
  const std::uint64_t ideal = std::max<std::size_t>(1, sizeof(T) / 4);
  EXPECT_EQ(kernel.counters[Counter::kSharedReadConflicts], wavefronts - ideal);
  return wavefronts;
}

TEST_F(Counters, WavefrontsFollowBanksAndPhases) {
  EXPECT_EQ(read_wavefronts<float>(1), 1u);
  EXPECT_EQ(read_wavefronts<float>(2), 2u);
  EXPECT_EQ(read_wavefronts<float>(3), 1u);
  EXPECT_EQ(read_wavefronts<float>(32), 32u);
  EXPECT_EQ(read_wavefronts<unsigned char>(1), 1u);  // four lanes to a word
  EXPECT_EQ(read_wavefronts<double>(1), 2u);
  EXPECT_EQ(read_wavefronts<double>(2), 4u);
  EXPECT_EQ(read_wavefronts<float4>(1), 4u);
  EXPECT_EQ(read_wavefronts<float4>(2), 8u);
}

// ---- atomics

__global__ void histogram(const int* in, int num_items, int* bins) {
  __shared__ int local[4];
  if (threadIdx.x < 4) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < num_items; i += gridDim.x * blockDim.x) {
    atomicAdd(&local[in[i]], 1);
  }
  __syncthreads();
  if (threadIdx.x < 4) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

TEST_F(Counters, AtomicsCountLanesAndCrowding) {
  Managed<int> in(1000, 1), bins(4);
  for (int i = 0; i < 1000; i += 2) in[i] = 3;  // half of each warp to each of two bins
  const KernelCounters kernel = counted([&] { histogram<<<2, 128>>>(in.get(), 1000, bins.get()); });
  EXPECT_EQ(bins.values(), (std::vector<int>{0, 500, 0, 500}));
  EXPECT_EQ(kernel.counters[Counter::kSharedAtomicLanes], 1000u);
  EXPECT_EQ(kernel.counters[Counter::kSharedAtomicRequests], 32u);
  EXPECT_EQ(kernel.counters[Counter::kSharedAtomicMaxSameAddress], 16u);
  EXPECT_EQ(kernel.counters[Counter::kGlobalAtomicRequests], 2u);
  EXPECT_EQ(kernel.counters[Counter::kGlobalAtomicLanes], 8u);
  EXPECT_EQ(kernel.counters[Counter::kGlobalAtomicMaxSameAddress], 1u);
  EXPECT_EQ(kernel.counters[Counter::kGlobalAtomicSectors], 2u);
  EXPECT_EQ(kernel.counters[Counter::kSharedAtomicConflicts], 31u * 15 + 3);
  EXPECT_EQ(kernel.counters[Counter::kBarriers], 4u);
}

// The first block passes `num_barriers` barriers, and each of its threads adds once.
__global__ void first_block_works(int num_barriers, int* sum) {
  if (blockIdx.x != 0) return;
  for (int i = 0; i < num_barriers; ++i) __syncthreads();
  atomicAdd(sum, 1);
}

TEST_F(Counters, TheMostOfOneBlockIsNotDilutedByEmptyBlocks) {
  Managed<int> sum(1);
  for (const int num_blocks : {1, 50}) {
    const KernelCounters kernel =
        counted([&] { first_block_works<<<num_blocks, 96>>>(7, sum.get()); });
    EXPECT_EQ(kernel.counters[Counter::kBarriersMaxPerBlock], 7u);
    EXPECT_EQ(kernel.counters[Counter::kAtomicsMaxPerBlock], 96u);
  }
  const KernelCounters twice = counted([&] {
    first_block_works<<<1, 96>>>(7, sum.get());
    first_block_works<<<1, 32>>>(2, sum.get());
  });
  EXPECT_EQ(twice.counters[Counter::kBarriersMaxPerBlock], 7u);
  EXPECT_EQ(twice.counters[Counter::kBarriers], 9u);
}

// ---- the busiest blocks

// Block b moves b + 1 sectors, one by each of its warps but the first, which updates one.
__global__ void later_blocks_read_more(const int* in, int* sum) {
  const int warp = threadIdx.x / 32;
  if (warp == 0 && threadIdx.x == 0) atomicAdd(sum, 1);
  if (warp != 0 && warp <= blockIdx.x && in[8 * warp] != 0) *sum = 0;
}

TEST_F(Counters, TheBusiestBlockOfEachLaunchCounts) {
  Managed<int> in(8 * 32), sum(1);
  const auto run = [&](int num_blocks) {
    later_blocks_read_more<<<num_blocks, 1024>>>(in.get(), sum.get());
  };
  EXPECT_EQ(counted([&] { run(1); }).counters[Counter::kBusiestBlocksSectors], 1u);
  const KernelCounters alone = counted([&] { run(6); });
  EXPECT_EQ(alone.counters[Counter::kBusiestBlocksSectors], 6u);
  EXPECT_EQ(alone.counters[Counter::kGlobalReadSectors], 5u + 4 + 3 + 2 + 1);
  const KernelCounters twice = counted([&] { run(6), run(3); });
  EXPECT_EQ(twice.counters[Counter::kBusiestBlocksSectors], 6u + 3);
}

struct Box {
  volatile int word;
  volatile int taken;
};

__global__ void send(int num_words, Box* box) {
  for (int i = 1; i <= num_words; ++i) {
    box->word = i;
    while (box->taken != i) {
    }
  }
}

// Any number of words could go to the host through one.
TEST_F(Counters, WordsThatTheHostTakesDuringALaunchCountEachTime) {
  constexpr int kNumWords = 50;
  Managed<Box> box(1);
  const KernelCounters kernel = counted([&] {
    send<<<1, 1>>>(kNumWords, box.get());
    for (int i = 1; i <= kNumWords; ++i) {
      cudaStreamQuery(nullptr);  // a turn for the kernel
      EXPECT_EQ(box.get()->word, i);
      box.get()->taken = i;
    }
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  });
  EXPECT_GE(kernel.counters[Counter::kHostBytes], kNumWords * sizeof(Box));
}

// ---- the longest warps

// Thread 0 makes num_alone requests, one after another, and all lanes of warp 1 make the others.
__global__ void work_alone(int num_alone, const float4* in, float* out) {
  __shared__ float4 vectors[32];
  __shared__ volatile float word;
  const int lane = threadIdx.x % 32;
  if (threadIdx.x >= 32) {
    const float4 vector = in[lane];                    // 4 passes
    vectors[lane] = vector;                            // 4
    __syncwarp();                                      // 1
    const float sum = vectors[lane ^ 1].x;             // 1, with conflicts
    out[lane] = __shfl_xor_sync(0xffffffffu, sum, 1);  // 2
  }
  for (int i = 0; threadIdx.x == 0 && i < num_alone; ++i) word = 1;
}

TEST_F(Counters, TheLongestWarpOfEachLaunchCounts) {
  Managed<float4> in(32);
  Managed<float> out(32);
  const auto passes = [&](auto... num_alone) {
    const KernelCounters kernel =
        counted([&] { (work_alone<<<1, 64>>>(num_alone, in.get(), out.get()), ...); });
    return kernel.counters[Counter::kBusiestWarpsPasses];
  };
  EXPECT_EQ(passes(0), 4u + 4 + 1 + 1 + 2);
  EXPECT_EQ(passes(1000), 1000u);
  EXPECT_EQ(passes(1000, 0, 20), 1000u + 12 + 20);
}

__global__ void copy_alone(const float4* in, int num_vectors, float4* out) {
  for (int i = threadIdx.x; i < num_vectors; i += blockDim.x) out[i] = in[i];
}

// Else one thread that takes 16 bytes at a time would seem to do a quarter of the work.
TEST_F(Counters, AVectorOfOneLaneTakesAsManyPassesAsThoseOfAllLanes) {
  Managed<float4> in(64);
  Managed<float4> out(64);
  const auto passes = [&](int num_threads) {
    return counted([&] { copy_alone<<<1, num_threads>>>(in.get(), 64, out.get()); })
        .counters[Counter::kBusiestWarpsPasses];
  };
  EXPECT_EQ(passes(32), 2u * 8);
  EXPECT_EQ(passes(8), 8u * 8);
  EXPECT_EQ(passes(1), 64u * 8);
}

__global__ void read_volatile_words(const volatile int* words, int num_words, int* out) {
  __shared__ volatile int tile[32];
  int sum = 0;
  if (threadIdx.x == 0) tile[0] = 1;
  for (int i = 0; threadIdx.x == 0 && i < num_words; ++i) sum += words[i] + tile[0];
  out[threadIdx.x] = sum;
}

// Only what a warp asks for once more, until it has changed, is free.
TEST_F(Counters, VolatileReadsArePassesToo) {
  Managed<int> words(100, 1);
  Managed<int> out(32);
  const auto passes = [&](int num_words) {
    return counted([&] { read_volatile_words<<<1, 32>>>(words.get(), num_words, out.get()); })
        .counters[Counter::kBusiestWarpsPasses];
  };
  EXPECT_EQ(passes(100) - passes(0), 200u);
}

// clang-format off
__global__ void wait_in_one_line(int num_waits) { for (int i = 0; threadIdx.x == 0 && i < num_waits; ++i) __syncwarp(1); } void run_waits(int num_waits) { wait_in_one_line<<<1, 32>>>(num_waits); }
// clang-format on

TEST_F(Counters, AKernelInTheLineOfItsLaunchIsCounted) {
  const KernelCounters kernel = counted([] { run_waits(100); });
  EXPECT_EQ(kernel.counters[Counter::kBusiestWarpsPasses], 100u);
  EXPECT_EQ(kernel.counters[Counter::kWarpOperations], 100u);
}

// ---- launches

__global__ void idle_kernel() {}

struct Values {
  float values[64];
};
__global__ void put_kernel(Values values, float* out) {
  out[threadIdx.x] = values.values[threadIdx.x];
}

TEST_F(Counters, LargeArgumentsAreBytesOfTheHost) {
  float* d_out = nullptr;
  ASSERT_EQ(cudaMalloc(&d_out, sizeof(Values)), cudaSuccess);
  const KernelCounters kernel = counted([&] { put_kernel<<<1, 64>>>({}, d_out); });
  EXPECT_GE(kernel.counters[Counter::kHostBytes], sizeof(Values));
  EXPECT_LT(kernel.counters[Counter::kHostBytes], sizeof(Values) + 64);
  EXPECT_EQ(cudaFree(d_out), cudaSuccess);
}

TEST_F(Counters, SumOverLaunchesAndKeepTheLastShape) {
  const KernelCounters kernel = counted([&] {
    idle_kernel<<<3, 64>>>();
    idle_kernel<<<dim3(2, 5), dim3(8, 5), 1000>>>();
  });
  EXPECT_EQ(kernel.counters[Counter::kLaunches], 2u);
  EXPECT_EQ(kernel.counters[Counter::kBlocks], 13u);
  EXPECT_EQ(kernel.counters[Counter::kWarps], 3u * 2 + 10 * 2);
  EXPECT_EQ(kernel.counters[Counter::kThreads], 3u * 64 + 10 * 40);
  EXPECT_EQ(kernel.grid.y, 5u);
  EXPECT_EQ(kernel.block.x, 8u);
  EXPECT_EQ(kernel.dynamic_shared_bytes, 1000u);
}

TEST_F(Counters, AreOffUnlessAskedFor) {
  idle_kernel<<<1, 32>>>();
  EXPECT_TRUE(simt::take_counters().empty());
}

TEST(Occupancy, NamesWhatLimitsIt) {
  EXPECT_EQ(simt::occupancy(1024, 0).blocks, 2);
  EXPECT_EQ(simt::occupancy(1024, 0).warps, 64);
  EXPECT_EQ(simt::occupancy(1024, 0).limiter, "threads");
  EXPECT_EQ(simt::occupancy(32, 0).blocks, 32);
  EXPECT_EQ(simt::occupancy(32, 0).limiter, "blocks");
  EXPECT_EQ(simt::occupancy(256, 100 << 10).blocks, 2);
  EXPECT_EQ(simt::occupancy(256, 100 << 10).warps, 16);
  EXPECT_EQ(simt::occupancy(256, 100 << 10).limiter, "shared memory");
}

}  // namespace
}  // namespace simt_test::counters_test
