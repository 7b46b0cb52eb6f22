// SPDX-License-Identifier: MIT
// The right result of rung 03, and the results of typical mistakes.
#pragma once

#include <string>
#include <vector>

#include "scheduling.cuh"

namespace lab_judge {

struct Device {
  int num_sms;
  int blocks_per_sm;
};

lab::Waves waves(int num_blocks, const Device& device);

// A clause that completes "It looks as if ...", or nothing.
std::string explain(int num_blocks, const Device& device, const lab::Waves& got);

struct Distribution {
  int end = 0;
  std::vector<int> starts;
  std::vector<int> sms;
  bool operator==(const Distribution&) const = default;
};

Distribution distribute(const std::vector<int>& durations, const Device& device);

std::string explain(const std::vector<int>& durations, const Device& device,
                    const Distribution& got);

}  // namespace lab_judge
