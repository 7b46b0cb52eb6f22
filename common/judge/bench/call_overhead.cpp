// SPDX-License-Identifier: MIT
// Measures the overhead of judging: starting a worker, and a call's round trip to it, compared with
// the same function called in this process. Prints JSON.
#include <chrono>
#include <cstdio>

#include "measure/ratio.h"
#include "process/submission.h"
#include "protocol/call_encoding.h"
#include "tests/programs.h"

namespace {

using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

// The function that the worker runs, here.
int g_out = 0;
[[gnu::noinline]] void behave(int* out, int value) { *out = value; }

constexpr int kCalls = 2000;
constexpr int kStarts = 20;

}  // namespace

int main() {
  judge::Arena arena(1 << 20);
  const judge::Buffer<int> d_out(arena, "d_out", 1);
  wire::Batch batch;
  batch.calls = {
      judge::encode_call<void(int*, int, lab::Scratch&, cudaStream_t)>("behave", d_out, 42)};

  std::vector<double> start_us;
  for (int i = 0; i < kStarts; ++i) {
    const auto begin = Clock::now();
    judge::Submission fresh(judge::misbehaving(), arena, {});
    if (fresh.run(batch).failure) return 1;
    start_us.push_back(microseconds_since(begin));
  }
  std::vector<double> call_us;
  judge::Submission warm(judge::misbehaving(), arena, {});
  for (int i = 0; i < kCalls; ++i) {
    const auto begin = Clock::now();
    if (warm.run(batch).failure) return 1;
    call_us.push_back(microseconds_since(begin));
  }
  const auto begin = Clock::now();
  for (int i = 0; i < kCalls; ++i) behave(&g_out, i);
  const double bare_us = microseconds_since(begin) / kCalls;
  const judge::Ratio start = judge::summarize(start_us);
  const judge::Ratio call = judge::summarize(call_us);
  std::printf(
      "{\"first_call_us\": %.0f, \"call_us\": %.1f, \"call_us_quartiles\": [%.1f, %.1f], "
      "\"bare_call_us\": %.4f}\n",
      start.median, call.median, call.low, call.high, bare_us);
}
