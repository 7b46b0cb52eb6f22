// SPDX-License-Identifier: MIT
// What the tests of the counters share.
#pragma once

#include "device_test.h"
#include "simt/counters.h"

namespace simt_test {

using simt::Counter;
using simt::KernelCounters;
using simt::LineCounters;

class CountingTest : public DeviceTest {
 protected:
  void TearDown() override {
    simt::set_counting(false);
    simt::take_counters();
    DeviceTest::TearDown();
  }

  // The counters of the one kernel that `launch` launches.
  template <class Launch>
  static KernelCounters counted(Launch launch) {
    simt::take_counters();
    simt::set_counting(true);
    launch();
    simt::set_counting(false);
    std::vector<KernelCounters> kernels = simt::take_counters();
    EXPECT_EQ(kernels.size(), 1u);
    kernels.resize(1);
    return kernels[0];
  }

  static const LineCounters& line_of(const KernelCounters& kernel, int line) {
    static const LineCounters none;
    for (const LineCounters& candidate : kernel.lines) {
      if (candidate.line == line) return candidate;
    }
    ADD_FAILURE() << "nothing counted in line " << line;
    return none;
  }
};

}  // namespace simt_test
