// SPDX-License-Identifier: MIT
#include "measure/measures.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "measure/counters_json.h"

namespace {

using judge::Measure;

wire::KernelCounters kernel(const std::string& name, std::vector<wire::LineCounters> lines) {
  wire::KernelCounters kernel;
  kernel.name = name;
  kernel.counters = {{"launches", 1}, {"blocks", 4}, {"warps", 8}, {"threads", 384}};
  for (const wire::LineCounters& line : lines) {
    for (const auto& [counter, value] : line.counters) {
      std::uint64_t& sum = kernel.counters[counter];
      sum = wire::is_maximum(counter) ? std::max(sum, value) : sum + value;
    }
  }
  kernel.lines = std::move(lines);
  return kernel;
}

Measure find(const std::vector<Measure>& all, const std::string& name) {
  for (const Measure& measure : all) {
    if (measure.name == name) return measure;
  }
  ADD_FAILURE() << "no measure " << name;
  return {};
}

// Two kernels: one reads well and conflicts, the other reads badly and crowds an atomic.
std::vector<wire::KernelCounters> sampled_kernels() {
  return {kernel("first", {{"a.cu",
                            10,
                            {{"global_read_requests", 8},
                             {"global_read_sectors", 32},
                             {"global_read_bytes", 1024},
                             {"global_read_lanes", 256}},
                            {}},
                           {"a.cu",
                            12,
                            {{"shared_read_requests", 8},
                             {"shared_read_lanes", 256},
                             {"shared_read_wavefronts", 256},
                             {"shared_read_conflicts", 248},
                             {"barriers", 8},
                             {"barriers_max_per_block", 2},
                             {"divergent_branches", 4}},
                            {}}}),
          kernel("second", {{"a.cu",
                             20,
                             {{"global_read_requests", 8},
                              {"global_read_sectors", 256},
                              {"global_read_bytes", 1024},
                              {"global_read_lanes", 256},
                              {"copies_to_shared", 256},
                              {"copies_outlasting_waits", 192},
                              {"polls_max_per_warp", 3},
                              {"publications_max_chain", 5}},
                             {}},
                            {"a.cu",
                             21,
                             {{"global_atomic_requests", 8},
                              {"global_atomic_lanes", 64},
                              {"global_atomic_sectors", 8},
                              {"atomics_max_per_block", 16},
                              {"global_atomic_max_same_address", 8}},
                             {}}})};
}

TEST(Measures, AreTakenOverTheWholeCall) {
  const auto all = judge::measures(sampled_kernels(), 512);
  const auto value = [&](const char* name) { return find(all, name).value; };
  EXPECT_EQ(value("launches"), 2);
  EXPECT_EQ(value("global_read_bytes_per_item"), 4);
  EXPECT_EQ(value("global_write_bytes_per_item"), 0);
  EXPECT_EQ(value("global_bytes_moved_per_item"), 32.0 * (288 + 8) / 512);
  EXPECT_EQ(value("read_sectors_per_request"), 18);
  EXPECT_EQ(value("sector_efficiency"), 2048.0 / (32 * 288));
  EXPECT_EQ(value("bank_conflicts"), 248);
  EXPECT_EQ(value("shared_requests_per_item"), 8.0 / 512);
  EXPECT_EQ(value("barriers_per_block"), 2);
  EXPECT_EQ(value("atomics_per_item"), 0.125);
  EXPECT_EQ(value("atomics_per_block"), 16);
  EXPECT_EQ(value("atomics_same_address"), 8);
  EXPECT_EQ(value("divergent_branches"), 4);
  EXPECT_EQ(value("look_back_loads"), 3);
  EXPECT_EQ(value("look_back_chain"), 5);
  EXPECT_EQ(value("copies_ahead"), 0.75);
  EXPECT_EQ(value("threads_per_item"), 1.5);
  EXPECT_EQ(value("lanes_per_request"), 576.0 / 24);
}

TEST(Measures, NameTheLineThatContributesMost) {
  const auto all = judge::measures(sampled_kernels(), 512);
  const Measure sectors = find(all, "read_sectors_per_request");
  ASSERT_TRUE(sectors.place);
  EXPECT_EQ(sectors.place->file, "a.cu");
  EXPECT_EQ(sectors.place->line, 20);
  EXPECT_EQ(sectors.place->value, 32);
  EXPECT_EQ(find(all, "bank_conflicts").place->line, 12);
  EXPECT_EQ(find(all, "bank_conflicts").place->value, 248);
  EXPECT_EQ(find(all, "lanes_per_request").place->line, 21);
  EXPECT_FALSE(find(all, "launches").place);
  EXPECT_FALSE(find(all, "write_sectors_per_request").place);
}

TEST(Measures, OfTheBusiestBlocksAddUpOverLaunchesAndNameTheirKernelsLine) {
  std::vector<wire::KernelCounters> kernels = sampled_kernels();
  kernels[0].counters["busiest_blocks_sectors"] = 32;
  kernels[1].counters["busiest_blocks_sectors"] = 16;  // the second moves more, by more blocks
  const Measure busiest = find(judge::measures(kernels, 512), "busiest_block_bytes_per_item");
  EXPECT_EQ(busiest.value, 32.0 * (32 + 16) / 512);
  ASSERT_TRUE(busiest.place);
  EXPECT_EQ(busiest.place->line, 10);
  EXPECT_EQ(busiest.place->value, 0);
}

TEST(Measures, OfTheBusiestWarpsAddUpOverLaunchesAndNameTheirKernelsLine) {
  std::vector<wire::KernelCounters> kernels = sampled_kernels();
  kernels[0].counters["busiest_warps_passes"] = 6;
  kernels[1].counters["busiest_warps_passes"] = 10;
  const Measure passes = find(judge::measures(kernels, 512), "passes_per_warp");
  EXPECT_EQ(passes.value, 6 + 10);
  ASSERT_TRUE(passes.place);
  EXPECT_EQ(passes.place->line, 20);
  EXPECT_EQ(passes.place->value, 0);
}

TEST(Measures, OfBytesNameTheNextLinesAndTheOneThatUsesLeast) {
  const Measure moved =
      find(judge::measures(sampled_kernels(), 512), "global_bytes_moved_per_item");
  ASSERT_TRUE(moved.place);
  EXPECT_EQ(moved.place->line, 20);
  EXPECT_EQ(moved.place->value, 16);
  ASSERT_EQ(moved.next_places.size(), 1u);  // line 21 has less than a tenth
  EXPECT_EQ(moved.next_places[0].line, 10);
  EXPECT_EQ(moved.next_places[0].value, 2);
  ASSERT_TRUE(moved.unused);
  EXPECT_EQ(moved.unused->line, 20);
  EXPECT_EQ(moved.unused->value, (32.0 * 256 - 1024) / 512);
}

// A request whose first lanes access these offsets.
wire::Pattern pattern(wire::Access access, std::uint32_t cost, std::vector<std::int64_t> offsets) {
  wire::Pattern made{.access = access, .size_bytes = 4, .cost = cost, .base = "d_out"};
  std::ranges::copy(offsets, made.offsets.begin());
  made.lanes = static_cast<std::uint32_t>((std::uint64_t{1} << offsets.size()) - 1);
  return made;
}

// A sector moves for each request, however many lanes ask for its word. The other line moves more
// bytes, and uses them all.
TEST(Measures, OfBytesFindTheWasteOfALineThatMovesLess) {
  const wire::LineCounters reads = {"a.cu",
                                    3,
                                    {{"global_read_requests", 64},
                                     {"global_read_sectors", 256},
                                     {"global_read_bytes", 8192},
                                     {"global_read_lanes", 2048}},
                                    {}};
  const wire::LineCounters updates = {
      "a.cu",
      5,
      {{"global_atomic_requests", 64}, {"global_atomic_lanes", 64}, {"global_atomic_sectors", 64}},
      {pattern(wire::Access::kAtomic, 1, {0})}};
  const wire::LineCounters writes = {
      "a.cu",
      7,
      {{"global_write_requests", 64},
       {"global_write_sectors", 64},
       {"global_write_bytes", 8192},
       {"global_write_lanes", 2048}},
      {pattern(wire::Access::kWrite, 1, std::vector<std::int64_t>(32))}};
  for (const wire::LineCounters& wasteful : {updates, writes}) {
    const auto kernels = {kernel("sum", {reads, wasteful})};
    const Measure moved = find(judge::measures(kernels, 2048), "global_bytes_moved_per_item");
    EXPECT_EQ(moved.place->line, 3);
    ASSERT_TRUE(moved.unused) << wasteful.line;
    EXPECT_EQ(moved.unused->line, wasteful.line);
    EXPECT_EQ(moved.unused->value, 64.0 * (32 - 4) / 2048);
  }
}

TEST(Measures, OfNothingAreAsGoodAsCanBe) {
  const auto all = judge::measures({}, 1);
  EXPECT_EQ(find(all, "sector_efficiency").value, 1);
  EXPECT_EQ(find(all, "lanes_per_request").value, 32);
  EXPECT_EQ(find(all, "barriers_per_block").value, 0);
  EXPECT_EQ(find(all, "copies_ahead").value, 0);  // where more is better: nothing copied
}

// Blocks and warps that do nothing, or only read one word of shared memory together.
wire::KernelCounters idle_kernel() {
  wire::KernelCounters idle = kernel("idle", {{"a.cu",
                                               30,
                                               {{"shared_read_requests", 32000},
                                                {"shared_read_lanes", 1024000},
                                                {"shared_read_wavefronts", 32000},
                                                {"barriers", 1000},
                                                {"barriers_max_per_block", 1}},
                                               {}}});
  idle.counters["blocks"] = 1000;
  idle.counters["warps"] = 32000;
  return idle;
}

TEST(Measures, AreNotDilutedByIdleBlocksAndWarps) {
  auto kernels = sampled_kernels();
  const auto before = judge::measures(kernels, 512);
  kernels.push_back(idle_kernel());
  const auto after = judge::measures(kernels, 512);
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool is_total = before[i].name == "launches" || before[i].name == "threads_per_item" ||
                          before[i].name == "shared_requests_per_item";
    if (is_total) {  // of what idle warps do, too: it only grows
      EXPECT_GT(after[i].value, before[i].value) << before[i].name;
    } else {
      EXPECT_EQ(after[i].value, before[i].value) << before[i].name;
    }
  }
}

