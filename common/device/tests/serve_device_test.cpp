// SPDX-License-Identifier: MIT
// What the device makes of commands, right and wrong ones.
#include <algorithm>
#include <random>

#include "serve/cuda_errors.h"
#include "serve_test.h"

namespace serve_test {
namespace {

using serve::kInvalidValue;
using serve::kNotReady;
using serve::kSuccess;

serve::Copy copy_of(std::uint64_t to, std::uint64_t from, std::uint64_t size_bytes) {
  serve::Copy command;
  command.to = {to, size_bytes, 0};
  command.from = {from, size_bytes, 0};
  command.extent = {size_bytes, 1, 1};
  command.direction = 4;  // cudaMemcpyDefault
  return command;
}

TEST_F(Serve, CopiesToTheDeviceAndBackInPieces) {
  const std::uint64_t size = 2 * serve::kDataBytes + 5;
  const std::uint64_t d = allocate(size);
  std::vector<std::byte> sent(size);
  for (std::size_t i = 0; i < size; ++i) sent[i] = static_cast<std::byte>(i * 7 >> 3);
  serve::Copy to = copy_of(d, 4096, size);
  to.from_host = 1;
  std::memcpy(data_.data(), sent.data(), serve::kDataBytes);
  ask(to);
  ASSERT_EQ(error(), kSuccess);
  for (std::uint64_t at = serve::kDataBytes; at < size; at += serve::kDataBytes) {
    std::memcpy(data_.data(), sent.data() + at, std::min(serve::kDataBytes, size - at));
    ask(serve::CopyMore{at});
    ASSERT_EQ(error(), kSuccess);
  }
  serve::Copy from = copy_of(4096, d, size);
  from.to_host = 1;
  ask(from);
  std::vector<std::byte> got(data_);
  for (std::uint64_t at = serve::kDataBytes; at < size; at += serve::kDataBytes) {
    ask(serve::CopyMore{at});
    got.insert(got.end(), data_.begin(), data_.end());
  }
  got.resize(size);
  EXPECT_TRUE(got == sent);
}

TEST_F(Serve, SharesManagedVariablesAlone) {
  device_->load(
      ".version 8.7\n.target sm_90\n.address_size 64\n"
      ".visible .global .align 65536 .u32 both = 1;\n");
  const auto managed = ask(serve::FindSymbol{0, 4}, "both");
  EXPECT_EQ(managed.is_managed, 1U);
  EXPECT_EQ(managed.address % memory::kManagedAlignment, 0U);
  const std::uint64_t host = 0x7000'0000'0000;
  ask(serve::ShareVariable{ask(serve::FindSymbol{0, 7}, "counter").address, host});
  EXPECT_EQ(error(), serve::kInvalidSymbol);
  for (const std::uint64_t wrong : {std::uint64_t{0}, memory::kDeviceBase, memory::kSharedBase}) {
    ask(serve::ShareVariable{managed.address, wrong});
    EXPECT_EQ(error(), kInvalidValue) << wrong;
  }
  ask(serve::ShareVariable{managed.address, host});
  EXPECT_EQ(error(), kSuccess);
  ask(serve::ShareVariable{managed.address, host + 8});
  EXPECT_EQ(error(), kInvalidValue);
  ask(launch_of("store"), parameters(host, 7));
  EXPECT_EQ(error(), kSuccess);
  EXPECT_EQ(*reinterpret_cast<const std::uint32_t*>(managed.address), 7U);
  EXPECT_TRUE(report::take_findings().empty());
}

TEST_F(Serve, RefusesCopiesThatLeaveAnAllocation) {
  const std::uint64_t d = allocate(100);
  serve::Copy command = copy_of(d, 4096, 101);
  command.from_host = 1;
  ask(command);
  EXPECT_EQ(error(), kInvalidValue);
  EXPECT_EQ(tail_, "a copy of 101 bytes to an allocation with 100 bytes left");
  ask(serve::CopyMore{0});
  EXPECT_EQ(error(), kInvalidValue);
  ask(copy_of(d + 50, d, 100));
  EXPECT_EQ(error(), kInvalidValue);
}

TEST_F(Serve, ForgetsATransferWhoseMemoryHasBeenFreed) {
  const std::uint64_t d = allocate(2 * serve::kDataBytes);
  serve::Copy command = copy_of(d, 4096, 2 * serve::kDataBytes);
  command.from_host = 1;
  ask(command);
  ASSERT_EQ(error(), kSuccess);
  serve::Free freed;
  freed.address = d;
  ask(freed);
  ask(serve::CopyMore{serve::kDataBytes});
  EXPECT_EQ(error(), kInvalidValue);
}

TEST_F(Serve, SaysWhatIsWrongWithAFree) {
  const std::uint64_t d = allocate(100);
  serve::Free command;
  command.address = d + 4;
  ask(command);
  EXPECT_EQ(error(), kInvalidValue);
  EXPECT_NE(tail_.find("a pointer 4 bytes into allocation"), std::string::npos) << tail_;
  command.address = d;
  command.at.line = 12;
  std::strcpy(command.at.file, "main.cu");
  ask(command);
  EXPECT_EQ(error(), kSuccess);
  ask(command);
  EXPECT_EQ(error(), kInvalidValue);
  EXPECT_NE(tail_.find("freed already in line 12 of main.cu"), std::string::npos) << tail_;
  command.address = allocate(100, serve::Memory::kPinned);
  ask(command);
  EXPECT_NE(tail_.find("cudaFreeHost frees it"), std::string::npos) << tail_;
}

TEST_F(Serve, FindsVariablesWithTheirValues) {
  const auto counter = ask(serve::FindSymbol{0, 7}, "counter");
  EXPECT_EQ(error(), kSuccess);
  EXPECT_EQ(counter.size_bytes, 4U);
  EXPECT_EQ(*reinterpret_cast<const std::uint32_t*>(counter.address), 5U);
  ask(serve::FindSymbol{0, 7}, "nothing");
  EXPECT_EQ(error(), serve::kInvalidSymbol);
  ask(serve::FindSymbol{9, 7}, "counter");
  EXPECT_EQ(error(), serve::kInvalidSymbol);
}

TEST_F(Serve, KnowsWhichHandlesExist) {
  serve::Copy command = copy_of(allocate(8), allocate(8), 8);
  command.stream = 77;
  ask(command);
  EXPECT_EQ(error(), serve::kInvalidResourceHandle);
  ask(serve::RecordEvent{99, 0});
  EXPECT_EQ(error(), serve::kInvalidResourceHandle);
  const std::uint64_t stream = ask(serve::AddStream{1}).stream;
  ask(serve::RemoveStream{stream});
  EXPECT_EQ(error(), kSuccess);
  ask(serve::RemoveStream{stream});
  EXPECT_EQ(error(), serve::kInvalidResourceHandle);
}

TEST_F(Serve, FreesInNoStreamUnlessItIsAsked) {
  serve::Free command;
  command.address = allocate(8);
  command.stream = 12345;
  ask(command);
  EXPECT_EQ(error(), kSuccess);
  command.address = allocate(8);
  command.call = serve::FreeCall::kFreeAsync;
  ask(command);
  EXPECT_EQ(error(), serve::kInvalidResourceHandle);
}

TEST_F(Serve, TakesFindingsOnlyAboutTheHost) {
  serve::Report command;
  command.finding = static_cast<std::uint32_t>(report::Kind::kRace);
  ask(command);
  EXPECT_EQ(error(), kInvalidValue);
  command.finding = static_cast<std::uint32_t>(report::Kind::kCrash);
  command.kernel_bytes = 1;
  command.message_bytes = 2;
  ask(command, "kme");
  const auto findings = report::take_findings();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kernel, "k");
  EXPECT_EQ(findings[0].message, "me");
}

TEST_F(Serve, BlamesTheHostForUsingDeviceMemory) {
  const std::uint64_t d = allocate(100);
  serve::Touch command;
  command.address = d + 8;
  command.writes = 1;
  ask(command);
  const auto findings = report::take_findings();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, report::Kind::kHostPointer);
}

