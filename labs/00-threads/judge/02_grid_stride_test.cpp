// SPDX-License-Identifier: MIT
// Rung 02: the same kernel under every launch, and which thread handled which item.
#include <algorithm>
#include <functional>

#include "fixture.h"
#include "fixture/fixture.h"
#include "fixture/options.h"
#include "fixture/test_data.h"

namespace lab_judge {
namespace {

using judge::Failure;

struct Launch {
  int num_items;
  int num_blocks;
  int threads_per_block;
  int num_threads() const { return num_blocks * threads_per_block; }
};

std::string text(const Launch& launch) {
  return counted(launch.num_items, "item") + ", " + counted(launch.num_blocks, "block") + " of " +
         counted(launch.threads_per_block, "thread") + ": ";
}

// "0, 512, 1024, 1536", or the first few of many.
std::string list_items(const std::vector<int>& items) {
  constexpr std::size_t kMost = 5;
  std::string text;
  for (std::size_t i = 0; i < items.size() && i < kMost; ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(items[i]);
  }
  return items.empty() ? "none" : text + (items.size() > kMost ? ", ..." : "");
}

std::string items_of(int thread, const std::vector<int>& h_thread) {
  std::vector<int> items;
  for (std::size_t i = 0; i < h_thread.size(); ++i) {
    if (h_thread[i] == thread) items.push_back(static_cast<int>(i));
  }
  return list_items(items);
}

// The thread that a mistake would give item i; -1: no thread would handle it.
struct Mistake {
  const char* clause;
  std::function<int(int item)> thread;
};

std::vector<Mistake> mistakes(const Launch& launch) {
  const int threads = launch.num_threads();
  const int per_block = launch.threads_per_block;
  const int chunk = (launch.num_items + threads - 1) / threads;
  const int short_chunk = std::max(1, launch.num_items / threads);
  return {
      {"no thread does anything", [](int) { return -1; }},
      {"each thread handles one item and stops: there is no loop, or it ends too early",
       [=](int item) { return item < threads ? item : -1; }},
      {"the thread's number lacks blockIdx.x * blockDim.x: it is the number in the block only",
       [=](int item) { return item % threads < per_block ? item % threads : -1; }},
      {"the thread's number lacks blockIdx.x * blockDim.x: it is the number in the block only",
       [=](int item) { return item % per_block; }},
      {"only the first block works", [=](int item) { return item < per_block ? item : -1; }},
      {"the tail is dropped: items are handled in whole rounds of the grid only",
       [=](int item) { return item < launch.num_items / threads * threads ? item % threads : -1; }},
      {"each thread takes a run of neighbouring items: then neighbouring threads are far apart in "
       "memory. Let each thread step by the number of threads",
       [=](int item) { return item / chunk; }},
      {"each thread takes a run of neighbouring items, "
       "and the items that the division leaves over are dropped",
       [=](int item) { return item / short_chunk < threads ? item / short_chunk : -1; }},
      {"thread 0 does all the work", [](int) { return 0; }},
  };
}

std::string explain(const Launch& launch, const std::vector<int>& h_thread) {
  for (const Mistake& mistake : mistakes(launch)) {
    bool fits = true;
    for (int i = 0; i < launch.num_items && fits; ++i) {
      const bool unwritten = judge::is_poison(h_thread[i]);
      const int thread = mistake.thread(i);
      fits = thread < 0 ? unwritten : !unwritten && h_thread[i] == thread;
    }
    if (fits) return mistake.clause;
  }
  // Many threads handle the same item; the last of them leaves its number.
  const bool by_block = std::ranges::all_of(h_thread, [&, i = 0](int thread) mutable {
    return thread % launch.threads_per_block == i++ % launch.threads_per_block;
  });
  if (by_block && launch.num_blocks > 1) {
    return "the stride is blockDim.x, one block's threads: items are handled again by every block "
           "before. The grid has gridDim.x * blockDim.x threads";
  }
  return {};
}

class GridStride : public judge::Fixture {
 protected:
  std::optional<Failure> scale(const Launch& launch, bool recorded = true) {
    const auto h_in = judge::random_integers(next_seed(), launch.num_items, 1000);
    const double factor = 3 + static_cast<double>(next_seed() % 50);
    begin_case();
    const auto d_in = input("d_in", h_in);
    const auto d_out = output<float>("d_out", h_in.size());
    const auto d_thread = output<int>("d_thread", h_in.size());
    if (launch.num_items > 0) prescribe({{launch.num_blocks, launch.threads_per_block}});
    using Scale = decltype(lab::scale);
    auto failure = recorded
                       ? call<Scale>("scale", d_in, launch.num_items, factor, launch.num_blocks,
                                     launch.threads_per_block, d_out, d_thread)
                       : call<Scale>("scale", d_in, launch.num_items, factor, launch.num_blocks,
                                     launch.threads_per_block, d_out, nullptr);
    const std::vector<int> h_thread = d_thread.download();
    const auto wrong = compare_values(launch, h_in, factor, d_out.download());
    if (!failure && recorded) failure = compare_threads(launch, h_thread);
    if (failure && !wrong && std::ranges::all_of(h_thread, judge::is_poison<int>)) {
      failure->pattern = "d_thread is left out: unless it is null, store the thread's number there";
    }
    if (!failure) failure = wrong;
    if (failure) tell_case(*failure, text(launch));
    return failure;
  }

