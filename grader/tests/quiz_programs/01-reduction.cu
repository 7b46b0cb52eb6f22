// SPDX-License-Identifier: MIT
#include <algorithm>

#include "quiz.cuh"

namespace {

using quiz::Drawn;

__global__ void count_sums(long long* d_items, int block) {
  *d_items = (*d_items + block - 1) / block;
}

void launches(const Drawn& drawn) {
  const quiz::Array<long long> items(std::vector<long long>{drawn["items"]});
  do {
    count_sums<<<1, 1>>>(items.get(), drawn["block"]);
  } while (items.read()[0] > 1);
  quiz::counted("launches");
}

// Each addition is an atomic one, so that the counters count it.
__global__ void sum_tree(int* d_items, int num_items) {
  for (int half = num_items / 2; half > 0; half /= 2) {
    for (int i = threadIdx.x; i < half; i += blockDim.x) {
      atomicAdd(&d_items[i], d_items[i + half]);
    }
    __syncthreads();
  }
}

void sum_by_tree(int num_items) {
  const quiz::Array<int> items(std::vector<int>(num_items, 1));
  const int threads = std::min(num_items, 1024);
  sum_tree<<<1, threads>>>(items.get(), num_items);
  quiz::require(items.read()[0] == num_items, "the tree's sum is wrong");
}

void barriers_of_a_tree(const Drawn& drawn) {
  sum_by_tree(drawn["threads"]);
  quiz::counted("barriers");
}

void additions_of_a_tree(const Drawn& drawn) {
  sum_by_tree(drawn["items"]);
  quiz::counted("global_atomic_lanes");
}

__global__ void add_every(int* d_out, int step) {
  const int t = threadIdx.x;
  if (t % step == 0) {
    d_out[t] += d_out[t + step / 2];
  }
}

void warps_interleaved(const Drawn& drawn) {
  const quiz::Array<int> items(2 * drawn["threads"]);
  add_every<<<1, drawn["threads"]>>>(items.get(), drawn["step"]);
  quiz::counted("divergent_branches");
}

__global__ void add_below(int* d_out, int stride) {
  const int t = threadIdx.x;
  if (t < stride) {
    d_out[t] += d_out[t + stride];
  }
}

void warps_contiguous(const Drawn& drawn) {
  const quiz::Array<int> items(512);
  add_below<<<1, 256>>>(items.get(), drawn["stride"]);
  quiz::counted("divergent_branches");
}

__global__ void read_tile(float* d_out, int stride) {
  __shared__ float tile[2048];
  d_out[threadIdx.x] = tile[stride * threadIdx.x];
}

void bank_conflicts(const Drawn& drawn) {
  const quiz::Array<float> out(32);
  read_tile<<<1, 32>>>(out.get(), drawn["stride"]);
  quiz::counted("shared_read_wavefronts");
}

__global__ void read_strided(const float* d_in, float* d_out, int stride) {
  d_out[threadIdx.x] = d_in[stride * threadIdx.x];
}

void sectors_of_a_stride(const Drawn& drawn) {
  const quiz::Array<float> in(32 * drawn["stride"]);
  const quiz::Array<float> out(32);
  read_strided<<<1, 32>>>(in.get(), out.get(), drawn["stride"]);
  quiz::counted("global_read_sectors");
}

__global__ void add_down(int* d_values, int distance) {
  int value = d_values[threadIdx.x];
  value += __shfl_down_sync(0xff, value, distance, 8);
  d_values[threadIdx.x] = value;
}

void shuffle_steps(const Drawn& drawn) {
  const quiz::Array<int> values(std::vector<int>{drawn["a"], 1, 4, 1, 5, 9, 2, 6});
  add_down<<<1, 8>>>(values.get(), drawn["distance"]);
  std::vector<int> sums = values.read();
  sums.resize(4);
  quiz::answer(sums);
}

__global__ void sum_items(unsigned long long* d_sum, int num_items, int each) {
  __shared__ int mine[256];
  const int first = (blockIdx.x * 256 + threadIdx.x) * each;
  const int end = min(first + each, num_items);
  mine[threadIdx.x] = max(end - first, 0);  // as many items of value 1
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (const int items : mine) {
      sum += items;
    }
    atomicAdd(d_sum, static_cast<unsigned long long>(sum));
  }
}

void atomics_of_reduction(const Drawn& drawn) {
  const int items = drawn["items"];
  const quiz::Array<unsigned long long> sum(1);
  int blocks = 1;
  while (static_cast<long long>(blocks) * 256 * drawn["each"] < items) {
    ++blocks;
  }
  sum_items<<<blocks, 256>>>(sum.get(), items, drawn["each"]);
  quiz::require(sum.read()[0] == static_cast<unsigned long long>(items), "items are left out");
  quiz::counted("global_atomic_lanes");
}

}  // namespace

int main(int argc, char** argv) {
  return quiz::run(argc, argv,
                   {{"launches", launches},
                    {"barriers-of-a-tree", barriers_of_a_tree},
                    {"additions-of-a-tree", additions_of_a_tree},
                    {"warps-interleaved", warps_interleaved},
                    {"warps-contiguous", warps_contiguous},
                    {"bank-conflicts", bank_conflicts},
                    {"sectors-of-a-stride", sectors_of_a_stride},
                    {"shuffle-steps", shuffle_steps},
                    {"atomics-of-reduction", atomics_of_reduction}});
}
