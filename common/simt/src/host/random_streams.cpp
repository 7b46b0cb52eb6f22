// SPDX-License-Identifier: MIT
#include "random_streams.h"

namespace simt::internal {

namespace {

void skip_subsequence(curandStateXORWOW& state) { skipahead_sequence(1, &state); }
void skip_subsequence(curandStateMRG32k3a& state) { skipahead_subsequence(1, &state); }

}  // namespace

template <class State, std::size_t kNumStreams>
void SubsequenceStreams<State, kNumStreams>::start(std::uint64_t seed, std::uint64_t position) {
  position_ = position;
  streams_.resize(kNumStreams);
  State state;
  curand_init(seed, 0, 0, &state);
  for (std::size_t i = 0; i < kNumStreams; ++i) {
    streams_[i] = state;
    skipahead((position + kNumStreams - 1 - i) / kNumStreams, &streams_[i]);
    skip_subsequence(state);
  }
}

const std::uint32_t* XorwowStreams::next(Portion portion) {
  for (int i = 0; i < portion.words; ++i) words_[i] = curand(&stream());
  return words_;
}

const std::uint32_t* MrgStreams::next(Portion portion) {
  for (int i = 0; i < portion.numbers; ++i) words_[i] = next_number(&stream());
  return words_;
}

template class SubsequenceStreams<curandStateXORWOW, 4096>;
template class SubsequenceStreams<curandStateMRG32k3a, 81920>;

void PhiloxStreams::start(std::uint64_t seed, std::uint64_t position) {
  seed_ = seed;
  position_ = position;
  used_words_.resize(kNumStreams);
  const std::uint64_t turns = position / 4;  // that streams have completed
  for (std::size_t i = 0; i < kNumStreams; ++i) {
    used_words_[i] = 4 * ((turns + kNumStreams - 1 - i) / kNumStreams);
  }
}

const std::uint32_t* PhiloxStreams::next(Portion portion) {
  const uint2 key = {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)};
  const std::uint64_t index = position_ % 4 / static_cast<unsigned>(portion.numbers);
  const std::uint64_t first = used_words_[stream()] + index * static_cast<unsigned>(portion.words);
  const uint4 four = philox(advanced({0, 0, 0, 0}, stream(), first / 4), key);
  const std::uint32_t all[] = {four.x, four.y, four.z, four.w};
  for (int i = 0; i < portion.words; ++i) words_[i] = all[first % 4 + static_cast<unsigned>(i)];
  return words_;
}

void PhiloxStreams::advance(Portion portion, int used) {
  if (position_ % 4 + static_cast<unsigned>(used) == 4) {
    used_words_[stream()] += 4U * static_cast<unsigned>(portion.words / portion.numbers);
  }
  position_ += static_cast<unsigned>(used);
}

}  // namespace simt::internal
