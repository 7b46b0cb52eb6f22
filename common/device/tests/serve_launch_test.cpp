// SPDX-License-Identifier: MIT
// Commands that launch kernels, and what limits a launch.
#include "serve/cuda_errors.h"
#include "serve_test.h"

namespace serve_test {
namespace {

using serve::kInvalidValue;
using serve::kSuccess;

TEST_F(Serve, LaunchesKernelsOfAModule) {
  const std::uint64_t d = allocate(8);
  ask(launch_of("store"), parameters(d, 42));
  EXPECT_EQ(error(), kSuccess);
  EXPECT_EQ(*reinterpret_cast<const std::uint32_t*>(d), 42U);
  EXPECT_EQ(device_->launches(), std::vector<std::string>{"store"});
}

TEST_F(Serve, RecordsALaunchWhereItIsAsked) {
  const std::uint64_t d = allocate(4);
  std::string recorded;
  record::Recorder& recorder = device_->watchers().recorder();
  recorder.record_launch("store", [&](const std::string& text) { recorded = text; });
  ask(launch_of("store"), parameters(d, 42));
  EXPECT_NE(recorded.find(R"("kernel":"store")"), std::string::npos) << recorded;
  EXPECT_NE(recorded.find(R"(["E",0]])"), std::string::npos) << recorded;
  recorded.clear();
  recorder.record_launch("", nullptr);
  ask(launch_of("store"), parameters(d, 42));
  EXPECT_EQ(recorded, "");
}

// The recorder is there before a check ends the kernel.
TEST_F(Serve, RecordsWhatACheckFinds) {
  std::string recorded;
  device_->watchers().recorder().record_launch("",
                                               [&](const std::string& text) { recorded = text; });
  ask(launch_of("store"), parameters(16, 42));
  EXPECT_NE(recorded.find(R"("findings":[{"kind":")"), std::string::npos) << recorded;
  EXPECT_NE(recorded.find(R"(["f",0,0,0,0])"), std::string::npos) << recorded;
}

TEST_F(Serve, ChecksLaunchesAgainstTheDevicesLimits) {
  const auto refused = [&](auto change) {
    serve::Launch command = launch_of("store");
    change(command);
    ask(command, parameters(allocate(8), 1));
    return error() == kInvalidValue ? tail_ : "error " + std::to_string(error());
  };
  EXPECT_EQ(refused([](auto& c) {
              c.block = {2048, 1, 1};
            }),
            "the launch of store with blocks of 2048 x 1 x 1 = 2048 threads (at most 1024)");
  EXPECT_EQ(refused([](auto& c) {
              c.block = {2048, 1, 1};
              c.grid = {256, 1, 1};
            }),
            "the launch of store with blocks of 2048 x 1 x 1 = 2048 threads (at most 1024) and a "
            "grid of 256 x 1 x 1 blocks (are the two swapped in <<<grid, block>>>?)");
  EXPECT_EQ(refused([](auto& c) {
              c.grid = {0, 1, 1};
            }),
            "the launch of store with a grid of 0 x 1 x 1 blocks (at least 1 in each direction: "
            "round a division up, and launch nothing for 0 items)");
  EXPECT_EQ(refused([](auto& c) {
              c.block = {1, 1, 65};
            }),
            "the launch of store with blocks of 1 x 1 x 65 threads");
  EXPECT_EQ(refused([](auto& c) {
              c.grid = {1, 65536, 1};
            }),
            "the launch of store with a grid of 1 x 65536 x 1 blocks");
  EXPECT_EQ(refused([](auto& c) { c.dynamic_shared_bytes = (48 << 10) + 1; }),
            "the launch of store with 49153 bytes of dynamic shared memory (at most 49152 without "
            "cudaFuncSetAttribute)");
  EXPECT_EQ(refused([](auto& c) {
              c.block = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
            }).substr(0, 30),
            "the launch of store with block");
  serve::Launch bounded = launch_of("bounded");
  bounded.block = {65, 1, 1};
  ask(bounded, parameters(0, 0));
  EXPECT_EQ(error(), kInvalidValue);
  EXPECT_NE(tail_.find("__launch_bounds__"), std::string::npos) << tail_;
}

TEST_F(Serve, AKernelMayNameTheSizeOfItsClusters) {
  const std::uint64_t out = allocate(8);
  serve::Launch command = launch_of("clustered");
  const auto refused = [&] {
    ask(command, parameters(out, 0));
    EXPECT_EQ(error(), serve::kInvalidClusterSize);
    return tail_;
  };
  command.grid = {3, 1, 1};
  EXPECT_EQ(refused(),
            "the launch of clustered with clusters of 2 x 1 x 1 blocks in a grid of 3 x 1 x 1 "
            "(in each direction, the grid must be a multiple of the cluster)");
  command.grid = {4, 1, 1};
  command.cluster = {4, 1, 1};
  EXPECT_EQ(refused(),
            "the launch of clustered with clusters of 4 x 1 x 1 blocks (its __cluster_dims__ says "
            "2 x 1 x 1)");
  command.cluster = {1, 1, 1};
  ask(command, parameters(out, 0));
  EXPECT_EQ(error(), kSuccess);
  EXPECT_EQ(*reinterpret_cast<const std::uint32_t*>(out), 2u);
}

TEST_F(Serve, RaisesTheLimitOfClustersForOneKernel) {
  serve::Launch command = launch_of("store");
  command.grid = command.cluster = {16, 1, 1};
  ask(command, parameters(allocate(8), 1));
  EXPECT_EQ(error(), serve::kInvalidClusterSize);
  EXPECT_NE(tail_.find("more than 8 need cudaFuncSetAttribute"), std::string::npos) << tail_;
  ask(serve::SetKernelLimits{kernel("store"), 1024, 16});
  EXPECT_EQ(error(), kSuccess);
  ask(command, parameters(allocate(8), 1));
  EXPECT_EQ(error(), kSuccess);
  command.grid = command.cluster = {32, 1, 1};
  ask(command, parameters(allocate(8), 1));
  EXPECT_EQ(error(), serve::kInvalidClusterSize);
  EXPECT_NE(tail_.find("(at most 16 blocks)"), std::string::npos) << tail_;
}

TEST_F(Serve, RaisesTheLimitOfSharedMemoryForOneKernel) {
  ask(serve::SetKernelLimits{kernel("store"), 100 << 10});
  EXPECT_EQ(error(), kSuccess);
  ask(serve::SetKernelLimits{kernel("store"), 228 << 10});
  EXPECT_EQ(error(), kInvalidValue);
  serve::Launch command = launch_of("store");
  command.dynamic_shared_bytes = 100 << 10;
  ask(command, parameters(allocate(8), 1));
  EXPECT_EQ(error(), kSuccess);
  command.kernel = kernel("wait");
  ask(command, parameters(allocate(8), 1));
  EXPECT_EQ(error(), kInvalidValue);
}

TEST_F(Serve, RefusesACooperativeGridThatDoesNotFit) {
  serve::Launch command = launch_of("store");
  command.grid = {100'000, 1, 1};
  command.is_cooperative = 1;
  ask(command, parameters(allocate(8), 1));
  EXPECT_EQ(error(), serve::kCooperativeLaunchTooLarge);
}

TEST_F(Serve, SetsAKernelAsideThatWaitsForTheHost) {
  const std::uint64_t pinned = allocate(8, serve::Memory::kPinned);
  auto* const words = reinterpret_cast<volatile std::uint32_t*>(pinned);
  words[0] = 0;
  ask(launch_of("wait"), parameters(pinned, 1));
  EXPECT_EQ(error(), kSuccess);
  EXPECT_EQ(head_.waits, 1U);
  EXPECT_EQ(ask(serve::AskStream{0}).is_behind, 1U);
  ask(serve::WaitForAll{});
  EXPECT_EQ(error(), kNotReady);
  ask(launch_of("store"), parameters(pinned, 1));
  EXPECT_EQ(error(), kNotReady);
  words[0] = 6;
  EXPECT_TRUE(device_->take_idle_turn());
  EXPECT_EQ(words[1], 7U);
  ask(serve::WaitForAll{});
  EXPECT_EQ(error(), kSuccess);
  EXPECT_EQ(head_.waits, 0U);
}

TEST_F(Serve, ReportsADeadlockWhenTheHostGivesUp) {
  const std::uint64_t pinned = allocate(8, serve::Memory::kPinned);
  *reinterpret_cast<volatile std::uint32_t*>(pinned) = 0;
  ask(launch_of("wait"), parameters(pinned, 1));
  ask(serve::GiveUp{5}, "; why");
  EXPECT_EQ(head_.waits, 0U);
  EXPECT_NE(head_.sticky, kSuccess);
  const auto findings = report::take_findings();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, report::Kind::kDeadlock);
  EXPECT_NE(findings[0].message.find("; why"), std::string::npos) << findings[0].message;
  ask(serve::Reset{});
  EXPECT_EQ(head_.sticky, kSuccess);
}

}  // namespace
}  // namespace serve_test
