// SPDX-License-Identifier: MIT
// Addresses that are not a multiple of their type's alignment, and indices past the end of an array
// whose type gives its length; and correct code that comes close to either.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "device_test.h"

namespace simt_test::types_test {
namespace {

class Types : public DeviceTest {
 protected:
  static void expect_line_and_words(const simt::Finding& finding, int line,
                                    const std::string& words) {
    EXPECT_EQ(finding.line, line);
    EXPECT_TRUE(contains(finding.message, words));
  }
};

__global__ void copy_vector_kernel(const float* in, float4* out) {
  out[threadIdx.x] = reinterpret_cast<const float4*>(in)[threadIdx.x];
}
constexpr int kCopyLine = __LINE__ - 2;

TEST_F(Types, FindsAMisalignedVector) {
  Managed<float> in(32);
  Managed<float4> out(4);
  for (int offset = 1; offset < 4; ++offset) {
    copy_vector_kernel<<<1, 4>>>(in.get() + offset, out.get());
    const simt::Finding finding =
        expect_fault(cudaErrorMisalignedAddress, simt::FindingKind::kMisaligned);
    expect_line_and_words(
        finding, kCopyLine,
        "thread 0 of block 0 reads a float4 at byte " + std::to_string(4 * offset) + " of ");
    EXPECT_TRUE(contains(finding.message, std::to_string(4 * offset) +
                                              " bytes past a multiple of 16: a float4 needs"));
  }
  copy_vector_kernel<<<1, 4>>>(in.get() + 4, out.get());
}

__global__ void shared_vector_kernel(float4* out) {
  alignas(16) __shared__ float tiles[12];
  float* const tile = tiles + 2;
  tile[threadIdx.x] = 1.0f;
  __syncwarp();
  if (threadIdx.x == 0) out[0] = *reinterpret_cast<const float4*>(tile);
}

// The variable's own address is fine, so alignas is no remedy.
TEST_F(Types, AdvisesNoAlignasForAnAlignedArray) {
  Managed<float4> out(1);
  shared_vector_kernel<<<1, 8>>>(out.get());
  const simt::Finding finding =
      expect_fault(cudaErrorMisalignedAddress, simt::FindingKind::kMisaligned);
  EXPECT_TRUE(contains(finding.message, "a float4 at byte 8 of shared tiles, which is 8 bytes"));
  EXPECT_FALSE(contains(finding.message, "alignas"));
}

// Of two arrays of 20 bytes, at most one begins at a multiple of 16.
__global__ void unaligned_array_kernel(float4* out) {
  __shared__ float first[5];
  __shared__ float second[5];
  float* const tile = reinterpret_cast<std::uintptr_t>(first) % 16 != 0 ? first : second;
  for (int i = 0; i < 5; ++i) first[i] = second[i] = 1.0f;
  out[0] = *reinterpret_cast<const float4*>(tile);
}

TEST_F(Types, AdvisesAlignasForAnArrayOfSharedMemory) {
  Managed<float4> out(1);
  unaligned_array_kernel<<<1, 1>>>(out.get());
  const simt::Finding finding =
      expect_fault(cudaErrorMisalignedAddress, simt::FindingKind::kMisaligned);
  EXPECT_TRUE(contains(finding.message, " past a multiple of 16: declare it alignas(16)"));
}

__device__ float sum_of(float4 v) { return v.x + v.y + v.z + v.w; }

__global__ void sum_vector_kernel(const float* in, float* out) {
  const float4* vectors = reinterpret_cast<const float4*>(in);
  out[threadIdx.x] = sum_of(vectors[threadIdx.x]);
}
constexpr int kSumLine = __LINE__ - 2;

TEST_F(Types, FindsAMisalignedVectorPassedByValue) {
  Managed<float> in(32), out(4);
  sum_vector_kernel<<<1, 4>>>(in.get() + 2, out.get());
  const simt::Finding finding =
      expect_fault(cudaErrorMisalignedAddress, simt::FindingKind::kMisaligned);
  expect_line_and_words(finding, kSumLine, "8 bytes past a multiple of 16");
  sum_vector_kernel<<<1, 4>>>(in.get() + 8, out.get());
}

struct alignas(16) Four {
  float item[4];
};
template <class Vector>
__device__ Four load_as(const float* in) {
  Four four;
  reinterpret_cast<Vector&>(four) = *reinterpret_cast<const Vector*>(in);
  return four;
}

template <int kWay>
__global__ void other_ways_kernel(const float* in, float* out) {
  const float4* vector = reinterpret_cast<const float4*>(in);
  if (kWay == 0) out[0] = __ldcs(vector).x;
  if (kWay == 1) out[0] = __ldg(vector).w;
  if (kWay == 2) out[0] = load_as<float4>(in).item[2];
}

TEST_F(Types, FindsAMisalignedVectorReadThroughAReference) {
  Managed<float> in(32), out(1);
  for (const auto kernel : {other_ways_kernel<0>, other_ways_kernel<1>, other_ways_kernel<2>}) {
    kernel<<<1, 1>>>(in.get() + 1, out.get());
    const simt::Finding finding =
        expect_fault(cudaErrorMisalignedAddress, simt::FindingKind::kMisaligned);
    EXPECT_TRUE(contains(finding.message, "4 bytes past a multiple of 16: a float4 needs"));
    kernel<<<1, 1>>>(in.get() + 4, out.get());
  }
}

__global__ void write_vector_kernel(int* out) {
  *reinterpret_cast<int2*>(out + threadIdx.x) = make_int2(1, 2);
}

TEST_F(Types, FindsAMisalignedWriteByTheThreadThatMakesIt) {
  Managed<int> out(32);
  write_vector_kernel<<<1, 1>>>(out.get());
  EXPECT_TRUE(simt::take_findings().empty());
  write_vector_kernel<<<1, 2>>>(out.get());
  const simt::Finding finding =
      expect_fault(cudaErrorMisalignedAddress, simt::FindingKind::kMisaligned);
  EXPECT_TRUE(contains(finding.message, "thread 1 of block 0 writes an int2"));
}

__global__ void read_word_kernel(const char* in, int* out) {
  out[0] = *reinterpret_cast<const int*>(in);
}

TEST_F(Types, FindsAMisalignedWord) {
  Managed<char> in(32);
  Managed<int> out(1);
  read_word_kernel<<<1, 1>>>(in.get() + 2, out.get());
  const simt::Finding finding =
      expect_fault(cudaErrorMisalignedAddress, simt::FindingKind::kMisaligned);
  EXPECT_TRUE(contains(finding.message, "2 bytes past a multiple of 4: an int needs"));
}

struct Entry {  // 24 bytes: every other value lies 8 bytes past a multiple of 16
  double key;
  struct Value {
    double weight;
    long position;
  } value;
};

__global__ void copy_values_kernel(const Entry* in, Entry::Value* out, char* packed) {
  const int t = threadIdx.x;
  const Entry::Value value = in[t].value;
  out[t] = value;
  memcpy(packed + 3 * t, &value, 3);  // bytes may lie anywhere
}

TEST_F(Types, AllowsStructsThatNeedLessThanTheirSize) {
  Managed<Entry> in(8);
  Managed<Entry::Value> out(8);
  Managed<char> packed(24);
  copy_values_kernel<<<1, 8>>>(in.get(), out.get(), packed.get());
}

__global__ void tile_kernel(float* out, int column) {
  __shared__ float tile[4][32];
  for (int row = 0; row < 4; ++row) tile[row][threadIdx.x] = 1.0f;
  __syncthreads();
  out[threadIdx.x] = tile[1][column];
}
constexpr int kTileLine = __LINE__ - 2;

TEST_F(Types, FindsAnIndexPastARow) {
  Managed<float> out(32);
  tile_kernel<<<1, 32>>>(out.get(), 31);
  EXPECT_TRUE(simt::take_findings().empty());
  tile_kernel<<<1, 32>>>(out.get(), 32);
  const simt::Finding finding =
      expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kOutOfBounds);
  expect_line_and_words(finding, kTileLine, "thread 0 of block 0 uses index 32 of an array");
  EXPECT_TRUE(contains(finding.message, "float [32], whose last element is number 31"));
  EXPECT_EQ(finding.kernel, "tile_kernel");
  tile_kernel<<<1, 32>>>(out.get(), -1);
  EXPECT_TRUE(
      contains(expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kOutOfBounds).message,
               "uses index -1 of an array"));
}