// The means are the only measures that it improves, and the bytes moved pay for it.
TEST(Measures, ShowWhatRequestsThatLookGoodCost) {
  auto kernels = sampled_kernels();
  const auto before = judge::measures(kernels, 512);
  kernels.push_back(kernel("good", {{"a.cu",
                                     40,
                                     {{"global_read_requests", 1000},
                                      {"global_read_sectors", 1000},
                                      {"global_read_bytes", 128000},
                                      {"global_read_lanes", 32000}},
                                     {}}}));
  const auto after = judge::measures(kernels, 512);
  EXPECT_LT(find(after, "read_sectors_per_request").value,
            find(before, "read_sectors_per_request").value);
  EXPECT_EQ(find(after, "global_bytes_moved_per_item").value,
            find(before, "global_bytes_moved_per_item").value + 1000 * 32.0 / 512);
}

TEST(Measures, CountTheConflictsOfSharedAtomics) {
  const auto all =
      judge::measures({kernel("atomic", {{"a.cu", 1, {{"shared_atomic_conflicts", 31}}, {}}})}, 1);
  EXPECT_EQ(find(all, "bank_conflicts").value, 31);
}

// 16 products of 16 x 8 x 16 for 256 items, with fragments of 3 KiB.
TEST(Measures, CountTensorCoresPerItem) {
  const auto all = judge::measures({kernel("product", {{"a.cu",
                                                        1,
                                                        {{"matrix_instructions", 16},
                                                         {"matrix_multiply_adds", 16 * 2048},
                                                         {"shared_read_bytes", 3072}},
                                                        {}}})},
                                   256);
  EXPECT_EQ(find(all, "matrix_multiply_adds_per_item").value, 128);
  EXPECT_EQ(find(all, "shared_read_bytes_per_item").value, 12);
}

