// SPDX-License-Identifier: MIT
// cuRAND's host API. The expected numbers were made by NVIDIA's library (libcurand.so.10 of cuRAND
// 10.4.0) with curandCreateGeneratorHost and the seed 1234, which needs no GPU.
#include <curand.h>

#include <cmath>
#include <limits>
#include <vector>

#include "runtime_test.h"

namespace {

class Random : public runtime_test::Runtime {};

constexpr curandRngType_t kTypes[] = {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_PHILOX4_32_10,
                                      CURAND_RNG_PSEUDO_MRG32K3A};

class Generator {
 public:
  explicit Generator(curandRngType_t type) {
    EXPECT_EQ(curandCreateGeneratorHost(&handle, type), CURAND_STATUS_SUCCESS);
    EXPECT_EQ(curandSetPseudoRandomGeneratorSeed(handle, 1234), CURAND_STATUS_SUCCESS);
  }
  ~Generator() { EXPECT_EQ(curandDestroyGenerator(handle), CURAND_STATUS_SUCCESS); }
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  template <class T, class Function, class... More>
  std::vector<T> draw(Function function, std::size_t num_items, More... more) {
    std::vector<T> numbers(num_items);
    EXPECT_EQ(function(handle, numbers.data(), num_items, more...), CURAND_STATUS_SUCCESS);
    return numbers;
  }

  curandGenerator_t handle = nullptr;
};

using Words = std::vector<unsigned>;

Words words_of(curandRngType_t type, std::size_t num_items) {
  return Generator(type).draw<unsigned>(curandGenerate, num_items);
}

TEST_F(Random, GivesTheWordsOfXorwowInNvidiasOrder) {
  const Words words = words_of(CURAND_RNG_PSEUDO_XORWOW, 300000);
  EXPECT_EQ(Words(words.begin(), words.begin() + 4),
            (Words{624778773, 3522650202, 2363946744, 1266286439}));
  EXPECT_EQ((Words{words[4095], words[4096], words[4097], words[8192], words[262144]}),
            (Words{3856448218, 1867875844, 3978931785, 3739671282, 1080851290}));
}

TEST_F(Random, GivesTheWordsOfPhiloxInNvidiasOrder) {
  const Words words = words_of(CURAND_RNG_PSEUDO_PHILOX4_32_10, 300000);
  EXPECT_EQ(Words(words.begin(), words.begin() + 6),
            (Words{546353992, 3665621163, 1140953199, 3419031310, 3507855656, 1392278645}));
  EXPECT_EQ((Words{words[4095], words[65536], words[262144]}),
            (Words{984438016, 3743585837, 2666454581}));
}

TEST_F(Random, GivesTheWordsOfMrgInNvidiasOrder) {
  const Words words = words_of(CURAND_RNG_PSEUDO_MRG32K3A, 300000);
  EXPECT_EQ(Words(words.begin(), words.begin() + 4),
            (Words{3379073520, 653317650, 4012281984, 4237272334}));
  EXPECT_EQ((Words{words[81919], words[81920], words[262144]}),
            (Words{928654669, 2521876100, 1448855913}));
}

TEST_F(Random, GivesUniformNumbers) {
  EXPECT_EQ(Generator(kTypes[2]).draw<float>(curandGenerateUniform, 3),
            (std::vector<float>{0.786751866F, 0.152112365F, 0.934182227F}));
  EXPECT_EQ(Generator(kTypes[2]).draw<double>(curandGenerateUniformDouble, 3),
            (std::vector<double>{0.78675186271572939, 0.15211236914421553, 0.93418219691237425}));
  EXPECT_EQ(Generator(kTypes[0]).draw<float>(curandGenerateUniform, 3),
            (std::vector<float>{0.145467639F, 0.820180893F, 0.550399244F}));
  EXPECT_EQ(Generator(kTypes[1]).draw<float>(curandGenerateUniform, 3),
            (std::vector<float>{0.12720795F, 0.853468955F, 0.265648872F}));
  EXPECT_EQ(Generator(kTypes[0]).draw<double>(curandGenerateUniformDouble, 3),
            (std::vector<double>{0.43489880438841294, 0.92641692020243771, 0.81184521113001917}));
  EXPECT_EQ(Generator(kTypes[1]).draw<double>(curandGenerateUniformDouble, 3),
            (std::vector<double>{0.85346899543001431, 0.79605514883270523, 0.11227557330034327}));
}

// The C library's sine and logarithm may round differently.
template <class T>
void expect_near(const std::vector<T>& got, const std::vector<T>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  const T tolerance = sizeof(T) == 4 ? T(1e-6) : T(1e-14);
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], tolerance) << i;
}

