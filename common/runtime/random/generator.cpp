// SPDX-License-Identifier: MIT
// cuRAND's host API. Numbers are made here and copied to the device in the order of the generator's
// stream, so that copies and kernels are checked as around any other copy.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <set>
#include <type_traits>
#include <vector>

#include "curand.h"
#include "lock.h"
#include "random/sobol.h"
#include "random/streams.h"

struct curandGenerator_st {
  std::unique_ptr<runtime::RandomStreams> streams;
  bool is_hosts = false;
  bool allows_odd_counts = false;
  // Of Sobol's sequences these are the streams.
  runtime::SobolStreams<unsigned>* sobol = nullptr;
  runtime::SobolStreams<unsigned long long>* long_sobol = nullptr;
  bool has_started = false;  // with its seed, at its position
  unsigned long long seed = 0;
  unsigned long long position = 0;
  cudaStream_t stream = nullptr;
};

namespace runtime {
namespace {

constexpr Portion kWord = {1, 1};
constexpr Portion kTwoWords = {1, 2};
constexpr Portion kPair = {2, 2};
constexpr Portion kDoublePair = {2, 4};

// Those that a program has created and not destroyed.
std::set<curandGenerator_t>& generators() {
  static auto* const all = new std::set<curandGenerator_t>;  // outlives all users
  return *all;
}

bool is_generator(curandGenerator_t generator) {
  const DeviceLock lock;
  return generators().count(generator) != 0;
}

curandStatus_t create(curandGenerator_t* generator, curandRngType_t type, bool is_hosts) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  auto made = std::make_unique<curandGenerator_st>();
  if (type == CURAND_RNG_PSEUDO_DEFAULT || type == CURAND_RNG_PSEUDO_XORWOW) {
    made->streams = std::make_unique<XorwowStreams>();
  } else if (type == CURAND_RNG_PSEUDO_PHILOX4_32_10) {
    made->streams = std::make_unique<PhiloxStreams>();
    made->allows_odd_counts = true;
  } else if (type == CURAND_RNG_PSEUDO_MRG32K3A) {
    made->streams = std::make_unique<MrgStreams>();
  } else if (type >= CURAND_RNG_QUASI_DEFAULT && type <= CURAND_RNG_QUASI_SCRAMBLED_SOBOL64) {
    const bool is_scrambled =
        type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
    if (type >= CURAND_RNG_QUASI_SOBOL64) {
      made->long_sobol = new SobolStreams<unsigned long long>(is_scrambled);
      made->streams.reset(made->long_sobol);
    } else {
      made->sobol = new SobolStreams<unsigned>(is_scrambled);
      made->streams.reset(made->sobol);
    }
  } else {
    std::fprintf(
        stderr,
        "lockstep: Lockstep's cuRAND lacks generator type %d: use CURAND_RNG_PSEUDO_XORWOW, "
        "CURAND_RNG_PSEUDO_PHILOX4_32_10 or CURAND_RNG_PSEUDO_MRG32K3A\n",
        static_cast<int>(type));
    return CURAND_STATUS_TYPE_ERROR;
  }
  made->is_hosts = is_hosts;
  *generator = made.release();
  const DeviceLock lock;
  generators().insert(*generator);
  return CURAND_STATUS_SUCCESS;
}

bool is_quasi(const curandGenerator_st& generator) {
  return generator.sobol != nullptr || generator.long_sobol != nullptr;
}

void start(curandGenerator_st& generator) {
  if (generator.has_started) return;
  generator.streams->start(generator.seed, generator.position);
  generator.has_started = true;
}

template <class T>
curandStatus_t deliver(const curandGenerator_st& generator, T* output,
                       const std::vector<T>& numbers) {
  const std::size_t size_bytes = numbers.size() * sizeof(T);
  if (generator.is_hosts) {
    std::memcpy(output, numbers.data(), size_bytes);
    return CURAND_STATUS_SUCCESS;
  }
  const cudaError_t error =
      cudaMemcpyAsync(output, numbers.data(), size_bytes, cudaMemcpyHostToDevice, generator.stream);
  return error == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

// make(streams, words, numbers) makes the numbers of one portion.
template <class T, class Make>
curandStatus_t generate(curandGenerator_t generator, T* output, std::size_t num_items,
                        Portion portion, Make make) {
  const DeviceLock lock;
  if (!is_generator(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  portion = generator->streams->fitted(portion);
  if (portion.numbers > 1 && num_items % 2 != 0 && !generator->allows_odd_counts) {
    return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  }
  start(*generator);
  RandomStreams& streams = *generator->streams;
  if (!streams.begin(num_items)) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  std::vector<T> numbers(num_items);
  for (std::size_t i = 0; i < num_items;) {
    T made[2];
    make(streams, streams.next(portion), made);
    const int first = streams.drawn_before(portion);
    const int used = static_cast<int>(
        std::min<std::size_t>(static_cast<std::size_t>(portion.numbers - first), num_items - i));
    std::copy_n(made + first, used, &numbers[i]);
    streams.advance(portion, used);
    i += static_cast<std::size_t>(used);
  }
  generator->position = streams.position();
  return deliver(*generator, output, numbers);
}

// finish(x) makes a number of one with the mean 0 and the deviation 1.
template <class T, class Finish>
curandStatus_t generate_normal(curandGenerator_t generator, T* output, std::size_t num_items,
                               Finish finish) {
  constexpr bool kIsDouble = std::is_same_v<T, double>;
  return generate(generator, output, num_items, kIsDouble ? kDoublePair : kPair,
                  [=](const RandomStreams& streams, const std::uint32_t* words, T* made) {
                    const auto put = [&](const auto& both) {
                      made[0] = finish(both.x);
                      made[1] = finish(both.y);
                    };
                    if constexpr (kIsDouble) {
                      put(streams.normal_double(words));
                    } else {
                      put(streams.normal(words));
                    }
                  });
}

// The probabilities of at most 0, 1, ... events, from the first that is not negligible on.
struct PoissonTable {
  unsigned first;
  std::vector<double> at_most;
};

PoissonTable poisson_table(double mean) {
  const double reach = 12 * std::sqrt(mean) + 40;
  PoissonTable table = {static_cast<unsigned>(std::max(mean - reach, 0.0)), {}};
  const auto last = static_cast<unsigned>(mean + reach);
  double sum = 0;
  for (unsigned k = table.first; k <= last; ++k) {
    sum += std::exp(k * std::log(mean) - mean - std::lgamma(k + 1.0));
    table.at_most.push_back(sum);
  }
  return table;
}

}  // namespace
}  // namespace runtime

curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
  return runtime::create(generator, type, false);
}

curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) {
  return runtime::create(generator, type, true);
}

curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  const runtime::DeviceLock lock;
  if (runtime::generators().erase(generator) == 0) return CURAND_STATUS_NOT_INITIALIZED;
  delete generator;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetVersion(int* version) {
  if (version == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  *version = CURAND_VERSION;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  if (!runtime::is_generator(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  generator->stream = stream;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed) {
  if (!runtime::is_generator(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  if (runtime::is_quasi(*generator)) return CURAND_STATUS_TYPE_ERROR;
  generator->seed = seed;
  generator->has_started = false;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  if (!runtime::is_generator(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  generator->position = offset;
  generator->has_started = false;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order) {
  if (!runtime::is_generator(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  if (runtime::is_quasi(*generator)) {
    return order == CURAND_ORDERING_QUASI_DEFAULT ? CURAND_STATUS_SUCCESS
                                                  : CURAND_STATUS_OUT_OF_RANGE;
  }
  const bool is_known = order == CURAND_ORDERING_PSEUDO_BEST ||
                        order == CURAND_ORDERING_PSEUDO_DEFAULT ||
                        order == CURAND_ORDERING_PSEUDO_LEGACY;
  return is_known ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE;
}

curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator,
                                                       unsigned int num_dimensions) {
  if (!runtime::is_generator(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  if (!runtime::is_quasi(*generator)) return CURAND_STATUS_TYPE_ERROR;
  if (num_dimensions < 1) return CURAND_STATUS_OUT_OF_RANGE;
  if (num_dimensions > runtime::kSobolDimensions) {
    std::fprintf(stderr,
                 "lockstep: Lockstep's cuRAND has %u dimensions of Sobol's sequences, not %u\n",
                 runtime::kSobolDimensions, num_dimensions);
    return CURAND_STATUS_OUT_OF_RANGE;
  }
  if (generator->sobol != nullptr) generator->sobol->set_dimensions(num_dimensions);
  if (generator->long_sobol != nullptr) generator->long_sobol->set_dimensions(num_dimensions);
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  if (!runtime::is_generator(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  runtime::start(*generator);
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int* output,
                              std::size_t num_items) {
  if (runtime::is_generator(generator) && generator->long_sobol != nullptr) {
    return CURAND_STATUS_TYPE_ERROR;
  }
  return runtime::generate(
      generator, output, num_items, runtime::kWord,
      [](const auto& streams, const auto* words, unsigned* made) { *made = streams.bits(words); });
}

curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long* output,
                                      std::size_t num_items) {
  if (runtime::is_generator(generator) && generator->long_sobol == nullptr) {
    return CURAND_STATUS_TYPE_ERROR;
  }
  return runtime::generate(generator, output, num_items, runtime::kWord,
                           [](const auto&, const auto* words, unsigned long long* made) {
                             *made = static_cast<unsigned long long>(words[1]) << 32 | words[0];
                           });
}

curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* output,
                                     std::size_t num_items) {
  return runtime::generate(
      generator, output, num_items, runtime::kWord,
      [](const auto& streams, const auto* words, float* made) { *made = streams.uniform(words); });
}

curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* output,
                                           std::size_t num_items) {
  return runtime::generate(generator, output, num_items, runtime::kTwoWords,
                           [](const auto& streams, const auto* words, double* made) {
                             *made = streams.uniform_double(words);
                           });
}

curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* output,
                                    std::size_t num_items, float mean, float stddev) {
  return runtime::generate_normal(generator, output, num_items,
                                  [=](float normal) { return mean + stddev * normal; });
}

curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* output,
                                          std::size_t num_items, double mean, double stddev) {
  return runtime::generate_normal(generator, output, num_items,
                                  [=](double normal) { return mean + stddev * normal; });
}

curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* output,
                                       std::size_t num_items, float mean, float stddev) {
  return runtime::generate_normal(generator, output, num_items,
                                  [=](float normal) { return std::exp(mean + stddev * normal); });
}

curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double* output,
                                             std::size_t num_items, double mean, double stddev) {
  return runtime::generate_normal(generator, output, num_items,
                                  [=](double normal) { return std::exp(mean + stddev * normal); });
}

curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int* output,
                                     std::size_t num_items, double mean) {
  if (!(mean > 0 && mean < std::numeric_limits<unsigned>::max())) return CURAND_STATUS_OUT_OF_RANGE;
  const runtime::PoissonTable table = runtime::poisson_table(mean);
  return runtime::generate(generator, output, num_items, runtime::kWord,
                           [&](const auto& streams, const auto* words, unsigned* made) {
                             const auto& sums = table.at_most;
                             const auto found =
                                 std::lower_bound(sums.begin(), sums.end() - 1,
                                                  lockstep::uniform_double(streams.bits(words)));
                             *made = table.first + static_cast<unsigned>(found - sums.begin());
                           });
}
