// SPDX-License-Identifier: MIT
#include "quiz.cuh"

namespace {

using quiz::Drawn;

const std::vector<int> kA = {1, 3, 3, 5, 7};
const std::vector<int> kB = {2, 3, 3, 6, 8};

// Merges step by step. d_from_a[k] is whether item k of the result is of a.
__global__ void merge(const int* d_a, const int* d_b, int* d_from_a) {
  int i = 0;
  int j = 0;
  for (int k = 0; k < 10; ++k) {
    const bool takes_b = i == 5 || (j < 5 && d_b[j] < d_a[i]);
    d_from_a[k] = takes_b ? 0 : 1;
    ++(takes_b ? j : i);
  }
}

std::vector<int> origins() {
  const quiz::Array<int> a(kA);
  const quiz::Array<int> b(kB);
  const quiz::Array<int> from_a(10);
  merge<<<1, 1>>>(a.get(), b.get(), from_a.get());
  return from_a.read();
}

// The place of the item with this number among those of one origin.
int place_of(int origin, int number) {
  const std::vector<int> all = origins();
  int place = 0;
  while (all[place] != origin || number-- > 0) {
    ++place;
  }
  return place;
}

void place_of_an_item(const Drawn& drawn) { quiz::answer(place_of(1, drawn["i"])); }

void place_of_an_item_of_b(const Drawn& drawn) { quiz::answer(place_of(0, drawn["j"])); }

void split_on_a_diagonal(const Drawn& drawn) {
  const std::vector<int> all = origins();
  int of_a = 0;
  for (int k = 0; k < drawn["k"]; ++k) {
    of_a += all[k];
  }
  quiz::answer(of_a);
}

// Counts the splits of the first k items that both arrays have items for.
__global__ void count_splits(int num_a, int num_b, int k, int* d_count) {
  const int i = threadIdx.x;
  if (i <= num_a && k - i >= 0 && k - i <= num_b) {
    atomicAdd(d_count, 1);
  }
}

void answers_of_a_search(const Drawn& drawn) {
  const quiz::Array<int> count(1);
  count_splits<<<1, 64>>>(10, drawn["b"], drawn["k"], count.get());
  quiz::answer(count.read()[0]);
}

__global__ void search(const long long* d_a, const long long* d_b, int steps) {
  for (int step = 0; step < steps; ++step) {
    const bool precedes = d_b[step] < d_a[step];
    static_cast<void>(precedes);
  }
}

void bytes_of_the_searches(const Drawn& drawn) {
  const quiz::Array<long long> a(32);
  const quiz::Array<long long> b(32);
  search<<<1, 32>>>(a.get(), b.get(), drawn["steps"]);
  quiz::counted("global_read_bytes / 32 / " + std::to_string(drawn["items"]));
}

__global__ void write_runs(int items) {
  __shared__ long long tile[32 * 12];
  tile[items * threadIdx.x] = threadIdx.x;
}

void wavefronts_of_runs(const Drawn& drawn) {
  write_runs<<<1, 32>>>(drawn["items"]);
  quiz::counted("shared_write_wavefronts");
}

// One pass: a thread per pair of runs, and one for a run without a partner.
__global__ void merge_pairs(int* d_runs) { atomicAdd(d_runs, 1); }

int passes_of(int runs) {
  int passes = 0;
  for (; runs > 1; ++passes) {
    const quiz::Array<int> left(1);
    merge_pairs<<<1, (runs + 1) / 2>>>(left.get());
    runs = left.read()[0];
  }
  return passes;
}

void passes_of_a_sort(const Drawn& drawn) { quiz::answer(passes_of(drawn["tiles"])); }

__global__ void read_and_write(const long long* d_in, long long* d_out) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  d_out[i] = d_in[i];
}

void bytes_of_a_sort(const Drawn& drawn) {
  const int tiles = drawn["tiles"];
  const quiz::Array<long long> in(32 * tiles);
  const quiz::Array<long long> out(32 * tiles);
  read_and_write<<<tiles, 32>>>(in.get(), out.get());
  for (int run = 1; run < tiles; run *= 2) {
    read_and_write<<<tiles, 32>>>(in.get(), out.get());
  }
  quiz::counted("(global_read_bytes + global_write_bytes) / 32 / " + std::to_string(tiles));
}

}  // namespace

int main(int argc, char** argv) {
  return quiz::run(argc, argv,
                   {{"place-of-an-item", place_of_an_item},
                    {"place-of-an-item-of-b", place_of_an_item_of_b},
                    {"split-on-a-diagonal", split_on_a_diagonal},
                    {"answers-of-a-search", answers_of_a_search},
                    {"bytes-of-the-searches", bytes_of_the_searches},
                    {"wavefronts-of-runs", wavefronts_of_runs},
                    {"passes-of-a-sort", passes_of_a_sort},
                    {"bytes-of-a-sort", bytes_of_a_sort}});
}
