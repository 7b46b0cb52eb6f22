// SPDX-License-Identifier: MIT
#include "random/streams.h"

#include "random/sobol.h"

namespace runtime {

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

template <class Word>
bool SobolStreams<Word>::begin(std::size_t num_numbers) {
  per_dimension_ = num_numbers / num_dimensions_;
  index_ = 0;
  dimension_ = 0;
  return num_numbers % num_dimensions_ == 0;
}

template <class Word>
const std::uint32_t* SobolStreams<Word>::next(Portion) {
  if (index_ == 0) {
    const auto& vectors = is_scrambled_ ? scrambled_sobol<Word>().vectors : sobol_vectors<Word>();
    const Word constant = is_scrambled_ ? scrambled_sobol<Word>().constants[dimension_] : 0;
    start_sobol(&state_, vectors[dimension_].data(), constant, static_cast<Word>(position_));
  }
  const Word word = next_word(&state_);
  words_[0] = static_cast<std::uint32_t>(word);
  words_[1] = static_cast<std::uint32_t>(static_cast<unsigned long long>(word) >> 32);
  return words_;
}

template <class Word>
void SobolStreams<Word>::advance(Portion, int) {
  if (++index_ < per_dimension_) return;
  index_ = 0;
  if (++dimension_ == num_dimensions_) position_ += per_dimension_;
}

template class SobolStreams<unsigned>;
template class SobolStreams<unsigned long long>;

}  // namespace runtime
