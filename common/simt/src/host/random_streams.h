// SPDX-License-Identifier: MIT
// The streams of words behind a generator of cuRAND's host API, and the order in which numbers come
// from them: that of cuRAND 10.4, as its documentation defines it and as it was seen of its
// generators for the host. Not for use outside src/host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "curand_kernel.h"

namespace simt::internal {

// Numbers that are made together, and the words that they take.
struct Portion {
  int numbers;  // 1 or 2
  int words;    // 1, 2 or 4
};

class RandomStreams {
 public:
  virtual ~RandomStreams() = default;

  // As if that many numbers of one word had been drawn since the seed.
  virtual void start(std::uint64_t seed, std::uint64_t position) = 0;
  virtual std::uint64_t position() const = 0;

  // The words of the next portion.
  virtual const std::uint32_t* next(Portion portion) = 0;

  // How many numbers of that portion were drawn before; moves on by `used` numbers.
  virtual int drawn_before(Portion portion) const = 0;
  virtual void advance(Portion portion, int used) = 0;
};

// 4096 subsequences, which give one portion each in turn.
class XorwowStreams : public RandomStreams {
 public:
  void start(std::uint64_t seed, std::uint64_t position) override;
  std::uint64_t position() const override { return position_; }
  const std::uint32_t* next(Portion portion) override;
  int drawn_before(Portion) const override { return 0; }
  void advance(Portion, int) override { ++position_; }

 private:
  static constexpr std::size_t kNumStreams = 4096;

  std::uint64_t position_ = 0;  // in portions
  std::vector<curandStateXORWOW> streams_;
  std::uint32_t words_[4];
};

// 65536 subsequences, which give four numbers each in turn.
class PhiloxStreams : public RandomStreams {
 public:
  void start(std::uint64_t seed, std::uint64_t position) override;
  std::uint64_t position() const override { return position_; }
  const std::uint32_t* next(Portion portion) override;
  int drawn_before(Portion portion) const override {
    return static_cast<int>(position_ % static_cast<unsigned>(portion.numbers));
  }
  void advance(Portion portion, int used) override;

 private:
  static constexpr std::size_t kNumStreams = 65536;
  std::size_t stream() const { return position_ / 4 % kNumStreams; }

  std::uint64_t position_ = 0;  // in numbers
  std::uint64_t seed_ = 0;
  std::vector<std::uint64_t> used_words_;  // of each stream, before its current four numbers
  std::uint32_t words_[4];
};

}  // namespace simt::internal
