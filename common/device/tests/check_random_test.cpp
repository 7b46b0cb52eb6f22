// SPDX-License-Identifier: MIT
// Random accesses, compared with two plain models: one that remembers every access, and one that
// remembers of each word the last write and two reads, lane by lane. The checks must report nothing
// that the first does not see, and nearly all that the second one sees.
#include <algorithm>
#include <map>
#include <random>

#include "check/order.h"
#include "check/races.h"
#include "check_test.h"

namespace check_test {
namespace {

using check::Stamp;

// Both models, with an order of their own.
class Model {
 public:
  Model() : races_(order_, streams_, instructions_) {}

  void begin(std::uint32_t num_blocks, std::size_t num_warps) {
    order_.begin_launch(order_.next_ordinal());
    blocks_.resize(num_blocks);
    for (check::BlockOrder& block : blocks_) order_.start_block(block, num_warps);
  }
  check::Order& order() { return order_; }
  check::BlockOrder& block(std::size_t index) { return blocks_[index]; }

  struct Seen {
    bool by_all = false;  // a race, if every access is remembered
    bool by_two = false;
  };
  Seen access(std::uint32_t block, const run::Warp& warp, const run::Access& access) {
    const check::BlockOrder& own = blocks_[block];
    const bool is_shared = access.space == run::Space::kShared;
    Seen seen;
    std::vector<std::pair<Word*, Touch>> made;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if ((access.lanes >> lane & 1) == 0) continue;
      const std::uint64_t end = access.address[lane] + access.size_bytes;
      for (std::uint64_t at = access.address[lane]; at < end; at = at / 4 * 4 + 4) {
        const std::uint64_t stop = std::min(at / 4 * 4 + 4, end);
        const std::uint32_t thread = warp.thread_id(static_cast<int>(lane));
        const Stamp bytes = ((Stamp{1} << (stop - at)) - 1) << at % 4;
        const Stamp stamp = own.stamp | Stamp{thread} << check::kThreadShift |
                            bytes << check::kBytesShift | kind_of(access);
        Word& word = words_[{is_shared ? own.ordinal : 0, at / 4}];
        look(word, {stamp, access.writes}, {&own, thread}, is_shared, access.is_atomic, seen);
      }
    }
    return seen;
  }

 private:
  struct Touch {
    Stamp stamp = 0;
    bool writes = false;
  };
  struct Word {
    std::vector<Touch> all;
    Stamp write = 0;
    std::array<Stamp, 2> reads = {};
  };

  static Stamp kind_of(const run::Access& access) {
    if (access.is_atomic) return check::kAtomicBit;
    return access.order == run::Order::kVolatile ? check::kVolatileBit : 0;
  }

  void look(Word& word, const Touch& now, const check::Reader& reader, bool is_shared,
            bool /*is_atomic*/, Seen& seen) {
    const auto conflicts = [&](Stamp earlier, bool writes) {
      return (writes || now.writes) &&
             races_.conflict(earlier, writes, now.stamp, now.writes, is_shared, !is_shared, reader);
    };
    for (const Touch& touch : word.all) {
      seen.by_all = seen.by_all || conflicts(touch.stamp, touch.writes);
    }
    word.all.push_back(now);
    seen.by_two = seen.by_two || conflicts(word.write, true) || conflicts(word.reads[0], false) ||
                  conflicts(word.reads[1], false);
    if (now.writes) {
      word.write = now.stamp;
      word.reads = {};
    } else {
      const Stamp first = word.reads[0];
      const bool is_free =
          first == 0 || check::same_thread(first, now.stamp) || first < order_.first_current();
      word.reads[is_free ? 0 : 1] = now.stamp;
    }
  }

  check::Order order_;
  check::StreamOrder streams_;
  check::Instructions instructions_;
  check::Races races_;
  std::vector<check::BlockOrder> blocks_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Word> words_;
};

class CheckRandom : public CheckTest {
 protected:
  CheckRandom() {
    kernel.shared = {{0, "tile", 0, kTileBytes}};
    kernel.dynamic_shared_offset = kTileBytes;
  }
  static constexpr std::uint32_t kTileBytes = 1024;

  std::uint32_t random(std::uint32_t below) { return random_() % below; }