TEST(Measures, TakeTheMostSharedMemory) {
  auto kernels = sampled_kernels();
  kernels[0].static_shared_bytes = 100;
  kernels[1].static_shared_bytes = 50;
  kernels[1].dynamic_shared_bytes = 60;
  EXPECT_EQ(find(judge::measures(kernels, 1), "shared_bytes_per_block").value, 110);
}

TEST(CountersJson, LeavesOutWhatIsNoCounter) {
  auto kernels = sampled_kernels();
  kernels.resize(1);
  kernels[0].counters["made_up"] = 5;
  const std::string text = judge::counters_by_kernel(kernels);
  EXPECT_EQ(text.find("made_up"), std::string::npos);
  EXPECT_NE(text.find("\"first\": {\"launches\": 1, \"blocks\": 4,"), std::string::npos) << text;
}

TEST(CountersJson, WritesAPatternWithGapsForIdleLanes) {
  auto kernels = sampled_kernels();
  wire::Pattern pattern{wire::Space::kShared, wire::Access::kRead, 4, 2, 3, "tile", {}};
  pattern.offsets[1] = 128;
  kernels[0].lines[0].patterns = {pattern};
  const std::string text = judge::kernels_json(kernels);
  EXPECT_NE(text.find("{\"space\": \"shared\", \"access\": \"read\", \"size_bytes\": 4, "
                      "\"base\": \"tile\", \"offsets\": [0, 128, null, "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("null], \"wavefronts\": 2}"), std::string::npos) << text;
}

}  // namespace
