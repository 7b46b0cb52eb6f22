// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "quiz.cuh"

namespace {

using quiz::Drawn;

// When the last chunk is copied out, if each engine takes the chunks one after another.
double pipeline(int chunks, std::vector<double> engine_ms) {
  std::vector<double> free_at(engine_ms.size());
  for (int chunk = 0; chunk < chunks; ++chunk) {
    double ready = 0;
    for (std::size_t engine = 0; engine < engine_ms.size(); ++engine) {
      ready = free_at[engine] = std::max(ready, free_at[engine]) + engine_ms[engine];
    }
  }
  return free_at.back();
}

void time_of_overlap(const Drawn& drawn) {
  const double ms = drawn["ms"];
  quiz::answer(pipeline(drawn["chunks"], {ms, ms, ms}));
}

void longest_engine(const Drawn& drawn) {
  constexpr int kMany = 1'000'000;
  const double total_ms =
      pipeline(kMany, {8.0 / kMany, 1.0 * drawn["kernel"] / kMany, 1.0 * drawn["out"] / kMany});
  quiz::answer(std::round(1e3 * total_ms) / 1e3);
}

// Ticks of a clock that each launch moves on.
__global__ void take(int* d_clock) { *d_clock += *d_clock == 0 ? 40 : 2; }

void mean_with_a_cold_launch(const Drawn& drawn) {
  const quiz::Array<int> clock(1);
  const int before = clock.read()[0];
  for (int launch = 0; launch < drawn["launches"]; ++launch) take<<<1, 1>>>(clock.get());
  const double mean = 1.0 * (clock.read()[0] - before) / drawn["launches"];
  quiz::answer(mean);
}

void calls_saved(const Drawn& drawn) {
  int saved_us = 0;
  for (int step = 0; step < drawn["steps"]; ++step) {
    for (int kernel = 0; kernel < drawn["kernels"]; ++kernel) saved_us += 3;
    saved_us -= 5;
  }
  quiz::answer(saved_us);
}

}  // namespace

int main(int argc, char** argv) {
  return quiz::run(argc, argv,
                   {{"time-of-overlap", time_of_overlap},
                    {"longest-engine", longest_engine},
                    {"mean-with-a-cold-launch", mean_with_a_cold_launch},
                    {"calls-saved", calls_saved}});
}