TEST_F(Serve, DeclaresScratchOnlyInItsRoom) {
  serve::Batch batch;
  batch.scratch_bytes = 1 << 16;
  device_->begin(batch);
  const std::uint64_t room = ask(serve::TakeScratch{1 << 16}).address;
  ASSERT_NE(room, 0U);
  ask(serve::DeclareScratch{room + 256, 1 << 16, 1}, "s");
  EXPECT_EQ(error(), kInvalidValue);
  ask(serve::DeclareScratch{room + 256, 100, 1}, "s");
  EXPECT_EQ(error(), kSuccess);
  EXPECT_EQ(memory::find(room + 256)->name, "s");
  ask(serve::TakeScratch{1 << 17});
  EXPECT_EQ(error(), kInvalidValue);
  device_->end(false);
}

TEST_F(Serve, LetsTheAllocationFailThatTheJudgeChose) {
  serve::Batch batch;
  batch.posed.failing_allocation = 2;
  device_->begin(batch);
  for (const int expected : {kSuccess, serve::kMemoryAllocation, kSuccess}) {
    ask(serve::Allocate{8});
    EXPECT_EQ(error(), expected);
  }
  EXPECT_EQ(device_->num_allocations(), 3U);
  device_->end(false);
  device_->begin({});
  EXPECT_EQ(device_->num_allocations(), 0U);
  device_->end(false);
  report::take_findings();  // what was not freed
}

