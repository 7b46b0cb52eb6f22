// SPDX-License-Identifier: MIT
// The longest chain of publications in a launch. A thread publishes by a volatile or an atomic
// store to global memory, or by an atomic operation that changes it; others learn of it by volatile
// or atomic loads. A publication follows those that its thread has learned of, itself or through
// threads that it has met: at a barrier, or in an operation of its warp. Whether the thread had to
// wait does not matter. But a block does not follow what was published before it started. Where
// tiles publish what they have alone before they look back, and publications are held back (see
// run/schedule.h), chains are short. Where each tile waits for the one before, a chain has as many
// as the device holds at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace count {

// What one thread knows.
struct Chain {
  std::uint64_t length = 0;
  std::uint64_t started_after = 0;  // so many publications
};

class Publications {
 public:
  void begin_launch() { words_.clear(); }
  std::uint64_t num_made() const { return num_made_; }

  // The thread looks at a word.
  void read(std::uint64_t address, Chain& chain) const {
    if (const auto found = words_.find(address); found != words_.end())
      follow(found->second.last, chain);
  }
  // It publishes. Returns the chain's length.
  std::uint64_t publish(std::uint64_t address, Chain& chain) {
    const Publication now = {chain.length + 1, ++num_made_};
    words_.try_emplace(address, Word{now, now}).first->second.last = now;
    return now.length;
  }
  // It publishes by an operation that also reads the word: what it finds follows at least the
  // word's first publication. Not the last: blocks that draw a ticket after each tile wait for no
  // one.
  std::uint64_t update(std::uint64_t address, Chain& chain) {
    const auto found = words_.find(address);
    const Publication first = found == words_.end() ? Publication{} : found->second.first;
    const std::uint64_t length = publish(address, chain);
    follow(first, chain);
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
  static void follow(const Publication& found, Chain& chain) {
    if (found.number > chain.started_after) chain.length = std::max(chain.length, found.length);
  }

  std::unordered_map<std::uint64_t, Word> words_;
  std::uint64_t num_made_ = 0;
};

}  // namespace count
