// SPDX-License-Identifier: MIT
// malloc, new and their counterparts in kernels.
#include <cstdlib>

#include "device_test.h"
#include "simt/memory.h"

namespace simt_test::heap_test {
namespace {

class DeviceHeap : public DeviceTest {};

struct Node {
  int value;
  Node* next;
};

// Each thread builds a list and hands over its sum.
__global__ void list_kernel(int* out) {
  Node* head = nullptr;
  for (int i = 0; i < 5; ++i) head = new Node{i + static_cast<int>(threadIdx.x), head};
  int* const copies = static_cast<int*>(malloc(5 * sizeof(int)));
  int count = 0;
  while (head != nullptr) {
    Node* const next = head->next;
    copies[count++] = head->value;
    delete head;
    head = next;
  }
  out[threadIdx.x] = 0;
  for (int i = 0; i < count; ++i) out[threadIdx.x] += copies[i];
  free(copies);
}

TEST_F(DeviceHeap, AllowsNewAndMalloc) {
  Managed<int> out(64);
  list_kernel<<<1, 64>>>(out.get());
  EXPECT_EQ(out[0], 10);
  EXPECT_EQ(out[63], 10 + 5 * 63);
}

__global__ void keep_kernel(int** slot) { *slot = static_cast<int*>(malloc(4 * sizeof(int))); }
constexpr int kKeepLine = __LINE__ - 1;

__global__ void read_kernel(int* const* slot, int* out, int i) { out[0] = (*slot)[i]; }
constexpr int kReadLine = __LINE__ - 1;

__global__ void fill_kernel(int* const* slot) { (*slot)[threadIdx.x] = 7; }

__global__ void free_kernel(int** slot) { free(*slot); }
constexpr int kFreeLine = __LINE__ - 1;

TEST_F(DeviceHeap, KeepsMemoryFromLaunchToLaunchAndChecksItsUse) {
  Managed<int*> slot(1);
  Managed<int> out(1);
  keep_kernel<<<1, 1>>>(slot.get());
  EXPECT_EQ(simt::program_place(simt::live_allocations().back()->made_by).line, kKeepLine);
  read_kernel<<<1, 1>>>(slot.get(), out.get(), 0);
  EXPECT_EQ(expect_finding(simt::FindingKind::kUninitializedRead).line, kReadLine);
  fill_kernel<<<1, 4>>>(slot.get());
  read_kernel<<<1, 1>>>(slot.get(), out.get(), 3);
  EXPECT_EQ(out[0], 7);
  read_kernel<<<1, 1>>>(slot.get(), out.get(), 4);
  EXPECT_TRUE(
      contains(expect_finding(simt::FindingKind::kOutOfBounds).message, "right past the end of"));
  free_kernel<<<1, 1>>>(slot.get());
  free_kernel<<<1, 1>>>(slot.get());
  const simt::Finding finding = expect_fault(cudaErrorLaunchFailure, simt::FindingKind::kCrash);
  EXPECT_EQ(finding.line, kFreeLine);
  EXPECT_TRUE(contains(finding.message,
                       "which has been freed already in line " + std::to_string(kFreeLine)));
}

__global__ void exhaust_kernel(int* num_blocks) {
  void* last = nullptr;
  while (void* const p = malloc(1 << 20)) {
    free(last);
    last = p;
    if (++*num_blocks == 100) break;
  }
  free(last);
  void* const all = malloc(std::size_t{9} << 20);  // the default is 8 MiB
  if (all == nullptr) *num_blocks += 1000;
}

TEST_F(DeviceHeap, ReturnsNullBeyondItsLimit) {
  Managed<int> num_blocks(1);
  exhaust_kernel<<<1, 1>>>(num_blocks.get());
  EXPECT_EQ(num_blocks[0], 1100);
}

__global__ void free_wrongly_kernel(int* data) { free(data); }

TEST_F(DeviceHeap, FindsAFreeOfTheHostsAllocation) {
  Managed<int> data(1);
  free_wrongly_kernel<<<1, 1>>>(data.get());
  EXPECT_TRUE(contains(expect_fault(cudaErrorLaunchFailure, simt::FindingKind::kCrash).message,
                       "which neither malloc nor new in a kernel returned"));
  void* const on_host = malloc(16);
  EXPECT_FALSE(simt::is_device_address(on_host));
  free(on_host);
}

}  // namespace
}  // namespace simt_test::heap_test
