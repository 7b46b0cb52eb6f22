// SPDX-License-Identifier: MIT
// Work on two streams that uses the same memory, with and without something that orders it.
#include <vector>

#include "device_test.h"

namespace simt_test::stream_test {
namespace {

constexpr int kItems = 64;

__global__ void write_kernel(int* out) { out[threadIdx.x] = 1; }
constexpr int kWriteLine = __LINE__ - 1;

__global__ void read_kernel(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }
constexpr int kReadLine = __LINE__ - 1;

__global__ void add_kernel(int* sum) { atomicAdd(sum, 1); }

class Streams : public DeviceTest {
 protected:
  Streams() {
    cudaStreamCreateWithFlags(&first_, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second_, cudaStreamNonBlocking);
    cudaStreamCreate(&blocking_);
    cudaMalloc(&data_, kItems * sizeof(int));
    cudaMalloc(&out_, kItems * sizeof(int));
    cudaMemset(data_, 0, kItems * sizeof(int));
    cudaDeviceSynchronize();
  }
  ~Streams() override {
    for (cudaStream_t stream : {first_, second_, blocking_}) cudaStreamDestroy(stream);
    cudaFree(data_);
    cudaFree(out_);
  }

  void write(cudaStream_t stream) { write_kernel<<<1, kItems, 0, stream>>>(data_); }
  void read(cudaStream_t stream) { read_kernel<<<1, kItems, 0, stream>>>(data_, out_); }

  simt::Finding expect_race(int line, const std::string& words) {
    const simt::Finding finding = expect_finding(simt::FindingKind::kRace);
    EXPECT_EQ(finding.line, line);
    EXPECT_TRUE(contains(finding.message, words));
    EXPECT_TRUE(contains(finding.message, "nothing orders the two streams"));
    return finding;
  }

