// SPDX-License-Identifier: MIT
#include <algorithm>

#include "quiz.cuh"

namespace {

using quiz::Drawn;

__global__ void skip_digit(int* d_bits_left, int digit) { *d_bits_left -= digit; }

void passes(const Drawn& drawn) {
  const quiz::Array<int> left(std::vector<int>{drawn["bits"]});
  while (left.read()[0] > 0) {
    skip_digit<<<1, 1>>>(left.get(), drawn["digit"]);
  }
  quiz::counted("launches");
}

// The widths of digits as CUB chooses them: 8 bits, or what is left.
void passes_of_a_range(const Drawn& drawn) {
  const quiz::Array<int> left(std::vector<int>{drawn["bits"]});
  while (const int bits = left.read()[0]) {
    skip_digit<<<1, 1>>>(left.get(), std::min(bits, 8));
  }
  quiz::counted("launches");
}

// A block per tile, and a thread per digit.
__global__ void write_counts(int* d_counts) { d_counts[threadIdx.x * gridDim.x + blockIdx.x] = 1; }

void counters_of_digits(const Drawn& drawn) {
  const int digits = 1 << drawn["digit"];
  int tiles = 0;
  for (long long keys = drawn["keys"]; keys > 0; keys -= drawn["tile"]) {
    ++tiles;
  }
  const quiz::Array<int> counts(static_cast<std::size_t>(digits) * tiles);
  write_counts<<<tiles, digits>>>(counts.get());
  quiz::counted("global_write_lanes");
}

// A kernel that reads keys counts their digits in shared memory, which costs no global traffic.
template <bool HasValues>
__global__ void count_all_digits(const unsigned* d_keys) {
  __shared__ unsigned seen[256];
  seen[threadIdx.x] = d_keys[blockIdx.x * blockDim.x + threadIdx.x];
}

template <bool HasValues>
__global__ void move_items(const unsigned* d_in, unsigned* d_out, int num_items) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int place = num_items - 1 - i;
  d_out[place] = d_in[i];
  if (HasValues) {
    d_out[num_items + place] = d_in[num_items + i];
  }
}

template <bool HasValues>
void sort_once_counted(const Drawn& drawn) {
  constexpr int kItems = 1024;
  const quiz::Array<unsigned> first(2 * kItems);
  const quiz::Array<unsigned> second(2 * kItems);
  count_all_digits<HasValues><<<kItems / 256, 256>>>(first.get());
  for (int pass = 0; pass < drawn["passes"]; ++pass) {
    const bool is_even = pass % 2 == 0;
    move_items<HasValues><<<kItems / 256, 256>>>(is_even ? first.get() : second.get(),
                                                 is_even ? second.get() : first.get(), kItems);
  }
  quiz::counted("(global_read_bytes + global_write_bytes) / 1024");
}

__global__ void take_digit(int* d_digit, int key, int pass, int bits) {
  *d_digit = key >> (pass * bits) & ((1 << bits) - 1);
}

// The digit of the last of `pass_number` + 1 passes, each of which takes the lowest bits away.
void digit_of_key(const Drawn& drawn) {
  const quiz::Array<int> digit(1);
  take_digit<<<1, 1>>>(digit.get(), drawn["key"], drawn["pass_number"], drawn["bits"]);
  quiz::answer(digit.read()[0]);
}

// A key's place: after all keys of lower digits, and after equal ones to its left.
__global__ void place_keys(const int* d_keys, int* d_places, int shift, int mask) {
  const int num_keys = blockDim.x;
  const int i = threadIdx.x;
  const int digit = d_keys[i] >> shift & mask;
  int place = 0;
  for (int other = 0; other < num_keys; ++other) {
    const int others = d_keys[other] >> shift & mask;
    place += others < digit || (others == digit && other < i) ? 1 : 0;
  }
  d_places[i] = place;
}

std::vector<int> placed(const std::vector<int>& keys, int shift, int mask) {
  const quiz::Array<int> given(keys);
  const quiz::Array<int> places(keys.size());
  place_keys<<<1, static_cast<int>(keys.size())>>>(given.get(), places.get(), shift, mask);
  return places.read();
}

void one_split(const Drawn& drawn) {
  const std::vector<int> keys = {5, 2, 7, drawn["key"], 4, 1, 3};
  const std::vector<int> places = placed(keys, drawn["bit"], 1);
  std::vector<int> sorted(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    sorted[places[i]] = keys[i];
  }
  quiz::answer(sorted);
}

void places_of_keys(const Drawn& drawn) {
  quiz::answer(placed({2, 0, drawn["a"], 1, 0, drawn["b"]}, 0, 255));
}

// A barrier per step, and an atomic addition per comparison, so that the counters count both.
__global__ void sort_bitonically(int* d_keys, int num_keys, int* d_comparisons) {
  for (int size = 2; size <= num_keys; size *= 2) {
    for (int distance = size / 2; distance > 0; distance /= 2) {
      for (int i = threadIdx.x; i < num_keys; i += blockDim.x) {
        const int partner = i ^ distance;
        if (partner > i) {
          atomicAdd(d_comparisons, 1);
          const bool is_ascending = (i & size) == 0;
          if ((d_keys[i] > d_keys[partner]) == is_ascending) {
            const int swapped = d_keys[i];
            d_keys[i] = d_keys[partner];
            d_keys[partner] = swapped;
          }
        }
      }
      __syncthreads();
    }
  }
}

void sort_by_network(int num_keys) {
  std::vector<int> keys(num_keys);
  for (int i = 0; i < num_keys; ++i) {
    keys[i] = i * 2654435761LL % 1009;
  }
  const quiz::Array<int> sorted(keys);
  const quiz::Array<int> comparisons(1);
  const int threads = std::min(num_keys, 512);
  sort_bitonically<<<1, threads>>>(sorted.get(), num_keys, comparisons.get());
  std::sort(keys.begin(), keys.end());
  quiz::require(sorted.read() == keys, "the network does not sort");
}

void bitonic_steps(const Drawn& drawn) {
  sort_by_network(drawn["keys"]);
  quiz::counted("barriers");
}

void comparisons_bitonic(const Drawn& drawn) {
  sort_by_network(drawn["keys"]);
  quiz::counted("global_atomic_lanes");
}

}  // namespace

int main(int argc, char** argv) {
  return quiz::run(argc, argv,
                   {{"passes", passes},
                    {"passes-of-a-range", passes_of_a_range},
                    {"counters-of-digits", counters_of_digits},
                    {"bytes-of-onesweep", sort_once_counted<false>},
                    {"bytes-of-pairs", sort_once_counted<true>},
                    {"digit-of-key", digit_of_key},
                    {"one-split", one_split},
                    {"places-of-keys", places_of_keys},
                    {"bitonic-steps", bitonic_steps},
                    {"comparisons-bitonic", comparisons_bitonic}});
}