__constant__ int weights[3] = {1, 2, 3};

__global__ void local_array_kernel(const int* in, int* out, int num_items) {
  int items[4] = {};
  for (int i = 0; i < num_items; ++i) items[i] = in[i];
  out[0] = items[0] + items[3];
  out[1] = weights[in[0]];
}
constexpr int kLocalLine = __LINE__ - 4;
constexpr int kConstantLine = __LINE__ - 3;

TEST_F(Types, FindsAnIndexPastALocalOrAConstantArray) {
  Managed<int> in(8), out(2);
  local_array_kernel<<<1, 1>>>(in.get(), out.get(), 4);
  EXPECT_TRUE(simt::take_findings().empty());
  local_array_kernel<<<1, 1>>>(in.get(), out.get(), 5);
  expect_line_and_words(expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kOutOfBounds),
                        kLocalLine, "uses index 4 of an array of type int [4]");
  in[0] = 3;
  local_array_kernel<<<1, 1>>>(in.get(), out.get(), 4);
  expect_line_and_words(expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kOutOfBounds),
                        kConstantLine, "uses index 3 of an array of type int [3]");
}

struct Best {
  int count = 0;
  float items[4] = {};  // the last member: g++ calls an array there flexible, if nothing forbids it
  __device__ void put(int i, float value) { items[i] = value; }
};
constexpr int kPutItemLine = __LINE__ - 2;

__global__ void member_array_kernel(float* out, int i) {
  Best best;
  best.put(i, 1.0f);
  out[0] = best.items[i];
}