  void expect_for_launches(const std::vector<Launch>& launches) {
    for (const Launch& launch : launches) {
      if (const auto failure = scale(launch)) return fail(*failure);
    }
  }

 private:
  static std::optional<Failure> compare_threads(const Launch& launch,
                                                const std::vector<int>& h_thread) {
    for (int item = 0; item < launch.num_items; ++item) {
      const int expected = item % launch.num_threads();
      if (h_thread[item] == expected) continue;
      const std::string belongs =
          "item " + std::to_string(item) + " belongs to thread " + std::to_string(expected);
      if (judge::is_poison(h_thread[item])) {
        return Failure{judge::kind::kOutputUnwritten,
                       belongs + ", but no thread wrote d_thread there", explain(launch, h_thread)};
      }
      std::vector<int> items;
      for (int i = expected; i < launch.num_items; i += launch.num_threads()) items.push_back(i);
      return Failure{judge::kind::kWrongResult,
                     belongs + ", but d_thread says thread " + std::to_string(h_thread[item]) +
                         ". Thread " + std::to_string(expected) + " should visit " +
                         (items.size() == 1 ? "item " : "the items ") + list_items(items) +
                         "; by d_thread it visited " + items_of(expected, h_thread),
                     explain(launch, h_thread)};
    }
    return std::nullopt;
  }

  static std::optional<Failure> compare_values(const Launch& launch, const std::vector<float>& h_in,
                                               double factor, const std::vector<float>& h_out) {
    for (int item = 0; item < launch.num_items; ++item) {
      const auto expected = static_cast<float>(factor * h_in[item]);
      if (h_out[item] == expected) continue;
      const std::string thread = "thread " + std::to_string(item % launch.num_threads());
      if (judge::is_poison(h_out[item])) {
        return Failure{
            judge::kind::kOutputUnwritten,
            "d_out[" + std::to_string(item) + "] was never written: the work of " + thread};
      }
      Failure failure{judge::kind::kWrongResult,
                      "d_out[" + std::to_string(item) + "] should be " + figure(factor) + " * " +
                          figure(h_in[item]) + " = " + figure(expected) + ", but is " +
                          figure(h_out[item]) + ": the work of " + thread};
      if (h_out[item] == h_in[item]) failure.pattern = "the item is copied, and not multiplied";
      return failure;
    }
    return std::nullopt;
  }
};

TEST_F(GridStride, HandlesOneItemAThread) {
  expect_for_launches({{32, 1, 32}, {256, 1, 256}, {512, 4, 128}, {1000, 8, 125}});
}

// The handout's example: thread 0 visits 0, 512, 1024 and 1536.
TEST_F(GridStride, Visits2024ItemsWith512Threads) {
  expect_for_launches({{2024, 1, 512}, {2024, 2, 256}, {2024, 4, 128}, {2024, 16, 32}});
}

TEST_F(GridStride, IsRightForEveryLaunch) {
  const int some = 3000 + static_cast<int>(next_seed() % 1000);
  expect_for_launches({{1, 1, 1},
                       {100, 1, 1},
                       {100, 7, 1},
                       {1000, 1, 33},
                       {33, 3, 64},
                       {1, 5, 100},
                       {some, 1, 1024},
                       {some, 3, 1024},
                       {some, 13, 37},
                       {some, 100, 96},
                       {some, 1, 31}});
}

TEST_F(GridStride, HandlesNoItems) { expect_for_launches({{5, 1, 32}, {0, 1, 32}, {0, 4, 256}}); }

TEST_F(GridStride, DoesWithoutTheRecord) {
  for (const Launch& launch : {Launch{100, 4, 32}, Launch{2024, 4, 128}}) {
    if (const auto failure = scale(launch, false)) return fail(*failure);
  }
}

TEST_F(GridStride, ScalesArraysOfManyItems) {
  const int num_items = (judge::kOnGpu ? 1 << 24 : 1 << 18) + static_cast<int>(next_seed() % 997);
  expect_for_launches({{num_items, 64, 256}, {num_items, 3, 1000}});
}

TEST_F(GridStride, DependsOnNoOrderOfExecution) {
  expect_in_any_order(4, [&](int) {
    return scale({2000 + static_cast<int>(next_seed() % 1000), 4, 128});
  });
}

}  // namespace
}  // namespace lab_judge