TEST_F(Serve, HasTheClockThatTheJudgeChose) {
  const std::uint64_t d = allocate(8);
  const std::uint64_t event = ask(serve::AddEvent{}).event;
  EXPECT_EQ(ask(serve::AskEvent{event}).has_clock, 0U);
  serve::Batch batch;
  batch.posed.launch_ms = 0.5;
  device_->begin(batch);
  double expected_ms = 0;
  for (const double launch_ms : {0.5 * wire::kColdTimes, 0.5, 0.5}) {
    ask(launch_of("store"), parameters(d, 1));
    ask(serve::RecordEvent{event, serve::kLegacyStream});
    const auto before = ask(serve::AskEvent{event});
    EXPECT_EQ(before.has_clock, 1U);
    EXPECT_EQ(before.is_known, 0U);
    EXPECT_DOUBLE_EQ(before.ms, expected_ms += launch_ms);
    ask(serve::WaitForEvent{event});
    EXPECT_EQ(ask(serve::AskEvent{event}).is_known, 1U);
  }
  device_->end(false);
}

TEST_F(Serve, LetsEachRepeatTakeLonger) {
  const std::uint64_t d = allocate(8);
  const std::uint64_t event = ask(serve::AddEvent{}).event;
  serve::Batch batch;
  batch.posed.launch_ms = 1;
  batch.posed.drift = 0.25;
  device_->begin(batch);
  for (const double ended_ms :
       {1.0 * wire::kColdTimes, wire::kColdTimes + 1.25, wire::kColdTimes + 1.25 + 1.5}) {
    ask(launch_of("store"), parameters(d, 1));
    ask(serve::RecordEvent{event, serve::kLegacyStream});
    EXPECT_DOUBLE_EQ(ask(serve::AskEvent{event}).ms, ended_ms);
  }
  device_->end(false);
}

class ServeWithClock : public Serve {
 protected:
  void SetUp() override {
    Serve::SetUp();
    batch_.posed.launch_ms = 1;
    batch_.posed.call_ms = 2;
    device_->watchers().set_counting(true);
    device_->begin(batch_);
  }
  // Of the host, when the batch has ended.
  count::CounterSet take_counters() {
    device_->end(false);
    const std::vector<count::KernelCounters> kernels = device_->watchers().counter().take();
    const auto host = std::ranges::find(kernels, "host", &count::KernelCounters::name);
    return host == kernels.end() ? count::CounterSet{} : host->counters;
  }
  std::uint64_t allocate_in(std::uint64_t stream, std::uint64_t size_bytes) {
    return ask(serve::Allocate{size_bytes, stream, serve::Memory::kDevice}).address;
  }
  void free_in(std::uint64_t stream, std::uint64_t address) {
    ask(serve::Free{address, stream, serve::FreeCall::kFreeAsync});
    EXPECT_EQ(error(), kSuccess);
  }

  serve::Batch batch_;
};

TEST_F(ServeWithClock, CountsMemoryThatIsFreedInNoOrderWithAnAllocation) {
  const std::uint64_t first = ask(serve::AddStream{}).stream;
  const std::uint64_t second = ask(serve::AddStream{}).stream;
  free_in(first, allocate_in(first, 100));
  free_in(first, allocate_in(first, 120));  // it is free then
  free_in(second, allocate_in(second, 100));
  EXPECT_EQ(take_counters()[count::Counter::kAllocatedMaxBytes], 320U);
}