TEST_F(Types, FindsAnIndexPastAStructsLastMember) {
  Managed<float> out(1);
  member_array_kernel<<<1, 1>>>(out.get(), 3);
  EXPECT_TRUE(simt::take_findings().empty());
  member_array_kernel<<<1, 1>>>(out.get(), 4);
  expect_line_and_words(expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kOutOfBounds),
                        kPutItemLine, "uses index 4 of an array of type float [4]");
}

const float host_weights[3] = {0.5f, 0.25f, 0.125f};

float host_weight(int i) { return host_weights[i]; }
constexpr int kHostWeightLine = __LINE__ - 1;

// What was reported before the program ended, as the worker shows it.
void show_findings(int) {
  for (const simt::Finding& finding : simt::take_findings()) {
    std::fprintf(stderr, "%d: %s\n", finding.line, finding.message.c_str());
  }
  std::_Exit(3);
}

TEST_F(Types, EndsHostCodeAtAnIndexPastAnArray) {
  EXPECT_EQ(host_weight(2), 0.125f);
  EXPECT_EXIT(
      {
        std::signal(SIGABRT, show_findings);
        host_weight(3);
      },
      ::testing::ExitedWithCode(3),
      std::to_string(kHostWeightLine) + ": the host's code uses index 3 of an array of type");
}

// A pointer hides an array's length. The compiler puts nothing between these three but what their
// alignment asks for.
struct alignas(16) Row {
  float items[4];
};

__device__ void put(char* items, int i) { items[i] = 1; }
constexpr int kPutLine = __LINE__ - 1;

__global__ void gap_kernel(float* out, int i) {
  __shared__ char tags[21];
  __shared__ Row row;
  put(tags, static_cast<int>(threadIdx.x));
  if (threadIdx.x == 0) row = Row{};
  __syncthreads();
  put(tags, i);
  out[0] = row.items[0] + tags[20];
}

TEST_F(Types, FindsTheEndOfASharedArrayBehindAPointer) {
  Managed<float> out(1);
  gap_kernel<<<1, 21>>>(out.get(), 0);
  simt::take_findings();  // all threads put a tag there: a race in general
  gap_kernel<<<1, 21>>>(out.get(), 21);
  const simt::Finding finding = expect_finding(simt::FindingKind::kOutOfBounds);
  expect_line_and_words(finding, kPutLine,
                        "writes 1 byte right past the end of shared tags (21 bytes)");
}

TEST_F(Types, FindsTheEndOfAllSharedMemory) {
  Managed<float> out(1);
  gap_kernel<<<1, 21>>>(out.get(), 150'000);
  EXPECT_TRUE(
      contains(expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kOutOfBounds).message,
               " bytes past the end of shared "));
  gap_kernel<<<1, 21>>>(out.get(), -50'000);  // other tests have arrays before it
  EXPECT_TRUE(
      contains(expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kOutOfBounds).message,
               "before the start of the block's shared memory"));
}

struct Counted {
  __device__ Counted() : count(0) {}
  int count;
};

__global__ void read_flag_kernel(int* out, bool is_written) {
  __shared__ bool flag;
  __shared__ Counted counted;  // has a guard: the constructor does not run
  if (is_written && threadIdx.x == 0) flag = true;
  if (threadIdx.x == 0) counted.count = 3;
  __syncthreads();
  out[threadIdx.x] = counted.count + flag;
}
constexpr int kFlagLine = __LINE__ - 2;

TEST_F(Types, FindsAnUnwrittenSharedByte) {
  Managed<int> out(32);
  read_flag_kernel<<<1, 32>>>(out.get(), true);
  EXPECT_TRUE(simt::take_findings().empty());
  read_flag_kernel<<<1, 32>>>(out.get(), false);
  expect_line_and_words(expect_finding(simt::FindingKind::kUninitializedRead), kFlagLine,
                        "reads 1 byte of shared memory (flag) that no thread has written yet");
}

struct List {
  int count;
  int items[];
};

__global__ void edges_kernel(List* list, int* out) {
  __shared__ int tile[2][16];
  extern __shared__ int dynamic[];
  const int t = threadIdx.x;
  tile[t / 16][t % 16] = dynamic[t] = t;
  __syncthreads();
  const int* const end = &tile[1][16];  // one past is an address, not an access
  int sum = 0;
  for (const int* p = &tile[0][0]; p != end; ++p) sum += *p;
  int* const flat = &tile[0][0];
  out[t] = sum + dynamic[31] + flat[31] + list->items[list->count - 1];
}

TEST_F(Types, AllowsOnePastTheEndFlatArraysAndOpenEnds) {
  Managed<int> out(32), list(4);
  list[0] = 3;
  edges_kernel<<<1, 32, 32 * sizeof(int)>>>(reinterpret_cast<List*>(list.get()), out.get());
  EXPECT_EQ(out[0], 31 * 16 + 62);
}

}  // namespace
}  // namespace simt_test::types_test