TEST_F(Random, GivesNormalNumbers) {
  const auto floats = [](curandRngType_t type) {
    return Generator(type).draw<float>(curandGenerateNormal, 4, 0.F, 1.F);
  };
  expect_near(floats(kTypes[0]), {0.780973554F, -1.80157816F, -0.280848563F, 0.563546598F});
  expect_near(floats(kTypes[1]), {-1.61649048F, 1.22915542F, -1.56054044F, 0.464621365F});
  expect_near(floats(kTypes[2]), {-0.360653788F, -0.591281295F, -1.7185365F, -0.901611984F});
  const auto doubles = [](curandRngType_t type) {
    return Generator(type).draw<double>(curandGenerateNormalDouble, 4, 0., 1.);
  };
  expect_near(doubles(kTypes[0]), {0.35873979852445503, -1.239592503223552, -0.091495399773608627,
                                   -0.38011893868395424});
  expect_near(doubles(kTypes[1]),
              {-0.53952669590731883, 0.16063334644202293, 1.0081967077372695, 1.8322492478152392});
  expect_near(doubles(kTypes[2]), {-0.36065364611174472, -0.59128140374174409, -1.718536061653114,
                                   -0.90161262521673557});
  const auto logs = Generator(kTypes[0]).draw<float>(curandGenerateLogNormal, 2, 0.F, 1.F);
  expect_near(logs, {2.18359709F, 0.165038228F});
  const auto moved = Generator(kTypes[0]).draw<float>(curandGenerateNormal, 2, 10.F, 2.F);
  expect_near(moved, {10 + 2 * 0.780973554F, 10 + 2 * -1.80157816F});
}

// Each call goes on where the last one ended, whatever kinds of numbers they make.
TEST_F(Random, GoesOnFromCallToCall) {
  Words last;
  for (const curandRngType_t type : kTypes) {
    Generator generator(type);
    generator.draw<unsigned>(curandGenerate, 3);
    generator.draw<double>(curandGenerateUniformDouble, 3);
    const Words words = generator.draw<unsigned>(curandGenerate, 5000);
    last.insert(last.end(), words.end() - 2, words.end());
  }
  EXPECT_EQ(last, (Words{236360624, 1486407296, 3820581270, 368497543, 3348109668, 3481579564}));
}

TEST_F(Random, StartsAtAnOffset) {
  for (const curandRngType_t type : kTypes) {
    const Words all = words_of(type, 10000);
    Generator generator(type);
    EXPECT_EQ(curandSetGeneratorOffset(generator.handle, 4999), CURAND_STATUS_SUCCESS);
    EXPECT_EQ(generator.draw<unsigned>(curandGenerate, 5001), Words(all.begin() + 4999, all.end()));
  }
}