TEST_F(ServeWithClock, CountsMemoryOnceThatAnEventHandsOver) {
  const std::uint64_t first = ask(serve::AddStream{}).stream;
  const std::uint64_t second = ask(serve::AddStream{}).stream;
  const std::uint64_t event = ask(serve::AddEvent{}).event;
  free_in(first, allocate_in(first, 100));
  ask(serve::RecordEvent{event, first});
  ask(serve::StreamWaits{second, event});
  free_in(second, allocate_in(second, 90));
  EXPECT_EQ(take_counters()[count::Counter::kAllocatedMaxBytes], 100U);
}

TEST_F(ServeWithClock, CountsPinnedMemoryOfTheFunctionOnly) {
  ask(serve::CallersTurn{1});
  allocate(1000, serve::Memory::kPinned);  // nor is it a leak
  ask(serve::CallersTurn{0});
  const std::uint64_t own = allocate(200, serve::Memory::kPinned);
  ask(serve::Free{own, 0, serve::FreeCall::kFreeHost});
  ask(serve::Free{allocate(300, serve::Memory::kPinned), 0, serve::FreeCall::kFreeHost});
  EXPECT_EQ(take_counters()[count::Counter::kPinnedMaxBytes], 300U);
  EXPECT_TRUE(report::take_findings().empty());
}

TEST_F(ServeWithClock, LetsTheHostMakeAGraph) {
  for (int node = 0; node < 3; ++node) ask(serve::GraphCall{1});
  ask(serve::GraphCall{3});  // to make it executable
  const count::CounterSet counters = take_counters();
  EXPECT_EQ(counters[count::Counter::kHostCalls], 4U);
  EXPECT_EQ(counters[count::Counter::kTimelineNs], 12'000'000U);
}

// The first call may set up what all others use.
TEST_F(Serve, FindsWhatASecondCallNeverDestroys) {
  const serve::Place at = {7, "a.cu"};
  std::uint64_t kept = 0;
  for (int call = 0; call < 2; ++call) {
    EXPECT_TRUE(report::take_findings().empty());
    device_->begin({});
    ask(serve::AddStream{1, at});
    ask(serve::AddEvent{});  // of the runtime
    ask(serve::CallersTurn{1});
    ask(serve::AddEvent{{8, "a.cu"}});
    ask(serve::CallersTurn{0});
    ask(serve::RemoveEvent{ask(serve::AddEvent{{9, "a.cu"}}).event});
    for (int i = 0; i < 2; ++i) ask(serve::AddGraph{1, {10, "a.cu"}});
    ask(serve::RemoveGraph{ask(serve::AddGraph{0, {11, "a.cu"}}).graph});
    ask(serve::RemoveGraph{kept});  // and makes it anew
    kept = ask(serve::AddGraph{0, {12, "a.cu"}}).graph;
    device_->end(false);
  }
  const std::vector<report::Finding> found = report::take_findings();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].line, 10U);  // each call leaves two more
  EXPECT_EQ(found[0].message,
            "2 executable graphs were made during the call and never destroyed: call "
            "cudaGraphExecDestroy");
  EXPECT_EQ(found[1].line, 7U);
}

