// SPDX-License-Identifier: MIT
#include "measure/one_call.h"

#include <cstdint>
#include <limits>

#include "fixture/inputs.h"
#include "fixture/options.h"
#include "fixture/session.h"
#include "fixture/test_data.h"

namespace judge {
namespace {

constexpr auto kSaltIndex = std::numeric_limits<std::uint64_t>::max() - 1;  // of no item

}  // namespace

Outcome call_once(const Workload& workload, std::uint64_t schedule_seed, bool counts) {
  Arena& arena = session().arena();
  arena.reset();
  const std::unique_ptr<Slot> slot = workload.make_slot(arena);
  const std::uint64_t seed = session().seeds().next();
  slot->refresh(seed);
  Inputs inputs(arena, 0);
  inputs.remember(random_bits(seed, kSaltIndex));
  slot->poison_outputs();
  wire::Batch batch;
  batch.scratch_bytes = workload.scratch_bytes;
  batch.count = counts ? 1 : 0;
  batch.shapes = options().shapes && counts && schedule_seed == 0 ? 1 : 0;
  batch.schedule_seed = schedule_seed;
  batch.posed = workload.posed;
  if (batch.posed.num_multiprocessors == 0) {
    const wire::Posed& gpu = options().gpu;
    batch.posed.num_multiprocessors = gpu.num_multiprocessors;
    batch.posed.threads_per_multiprocessor = gpu.threads_per_multiprocessor;
    batch.posed.shared_bytes_per_multiprocessor = gpu.shared_bytes_per_multiprocessor;
    batch.posed.l2_bytes = gpu.l2_bytes;
  }
  batch.calls = {slot->call(workload.function)};
  Outcome outcome = session().student().run(std::move(batch));
  outcome.failure = cause_of(outcome);
  if (!outcome.failure) outcome.failure = inputs.find_change();
  if (!outcome.failure) outcome.failure = slot->check();
  if (outcome.failure) return outcome;
  if (const auto trespass = arena.find_trespass()) {
    outcome.failure = Failure{kind::kOutOfBounds, *trespass};
  }
  return outcome;
}

}  // namespace judge
