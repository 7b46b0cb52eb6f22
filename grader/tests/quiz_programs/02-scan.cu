// SPDX-License-Identifier: MIT
#include <numeric>

#include "quiz.cuh"

namespace {

using quiz::Drawn;

std::vector<int> counting(int num_items) {
  std::vector<int> items(num_items);
  std::iota(items.begin(), items.end(), 1);
  return items;
}

__global__ void add_all_before(const int* d_in, int* d_out, int num_items) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < num_items) {
    int sum = 0;
    for (int before = 0; before < i; ++before) {
      sum += d_in[before];
    }
    d_out[i] = sum;
  }
}

void work_of_rung_01(const Drawn& drawn) {
  const int items = drawn["items"];
  const quiz::Array<int> in(counting(items));
  const quiz::Array<int> out(items);
  add_all_before<<<quiz::ceil_div(items, 256), 256>>>(in.get(), out.get(), items);
  quiz::counted("global_read_lanes");
}

// Each addition is an atomic one, so that the counters count it; one barrier per step.
__global__ void hillis_steele(const int* d_in, int* d_out, int num_items, int most_steps) {
  __shared__ int buffers[2][1024];
  const int t = threadIdx.x;
  int* before = buffers[0];
  int* after = buffers[1];
  before[t] = d_in[t];
  int steps = 0;
  for (int distance = 1; distance < num_items && steps < most_steps; distance *= 2, ++steps) {
    __syncthreads();
    after[t] = before[t];
    if (t >= distance) {
      atomicAdd(&after[t], before[t - distance]);
    }
    int* const swapped = before;
    before = after;
    after = swapped;
  }
  d_out[t] = before[t];
}

void scan_by_hillis_steele(int num_items) {
  const quiz::Array<int> in(counting(num_items));
  const quiz::Array<int> out(num_items);
  hillis_steele<<<1, num_items>>>(in.get(), out.get(), num_items, num_items);
  quiz::require(out.read().back() == num_items * (num_items + 1) / 2, "the scan is wrong");
}

void steps_hillis_steele(const Drawn& drawn) {
  scan_by_hillis_steele(drawn["items"]);
  quiz::counted("barriers");
}

void additions_hillis_steele(const Drawn& drawn) {
  scan_by_hillis_steele(drawn["items"]);
  quiz::counted("shared_atomic_lanes");
}

__global__ void up_sweep(int* d_items, int num_items) {
  for (int stride = 1; stride < num_items; stride *= 2) {
    const int right = (threadIdx.x + 1) * 2 * stride - 1;
    if (right < num_items) {
      atomicAdd(&d_items[right], d_items[right - stride]);
    }
    __syncthreads();
  }
}

__global__ void down_sweep(int* d_items, int num_items) {
  if (threadIdx.x == 0) {
    d_items[num_items - 1] = 0;
  }
  for (int stride = num_items / 2; stride > 0; stride /= 2) {
    __syncthreads();
    const int right = (threadIdx.x + 1) * 2 * stride - 1;
    if (right < num_items) {
      const int left = d_items[right - stride];
      d_items[right - stride] = d_items[right];
      atomicAdd(&d_items[right], left);
    }
  }
}

std::vector<int> scan_by_blelloch(const std::vector<int>& items) {
  const int num_items = static_cast<int>(items.size());
  const quiz::Array<int> scanned(items);
  up_sweep<<<1, num_items / 2>>>(scanned.get(), num_items);
  down_sweep<<<1, num_items / 2>>>(scanned.get(), num_items);
  return scanned.read();
}

void additions_blelloch(const Drawn& drawn) {
  const int items = drawn["items"];
  quiz::require(scan_by_blelloch(counting(items)).back() == items * (items - 1) / 2,
                "the scan is wrong");
  quiz::counted("global_atomic_lanes");
}

__global__ void add_neighbour(const int* d_in, int* d_out, int distance) {
  const int t = threadIdx.x;
  d_out[t] = d_in[t] + (t >= distance ? d_in[t - distance] : 0);
}

void after_one_step(const Drawn& drawn) {
  const quiz::Array<int> in(std::vector<int>{3, 1, drawn["a"], 1, 5, 9, 2, 6});
  const quiz::Array<int> out(8);
  add_neighbour<<<1, 8>>>(in.get(), out.get(), drawn["distance"]);
  quiz::answer(out.read());
}