// A copy in of 100 bytes, and a launch of 32 threads in another stream that waits for it.
TEST_F(Serve, TimesStreamsByThatClock) {
  serve::Batch batch;
  batch.posed.launch_ms = 1;
  batch.posed.kernel_byte_ms = 0.0625;
  batch.posed.byte_in_ms = 0.5;
  batch.posed.call_ms = 2;
  device_->watchers().set_counting(true);
  device_->begin(batch);
  const std::uint64_t pinned = allocate(400, serve::Memory::kPinned);
  const std::uint64_t d = allocate(400);
  allocate(800);  // the host: 4
  const std::uint64_t first = ask(serve::AddStream{}).stream;
  const std::uint64_t second = ask(serve::AddStream{}).stream;
  const std::uint64_t event = ask(serve::AddEvent{}).event;
  serve::Copy copy;
  copy.to = {d, 100, 1};
  copy.from = {pinned, 100, 1};
  copy.extent = {100, 1, 1};
  copy.stream = first;
  copy.direction = 1;  // to the device
  ask(copy);           // the host: 6; the copy: 6 to 56
  EXPECT_EQ(error(), kSuccess);
  ask(serve::RecordEvent{event, first});
  EXPECT_DOUBLE_EQ(ask(serve::AskEvent{event}).ms, 56);
  ask(serve::StreamWaits{second, event});
  serve::Launch launch = launch_of("store");
  launch.block = {32, 1, 1};
  launch.stream = second;
  ask(serve::GraphTurn{1, {}});   // the host: 8
  ask(launch, parameters(d, 1));  // 56 to 56 + 40 + 8: a kernel's first launch
  ask(launch, parameters(d, 1));  // 104 to 113
  ask(serve::GraphTurn{0, {}});
  ask(serve::RecordEvent{event, second});
  EXPECT_DOUBLE_EQ(ask(serve::AskEvent{event}).ms, 113);
  copy.to = {pinned, 50, 1};
  copy.from = {pinned + 50, 50, 1};
  copy.extent = {50, 1, 1};
  copy.direction = 0;  // between places of the host
  ask(serve::CallersTurn{1});
  ask(copy);  // no call of the function's
  ask(serve::CallersTurn{0});
  EXPECT_EQ(error(), kSuccess);
  ask(serve::HostWaits{});
  ask(serve::WaitForEvent{event});
  ask(launch, parameters(d, 1));  // the host: 115; until 124
  device_->end(false);
  const std::vector<count::KernelCounters> kernels = device_->watchers().counter().take();
  const auto host = std::ranges::find(kernels, "host", &count::KernelCounters::name);
  ASSERT_NE(host, kernels.end());
  using count::Counter;
  EXPECT_EQ(host->counters[Counter::kTimelineNs], 124'000'000U);
  EXPECT_EQ(host->counters[Counter::kHostCalls], 5U);
  EXPECT_EQ(host->counters[Counter::kGraphLaunches], 1U);
  EXPECT_EQ(host->counters[Counter::kHostWaits], 1U);
  EXPECT_EQ(host->counters[Counter::kPageableBytes], 0U);
  EXPECT_EQ(host->counters[Counter::kAllocatedMaxBytes], 1200U);
  report::take_findings();  // what was not freed
}

TEST_F(Serve, RefusesAModuleThatIsNoPtx) {
  const std::string text = "this is no PTX";
  std::memcpy(data_.data(), text.data(), text.size());
  serve::LoadModule command;
  command.total_bytes = command.piece_bytes = static_cast<std::uint32_t>(text.size());
  ask(command);
  EXPECT_EQ(error(), serve::kInvalidPtx);
  EXPECT_FALSE(tail_.empty());
  command.total_bytes = UINT64_MAX;
  ask(command);
  EXPECT_EQ(error(), kInvalidValue);
  command.total_bytes = 100;
  command.offset = 50;
  ask(command);
  EXPECT_EQ(error(), kInvalidValue);
}

// Commands of every kind with numbers that make no sense, or nearly make sense.
class Rubbish : public Serve, public ::testing::WithParamInterface<int> {};

TEST_P(Rubbish, EndsWithAnErrorAtWorst) {
  std::mt19937_64 random(static_cast<std::uint64_t>(GetParam()));
  std::vector<std::uint64_t> known = {0, 1, 2, memory::kDeviceBase, UINT64_MAX, 4096};
  const std::uint64_t pinned = allocate(4096, serve::Memory::kPinned);
  std::memset(reinterpret_cast<void*>(pinned), 0xff, 4096);
  known.push_back(pinned);
  const std::uint32_t kernels[] = {kernel("store"), kernel("bounded"), kernel("wait")};
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::byte> bytes(4 + random() % 320);
    for (std::size_t at = 4; at + 8 <= bytes.size(); at += random() % 2 == 0 ? 4 : 8) {
      std::uint64_t value = known[random() % known.size()] + (random() % 3) * (random() % 300);
      if (random() % 4 == 0) value = random() % 5;
      if (random() % 64 == 0) value = random();
      std::memcpy(bytes.data() + at, &value, sizeof value);
    }
    const std::uint32_t kind = random() % 40;
    std::memcpy(bytes.data(), &kind, sizeof kind);
    act(bytes);
    if (random() % 8 == 0) {
      const std::uint64_t made = allocate(random() % 5000 + 1);
      if (made != 0) known.push_back(made);
      serve::Launch command;
      command.kernel = kernels[random() % 3];
      command.parameter_bytes = 12;
      command.grid.x = random() % 3;
      ask(command, parameters(known[random() % known.size()], 3));
    }
    if (known.size() > 200) known.resize(50);
  }
  SUCCEED();
}

INSTANTIATE_TEST_SUITE_P(Seeds, Rubbish, ::testing::Range(1, 5));

}  // namespace
}  // namespace serve_test
