// SPDX-License-Identifier: MIT
// CUB's functions for warps and blocks, compared with plain loops. Ends with 0 if all agree.
#include <algorithm>
#include <cstdlib>
#include <cub/cub.cuh>
#include <numeric>
#include <vector>

#include "check.h"

constexpr int kThreads = 96, kItems = 3, kTile = kThreads * kItems;

__global__ void reduce_kernel(const int* in, int* out, int num_valid) {
  using Reduce = cub::BlockReduce<int, kThreads>;
  __shared__ typename Reduce::TempStorage temp;
  const int item = in[threadIdx.x];
  const int sum = Reduce(temp).Sum(item);
  __syncthreads();
  const int some = Reduce(temp).Reduce(item, cub::Max(), num_valid);
  __syncthreads();
  int items[2] = {item, 1};
  const int both = Reduce(temp).Sum(items);
  if (threadIdx.x == 0) out[0] = sum, out[1] = some, out[2] = both;

  using WarpReduce = cub::WarpReduce<int, 8>;
  __shared__ typename WarpReduce::TempStorage parts[kThreads / 8];
  const int part = WarpReduce(parts[threadIdx.x / 8]).Sum(item);
  if (threadIdx.x % 8 == 0) out[3 + threadIdx.x / 8] = part;
}

// Goes on from tile to tile.
struct RunningSum {
  int so_far;
  __device__ int operator()(int aggregate) {
    const int before = so_far;
    so_far += aggregate;
    return before;
  }
};

__global__ void scan_kernel(const int* in, int* out, int* totals, int num_items) {
  using Load = cub::BlockLoad<int, kThreads, kItems, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<int, kThreads, kItems, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  using Scan = cub::BlockScan<int, kThreads>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Scan::TempStorage scan;
  } temp;
  RunningSum running{0};
  for (int begin = 0; begin < num_items; begin += kTile) {
    int items[kItems];
    Load(temp.load).Load(in + begin, items, num_items - begin, 0);
    __syncthreads();
    Scan(temp.scan).ExclusiveSum(items, items, running);
    __syncthreads();
    Store(temp.store).Store(out + begin, items, num_items - begin);
    __syncthreads();
  }
  int inclusive, aggregate;
  Scan(temp.scan).InclusiveScan(static_cast<int>(threadIdx.x), inclusive, cub::Max(), aggregate);
  if (threadIdx.x == 40) totals[0] = inclusive, totals[1] = aggregate;
  int before, in_warp;
  using WarpScan = cub::WarpScan<int>;
  __shared__ typename WarpScan::TempStorage warps[kThreads / 32];
  WarpScan(warps[threadIdx.x / 32]).ExclusiveSum(1, before, in_warp);
  if (threadIdx.x == 70) totals[2] = before, totals[3] = in_warp;
}

__global__ void sort_kernel(const float* in, float* out, int* places) {
  using Sort = cub::BlockRadixSort<float, kThreads, kItems, int>;
  __shared__ typename Sort::TempStorage temp;
  float keys[kItems];
  int values[kItems];
  cub::LoadDirectBlocked(static_cast<int>(threadIdx.x), in, keys);
  for (int i = 0; i < kItems; ++i) values[i] = static_cast<int>(threadIdx.x) * kItems + i;
  Sort(temp).Sort(keys, values);
  cub::StoreDirectBlocked(static_cast<int>(threadIdx.x), out, keys);
  cub::StoreDirectBlocked(static_cast<int>(threadIdx.x), places, values);
}

struct Minus {
  __device__ int operator()(int item, int neighbour) const { return item - neighbour; }
};

