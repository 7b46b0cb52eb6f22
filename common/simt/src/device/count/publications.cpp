// SPDX-License-Identifier: MIT
#include "count/publications.h"

#include <algorithm>
#include <unordered_map>

#include "count/tally.h"
#include "count/trace.h"
#include "program/address.h"
#include "run/running.h"
#include "run/untraced.h"
#include "simt/memory.h"

namespace simt::device {
namespace {

struct Publication {
  std::uint64_t length = 0;  // of the chain that ends here
  std::uint64_t number = 0;  // among all, from 1
};

// A word's.
struct Publications {
  Publication first;
  Publication last;
};

using Chains = std::unordered_map<std::uintptr_t, Publications>;

Chains& chains() {
  static Chains& instance = *new Chains;  // outlives all users
  return instance;
}

bool is_global(std::uintptr_t address) { return space_of(address) == MemorySpace::kGlobal; }

Publications publications_at(std::uintptr_t address) {
  const Untraced untraced;
  const auto found = chains().find(address);
  return found == chains().end() ? Publications{} : found->second;
}

void follow(const Publication& found) {
  LaneTrace& lane = *running.trace;
  if (found.number > lane.started_after) lane.chain = std::max(lane.chain, found.length);
}

}  // namespace

void forget_publications() { chains().clear(); }

bool may_publish_at(std::uintptr_t address) {
  if (!is_global(address)) return false;
  const Untraced untraced;
  const void* const p = reinterpret_cast<const void*>(address);
  const Allocation* const allocation = find_allocation(p);
  return !is_device_address(p) ||
         (allocation != nullptr && allocation->live && allocation->contains(p));
}

void note_publication(std::uintptr_t address, Place place) {
  if (!is_global(address)) return;
  const std::uint64_t length = running.trace->chain + 1;
  const Untraced untraced;
  const Publication now = {length, ++publications_made};
  chains().try_emplace(address, Publications{now, now}).first->second.last = now;
  tally().count_most(pack_pc(place.pc), Counter::kPublicationsMaxChain, length);
}

void note_published_read(std::uintptr_t address) { follow(publications_at(address).last); }

void note_update(std::uintptr_t address, Place place) {
  const Publication first = publications_at(address).first;
  note_publication(address, place);
  follow(first);
}

}  // namespace simt::device
