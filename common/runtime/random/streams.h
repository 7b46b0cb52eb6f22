// SPDX-License-Identifier: MIT
// The streams of words behind a generator of cuRAND's host API, and the order in which numbers come
// from them: that of cuRAND 10.4, as its documentation defines it and as it was seen of its
// generators for the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// The generators of kernels, as functions of the host.
#define LOCKSTEP_DEVICE inline
#define LOCKSTEP_HOST_RANDOM
#include "curand_kernel.h"

namespace runtime {

using namespace lockstep;

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

  // What the streams give together of such a portion's numbers.
  virtual Portion fitted(Portion portion) const { return portion; }
  // Numbers are to come, so many. False if there cannot be so many.
  virtual bool begin(std::size_t) { return true; }

  // The words of the next portion.
  virtual const std::uint32_t* next(Portion portion) = 0;

  // What the words of a portion make, if they are random bits.
  virtual unsigned bits(const std::uint32_t* words) const { return words[0]; }
  virtual float uniform(const std::uint32_t* words) const { return lockstep::uniform(words[0]); }
  virtual double uniform_double(const std::uint32_t* words) const {
    return lockstep::uniform_double(words[0], words[1]);
  }
  virtual float2 normal(const std::uint32_t* words) const { return box_muller(words[0], words[1]); }
  virtual double2 normal_double(const std::uint32_t* words) const {
    return box_muller_double({words[0], words[1], words[2], words[3]});
  }

  // How many numbers of that portion were drawn before; moves on by `used` numbers.
  virtual int drawn_before(Portion portion) const = 0;
  virtual void advance(Portion portion, int used) = 0;
};

// As many subsequences, which give one portion each in turn.
template <class State, std::size_t kNumStreams>
class SubsequenceStreams : public RandomStreams {
 public:
  void start(std::uint64_t seed, std::uint64_t position) override;
  std::uint64_t position() const override { return position_; }
  int drawn_before(Portion) const override { return 0; }
  void advance(Portion, int) override { ++position_; }

 protected:
  State& stream() { return streams_[position_ % kNumStreams]; }

  std::uint32_t words_[4];

 private:
  std::uint64_t position_ = 0;  // in portions
  std::vector<State> streams_;
};

class XorwowStreams : public SubsequenceStreams<curandStateXORWOW, 4096> {
 public:
  const std::uint32_t* next(Portion portion) override;
};

// A word holds one of the generator's numbers, and a number of any kind takes one of them.
class MrgStreams : public SubsequenceStreams<curandStateMRG32k3a, 81920> {
 public:
  const std::uint32_t* next(Portion portion) override;
  unsigned bits(const std::uint32_t* words) const override { return bits_of_mrg(words[0]); }
  float uniform(const std::uint32_t* words) const override {
    return static_cast<float>(uniform_of_mrg(words[0]));
  }
  double uniform_double(const std::uint32_t* words) const override {
    return uniform_of_mrg(words[0]);
  }
  float2 normal(const std::uint32_t* words) const override {
    return box_muller_of_mrg(words[0], words[1]);
  }
  double2 normal_double(const std::uint32_t* words) const override {
    return box_muller_double_of_mrg(words[0], words[1]);
  }
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

// Sobol's sequences, of 32 or 64 bits: all numbers of one dimension after those of the other. Each
// number is made of one word, whose upper half comes second.
template <class Word>
class SobolStreams : public RandomStreams {
 public:
  explicit SobolStreams(bool is_scrambled) : is_scrambled_(is_scrambled) {}
  void set_dimensions(unsigned num_dimensions) { num_dimensions_ = num_dimensions; }

  void start(std::uint64_t, std::uint64_t position) override { position_ = position; }
  std::uint64_t position() const override { return position_; }
  Portion fitted(Portion) const override { return {1, 1}; }
  bool begin(std::size_t num_numbers) override;
  const std::uint32_t* next(Portion portion) override;
  int drawn_before(Portion) const override { return 0; }
  void advance(Portion, int) override;

  float uniform(const std::uint32_t* words) const override {
    return lockstep::uniform(word_of(words));
  }
  double uniform_double(const std::uint32_t* words) const override {
    return lockstep::uniform_double(word_of(words));
  }
  // cuRAND's generator for the host gives numbers of the other sign than a kernel.
  float2 normal(const std::uint32_t* words) const override {
    return {-normal_above(word_of(words)), 0};
  }
  double2 normal_double(const std::uint32_t* words) const override {
    return {-normal_above_double(word_of(words)), 0};
  }

 private:
  static Word word_of(const std::uint32_t* words) {
    if constexpr (sizeof(Word) == 4) {
      return words[0];
    } else {
      return static_cast<Word>(words[1]) << 32 | words[0];
    }
  }

  const bool is_scrambled_;
  unsigned num_dimensions_ = 1;
  std::uint64_t position_ = 0;  // of each dimension
  std::size_t per_dimension_ = 0;
  std::size_t index_ = 0;  // in the dimension
  unsigned dimension_ = 0;
  SobolState<Word> state_;
  std::uint32_t words_[2];
};

}  // namespace runtime
