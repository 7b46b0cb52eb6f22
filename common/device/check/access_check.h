// SPDX-License-Identifier: MIT
// The way of an access through the checks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "check/block_state.h"
#include "check/bounds.h"
#include "check/checks.h"
#include "check/copy_race.h"
#include "check/device_shadow.h"
#include "check/order.h"
#include "check/race_check.h"
#include "run/monitor.h"
#include "run/warp.h"

namespace check {

class AccessCheck {
 public:
  AccessCheck(Order& order, Races& races, const DeviceShadow& device, Bounds& bounds,
              CopyRaces& copies)
      : order_(order),
        device_(device),
        bounds_(bounds),
        copies_(copies),
        race_check_(order, races) {}

  // Until the next launch.
  void begin_launch(Checks checks, bool copies_may_run) {
    checks_ = checks;
    copies_may_run_ = copies_may_run;
  }

  // `owner`: the block whose shared memory it is, where it is to shared memory.
  void check(BlockState& block, BlockState& owner, const run::Warp& warp, run::Access& access);

  // In shared memory, a read that check() has seen lasted until now.
  void note_later_read(const BlockState& block, const run::Warp& warp, const run::Access& access);

  RaceTarget target_of(const BlockState& owner, const run::Access& access) const;

 private:
  // What digests know of an access.
  enum class Known : std::uint8_t {
    kNothing,
    kWritten,  // it is to memory that is allocated, aligned and written
    kSettled,  // nothing else has to be checked, either
  };
  Known known_of(const BlockState& block, const run::Access& access,
                 const RaceTarget& target) const;
  bool check_scattered(const BlockState& block, const run::Warp& warp, const run::Access& access,
                       const RaceTarget& target) const;
  void check_bounds(BlockState& owner, const run::Warp& warp, run::Access& access);
  void require_memory(BlockState& owner, const run::Warp& warp, run::Access& access);
  void note_order(BlockState& block, const run::Warp& warp, const run::Access& access);

  Order& order_;
  const DeviceShadow& device_;
  Bounds& bounds_;
  CopyRaces& copies_;
  RaceCheck race_check_;
  Checks checks_ = Checks::kAll;
  bool copies_may_run_ = false;
};

}  // namespace check
