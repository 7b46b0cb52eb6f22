// SPDX-License-Identifier: MIT
// Rung 06: a launch that fits the device, which poses as several on the emulator.
#include <algorithm>

#include "fixture.h"
#include "fixture/fixture.h"
#include "fixture/options.h"
#include "fixture/test_data.h"
#include "reference.h"

namespace lab_judge {
namespace {

using judge::Failure;

constexpr int kThreadsPerBlock = 256;  // the contract's

int needed(int num_items) { return (num_items + kThreadsPerBlock - 1) / kThreadsPerBlock; }

int expected_blocks(const Multiprocessors& device, int num_items) {
  return std::min(device.count * (device.threads_of_each / kThreadsPerBlock), needed(num_items));
}

struct WrongCount {
  const char* clause;
  int (*num_blocks)(const Multiprocessors& device, int num_items);
};

constexpr WrongCount kWrongCounts[] = {
    {"the launch follows the number of items only: ask the device how many blocks it holds",
     [](const Multiprocessors&, int num_items) { return needed(num_items); }},
    {"the launch follows the device only: with few items most of its blocks have nothing to do",
     [](const Multiprocessors& d, int) {
       return d.count * (d.threads_of_each / kThreadsPerBlock);
     }},
    {"there is one block per multiprocessor, and each holds several",
     [](const Multiprocessors& d, int num_items) { return std::min(d.count, needed(num_items)); }},
    {"the limit of a block, 1024 threads, stands for what a multiprocessor holds: that is "
     "cudaDevAttrMaxThreadsPerMultiProcessor",
     [](const Multiprocessors& d, int num_items) {
       return std::min(d.count * (1024 / kThreadsPerBlock), needed(num_items));
     }},
    {"2048 threads per multiprocessor are written into the program: other devices hold fewer",
     [](const Multiprocessors& d, int num_items) {
       return std::min(d.count * (2048 / kThreadsPerBlock), needed(num_items));
     }},
    {"a part of a block is counted: divide the threads of one multiprocessor by 256, and then "
     "multiply",
     [](const Multiprocessors& d, int num_items) {
       return std::min(d.count * d.threads_of_each / kThreadsPerBlock, needed(num_items));
     }},
    {"the number of threads is used as a number of blocks: divide by 256",
     [](const Multiprocessors& d, int num_items) {
       return std::min(d.count * d.threads_of_each, needed(num_items));
     }},
    {"the blocks of one multiprocessor are launched: the device has several",
     [](const Multiprocessors& d, int num_items) {
       return std::min(d.threads_of_each / kThreadsPerBlock, needed(num_items));
     }},
};

class DeviceQuery : public judge::Fixture {
 protected:
  std::optional<Failure> fill(const Multiprocessors& posed, int num_items) {
    const Multiprocessors device = judge::kOnGpu ? multiprocessors() : posed;
    begin_case();
    pose({.num_multiprocessors = static_cast<std::uint32_t>(posed.count),
          .threads_per_multiprocessor = static_cast<std::uint32_t>(posed.threads_of_each)});
    const auto h_in = judge::random_integers(next_seed(), num_items, 1000);
    const double factor = 3 + static_cast<double>(next_seed() % 50);
    const auto d_in = input("d_in", h_in);
    const auto d_out = output<float>("d_out", h_in.size());
    const auto d_num_blocks = output<int>("d_num_blocks", 1);
    auto failure = call<decltype(lab::fill_device)>("fill_device", d_in, num_items, factor, d_out,
                                                    d_num_blocks);
    if (!failure && num_items > 0) {
      failure = compare(device, num_items, d_num_blocks.download()[0]);
    }
    const std::vector<float> h_out = d_out.download();
    for (int i = 0; i < num_items && !failure; ++i) {
      const auto expected = static_cast<float>(factor * h_in[i]);
      if (h_out[i] == expected) continue;
      failure = Failure{
          judge::is_poison(h_out[i]) ? judge::kind::kOutputUnwritten : judge::kind::kWrongResult,
          "d_out[" + std::to_string(i) + "] should be " + figure(expected) +
              (judge::is_poison(h_out[i]) ? ", but was never written"
                                          : ", but is " + figure(h_out[i]))};
    }
    if (failure) {
      tell_case(*failure, counted(num_items, "item") + ", on a device of " +
                              counted(device.count, "multiprocessor") + " with " +
                              counted(device.threads_of_each, "thread") + " each: ");
    }
    return failure;
  }

  void expect(const std::vector<Multiprocessors>& devices, const std::vector<int>& sizes) {
    for (const Multiprocessors& device : devices) {
      for (const int num_items : sizes) {
        if (const auto failure = fill(device, num_items)) return fail(*failure);
      }
    }
  }

 private:
  static std::optional<Failure> compare(const Multiprocessors& device, int num_items,
                                        int num_blocks) {
    const int expected = expected_blocks(device, num_items);
    if (num_blocks == expected) return std::nullopt;
    if (judge::is_poison(num_blocks)) {
      return Failure{judge::kind::kOutputUnwritten, "the kernel never stored its number of blocks"};
    }
    Failure failure{judge::kind::kWrongResult, "the launch should have " +
                                                   counted(expected, "block") + ", but has " +
                                                   std::to_string(num_blocks)};
    for (const WrongCount& wrong : kWrongCounts) {
      if (wrong.num_blocks(device, num_items) == num_blocks) failure.add_pattern(wrong.clause);
    }
    return failure;
  }
};

TEST_F(DeviceQuery, FillsADevice) { expect({{3, 2048}}, {30000}); }

TEST_F(DeviceQuery, FillsOtherDevices) {
  const int some = 5 + static_cast<int>(next_seed() % 11);
  expect({{2, 1536}, {some, 1024}, {some + 2, 1536}, {1, 2048}, {7, 1152}}, {50000});
}

TEST_F(DeviceQuery, LaunchesNoMoreThanTheItemsNeed) {
  expect({{4, 1536}, {40, 2048}}, {1, 256, 257, 1000});
}

TEST_F(DeviceQuery, LaunchesNothingForNoItems) { expect({{4, 1536}}, {10, 0}); }

}  // namespace
}  // namespace lab_judge
