// SPDX-License-Identifier: MIT
// Times the solutions of lab 12-streams on a GPU, next to its engines by themselves: the copies in
// either direction, the kernel, and all three at once without an order. Prints one line per case.
// Run it by `docs/bench/measure streams`.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

#include "given_kernels.cuh"
#include "judge/reference.h"
#include "lab/cuda_error.cuh"
#include "streams.cuh"

namespace {

using lab::check;
using Word = std::uint32_t;
using Clock = std::chrono::steady_clock;

constexpr int kNumItems = 1 << 26;  // 256 MiB in each direction
constexpr int kRepeats = 7;

// The median time until the device is idle, in ms.
double median_ms(const std::function<void()>& work) {
  std::vector<double> times;
  for (int repeat = 0; repeat <= kRepeats; ++repeat) {
    check(cudaDeviceSynchronize());
    const auto begin = Clock::now();
    work();
    check(cudaDeviceSynchronize());
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  times.erase(times.begin());  // it warms up
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

struct Data {
  Word* h_in = nullptr;
  Word* h_out = nullptr;
  std::vector<Word> pageable_in, pageable_out;
  Word* d_in = nullptr;
  Word* d_out = nullptr;
  char* d_scratch = nullptr;
  std::size_t scratch_bytes = sizeof(Word) * 2 * kNumItems + (1 << 20);
  cudaStream_t streams[3] = {};

  Data() : pageable_in(kNumItems), pageable_out(kNumItems) {
    const std::size_t size_bytes = sizeof(Word) * kNumItems;
    check(cudaMallocHost(&h_in, size_bytes));
    check(cudaMallocHost(&h_out, size_bytes));
    check(cudaMalloc(&d_in, size_bytes));
    check(cudaMalloc(&d_out, size_bytes));
    check(cudaMalloc(&d_scratch, scratch_bytes));
    for (cudaStream_t& stream : streams) {
      check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
    for (int i = 0; i < kNumItems; ++i) pageable_in[i] = h_in[i] = lab_judge::mix(i, 2);
    check(cudaMemcpy(d_in, h_in, size_bytes, cudaMemcpyHostToDevice));
  }
};

void expect_mixed(const Word* h_out, int num_rounds, const Data& data, const char* what) {
  for (int i = 0; i < kNumItems; i += 4099) {
    if (h_out[i] == lab_judge::mix(data.h_in[i], num_rounds)) continue;
    std::printf("WRONG %s at %d\n", what, i);
    return;
  }
}

void expect_sums(const Data& data) {
  Word sum = 0;
  for (int i = 0; i < kNumItems; ++i) {
    sum += data.h_in[i];
    if (data.h_out[i] == sum) continue;
    std::printf("WRONG running_sums at %d\n", i);
    return;
  }
}

void time_overlap(Data& data, int num_rounds) {
  const std::size_t size_bytes = sizeof(Word) * kNumItems;
  const auto copy_in = [&](cudaStream_t stream) {
    check(cudaMemcpyAsync(data.d_in, data.h_in, size_bytes, cudaMemcpyHostToDevice, stream));
  };
  const auto copy_out = [&](cudaStream_t stream) {
    check(cudaMemcpyAsync(data.h_out, data.d_out, size_bytes, cudaMemcpyDeviceToHost, stream));
  };
  const auto compute = [&](cudaStream_t stream) {
    lab::launch_mix(data.d_in, kNumItems, num_rounds, data.d_out, stream);
  };
  const double in_ms = median_ms([&] { copy_in(data.streams[0]); });
  const double compute_ms = median_ms([&] { compute(data.streams[0]); });
  const double out_ms = median_ms([&] { copy_out(data.streams[0]); });
  const double in_order_ms = median_ms([&] {
    for (const auto& stage : {std::function<void(cudaStream_t)>(copy_in), {compute}, {copy_out}}) {
      stage(data.streams[0]);
    }
  });
  const double both_ms = median_ms([&] {
    copy_in(data.streams[0]);
    copy_out(data.streams[2]);
  });
  const double at_once_ms = median_ms([&] {
    copy_in(data.streams[0]);
    compute(data.streams[1]);
    copy_out(data.streams[2]);
  });
  const double longest = std::max({in_ms, compute_ms, out_ms});
  std::printf(
      "rounds %d: in %.3f compute %.3f out %.3f ms; in order %.3f; both copies %.3f; all at "
      "once %.3f\n",
      num_rounds, in_ms, compute_ms, out_ms, in_order_ms, both_ms, at_once_ms);
  for (const int chunk_items : {1 << 16, 1 << 18, 1 << 19, 1 << 20, 1 << 21, 1 << 22, 1 << 24}) {
    const double ms = median_ms([&] {
      lab::Scratch scratch(data.d_scratch, data.scratch_bytes);
      lab::mix_overlapped(data.h_in, kNumItems, num_rounds, chunk_items, data.h_out, scratch,
                          data.streams[0]);
    });
    std::printf(
        "  03 chunks of %d: %.3f ms, longest engine / time %.3f, all at once / time %.3f, "
        "in order / time %.2f\n",
        chunk_items, ms, longest / ms, at_once_ms / ms, in_order_ms / ms);
  }
  expect_mixed(data.h_out, num_rounds, data, "mix_overlapped");
}

void time_pageable(Data& data, int num_rounds) {
  const std::size_t size_bytes = sizeof(Word) * kNumItems;
  Word* const h_in = data.pageable_in.data();
  Word* const h_out = data.pageable_out.data();
  const double in_ms =
      median_ms([&] { check(cudaMemcpy(data.d_in, h_in, size_bytes, cudaMemcpyHostToDevice)); });
  const double out_ms =
      median_ms([&] { check(cudaMemcpy(h_out, data.d_out, size_bytes, cudaMemcpyDeviceToHost)); });
  const double in_order_ms = median_ms([&] {
    check(cudaMemcpy(data.d_in, h_in, size_bytes, cudaMemcpyHostToDevice));
    lab::launch_mix(data.d_in, kNumItems, num_rounds, data.d_out, nullptr);
    check(cudaMemcpy(h_out, data.d_out, size_bytes, cudaMemcpyDeviceToHost));
  });
  const double memcpy_ms = median_ms([&] { std::copy(h_in, h_in + kNumItems, h_out); });
  const double register_ms = median_ms([&] {
    check(cudaHostRegister(h_in, size_bytes, cudaHostRegisterDefault));
    check(cudaHostUnregister(h_in));
  });
  std::printf(
      "pageable: in %.3f out %.3f ms; in order %.3f; the host's own copy %.3f; "
      "cudaHostRegister and back %.3f\n",
      in_ms, out_ms, in_order_ms, memcpy_ms, register_ms);
  for (const int chunk_items : {1 << 18, 1 << 20, 1 << 22}) {
    const double ms = median_ms([&] {
      lab::Scratch scratch(data.d_scratch, data.scratch_bytes);
      lab::mix_pageable(h_in, kNumItems, num_rounds, chunk_items, h_out, scratch);
    });
    std::printf("  02 chunks of %d: %.3f ms, in order / time %.2f\n", chunk_items, ms,
                in_order_ms / ms);
  }
  expect_mixed(h_out, num_rounds, data, "mix_pageable");
}

void time_sums(Data& data) {
  const std::size_t size_bytes = sizeof(Word) * kNumItems;
  const double both_ms = median_ms([&] {
    check(
        cudaMemcpyAsync(data.d_in, data.h_in, size_bytes, cudaMemcpyHostToDevice, data.streams[0]));
    check(cudaMemcpyAsync(data.h_out, data.d_out, size_bytes, cudaMemcpyDeviceToHost,
                          data.streams[1]));
  });
  for (const int chunk_items : {1 << 16, 1 << 18, 1 << 20}) {
    const double ms = median_ms([&] {
      lab::Scratch scratch(data.d_scratch, data.scratch_bytes);
      lab::running_sums(data.h_in, kNumItems, chunk_items, data.h_out, scratch, data.streams[0]);
    });
    std::printf("06 chunks of %d: %.3f ms, both copies at once %.3f, share %.3f\n", chunk_items, ms,
                both_ms, both_ms / ms);
  }
  expect_sums(data);
}

void time_batches(Data& data) {
  constexpr int kNumBatches = 200;
  for (const int size : {1 << 12, 1 << 16, 1 << 18}) {
    const std::vector<int> sizes(kNumBatches, size);
    const auto rung = [&] {
      lab::reverse_batches(data.d_in, sizes.data(), kNumBatches, 4, data.d_out, data.streams[0]);
    };
    const auto with_malloc = [&] {
      for (int batch = 0; batch < kNumBatches; ++batch) {
        Word* d_mixed = nullptr;
        check(cudaMalloc(&d_mixed, sizeof(Word) * size));
        lab::launch_mix(data.d_in + batch * size, size, 4, d_mixed, data.streams[0]);
        lab::launch_reverse(d_mixed, size, data.d_out + batch * size, data.streams[0]);
        check(cudaFree(d_mixed));
      }
    };
    const auto with_one_array = [&] {
      for (int batch = 0; batch < kNumBatches; ++batch) {
        Word* const d_mixed = reinterpret_cast<Word*>(data.d_scratch);
        lab::launch_mix(data.d_in + batch * size, size, 4, d_mixed, data.streams[0]);
        lab::launch_reverse(d_mixed, size, data.d_out + batch * size, data.streams[0]);
      }
    };
    const double malloc_ms = median_ms(with_malloc);
    const double one_ms = median_ms(with_one_array);
    const double rung_ms = median_ms(rung);
    std::printf("04 batches of %d: %.1f us per batch, with cudaMalloc %.1f, with one array %.1f\n",
                size, 1e3 * rung_ms / kNumBatches, 1e3 * malloc_ms / kNumBatches,
                1e3 * one_ms / kNumBatches);
  }
}

void time_steps(Data& data) {
  constexpr int kNumSteps = 2000;
  std::vector<Word> keys(kNumSteps);
  for (int step = 0; step < kNumSteps; ++step) keys[step] = lab_judge::mix(step, 3);
  for (const int num_items : {1000, 100'000, 1'000'000}) {
    Word* const d_other = reinterpret_cast<Word*>(data.d_scratch);
    const double launched_ms = median_ms([&] {
      for (const Word key : keys) {
        lab::launch_step(data.d_out, num_items, key, d_other, data.streams[0]);
      }
    });
    const double graph_ms = median_ms([&] {
      lab::Scratch scratch(data.d_scratch, data.scratch_bytes);
      lab::mix_steps(data.d_in, num_items, keys.data(), kNumSteps, data.d_out, scratch,
                     data.streams[0]);
    });
    std::printf("05 with %d items: %.2f us per step, four launches %.2f\n", num_items,
                1e3 * graph_ms / kNumSteps, 1e3 * launched_ms / kNumSteps);
  }
}

}  // namespace

int main() {
  Data data;
  lab::Scratch scratch(data.d_scratch, data.scratch_bytes);
  const lab::StageTimes times = lab::time_stages(data.h_in, kNumItems, 256, data.h_out, 5, scratch);
  std::printf("01: in %.3f compute %.3f out %.3f ms\n", times.copy_in, times.compute,
              times.copy_out);
  for (const int num_rounds : {64, 256, 640, 1600}) time_overlap(data, num_rounds);
  time_pageable(data, 256);
  time_sums(data);
  time_batches(data);
  time_steps(data);
  return 0;
}
