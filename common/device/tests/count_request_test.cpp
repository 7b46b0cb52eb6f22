// SPDX-License-Identifier: MIT
// Sectors and wavefronts against the numbers that textbooks and Nsight Compute give, and against
// plain sets on random requests.
#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "count/request.h"
#include "count_test.h"

namespace count_test {
namespace {

constexpr std::uint64_t kBase = memory::kDeviceBase + 4096;

Access request(std::uint32_t size_bytes, std::uint32_t lanes, const Address& address) {
  Access access;
  access.reads = true;
  access.size_bytes = size_bytes;
  access.lanes = lanes;
  set_addresses(access, address);
  return access;
}

int sectors(std::uint32_t size_bytes, const Address& address, std::uint32_t lanes = kAll) {
  return count::sectors_of(request(size_bytes, lanes, address));
}

int wavefronts(std::uint32_t size_bytes, std::uint64_t step, std::uint32_t lanes = kAll) {
  return count::wavefronts_of(request(size_bytes, lanes, steps(0, step))).total;
}

TEST(CountRequest, NeighbouringWordsTakeFourSectors) {
  EXPECT_EQ(sectors(4, steps(kBase, 4)), 4);
  EXPECT_EQ(sectors(1, steps(kBase, 1)), 1);
  EXPECT_EQ(sectors(8, steps(kBase, 8)), 8);
  EXPECT_EQ(sectors(16, steps(kBase, 16)), 16);
}

TEST(CountRequest, AMisalignedRequestTakesOneSectorMore) {
  EXPECT_EQ(sectors(4, steps(kBase + 4, 4)), 5);
  EXPECT_EQ(sectors(4, steps(kBase + 32, 4)), 4);
  EXPECT_EQ(sectors(16, steps(kBase + 16, 16)), 17);
}

TEST(CountRequest, StridesTakeMoreSectors) {
  EXPECT_EQ(sectors(4, steps(kBase, 0)), 1);
  EXPECT_EQ(sectors(4, steps(kBase, 8)), 8);
  EXPECT_EQ(sectors(4, steps(kBase, 16)), 16);
  EXPECT_EQ(sectors(4, steps(kBase, 32)), 32);
  EXPECT_EQ(sectors(4, steps(kBase, 4096)), 32);
  EXPECT_EQ(sectors(4, steps(kBase + 31 * 4, 0 - std::uint64_t{4})), 4) << "reversed";
}

TEST(CountRequest, SectorsWithoutALaneDoNotMove) {
  EXPECT_EQ(sectors(4, steps(kBase, 4), 0x55555555), 4);
  EXPECT_EQ(sectors(4, steps(kBase, 4), 0xFF0000FF), 2);
  EXPECT_EQ(sectors(4, steps(kBase + 28, 4), 0x00000003), 2);
  EXPECT_EQ(sectors(16, steps(kBase, 16), 0x80000001), 2);
  EXPECT_EQ(sectors(4, steps(kBase, 4), 0x00001FFF), 2) << "13 words";
}

TEST(CountRequest, WavefrontsFollowBanksAndPhases) {
  EXPECT_EQ(wavefronts(4, 4), 1);
  EXPECT_EQ(wavefronts(4, 8), 2);
  EXPECT_EQ(wavefronts(4, 12), 1);
  EXPECT_EQ(wavefronts(4, 128), 32);
  EXPECT_EQ(wavefronts(4, 132), 1);
  EXPECT_EQ(wavefronts(1, 1), 1) << "four lanes to a word";
  EXPECT_EQ(wavefronts(8, 8), 2);
  EXPECT_EQ(wavefronts(8, 16), 4);
  EXPECT_EQ(wavefronts(16, 16), 4);
  EXPECT_EQ(wavefronts(16, 32), 8);
}

TEST(CountRequest, LanesThatReadTheSameVectorShareAWavefront) {
  EXPECT_EQ(wavefronts(16, 0), 2);
  EXPECT_EQ(wavefronts(8, 0), 1);
  Access stores = request(16, kAll, steps(0, 0));
  stores.reads = false;
  stores.writes = true;
  EXPECT_EQ(count::wavefronts_of(stores).total, 4) << "only of loads";
}

TEST(CountRequest, PassesAreThoseOfAllLanes) {
  for (const std::uint32_t lanes : {kAll, 1U}) {
    EXPECT_EQ(count::passes_of(request(4, lanes, steps(0, 4))), 1);
    EXPECT_EQ(count::passes_of(request(8, lanes, steps(0, 8))), 2);
    EXPECT_EQ(count::passes_of(request(16, lanes, steps(0, 16))), 4);
  }
}

TEST(CountRequest, TheMostFrequentAddressIsFound) {
  EXPECT_EQ(count::largest_multiplicity(request(4, 0xFFFF, steps(kBase, 0))), 16);
  EXPECT_EQ(count::largest_multiplicity(request(4, kAll, steps(kBase, 4))), 1);
  const Address two_bins = [](std::uint64_t lane) { return kBase + (lane % 4 == 0 ? 8 : 0); };
  EXPECT_EQ(count::largest_multiplicity(request(4, kAll, two_bins)), 24);
}

// ---- against plain sets

int plain_sectors(const Access& access) {
  std::set<std::uint64_t> sectors;
  for (std::size_t lane = 0; lane < 32; ++lane) {
    if ((access.lanes >> lane & 1) == 0) continue;
    for (std::uint64_t byte = 0; byte < access.size_bytes; ++byte) {
      sectors.insert((access.address[lane] + byte) / 32);
    }
  }
  return static_cast<int>(sectors.size());
}

count::Wavefronts plain_wavefronts(const Access& access) {
  std::size_t num_lanes = access.size_bytes <= 4 ? 32 : access.size_bytes == 8 ? 16 : 8;
  if (access.size_bytes > 4 && access.reads) {
    for (const std::size_t distance : {1U, 2U}) {
      bool all_agree = true;
      for (std::size_t lane = 0; lane < 32; ++lane) {
        const std::size_t other = lane ^ distance;
        const bool both = (access.lanes >> lane & access.lanes >> other & 1) != 0;
        if (both && access.address[lane] != access.address[other]) all_agree = false;
      }
      if (all_agree) {
        num_lanes *= 2;
        break;
      }
    }
  }
  count::Wavefronts count;
  for (std::size_t first = 0; first < 32; first += num_lanes) {
    std::set<std::uint64_t> words;
    for (std::size_t lane = first; lane < first + num_lanes; ++lane) {
      if ((access.lanes >> lane & 1) == 0) continue;
      for (std::uint64_t byte = 0; byte < access.size_bytes; ++byte) {
        words.insert((access.address[lane] + byte) / 4);
      }
    }
    if (words.empty()) continue;
    std::map<std::uint64_t, int> in_bank;
    int most = 0;
    for (const std::uint64_t word : words) most = std::max(most, ++in_bank[word % 32]);
    count.total += most;
    ++count.ideal;
  }
  return count;
}

TEST(CountRequest, EqualsPlainSetsOnRandomRequests) {
  std::mt19937 random(5);
  for (int round = 0; round < 40000; ++round) {
    const std::uint32_t size = 1U << random() % 5;
    std::uint32_t lanes = random() % 3 == 0 ? kAll : static_cast<std::uint32_t>(random());
    if (random() % 4 == 0) lanes &= static_cast<std::uint32_t>(random());
    if (lanes == 0) lanes = 1U << random() % 32;
    const std::uint64_t range = std::uint64_t{1} << random() % 11;
    const std::uint64_t step = random() % 2 == 0 ? 1 : random() % 40;
    const std::uint64_t begin = random() % range;
    const auto mode = random() % 4;
    std::vector<std::uint64_t> units;
    for (std::uint64_t lane = 0; lane < 32; ++lane) {
      units.push_back(mode == 0   ? random() % range
                      : mode == 1 ? begin + lane * step
                      : mode == 2 ? begin + (lane & ~std::uint64_t{1}) * step
                                  : begin + (31 - lane) * step);
    }
    const bool is_store = random() % 3 == 0;
    Access shared = request(size, lanes, [&](std::uint64_t lane) { return units[lane] * size; });
    if (is_store) std::swap(shared.reads, shared.writes);
    const count::Wavefronts got = count::wavefronts_of(shared);
    const count::Wavefronts expected = plain_wavefronts(shared);
    ASSERT_EQ(got.total, expected.total) << "size " << size << " lanes " << lanes << " " << round;
    ASSERT_EQ(got.ideal, expected.ideal) << "size " << size << " lanes " << lanes << " " << round;
    const std::uint64_t far = random() % 2 == 0 ? 1 : 1000;
    const Access global =
        request(size, lanes, [&](std::uint64_t lane) { return kBase + units[lane] * far * size; });
    ASSERT_EQ(count::sectors_of(global), plain_sectors(global)) << round;
    std::map<std::uint64_t, int> times;
    int most = 0;
    for (std::size_t lane = 0; lane < 32; ++lane) {
      if ((lanes >> lane & 1) != 0) most = std::max(most, ++times[global.address[lane]]);
    }
    ASSERT_EQ(count::largest_multiplicity(global), most) << round;
  }
}

// ---- against the hardware

TEST(CountRequest, WavefrontsAreThoseThatNsightComputeCounts) {
  std::ifstream file(LAB_BANK_REQUESTS);
  int number = 0;
  for (std::string text; std::getline(file, text);) {
    if (text.starts_with('#')) continue;
    std::istringstream line(text);
    std::string operation;
    int total = 0;
    int conflicts = 0;
    std::uint32_t lanes = 0;
    line >> operation >> total >> conflicts >> std::hex >> lanes >> std::dec;
    std::array<std::uint64_t, 32> units = {};
    for (std::uint64_t& unit : units) line >> unit;
    ASSERT_TRUE(line) << text;
    const auto size = static_cast<std::uint32_t>(std::stoi(operation.substr(2)));
    Access access = request(size, lanes, [&](std::uint64_t lane) { return units[lane] * size; });
    if (operation.starts_with("st")) std::swap(access.reads, access.writes);
    const count::Wavefronts got = count::wavefronts_of(access);
    EXPECT_EQ(got.total, total) << text;
    EXPECT_EQ(got.total - got.ideal, conflicts) << text;
    ++number;
  }
  EXPECT_GT(number, 500);
}

}  // namespace
}  // namespace count_test
