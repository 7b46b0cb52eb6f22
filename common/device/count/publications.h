// SPDX-License-Identifier: MIT
// The longest chain of publications in a launch. A thread publishes by a volatile or an atomic
// store to global memory, or by an atomic operation that changes it; others learn of it by volatile
// or atomic loads. A publication follows those that its thread has learned of, itself or through
// threads that it has met: at a barrier, or in an operation of its warp. Whether the thread had to
// wait does not matter: one that sleeps first finds everything at its first look. But a block does
// not follow what was published before it started. Where tiles publish what they have alone before
// they look back, and publications are held back (see run/schedule.h), chains are short. Where each
// tile waits for the one before, a chain has as many as the device holds at a time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "run/monitor.h"

namespace count {

// Of the chains that end at a publication which each lane of a warp knows, the longest.
using Chains = std::array<std::uint64_t, run::kWarpSize>;

inline std::uint64_t longest(const Chains& chains, std::uint32_t lanes) {
  std::uint64_t most = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    most = std::max(most, chains[static_cast<std::size_t>(std::countr_zero(lanes))]);
  }
  return most;
}

// The lanes have met others that know one of this length.
inline void share(Chains& chains, std::uint32_t lanes, std::uint64_t length) {
  for (; lanes != 0; lanes &= lanes - 1) {
    std::uint64_t& own = chains[static_cast<std::size_t>(std::countr_zero(lanes))];
    own = std::max(own, length);
  }
}

class Publications {
 public:
  // It does not follow what earlier launches published.
  void begin_launch() { words_.clear(); }
  std::uint64_t num_made() const { return num_made_; }
  bool empty() const { return words_.empty(); }

  // A thread looks at a word. started_after: the number of publications before its block started.
  void read(std::uint64_t address, std::uint64_t started_after, std::uint64_t& chain) const {
    const auto found = words_.find(address);
    if (found != words_.end()) follow(found->second.last, started_after, chain);
  }

  // It publishes. Returns the chain's length.
  std::uint64_t publish(std::uint64_t address, std::uint64_t chain) {
    return add(words_[address], chain);
  }

  // It publishes by an operation that also reads the word: what it finds follows at least the
  // word's first publication. Not the last: blocks that draw a ticket after each tile wait for no
  // one.
  std::uint64_t update(std::uint64_t address, std::uint64_t started_after, std::uint64_t& chain) {
    Word& word = words_[address];
    const Publication first = word.first;
    const std::uint64_t length = add(word, chain);
    follow(first, started_after, chain);
    return length;
  }

 private:
  struct Publication {
    std::uint64_t length = 0;  // of the chain that ends here
    std::uint64_t number = 0;  // among all, from 1
  };
  struct Word {
    Publication first, last;
  };
  std::uint64_t add(Word& word, std::uint64_t chain) {
    word.last = {chain + 1, ++num_made_};
    if (word.first.number == 0) word.first = word.last;
    return word.last.length;
  }
  static void follow(const Publication& found, std::uint64_t started_after, std::uint64_t& chain) {
    if (found.number > started_after) chain = std::max(chain, found.length);
  }

  std::unordered_map<std::uint64_t, Word> words_;
  std::uint64_t num_made_ = 0;
};

}  // namespace count