// Rows of the outcome: differences to the left and to the right, and the items of parts of a warp,
// striped and back.
__global__ void neighbours_kernel(const int* in, int* out, int num_valid) {
  using Difference = cub::BlockAdjacentDifference<int, kThreads>;
  using Exchange = cub::WarpExchange<int, kItems, 16>;
  __shared__ typename Difference::TempStorage temp;
  __shared__ typename Exchange::TempStorage parts[kThreads / 16];
  const int thread = static_cast<int>(threadIdx.x), part = thread / 16;
  int items[kItems], changed[kItems];
  cub::LoadDirectBlocked(thread, in, items);
  Difference(temp).SubtractLeft(items, changed, Minus(), 1000);
  cub::StoreDirectBlocked(thread, out, changed);
  __syncthreads();
  for (int i = 0; i < kItems; ++i) changed[i] = items[i];
  Difference(temp).SubtractRightPartialTile(changed, changed, Minus(), num_valid);
  cub::StoreDirectBlocked(thread, out + kTile, changed);
  Exchange(parts[part]).BlockedToStriped(items, changed);
  for (int i = 0; i < kItems; ++i) {
    out[2 * kTile + part * 16 * kItems + i * 16 + thread % 16] = changed[i];
  }
  __syncwarp();
  Exchange(parts[part]).StripedToBlocked(changed, changed);
  cub::StoreDirectBlocked(thread, out + 3 * kTile, changed);
}

template <class T>
struct Device {
  explicit Device(const std::vector<T>& values) {
    CHECK_CUDA(cudaMalloc(&data, values.size() * sizeof(T)));
    CHECK_CUDA(cudaMemcpy(data, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    count = values.size();
  }
  ~Device() { cudaFree(data); }
  std::vector<T> values() const {
    std::vector<T> result(count);
    CHECK_CUDA(cudaMemcpy(result.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return result;
  }
  T* data;
  size_t count;
};

int main() {
  std::vector<int> in(1000);
  for (int& value : in) value = std::rand() % 2001 - 1000;
  Device<int> d_in(in), d_out(std::vector<int>(1000)), d_totals(std::vector<int>(16));

  reduce_kernel<<<1, kThreads>>>(d_in.data, d_out.data, 50);
  std::vector<int> out = d_out.values();
  const int sum = std::accumulate(in.begin(), in.begin() + kThreads, 0);
  EXPECT(out[0] == sum && out[2] == sum + kThreads);
  EXPECT(out[1] == *std::max_element(in.begin(), in.begin() + 50));
  for (int part = 0; part < kThreads / 8; ++part)
    EXPECT(out[3 + part] == std::accumulate(&in[8 * part], &in[8 * part] + 8, 0));

  scan_kernel<<<1, kThreads>>>(d_in.data, d_out.data, d_totals.data, 1000);
  std::vector<int> sums(1000);
  std::exclusive_scan(in.begin(), in.end(), sums.begin(), 0);
  EXPECT(d_out.values() == sums);
  const std::vector<int> totals = d_totals.values();
  EXPECT(totals[0] == 40 && totals[1] == kThreads - 1 && totals[2] == 70 % 32 && totals[3] == 32);

  Device<int> d_rows(std::vector<int>(4 * kTile));
  const int num_valid = kTile - 5;
  neighbours_kernel<<<1, kThreads>>>(d_in.data, d_rows.data, num_valid);
  const std::vector<int> rows = d_rows.values();
  for (int i = 0; i < kTile; ++i) {
    EXPECT(rows[i] == in[i] - (i == 0 ? 1000 : in[i - 1]));
    EXPECT(rows[kTile + i] == (i < num_valid - 1 ? in[i] - in[i + 1] : in[i]));
    EXPECT(rows[2 * kTile + i] == in[i] && rows[3 * kTile + i] == in[i]);
  }
  using Bits = cub::Traits<float>;
  const float ordered[] = {-2.5f, -1.0f, 0.5f, 3.0f};
  for (int i = 0; i < 4; ++i) {
    const auto bits = Bits::TwiddleIn(__builtin_bit_cast(unsigned, ordered[i]));
    EXPECT(i == 0 || bits > Bits::TwiddleIn(__builtin_bit_cast(unsigned, ordered[i - 1])));
    EXPECT(__builtin_bit_cast(float, Bits::TwiddleOut(bits)) == ordered[i]);
  }

  std::vector<float> keys(kTile);
  for (float& key : keys) key = static_cast<float>(std::rand() % 100 - 50) / 4;
  std::vector<int> order(kTile);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] < keys[b]; });
  Device<float> d_keys(keys), d_sorted(keys);
  Device<int> d_places(order);
  sort_kernel<<<1, kThreads>>>(d_keys.data, d_sorted.data, d_places.data);
  EXPECT(d_places.values() == order);
  std::sort(keys.begin(), keys.end());
  EXPECT(d_sorted.values() == keys);
  return 0;
}
