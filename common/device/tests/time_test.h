// SPDX-License-Identifier: MIT
// PTX that runs under the watcher of time.
#pragma once

#include <string>
#include <vector>

#include "run_test.h"
#include "time/watcher.h"

namespace time_test {

using timing::Feature;

class Time : public run_test::Run {
 protected:
  // The only shape of a launch of `body`.
  timing::Shape timed(const std::string& body, unsigned num_blocks = 1, unsigned num_threads = 32,
                      std::uint32_t n = 0, const std::string& before = "") {
    load(run_test::kernel(body, before));
    EXPECT_TRUE(refusals_.empty()) << refusals_.front();
    machine_->set_monitors({&watcher_});
    watcher_.set_watching(true);
    launch(num_blocks, num_threads, n);
    std::vector<timing::Shape> shapes = watcher_.take();
    EXPECT_EQ(shapes.size(), 1U);
    return shapes.empty() ? timing::Shape{} : std::move(shapes.front());
  }
  std::uint64_t feature(Feature feature, const std::string& body, unsigned num_blocks = 1,
                        unsigned num_threads = 32, const std::string& before = "") {
    return timed(body, num_blocks, num_threads, 0, before).features[feature];
  }
  // What one warp issues of `body` besides the beginning and the end of every kernel.
  std::uint64_t issued(const std::string& body, const std::string& before = "") {
    return feature(Feature::kIssued, body, 1, 32, before) - feature(Feature::kIssued, "");
  }
  std::uint64_t cycles(const std::string& body) {
    return feature(Feature::kChainCycles, body) - feature(Feature::kChainCycles, "");
  }
  std::uint64_t loads(const std::string& body, unsigned num_blocks = 1, unsigned num_threads = 32,
                      const std::string& before = "") {
    return feature(Feature::kChainLoads, body, num_blocks, num_threads, before);
  }

  timing::Watcher watcher_;
};

// A register that is used, so that nothing is left out.
inline const std::string kKeep = "st.global.u32 [%out], %a;\n";

}  // namespace time_test
