// SPDX-License-Identifier: MIT
// CUB's functions for the whole device, compared with the C++ library. Ends with 0 if all agree.

#include <algorithm>
#include <cstdlib>
#include <cub/cub.cuh>
#include <numeric>
#include <vector>

#include "check.h"

constexpr int kCount = 5000;

template <class T>
struct Device {
  explicit Device(const std::vector<T>& values) {
    CHECK_CUDA(cudaMalloc(&data, values.size() * sizeof(T)));
    CHECK_CUDA(cudaMemcpy(data, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Device() { cudaFree(data); }
  std::vector<T> values(size_t count) const {
    std::vector<T> result(count);
    CHECK_CUDA(cudaMemcpy(result.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return result;
  }
  T* data;
};

// First asks for the room, then calls.
template <class Call>
void call_twice(Call call) {
  size_t room_bytes = 0;
  CHECK_CUDA(call(nullptr, room_bytes));
  void* room = nullptr;
  CHECK_CUDA(cudaMalloc(&room, room_bytes));
  CHECK_CUDA(call(room, room_bytes));
  CHECK_CUDA(cudaDeviceSynchronize());
  cudaFree(room);
}

struct Square {
  __device__ int operator()(int value) const { return value * value; }
};

struct IsOdd {
  __device__ bool operator()(int value) const { return value % 2 != 0; }
};

int main() {
  std::vector<int> in(kCount), places(kCount);
  for (int& value : in) value = std::rand() % 1000 - 500;
  std::iota(places.begin(), places.end(), 0);
  Device<int> d_in(in), d_out(in), d_places(places), d_more(places), d_count({0});

  call_twice([&](void* room, size_t& bytes) {
    return cub::DeviceReduce::Sum(room, bytes, d_in.data, d_out.data, kCount);
  });
  EXPECT(d_out.values(1)[0] == std::accumulate(in.begin(), in.end(), 0));
  call_twice([&](void* room, size_t& bytes) {
    return cub::DeviceReduce::Reduce(room, bytes, d_in.data, d_out.data, kCount, cub::Min(), 7);
  });
  EXPECT(d_out.values(1)[0] == *std::min_element(in.begin(), in.end()));
  const cub::TransformInputIterator<int, Square, int*> squares(d_in.data, Square());
  call_twice([&](void* room, size_t& bytes) {
    return cub::DeviceReduce::Sum(room, bytes, squares, d_out.data, kCount);
  });
  EXPECT(d_out.values(1)[0] == std::inner_product(in.begin(), in.end(), in.begin(), 0));
  const cub::CountingInputIterator<int> numbers(10);
  call_twice([&](void* room, size_t& bytes) {
    return cub::DeviceSelect::Flagged(room, bytes, numbers, squares, d_out.data, d_count.data,
                                      kCount);
  });
  const auto first = std::find_if(in.begin(), in.end(), [](int value) { return value != 0; });
  EXPECT(d_out.values(1)[0] == 10 + static_cast<int>(first - in.begin()));
  Device<cub::KeyValuePair<int, int>> d_best({{0, 0}});
  call_twice([&](void* room, size_t& bytes) {
    return cub::DeviceReduce::ArgMax(room, bytes, d_in.data, d_best.data, kCount);
  });
  EXPECT(d_best.values(1)[0].key == std::max_element(in.begin(), in.end()) - in.begin());
  call_twice([&](void* room, size_t& bytes) {
    return cub::DeviceReduce::ArgMin(room, bytes, d_in.data, d_best.data, 0);
  });
  EXPECT(d_best.values(1)[0].key == 1 && d_best.values(1)[0].value == INT_MAX);

  call_twice([&](void* room, size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(room, bytes, d_in.data, d_out.data, kCount);
  });
  std::vector<int> expected(kCount);
  std::exclusive_scan(in.begin(), in.end(), expected.begin(), 0);
  EXPECT(d_out.values(kCount) == expected);
  call_twice([&](void* room, size_t& bytes) {
    return cub::DeviceScan::InclusiveScan(room, bytes, d_in.data, d_out.data, cub::Max(), kCount);
  });
  std::inclusive_scan(in.begin(), in.end(), expected.begin(),
                      [](int a, int b) { return std::max(a, b); });
  EXPECT(d_out.values(kCount) == expected);

  call_twice([&](void* room, size_t& bytes) {
    return cub::DeviceSelect::If(room, bytes, d_in.data, d_out.data, d_count.data, kCount, IsOdd());
  });
  expected.clear();
  std::copy_if(in.begin(), in.end(), std::back_inserter(expected), [](int v) { return v % 2; });
  EXPECT(d_count.values(1)[0] == static_cast<int>(expected.size()));
  EXPECT(d_out.values(expected.size()) == expected);

  call_twice([&](void* room, size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(room, bytes, d_in.data, d_out.data, d_places.data,
                                           d_more.data, kCount);
  });
  std::vector<int> order = places, sorted = in;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return in[a] < in[b]; });
  std::sort(sorted.begin(), sorted.end());
  EXPECT(d_out.values(kCount) == sorted && d_more.values(kCount) == order);

  call_twice([&](void* room, size_t& bytes) {
    return cub::DeviceSelect::Unique(room, bytes, d_out.data, d_more.data, d_count.data, kCount);
  });
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  EXPECT(d_more.values(sorted.size()) == sorted);

  std::vector<double> keys(kCount);
  for (double& key : keys) key = static_cast<double>(std::rand()) / 3 - 300000000;
  Device<double> d_keys(keys), d_other(keys);
  cub::DoubleBuffer<double> buffer(d_keys.data, d_other.data);
  call_twice([&](void* room, size_t& bytes) {
    return cub::DeviceRadixSort::SortKeysDescending(room, bytes, buffer, kCount);
  });
  std::sort(keys.begin(), keys.end(), std::greater<>());
  const bool is_in_other = buffer.Current() == d_other.data;
  EXPECT((is_in_other ? d_other : d_keys).values(kCount) == keys);
  return 0;
}