  run::Access random_access(std::uint64_t data) {
    constexpr std::uint32_t kSizes[] = {4, 4, 4, 4, 8, 16, 2, 1};
    const std::uint32_t size = kSizes[random(8)];
    const bool is_shared = random(3) == 0;
    const std::uint64_t base = is_shared ? 0 : data + 1024;
    const std::uint32_t lanes = random(2) == 0 ? kAll : random_() | 1u << random(32);
    run::Access access;
    switch (random(4)) {
      case 0:
        access = make(++line_, base + size * random(16), lanes, size, size);
        break;
      case 1:
        access = make(++line_, base + size * random(16), lanes, size, 0);
        break;
      default: {
        access = make(++line_, base, lanes, size, 0);
        access.pattern = run::Pattern::kOther;
        const std::uint32_t spread = 1 + random(64 / size);
        for (std::uint64_t& address : access.address) address = base + size * random(spread);
        access.base = access.address[static_cast<std::size_t>(__builtin_ctz(lanes))];
      }
    }
    if (is_shared) access.space = run::Space::kShared;
    switch (random(8)) {
      case 0:
        access.reads = access.writes = access.is_atomic = true;
        access.order = run::Order::kRelaxed;
        if (size < 4) access.is_atomic = false, access.reads = false, access.order = {};
        break;
      case 1:
      case 2:
        access.order = run::Order::kVolatile;
        (random(2) == 0 ? access.reads : access.writes) = true;
        break;
      case 3:
        access.writes = true;
        break;
      default:
        access.reads = true;
    }
    return access;
  }

  std::mt19937 random_{12345};
  std::uint32_t line_ = 0;
};

TEST_F(CheckRandom, AgreesWithPlainModels) {
  const std::uint64_t data = allocate(4096);
  int num_found = 0;
  int num_missed = 0;
  int num_races = 0;
  for (int round = 0; round < 4000; ++round) {
    Model model;
    line_ = 0;
    const std::uint32_t num_blocks = 1 + random(3);
    const std::uint32_t num_warps = 1 + random(3);
    // Few kinds of events in each round, so that long rounds without a race occur.
    const std::uint32_t barriers = random(4), fences = random(10) == 0 ? 3 : 0;
    const std::uint32_t writes_rarely = random(3);
    begin(num_blocks, 32 * num_warps);
    model.begin(num_blocks, num_warps);
    for (const auto& block : blocks) {  // all of shared memory has been written, long ago
      for (std::uint32_t at = 0; at < kTileBytes; at += 128)
        does(*block->warps[0], shared(write(make(95, at))));
    }
    checker.grid_meets(launch);
    findings();
    model.begin(num_blocks, num_warps);
    for (int step = 0; step < 60; ++step) {
      const std::uint32_t block = random(num_blocks);
      const std::uint32_t id = random(num_warps);
      run::Warp& who = warp(block, id);
      const std::uint32_t event = random(16);
      if (event < barriers) {
        barrier(96, block);
        model.order().block_meets(model.block(block));
        continue;
      }
      if (event == 4) {
        const std::uint32_t lanes = random(2) == 0 ? kAll : random_() | 1;
        checker.lanes_meet(who, lanes, at(97));
        model.order().lanes_meet(model.block(block), id, lanes, kAll);
        continue;
      }
      if (event >= 5 && event < 5 + fences) {
        const bool for_device = random(2) == 0;
        checker.fence(who, kAll, for_device ? run::Scope::kDevice : run::Scope::kBlock);
        model.order().release(model.block(block), id, kAll, for_device);
        continue;
      }
      run::Access access = random_access(data);
      if (access.writes && writes_rarely != 0 && random(4) != 0) {
        access.writes = access.is_atomic = false;
        access.reads = true;
        if (access.order == run::Order::kRelaxed) access.order = run::Order::kWeak;
      }
      const bool acquires = access.is_atomic || (access.reads && access.order != run::Order::kWeak);
      if (acquires) {
        model.order().acquire(model.block(block), id, access.lanes, model.order().now());
      }
      const Model::Seen seen = model.access(block, who, access);
      checker.access(who, access);
      const auto found = findings();
      ASSERT_TRUE(found.empty() || seen.by_all)
          << "round " << round << ", step " << step << ": " << found[0].message;
      num_races += seen.by_all;
      if (seen.by_all && seen.by_two && found.empty()) ++num_missed;
      if (seen.by_all && !found.empty()) ++num_found;
      if (seen.by_all) break;  // what is kept differs from here on
    }
    end();
    findings();
  }
  EXPECT_GT(num_races, 1000);
  EXPECT_GT(num_found, num_races * 95 / 100);
  // Of parts of one word, the two reads that are kept may be others.
  EXPECT_LE(num_missed, num_races / 500);
}

}  // namespace
}  // namespace check_test
