// SPDX-License-Identifier: MIT
// What a recording says of a launch; and that nothing else changes.
#include <mma.h>

#include "device_counting.h"
#include "simt/recording.h"

namespace simt_test::recording_test {
namespace {

std::string g_recording;
std::string g_first_recording;
int g_num_recordings = 0;
void keep(const std::string& text) {
  if (g_num_recordings == 0) g_first_recording = text;
  g_recording = text;
  ++g_num_recordings;
}

class Recording : public DeviceTest {
 protected:
  void TearDown() override {
    simt::record_launch("", nullptr);
    DeviceTest::TearDown();
  }

  template <class Launch>
  static std::string recorded(Launch launch, const std::string& kernel = "") {
    g_recording.clear();
    g_num_recordings = 0;
    simt::record_launch(kernel, keep);
    launch();
    return g_recording;
  }

  // How often `part` occurs.
  static int count(const std::string& text, const std::string& part) {
    int found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
      ++found;
    }
    return found;
  }
};

__global__ void shift(const int* in, int* out, int num_items) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  if (t + 1 < num_items) out[t] = tile[t + 1];
}

TEST_F(Recording, ShowsEachWarpsAccessesWithTheirValues) {
  Managed<int> in(64), out(64);
  for (int i = 0; i < 64; ++i) in[i] = 16 + i;
  const std::string text = recorded([&] { shift<<<1, 64>>>(in.get(), out.get(), 64); });
  EXPECT_TRUE(contains(text, R"("kernel":"shift")"));
  EXPECT_TRUE(contains(text, R"("block":[64,1,1],"cut":false)"));
  EXPECT_TRUE(contains(text, R"({"name":"tile","space":"shared","block":0,"bytes":256)"));
  EXPECT_EQ(count(text, "[\"r\","), 4);
  EXPECT_EQ(count(text, "[\"w\","), 4);
  EXPECT_EQ(count(text, "[\"b\","), 1);
  // Warp 0 reads 32 words in a row: in 4 sectors, and for the first time.
  EXPECT_TRUE(contains(text, R"(,4,[0,4],"1000000011000000)"));
  EXPECT_TRUE(contains(text, R"("","1000000011000000)")) << "the write to tile";
  // In the last warp the last lane writes nothing.
  EXPECT_TRUE(contains(text, "2147483647,4294967295,0"));
  EXPECT_EQ(out.values()[5], 22);
}

TEST_F(Recording, LanesOfAWarpGoInStep) {
  // One lane after the other would add up all that came before.
  Managed<int> in(32, 1), out(32);
  const std::string text = recorded([&] { shift<<<1, 32>>>(in.get(), out.get(), 32); });
  const std::size_t read = text.find("[\"r\",0,0,");
  const std::size_t write = text.find("[\"w\",0,0,");
  EXPECT_LT(read, write);
  EXPECT_TRUE(contains(text.substr(read, 60), ",4294967295,4294967295,0,"));
}

__global__ void odd_and_even(int* out) {
  const int t = threadIdx.x;
  if (t % 2 == 0) {
    out[t] = 1;
  } else {
    out[t] = out[t] + 2;
  }
}

TEST_F(Recording, TheSidesOfABranchTakeTurns) {
  Managed<int> out(32);
  const std::string text = recorded([&] { odd_and_even<<<1, 32>>>(out.get()); });
  EXPECT_TRUE(contains(text, ",1431655765,4294967295,0,")) << "the even lanes";
  EXPECT_TRUE(contains(text, ",2863311530,4294967295,0,")) << "the odd lanes";
}

__global__ void square(const __half* in, float* out) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  wmma::load_matrix_sync(a, in, 16);
  wmma::load_matrix_sync(b, in, 16);
  wmma::fill_fragment(sums, 0.0f);
  wmma::mma_sync(sums, a, b, sums);
  wmma::store_matrix_sync(out, sums, 16, wmma::mem_row_major);
}

TEST_F(Recording, NamesAProductOfMatricesWithoutItsTiles) {
  Managed<__half> in(256, __half(1.0f));
  Managed<float> out(256);
  const std::string text = recorded([&] { square<<<1, 32>>>(in.get(), out.get()); });
  EXPECT_EQ(count(text, R"("mma","","")"), 1) << text;
  EXPECT_EQ(out[255], 16);
}

__global__ void racy(int* sum) { *sum += 1; }

TEST_F(Recording, AFindingComesWithTheThreadThatMadeIt) {
  Managed<int> sum(1);
  const std::string text = recorded([&] { racy<<<1, 64>>>(sum.get()); });
  EXPECT_TRUE(contains(text, R"("findings":[{"kind":"race")"));
  EXPECT_TRUE(contains(text, "[\"f\",0,"));
  simt::take_findings();
}

__global__ void other(int* out) { out[threadIdx.x] = 7; }

TEST_F(Recording, OnlyTheFirstLaunchOfTheWantedKernelIsRecorded) {
  Managed<int> in(64), out(64);
  const std::string text = recorded(
      [&] {
        shift<<<1, 64>>>(in.get(), out.get(), 64);
        other<<<2, 32>>>(out.get());
        other<<<1, 32>>>(out.get());
      },
      "other");
  EXPECT_EQ(g_num_recordings, 1);
  EXPECT_TRUE(contains(text, R"("kernel":"other","file":)"));
  EXPECT_TRUE(contains(text, R"("grid":[2,1,1])"));
  EXPECT_EQ(simt::launches_seen(), (std::vector<std::string>{"shift", "other"}));
}

TEST_F(Recording, AnUnknownKernelRecordsNothing) {
  Managed<int> out(64);
  EXPECT_EQ(recorded([&] { other<<<1, 32>>>(out.get()); }, "unknown"), "");
  EXPECT_EQ(simt::launches_seen(), std::vector<std::string>{"other"});
}

__global__ void loop(int* out, int times) {
  for (int i = 0; i < times; ++i) out[threadIdx.x] += i;
}

TEST_F(Recording, ALongLaunchIsCutAndRunsToItsEnd) {
  Managed<int> out(32);
  const std::string text = recorded([&] { loop<<<1, 32>>>(out.get(), 20000); });
  EXPECT_EQ(g_num_recordings, 2);
  EXPECT_TRUE(contains(g_first_recording, R"("cut":true)"));
  EXPECT_TRUE(contains(text, R"("cut":true)"));
  EXPECT_LE(text.size(), simt::kMaxRecordingBytes + 65536);
  EXPECT_EQ(out.values()[31], 199990000);
}

TEST_F(Recording, OnlyTheFirstBlocksAreRecorded) {
  Managed<int> out(64);
  const std::string text = recorded([&] { other<<<9, 64>>>(out.get()); });
  EXPECT_EQ(count(text, "[\"B\","), 4);
  EXPECT_EQ(count(text, "[\"E\","), 4);
  EXPECT_EQ(g_num_recordings, 2) << "once before the other blocks run, which may take long";
  EXPECT_EQ(count(g_first_recording, "[\"E\","), 4);
  simt::take_findings();  // the blocks write the same words
}

__global__ void add_one(int* sum) { atomicAdd(sum, 1); }

TEST_F(Recording, AnAtomicShowsWhatItLeaves) {
  Managed<int> sum(1);
  const std::string text = recorded([&] { add_one<<<1, 2>>>(sum.get()); });
  EXPECT_TRUE(contains(text, R"([0,0],"0000000001000000","0100000002000000")"));
}

__global__ void exchange(int* out) {
  out[threadIdx.x] = __shfl_down_sync(0xffffffffu, int(threadIdx.x), 1);
}

TEST_F(Recording, AShuffleShowsWhatEachLaneGivesAndGets) {
  Managed<int> out(32);
  const std::string text = recorded([&] { exchange<<<1, 32>>>(out.get()); });
  EXPECT_TRUE(contains(text, R"("shuffle","00000000000000000100000000000000)"));
}

TEST_F(Recording, WithoutItCountersAreTheSame) {
  Managed<int> in(64), out(64);
  const auto launch = [&] { shift<<<1, 64>>>(in.get(), out.get(), 64); };
  const auto counted = [&] {
    simt::take_counters();
    simt::set_counting(true);
    launch();
    simt::set_counting(false);
    return simt::take_counters().at(0).counters;
  };
  const simt::CounterSet before = counted();
  recorded(launch);
  EXPECT_TRUE(before == counted());
}

}  // namespace
}  // namespace simt_test::recording_test
