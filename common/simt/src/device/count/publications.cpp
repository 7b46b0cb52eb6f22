// SPDX-License-Identifier: MIT
#include "count/publications.h"

#include <algorithm>
#include <unordered_map>

#include "count/tally.h"
#include "count/trace.h"
#include "program/address.h"
#include "run/running.h"
#include "run/untraced.h"

namespace simt::device {
namespace {

struct Publication {
  std::uint64_t length;  // of the chain that ends here
  std::uint64_t number;  // among all
};

using Chains = std::unordered_map<std::uintptr_t, Publication>;

std::uint64_t g_num_publications = 0;

// Each word's last one.
Chains& chains() {
  static Chains& instance = *new Chains;  // outlives all users
  return instance;
}

bool is_global(std::uintptr_t address) { return space_of(address) == MemorySpace::kGlobal; }

}  // namespace

void forget_publications() { chains().clear(); }

void note_publication(std::uintptr_t address, Place place) {
  if (!is_global(address)) return;
  const std::uint64_t length = running.trace->chain + 1;
  const Untraced untraced;
  chains()[address] = {length, ++g_num_publications};
  tally().count_most(pack_pc(place.pc), Counter::kPublicationsMaxChain, length);
}

void note_published_read(std::uintptr_t address) {
  LaneTrace& lane = *running.trace;
  const Untraced untraced;
  const auto polled = std::find_if(lane.polled.rbegin(), lane.polled.rend(),
                                   [=](const Polled& word) { return word.address == address; });
  if (polled == lane.polled.rend()) {
    lane.polled.push_back({address, g_num_publications});
    return;
  }
  const auto found = chains().find(address);
  if (found == chains().end() || found->second.number <= polled->since) return;
  lane.chain = std::max(lane.chain, found->second.length);
}

}  // namespace simt::device