template <class T, class Function, class... More>
std::vector<T> of_three_dimensions(curandRngType_t type, unsigned long long offset,
                                   Function function, More... more) {
  curandGenerator_t generator = nullptr;
  EXPECT_EQ(curandCreateGeneratorHost(&generator, type), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(curandSetQuasiRandomGeneratorDimensions(generator, 3), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(curandSetGeneratorOffset(generator, offset), CURAND_STATUS_SUCCESS);
  std::vector<T> first(3), numbers(6);
  EXPECT_EQ(function(generator, first.data(), 3, more...), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(function(generator, numbers.data(), 6, more...), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(function(generator, numbers.data(), 5, more...), CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  EXPECT_EQ(curandDestroyGenerator(generator), CURAND_STATUS_SUCCESS);
  numbers.insert(numbers.begin(), first.begin(), first.end());
  return numbers;
}

// Dimension after dimension, and the next call goes on in each.
TEST_F(Random, GivesSobolsSequencesInNvidiasOrder) {
  constexpr auto k32 = CURAND_RNG_QUASI_SOBOL32, k64 = CURAND_RNG_QUASI_SOBOL64;
  const Words words = of_three_dimensions<unsigned>(k32, 0, curandGenerate);
  EXPECT_EQ(words, (Words{0, 0, 0, 1U << 31, 3U << 30, 1U << 31, 1U << 30, 1U << 31, 1U << 30}));
  const auto long_words = of_three_dimensions<unsigned long long>(k64, 0, curandGenerateLongLong);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(long_words[i], std::uint64_t{words[i]} << 32) << i;
  for (const curandRngType_t type : {k32, k64}) {
    EXPECT_EQ(
        of_three_dimensions<float>(type, 999, curandGenerateUniform),
        (std::vector<float>{0.157226562F, 0.909179688F, 0.0810546875F, 0.219726562F, 0.719726562F,
                            0.0966796875F, 0.596679688F, 0.518554688F, 0.0185546875F}));
    expect_near(of_three_dimensions<float>(type, 7, curandGenerateNormal, 0.F, 1.F),
                {-1.15034938F, 0.318639368F, -0.318639368F, -0.887146533F, 0.488776416F,
                 -0.488776416F, 0.887146533F, 1.53412044F, -0.15731068F});
  }
  EXPECT_EQ(of_three_dimensions<double>(k32, 11, curandGenerateUniformDouble),
            (std::vector<double>{0.43750000023283064, 0.56250000023283064, 0.18750000023283064,
                                 0.31250000023283064, 0.81250000023283064, 0.18750000023283064,
                                 0.68750000023283064, 0.31250000023283064, 0.81250000023283064}));
  EXPECT_EQ(
      of_three_dimensions<double>(k64, 11, curandGenerateUniformDouble),
      (std::vector<double>{0.43750000000000006, 0.5625, 0.18750000000000006, 0.31250000000000006,
                           0.8125, 0.18750000000000006, 0.6875, 0.31250000000000006, 0.8125}));
  expect_near(of_three_dimensions<double>(k32, 15, curandGenerateNormalDouble, 0., 1.),
              {-1.5341205434059568, 1.534120545299136, 0.15731068490561376, -1.3180108966080033,
               0.23720210962892349, -0.078412412440403784, 1.8627318690757106,
               -0.078412412440403784, 1.8627318690757106});
  expect_near(of_three_dimensions<double>(k64, 15, curandGenerateNormalDouble, 0., 1.),
              {-1.5341205443525459, 1.5341205443525472, 0.15731068461017084, -1.3180108973035367,
               0.23720210932878785, -0.078412412733112072, 1.8627318674216531,
               -0.078412412733112072, 1.8627318674216531});
}

// The last vectors of the last dimension, and sums over all, as cuRAND has them.
TEST_F(Random, HasNvidiasDirectionVectors) {
  curandDirectionVectors32_t* words = nullptr;
  curandDirectionVectors64_t* long_words = nullptr;
  EXPECT_EQ(curandGetDirectionVectors32(&words, CURAND_DIRECTION_VECTORS_32_JOEKUO6),
            CURAND_STATUS_SUCCESS);
  EXPECT_EQ(curandGetDirectionVectors64(&long_words, CURAND_DIRECTION_VECTORS_64_JOEKUO6),
            CURAND_STATUS_SUCCESS);
  unsigned sum = 0;
  unsigned long long long_sum = 0;
  for (int dimension = 0; dimension < 512; ++dimension) {
    for (const unsigned word : words[dimension]) sum = sum * 31 + word;
    for (const unsigned long long word : long_words[dimension]) long_sum = long_sum * 31 + word;
  }
  EXPECT_EQ(sum, 4108047370U);
  EXPECT_EQ(long_sum, 16994972779011548098ULL);
  EXPECT_EQ(curandGetDirectionVectors32(&words, CURAND_DIRECTION_VECTORS_64_JOEKUO6),
            CURAND_STATUS_OUT_OF_RANGE);
}

// A scrambled sequence, too, puts one of any 2^k aligned numbers into each 2^k-th of the interval.
TEST_F(Random, ScramblesAndKeepsWhatMakesTheSequenceEven) {
  for (const auto type : {CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64}) {
    curandGenerator_t generator = nullptr;
    ASSERT_EQ(curandCreateGeneratorHost(&generator, type), CURAND_STATUS_SUCCESS);
    ASSERT_EQ(curandSetQuasiRandomGeneratorDimensions(generator, 512), CURAND_STATUS_SUCCESS);
    std::vector<double> numbers(512 * 64);
    ASSERT_EQ(curandGenerateUniformDouble(generator, numbers.data(), numbers.size()),
              CURAND_STATUS_SUCCESS);
    std::vector<int> counts(512 * 64);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      ++counts[i / 64 * 64 + static_cast<std::size_t>(numbers[i] * 64)];
    }
    EXPECT_EQ(counts, std::vector<int>(512 * 64, 1));
    EXPECT_NE(numbers[0], numbers[64]);  // not one scramble for all
    curandDestroyGenerator(generator);
  }
}

TEST_F(Random, GivesPoissonNumbers) {
  for (const double mean : {0.5, 20., 3000.}) {
    const Words counts = Generator(kTypes[0]).draw<unsigned>(curandGeneratePoisson, 100000, mean);
    double sum = 0, squares = 0;
    for (const unsigned count : counts) {
      sum += count;
      squares += (count - mean) * (count - mean);
    }
    // Six standard errors: sqrt(mean / n), and about sqrt((2 mean^2 + mean) / n).
    EXPECT_NEAR(sum / 1e5, mean, 6 * std::sqrt(mean / 1e5));
    EXPECT_NEAR(squares / 1e5, mean, 6 * std::sqrt((2 * mean * mean + mean) / 1e5));
  }
}

TEST_F(Random, FillsDeviceMemoryInTheOrderOfItsStream) {
  curandGenerator_t generator = nullptr;
  ASSERT_EQ(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT), CURAND_STATUS_SUCCESS);
  ASSERT_EQ(curandSetPseudoRandomGeneratorSeed(generator, 1234), CURAND_STATUS_SUCCESS);
  unsigned* d_words = nullptr;
  ASSERT_EQ(cudaMalloc(&d_words, 4 * sizeof(unsigned)), cudaSuccess);
  EXPECT_EQ(curandGenerate(generator, d_words, 4), CURAND_STATUS_SUCCESS);
  Words words(4);
  EXPECT_EQ(cudaMemcpy(words.data(), d_words, 16, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(words, (Words{624778773, 3522650202, 2363946744, 1266286439}));
  EXPECT_EQ(curandGenerate(generator, d_words, 5), CURAND_STATUS_LAUNCH_FAILURE);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  cudaFree(d_words);
  curandDestroyGenerator(generator);
}

TEST_F(Random, RefusesWhatItLacks) {
  curandGenerator_t generator = nullptr;
  EXPECT_EQ(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_MT19937), CURAND_STATUS_TYPE_ERROR);
  EXPECT_EQ(curandGenerate(nullptr, nullptr, 0), CURAND_STATUS_NOT_INITIALIZED);
  const Generator pseudo(kTypes[0]);
  EXPECT_EQ(curandSetQuasiRandomGeneratorDimensions(pseudo.handle, 3), CURAND_STATUS_TYPE_ERROR);
  unsigned long long word = 0;
  EXPECT_EQ(curandGenerateLongLong(pseudo.handle, &word, 1), CURAND_STATUS_TYPE_ERROR);
  ASSERT_EQ(curandCreateGeneratorHost(&generator, CURAND_RNG_QUASI_SOBOL64), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(curandGenerate(generator, nullptr, 0), CURAND_STATUS_TYPE_ERROR);
  EXPECT_EQ(curandSetPseudoRandomGeneratorSeed(generator, 1), CURAND_STATUS_TYPE_ERROR);
  EXPECT_EQ(curandSetGeneratorOrdering(generator, CURAND_ORDERING_PSEUDO_DEFAULT),
            CURAND_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(curandSetQuasiRandomGeneratorDimensions(generator, 0), CURAND_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(curandSetQuasiRandomGeneratorDimensions(generator, 513), CURAND_STATUS_OUT_OF_RANGE);
  curandDestroyGenerator(generator);
  float numbers[3];
  EXPECT_EQ(curandGenerateNormal(Generator(kTypes[0]).handle, numbers, 3, 0, 1),
            CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  EXPECT_EQ(curandGenerateNormal(Generator(kTypes[1]).handle, numbers, 3, 0, 1),
            CURAND_STATUS_SUCCESS);
}

TEST_F(Random, RefusesAGeneratorThatIsNoMore) {
  curandGenerator_t generator = nullptr;
  ASSERT_EQ(curandCreateGeneratorHost(&generator, kTypes[0]), CURAND_STATUS_SUCCESS);
  EXPECT_EQ(curandDestroyGenerator(generator), CURAND_STATUS_SUCCESS);
  unsigned word = 0;
  EXPECT_EQ(curandGenerate(generator, &word, 1), CURAND_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(curandDestroyGenerator(generator), CURAND_STATUS_NOT_INITIALIZED);
}

TEST_F(Random, RefusesAMeanThatNoWordHolds) {
  Generator generator(kTypes[0]);
  unsigned word = 0;
  for (const double mean :
       {0.0, -1.0, 1e10, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(curandGeneratePoisson(generator.handle, &word, 1, mean), CURAND_STATUS_OUT_OF_RANGE)
        << mean;
  }
}

}  // namespace