  cudaStream_t first_ = nullptr, second_ = nullptr, blocking_ = nullptr;
  int* data_ = nullptr;
  int* out_ = nullptr;
};

TEST_F(Streams, FindsAReadOfWhatAnotherStreamWrites) {
  write(first_);
  read(second_);
  const simt::Finding finding = expect_race(
      kReadLine, "write_kernel, which may still run on another stream, writes in line " +
                     std::to_string(kWriteLine));
  EXPECT_EQ(finding.kernel, "read_kernel");
}

TEST_F(Streams, FindsAWriteOfWhatAnotherStreamReads) {
  read(first_);
  write(second_);
  expect_race(kWriteLine, "read_kernel, which may still run on another stream, reads in line " +
                              std::to_string(kReadLine));
}

TEST_F(Streams, FindsThatTwoStreamsWriteEvenTheSame) {
  write(first_);
  write(second_);
  expect_race(kWriteLine, "write_kernel, which may still run on another stream, writes");
}

TEST_F(Streams, FindsThatANonBlockingStreamDoesNotWaitForTheDefaultOne) {
  write(nullptr);
  read(first_);
  expect_race(kReadLine, "may still run on another stream");
}

TEST_F(Streams, FindsACopyBesideAKernel) {
  int* pinned = nullptr;
  cudaMallocHost(&pinned, kItems * sizeof(int));
  std::fill_n(pinned, kItems, 3);
  cudaMemcpyAsync(data_, pinned, kItems * sizeof(int), cudaMemcpyHostToDevice, first_);
  const int copy_line = __LINE__ - 1;
  read(second_);
  expect_race(kReadLine, "the copy or fill in line " + std::to_string(copy_line) +
                             " of device_stream_test.cu may still write on another stream");
  cudaDeviceSynchronize();
  write(first_);
  cudaMemcpyAsync(pinned, data_, kItems * sizeof(int), cudaMemcpyDeviceToHost, second_);
  expect_race(__LINE__ - 1, "reads global memory that write_kernel, which may still run");
  cudaDeviceSynchronize();
  cudaMemsetAsync(data_, 0, kItems * sizeof(int), first_);
  cudaMemcpyAsync(pinned, data_, kItems * sizeof(int), cudaMemcpyDeviceToHost, second_);
  expect_race(__LINE__ - 1, "may still write on another stream");
  cudaFreeHost(pinned);
}

TEST_F(Streams, FindsAnEventThatWasRecordedTooEarly) {
  cudaEvent_t event = nullptr;
  cudaEventCreate(&event);
  cudaEventRecord(event, first_);
  write(first_);
  cudaStreamWaitEvent(second_, event);
  read(second_);
  expect_race(kReadLine, "may still run on another stream");
  cudaEventDestroy(event);
}

TEST_F(Streams, AllowsEveryWayOfWaiting) {
  cudaEvent_t event = nullptr;
  cudaEventCreate(&event);
  write(first_);
  cudaEventRecord(event, first_);
  cudaStreamWaitEvent(second_, event);
  read(second_);
  cudaStreamSynchronize(second_);  // and so for the first one
  write(first_);
  cudaEventRecord(event, first_);
  cudaEventSynchronize(event);
  read(blocking_);
  cudaDeviceSynchronize();
  write(second_);
  while (cudaStreamQuery(second_) != cudaSuccess) {
  }
  read(first_);
  cudaEventDestroy(event);
}

TEST_F(Streams, AllowsTheDefaultStreamsOrder) {
  write(blocking_);
  read(nullptr);     // waits for blocking streams ...
  write(blocking_);  // ... and they for it
  std::vector<int> host(kItems);
  cudaMemcpy(host.data(), data_, kItems * sizeof(int), cudaMemcpyDeviceToHost);
  write(first_);  // the copy was done
}

TEST_F(Streams, AllowsDisjointHalvesAndAtomics) {
  read_kernel<<<1, kItems / 2, 0, first_>>>(data_, out_);
  read_kernel<<<1, kItems / 2, 0, second_>>>(data_, out_ + kItems / 2);
  add_kernel<<<2, 32, 0, first_>>>(data_);
  add_kernel<<<2, 32, 0, second_>>>(data_ + 1);
  cudaDeviceSynchronize();
  add_kernel<<<2, 32, 0, first_>>>(data_);
  add_kernel<<<2, 32, 0, second_>>>(data_);
}

__device__ int d_variable;

__global__ void write_variable() { d_variable = 1; }
constexpr int kVariableLine = __LINE__ - 1;

TEST_F(Streams, FindsACopyOfAVariableThatAnotherStreamWrites) {
  int value = 0;
  write_variable<<<1, 1, 0, first_>>>();
  cudaMemcpyFromSymbolAsync(&value, d_variable, sizeof value, 0, cudaMemcpyDeviceToHost, second_);
  expect_race(__LINE__ - 1,
              "reads global memory that write_variable, which may still run on "
              "another stream, writes in line " +
                  std::to_string(kVariableLine));
  cudaDeviceSynchronize();
  write_variable<<<1, 1, 0, first_>>>();
  cudaMemcpyFromSymbolAsync(&value, d_variable, sizeof value, 0, cudaMemcpyDeviceToHost, first_);
}

TEST_F(Streams, FindsAFreeOfWhatAnotherStreamUses) {
  int* items = nullptr;
  cudaMallocAsync(&items, kItems * sizeof(int), first_);
  write_kernel<<<1, kItems, 0, first_>>>(items);
  cudaFreeAsync(items, second_);
  expect_race(__LINE__ - 1, "the free in line " + std::to_string(__LINE__ - 1) +
                                " of device_stream_test.cu ends global memory that write_kernel");
}

TEST_F(Streams, FindsAFreeOfWhatAnotherStreamCopies) {
  int* items = nullptr;
  cudaMallocAsync(&items, kItems * sizeof(int), first_);
  cudaMemsetAsync(items, 0, kItems * sizeof(int), first_);
  cudaFreeAsync(items, second_);
  expect_race(__LINE__ - 1, "may still write on another stream");
}

TEST_F(Streams, FindsAUseBeforeTheAllocation) {
  int* items = nullptr;
  cudaMallocAsync(&items, kItems * sizeof(int), first_);
  const int line = __LINE__ - 1;
  write_kernel<<<1, kItems, 0, second_>>>(items);
  expect_race(kWriteLine, "the allocation in line " + std::to_string(line) +
                              " of device_stream_test.cu may still provide on another stream");
  cudaDeviceSynchronize();
  cudaFreeAsync(items, first_);
}

TEST_F(Streams, AllowsAllocationsInTheOrderOfTheirStream) {
  int* items = nullptr;
  for (int repeat = 0; repeat < 2; ++repeat) {
    cudaMallocAsync(&items, kItems * sizeof(int), first_);
    write_kernel<<<1, kItems, 0, first_>>>(items);
    cudaStreamSynchronize(first_);
    read_kernel<<<1, kItems, 0, second_>>>(items, out_);
    cudaStreamSynchronize(second_);
    cudaFreeAsync(items, first_);
  }
}

TEST_F(Streams, AllowsANewStreamOfAnOldOnesPlace) {
  for (int repeat = 0; repeat < 3; ++repeat) {
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    write(stream);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    read(first_);
    cudaDeviceSynchronize();
  }
}

}  // namespace
}  // namespace simt_test::stream_test
