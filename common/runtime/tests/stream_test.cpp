// SPDX-License-Identifier: MIT
// Streams, events, and kernels that wait for the host.
#include <chrono>
#include <thread>

#include "error_state.h"
#include "lockstep_runtime.h"
#include "runtime_test.h"

namespace runtime_test {
namespace {

class Streams : public Runtime {
 protected:
  void SetUp() override {
    Runtime::SetUp();
    cudaMallocHost(reinterpret_cast<void**>(const_cast<int**>(&flag_)), 8);
    flag_[0] = 0;
    flag_[1] = 0;
    cudaMalloc(reinterpret_cast<void**>(&d_), 64);
    cudaMemset(d_, 0, 64);
    cudaDeviceSynchronize();
    take_findings();
  }
  void TearDown() override { cudaFreeHost(const_cast<int*>(flag_)); }
  int* flag() { return const_cast<int*>(flag_); }

  volatile int* flag_ = nullptr;
  int* d_ = nullptr;
};

TEST_F(Streams, ExistUntilTheyAreDestroyed) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -3), cudaSuccess);
  unsigned flags = 0;
  int priority = 0;
  EXPECT_EQ(cudaStreamGetFlags(stream, &flags), cudaSuccess);
  EXPECT_EQ(cudaStreamGetPriority(stream, &priority), cudaSuccess);
  EXPECT_EQ(flags, cudaStreamNonBlocking);
  EXPECT_EQ(priority, -3);
  EXPECT_EQ(launch(kFill, 1, 1, d_, 1, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(runtime::last_error_origin().what, "cudaStreamDestroy");
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(nullptr), cudaErrorInvalidResourceHandle);
}

TEST_F(Streams, RaceUnlessAnEventOrdersThem) {
  cudaStream_t a = nullptr;
  cudaStream_t b = nullptr;
  cudaEvent_t event = nullptr;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEventCreate(&event);
  launch(kFill, 1, 1, d_, 1, a);
  cudaEventRecord(event, a);
  cudaStreamWaitEvent(b, event, 0);
  launch(kFill, 1, 1, d_, 2, b);
  EXPECT_TRUE(take_findings().empty());
  launch(kFill, 1, 1, d_, 3, a);
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_NE(findings[0].find("\"race\""), std::string::npos) << findings[0];
  cudaDeviceSynchronize();
  for (const cudaStream_t stream : {a, b}) cudaStreamDestroy(stream);
  cudaEventDestroy(event);
}

TEST_F(Streams, RaceWithACopyFromPageableMemory) {
  cudaStream_t other = nullptr;
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  const int h = 1;
  int result = 0;
  cudaMemcpy(d_, &h, sizeof h, cudaMemcpyHostToDevice);
  launch(kFill, 1, 1, d_, 2);  // behind it
  cudaMemcpy(&result, d_, sizeof h, cudaMemcpyDeviceToHost);
  launch(kFill, 1, 1, d_, 3, other);  // that copy has arrived
  cudaDeviceSynchronize();
  EXPECT_TRUE(take_findings().empty());
  cudaMemcpy(d_, &h, sizeof h, cudaMemcpyHostToDevice);
  launch(kFill, 1, 1, d_, 4, other);
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_NE(findings[0].find("\"race\""), std::string::npos) << findings[0];
  cudaDeviceSynchronize();
  cudaStreamDestroy(other);
}

TEST_F(Streams, HaveEventsThatKeepTime) {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  float elapsed_ms = -1;
  EXPECT_EQ(cudaEventElapsedTime(&elapsed_ms, begin, end), cudaErrorInvalidResourceHandle);
  cudaEventRecord(begin, nullptr);
  cudaMemsetAsync(d_, 0, 4, nullptr);
  cudaEventRecord(end, nullptr);
  EXPECT_EQ(cudaEventElapsedTime(&elapsed_ms, begin, end), cudaErrorNotReady);
  EXPECT_EQ(cudaEventSynchronize(end), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&elapsed_ms, begin, end), cudaSuccess);
  EXPECT_GE(elapsed_ms, 0);
  EXPECT_EQ(cudaEventDestroy(begin), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(begin, nullptr), cudaErrorInvalidResourceHandle);
  cudaEventDestroy(end);
}