// The natural order of the emulator is that of the question: thread 0 first, then thread 1.
// One thread after another.
__global__ void add_in_place(int* items, int distance) {
  const int t = threadIdx.x;
  for (int turn = 0; turn < static_cast<int>(blockDim.x); ++turn) {
    if (t == turn && t >= distance) items[t] += items[t - distance];
    __syncthreads();
  }
}

void racy_step(const Drawn& drawn) {
  const quiz::Array<int> items(std::vector<int>{2, 1, drawn["a"], 1, 3, 1});
  add_in_place<<<1, 6>>>(items.get(), drawn["distance"]);
  quiz::answer(items.read());
}

void after_up_sweep(const Drawn& drawn) {
  const quiz::Array<int> items(std::vector<int>{1, 2, 3, drawn["a"], 5, 6, 7, drawn["b"]});
  up_sweep<<<1, 4>>>(items.get(), 8);
  quiz::answer(items.read());
}

void exclusive_scan(const Drawn& drawn) {
  std::vector<int> scanned = scan_by_blelloch({drawn["a"], 1, 4, drawn["b"], 5, 0, 0, 0});
  scanned.resize(5);
  quiz::answer(scanned);
}

__global__ void read_step(int* d_out, int stride, bool is_padded) {
  __shared__ int tile[2304];
  const int word = 2 * stride * static_cast<int>(threadIdx.x) + stride - 1;
  d_out[threadIdx.x] = tile[is_padded ? word + word / 32 : word];
}

void conflicts_blelloch(const Drawn& drawn) {
  const quiz::Array<int> out(32);
  read_step<<<1, 32>>>(out.get(), drawn["stride"], false);
  quiz::counted("shared_read_wavefronts");
}

void conflicts_padded(const Drawn& drawn) {
  const quiz::Array<int> out(32);
  read_step<<<1, 32>>>(out.get(), drawn["stride"], true);
  quiz::counted("shared_read_wavefronts");
}

__global__ void count_tiles(long long* d_items, int tile) {
  *d_items = (*d_items + tile - 1) / tile;
}

__global__ void step(const int* d_in, int* d_out, int distance) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  d_out[i] = i < distance ? d_in[i] : d_in[i - distance] + d_in[i];
}

void one_launch_per_step(const Drawn& drawn) {
  const int items = drawn["items"];
  const quiz::Array<int> ping(std::vector<int>(items, 1));
  const quiz::Array<int> pong(items);
  int* in = ping.get();
  int* out = pong.get();
  for (int distance = 1; distance < items; distance *= 2) {
    step<<<items / 256, 256>>>(in, out, distance);
    std::swap(in, out);
  }
  quiz::counted("2 * global_write_bytes * launches / threads");
}

void levels_of_sums(const Drawn& drawn) {
  const quiz::Array<long long> items(std::vector<long long>{drawn["items"]});
  do {
    count_tiles<<<1, 1>>>(items.get(), drawn["tile"]);
  } while (items.read()[0] > 1);
  quiz::counted("launches");
}

// states: 1 for an aggregate, 2 for a prefix; the tile that looks back is behind the last one.
__global__ void look_back(const int* states, int num_tiles) {
  for (int window = num_tiles - 1;; window -= 32) {
    const int tile = window - static_cast<int>(threadIdx.x);
    const bool is_prefix = tile < 0 || __ldcg(&states[tile]) == 2;
    if (__any_sync(0xffffffff, is_prefix)) {
      return;
    }
  }
}

void look_back_loads(const Drawn& drawn) {
  std::vector<int> states(drawn["tiles"] + 200, 1);
  states[200] = 2;
  const quiz::Array<int> kept(states);
  look_back<<<1, 32>>>(kept.get(), static_cast<int>(states.size()));
  quiz::counted("global_read_requests");
}

}  // namespace

int main(int argc, char** argv) {
  return quiz::run(argc, argv,
                   {{"work-of-rung-01", work_of_rung_01},
                    {"steps-hillis-steele", steps_hillis_steele},
                    {"additions-hillis-steele", additions_hillis_steele},
                    {"additions-blelloch", additions_blelloch},
                    {"after-one-step", after_one_step},
                    {"racy-step", racy_step},
                    {"after-up-sweep", after_up_sweep},
                    {"exclusive-scan", exclusive_scan},
                    {"conflicts-blelloch", conflicts_blelloch},
                    {"conflicts-padded", conflicts_padded},
                    {"levels-of-sums", levels_of_sums},
                    {"one-launch-per-step", one_launch_per_step},
                    {"look-back-loads", look_back_loads}});
}