TEST_F(Streams, LetAKernelWaitForTheHost) {
  EXPECT_EQ(launch(kWait, 1, 1, flag(), 7), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
  flag_[0] = 1;
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(flag_[1], 7);
  EXPECT_TRUE(take_findings().empty());
}

TEST_F(Streams, RunAKernelWhileTheHostsOwnCodeRuns) {
  launch(kWait, 1, 1, flag(), 7);
  flag_[0] = 1;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (flag_[1] == 0 && std::chrono::steady_clock::now() < end) {
  }
  EXPECT_EQ(flag_[1], 7);
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaSuccess);
}

TEST_F(Streams, RunWhatIsBehindAKernelThatWaitsWhenItHasEnded) {
  int* copied = nullptr;
  cudaMallocHost(reinterpret_cast<void**>(&copied), 4);
  *copied = 0;
  launch(kWait, 1, 1, flag(), 7);
  EXPECT_EQ(launch(kFill, 1, 1, d_, 3), cudaSuccess);
  EXPECT_EQ(launch(kAdd, 1, 1, d_, 2), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(copied, d_, 4, cudaMemcpyDeviceToHost, nullptr), cudaSuccess);
  bool was_called = false;
  cudaLaunchHostFunc(
      nullptr, [](void* called) { *static_cast<bool*>(called) = true; }, &was_called);
  EXPECT_FALSE(was_called);
  flag_[0] = 1;
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_TRUE(was_called);
  EXPECT_EQ(*copied, 5);
  cudaFreeHost(copied);
}

TEST_F(Streams, DoNotMakeOtherStreamsWait) {
  cudaStream_t other = nullptr;
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaEvent_t event = nullptr;
  cudaEventCreate(&event);
  launch(kWait, 1, 1, flag(), 7);
  cudaEventRecord(event, nullptr);
  EXPECT_EQ(cudaStreamQuery(other), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(d_, 1, 4, other), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(other), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
  flag_[0] = 1;
  EXPECT_EQ(cudaEventSynchronize(event), cudaSuccess);
  EXPECT_EQ(flag_[1], 7);
  cudaStreamDestroy(other);
  cudaEventDestroy(event);
}

TEST_F(Streams, ReportADeadlockWhenNobodyWritesTheFlag) {
  launch(kWait, 1, 1, flag(), 7);
  EXPECT_NE(cudaDeviceSynchronize(), cudaSuccess);
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_NE(findings[0].find("deadlock"), std::string::npos) << findings[0];
  EXPECT_NE(findings[0].find("of stream_test.cpp"), std::string::npos) << findings[0];
  cudaDeviceReset();
}

TEST_F(Streams, GiveOtherThreadsTimeToWriteTheFlag) {
  launch(kWait, 1, 1, flag(), 7);
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    flag_[0] = 1;
  });
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  writer.join();
  EXPECT_EQ(flag_[1], 7);
}

TEST_F(Streams, ServeSeveralThreadsOfTheHost) {
  std::vector<std::thread> threads;
  std::vector<int> sums(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      int* d = nullptr;
      cudaMalloc(reinterpret_cast<void**>(&d), 4);
      cudaMemset(d, 0, 4);
      cudaStream_t stream = nullptr;
      cudaStreamCreate(&stream);
      for (int i = 0; i < 50; ++i) launch(kAdd, 1, 1, d, t + 1, stream);
      cudaMemcpyAsync(&sums[t], d, 4, cudaMemcpyDeviceToHost, stream);
      cudaStreamSynchronize(stream);
      cudaStreamDestroy(stream);
      cudaFree(d);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sums, (std::vector<int>{50, 100, 150, 200}));
}

TEST_F(Streams, CallAFunctionThatTheHostDoesNotWaitFor) {
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  launch(kFill, 1, 1, d_, 1, stream);
  bool was_called = false;
  cudaLaunchHostFunc(
      stream, [](void* called) { *static_cast<bool*>(called) = true; }, &was_called);
  EXPECT_TRUE(was_called);
  launch(kFill, 1, 1, d_, 2, stream);  // behind it
  EXPECT_TRUE(take_findings().empty());
  launch(kFill, 1, 1, d_, 3);
  EXPECT_EQ(take_findings().size(), 1U);
  cudaDeviceSynchronize();
  cudaStreamDestroy(stream);
}

TEST_F(Streams, CallAFunctionThatMakesNoCalls) {
  cudaLaunchHostFunc(
      nullptr, [](void*) { cudaStreamSynchronize(nullptr); }, nullptr);
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_NE(findings[0].find("cudaStreamSynchronize is called by a function of"), std::string::npos)
      << findings[0];
  cudaStreamSynchronize(nullptr);
  EXPECT_TRUE(take_findings().empty());
}

// CUDA Programming Guide, "Stream-Ordered Memory Allocator": the driver assumes that all accesses
// are complete, and performs no further synchronization.
TEST_F(Streams, AreNotWaitedForByAFreeOfTheirMemory) {
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  int* d_own = nullptr;
  cudaMallocAsync(reinterpret_cast<void**>(&d_own), 4, stream);
  launch(kFill, 1, 1, d_own, 1, stream);
  EXPECT_EQ(cudaFree(d_own), cudaSuccess);
  const auto findings = take_findings();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_NE(findings[0].find("ends memory that fill"), std::string::npos) << findings[0];
  cudaMallocAsync(reinterpret_cast<void**>(&d_own), 4, stream);
  launch(kFill, 1, 1, d_own, 1, stream);
  cudaStreamSynchronize(stream);
  EXPECT_EQ(cudaFree(d_own), cudaSuccess);
  EXPECT_TRUE(take_findings().empty());
  cudaStreamDestroy(stream);
}

// What a call has findings about that receives the legacy stream and must not wait for it.
template <class Call>
std::size_t count_waits(Call call) {
  runtime::begin_call_on(nullptr);
  call();
  runtime::end_call_on(nullptr);
  return take_findings().size();
}

TEST_F(Streams, AreNotWaitedForInCallAfterCall) {
  const auto waits = [] { cudaStreamSynchronize(nullptr); };
  EXPECT_EQ(count_waits(waits), 0U);  // it may set up what later calls use
  EXPECT_EQ(count_waits([] {}), 0U);
  EXPECT_EQ(count_waits(waits), 1U);
  EXPECT_EQ(count_waits([] { cudaStreamSynchronize(nullptr); }), 0U);  // another place
}

TEST_F(Streams, AreNotWaitedForByACopyWithinTheDevice) {
  const auto copies = [&] { cudaMemcpy(d_, d_ + 1, 4, cudaMemcpyDeviceToDevice); };
  for (int call = 0; call < 2; ++call) EXPECT_EQ(count_waits(copies), 0U);
  const auto copies_out = [&] { cudaMemcpy(flag(), d_, 4, cudaMemcpyDeviceToHost); };
  EXPECT_EQ(count_waits(copies_out), 0U);
  EXPECT_EQ(count_waits(copies_out), 1U);
  cudaDeviceSynchronize();
}

TEST_F(Streams, AreAskedWithoutAWaitUnlessInALoop) {
  const auto asks = [] { EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady); };
  const auto polls = [] {
    while (cudaStreamQuery(nullptr) == cudaErrorNotReady) continue;
  };
  for (int call = 0; call < 3; ++call) EXPECT_EQ(count_waits(asks), 0U);
  EXPECT_EQ(count_waits(polls), 0U);
  EXPECT_EQ(count_waits(polls), 1U);
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaSuccess);
}

}  // namespace
}  // namespace runtime_test
