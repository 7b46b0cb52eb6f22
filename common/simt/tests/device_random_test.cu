// SPDX-License-Identifier: MIT
// cuRAND's device API in kernels. The expected numbers were made by NVIDIA's curand_kernel.h of
// cuRAND 10.4.0, compiled by g++ 12 for the host.
#include <curand_kernel.h>

#include <vector>

#include "device_test.h"

namespace simt_test::random_test {
namespace {

class DeviceRandom : public DeviceTest {};

struct Start {
  unsigned long long seed, subsequence, offset;
};
constexpr Start kFar = {0x123456789abcdef, 77777, 123456789012345};

struct Numbers {
  unsigned words[6];
  float uniform[3];
  double uniform_double[3];
  float normal[5];
  double normal_double[5];
  float log_normal[3];
  double log_normal_double;
  float log_normal_pair[2];
  unsigned poisson[12];
  unsigned after_skips[2];
};

template <class State>
__global__ void draw_kernel(Start start, State* state, Numbers* out) {
  curand_init(start.seed, start.subsequence, start.offset, state);
  for (unsigned& word : out->words) word = curand(state);
  for (float& number : out->uniform) number = curand_uniform(state);
  for (double& number : out->uniform_double) number = curand_uniform_double(state);
  for (int i = 0; i < 3; ++i) out->normal[i] = curand_normal(state);
  const float2 pair = curand_normal2(state);
  out->normal[3] = pair.x, out->normal[4] = pair.y;
  for (int i = 0; i < 3; ++i) out->normal_double[i] = curand_normal_double(state);
  const double2 doubles = curand_normal2_double(state);
  out->normal_double[3] = doubles.x, out->normal_double[4] = doubles.y;
  for (float& number : out->log_normal) number = curand_log_normal(state, 1, 0.5F);
  out->log_normal_double = curand_log_normal_double(state, 1, 0.5);
  const float2 logs = curand_log_normal2(state, 1, 0.5F);
  out->log_normal_pair[0] = logs.x, out->log_normal_pair[1] = logs.y;
  for (int i = 0; i < 4; ++i) out->poisson[i] = curand_poisson(state, 3.5);
  for (int i = 4; i < 8; ++i) out->poisson[i] = curand_poisson(state, 63);
  for (int i = 8; i < 12; ++i) out->poisson[i] = curand_poisson(state, 5000);
  skipahead(1000001, state);
  out->after_skips[0] = curand(state);
  skipahead_sequence(5, state);
  out->after_skips[1] = curand(state);
}

template <class State>
Numbers draw(Start start) {
  State* state = nullptr;
  cudaMalloc(&state, sizeof(State));
  Managed<Numbers> out(1);
  draw_kernel<<<1, 1>>>(start, state, out.get());
  const Numbers result = out[0];
  cudaFree(state);
  return result;
}

template <class T, std::size_t kCount>
void expect_equal(const T (&got)[kCount], const std::vector<T>& expected) {
  EXPECT_EQ(std::vector<T>(got, got + kCount), expected);
}
// The C library's sine and logarithm may round differently.
template <class T, std::size_t kCount>
void expect_near(const T (&got)[kCount], const std::vector<T>& expected) {
  ASSERT_EQ(expected.size(), kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    EXPECT_NEAR(got[i], expected[i], (sizeof(T) == 4 ? 1e-6 : 1e-14) * 10) << i;
  }
}

TEST_F(DeviceRandom, XorwowGivesNvidiasNumbers) {
  const Numbers got = draw<curandState>(kFar);
  expect_equal(got.words, {2366939929, 3788314692, 3357424748, 3788227662, 1134137363, 4066048314});
  expect_equal(got.uniform, {0.614484549F, 0.764552534F, 0.972148418F});
  expect_equal(got.uniform_double,
               {0.047007686490780853, 0.60919812742139001, 0.43442627894941616});
  expect_near(got.normal,
              {-0.468316257F, -2.13798881F, -0.732183576F, -0.586859226F, -0.0393480882F});
  expect_near(got.normal_double, {-0.32938323438089923, -1.0264488788457917, 0.26929914552619733,
                                  1.6273548269232563, 3.1840295968759467});
  expect_near(got.log_normal, {1.13604522F, 5.16183615F, 6.37363815F});
  EXPECT_NEAR(got.log_normal_double, 3.7898999982350152, 1e-13);
  expect_near(got.log_normal_pair, {1.99569786F, 2.91623044F});
  expect_equal(got.poisson, {6, 1, 2, 6, 68, 71, 62, 78, 5028, 4892, 5004, 4997});
  expect_equal(got.after_skips, {3110221465, 72810351});
}

TEST_F(DeviceRandom, PhiloxGivesNvidiasNumbers) {
  const Numbers got = draw<curandStatePhilox4_32_10_t>(kFar);
  expect_equal(got.words, {1068198053, 2476861158, 1329918491, 2022964653, 1207644912, 3759449421});
  expect_equal(got.uniform, {0.149537221F, 0.906634033F, 0.861264944F});
  expect_equal(got.uniform_double,
               {0.030319214332848787, 0.57478112890385091, 0.16361923958174884});
  expect_near(got.normal, {-0.217155457F, 0.342466921F, 0.338249028F, 0.648960114F, -0.954037428F});
  expect_near(got.normal_double, {1.2032214501977847, 0.085092752506795558, 0.43746520858569921,
                                  0.029290394855213099, -0.51161174603900983});
  expect_near(got.log_normal, {2.44913864F, 1.23957038F, 1.5788945F});
  EXPECT_NEAR(got.log_normal_double, 2.3792936671847009, 1e-13);
  expect_near(got.log_normal_pair, {4.05918837F, 4.90511036F});
  expect_equal(got.poisson, {2, 2, 3, 6, 69, 64, 52, 52, 4971, 5043, 5045, 4831});
  expect_equal(got.after_skips, {1452197172, 3464597558});
}

TEST_F(DeviceRandom, MrgGivesNvidiasNumbers) {
  const Numbers got = draw<curandStateMRG32k3a>(kFar);
  expect_equal(got.words, {842329077, 3793000153, 3763923712, 4022215998, 2658547003, 2809085293});
  expect_equal(got.uniform, {0.790575147F, 0.437196791F, 0.591010809F});
  expect_equal(got.uniform_double, {0.28110617207158123, 0.5505586420341293, 0.41700344792420996});
  expect_near(got.normal, {-0.665595531F, 2.15309286F, 0.0654213503F, -1.7346729F, 0.228624344F});
  expect_near(got.normal_double, {-0.021186117442526523, 2.1216123044661841, -1.2344893767255467,
                                  0.38386837922446565, 0.88282740134827276});
  expect_near(got.log_normal, {3.14277291F, 0.889440119F, 3.20879889F});
  EXPECT_NEAR(got.log_normal_double, 1.3242282739836126, 1e-13);
  expect_near(got.log_normal_pair, {3.34446025F, 2.93833566F});
  expect_equal(got.poisson, {3, 6, 1, 2, 65, 82, 59, 56, 4987, 4999, 5051, 5096});
  expect_equal(got.after_skips, {2925619873, 702633492});
}

__global__ void draw_without_seed_kernel(unsigned* out) {
  curandStateMRG32k3a state;
  curand_init(0, 0, 0, &state);
  out[0] = curand(&state);
  curand_init(1234, 0, 0, &state);
  skipahead_subsequence(1, &state);
  out[1] = curand(&state);
}

TEST_F(DeviceRandom, MrgHasThePapersStateWithoutASeedAndSkipsSubsequences) {
  Managed<unsigned> out(2);
  draw_without_seed_kernel<<<1, 1>>>(out.get());
  EXPECT_EQ(out.values(), (std::vector{545508615U, 653317650U}));
}

__global__ void draw_fours_kernel(uint4* words, float4* numbers, double2* pair) {
  curandStatePhilox4_32_10_t state;
  curand_init(1234, 0, 2, &state);
  words[0] = curand4(&state);
  numbers[0] = curand_uniform4(&state);
  numbers[1] = curand_normal4(&state);
  numbers[2] = curand_log_normal4(&state, 1, 0.5F);
  *pair = curand_uniform2_double(&state);
  words[1] = curand_poisson4(&state, 5);
  words[2] = curand_poisson4(&state, 5000);
}

TEST_F(DeviceRandom, PhiloxGivesFoursThatBeginAnywhere) {
  Managed<uint4> words(3);
  Managed<float4> numbers(3);
  Managed<double2> pair(1);
  draw_fours_kernel<<<1, 1>>>(words.get(), numbers.get(), pair.get());
  const auto list = [](const auto& v) { return std::vector{v.x, v.y, v.z, v.w}; };
  EXPECT_EQ(list(words[0]), (std::vector{1140953199U, 3419031310U, 2666454581U, 482218876U}));
  EXPECT_EQ(list(words[1]), (std::vector{11U, 2U, 3U, 5U}));
  EXPECT_EQ(list(words[2]), (std::vector{4905U, 5114U, 4922U, 4892U}));
  EXPECT_EQ(list(numbers[0]),
            (std::vector{0.977164328F, 0.0800607949F, 0.249172732F, 0.984481454F}));
  EXPECT_NEAR(numbers[1].x, -0.149344906F, 1e-6);
  EXPECT_NEAR(numbers[1].w, 0.5278337F, 1e-6);
  EXPECT_NEAR(numbers[2].z, 1.56404829F, 1e-5);
  EXPECT_EQ(pair[0].x, 0.97498541340425393);
  EXPECT_EQ(pair[0].y, 0.20024014876349233);
}

struct SobolNumbers {
  unsigned long long words[4];
  float uniform, normal;
  double uniform_double, normal_double, log_normal_double;
  unsigned poisson;
};

template <class State, class Word, class... Scramble>
__global__ void draw_sobol_kernel(Word* vectors, SobolNumbers* out, Scramble... scramble) {
  State state;
  curand_init(vectors, scramble..., 123456, &state);
  for (int i = 0; i < 3; ++i) out->words[i] = curand(&state);
  skipahead(1000, &state);
  out->words[3] = curand(&state);
  out->uniform = curand_uniform(&state);
  out->uniform_double = curand_uniform_double(&state);
  out->normal = curand_normal(&state);
  out->normal_double = curand_normal_double(&state);
  out->log_normal_double = curand_log_normal_double(&state, 1, 0.5);
  out->poisson = curand_poisson(&state, 50);
}

template <class State, class Word, class... Scramble>
SobolNumbers draw_sobol(const Word* vectors, Scramble... scramble) {
  Managed<Word> in(8 * sizeof(Word));
  std::copy_n(vectors, 8 * sizeof(Word), in.get());
  Managed<SobolNumbers> out(1);
  draw_sobol_kernel<State><<<1, 1>>>(in.get(), out.get(), scramble...);
  return out[0];
}

TEST_F(DeviceRandom, SobolsSequencesAreNvidias) {
  curandDirectionVectors32_t* words = nullptr;
  curandDirectionVectors64_t* long_words = nullptr;
  curandGetDirectionVectors32(&words, CURAND_DIRECTION_VECTORS_32_JOEKUO6);
  curandGetDirectionVectors64(&long_words, CURAND_DIRECTION_VECTORS_64_JOEKUO6);
  const SobolNumbers got = draw_sobol<curandStateSobol32>(words[500]);
  expect_equal(got.words, {860389376, 3007873024, 1934131200, 2422767616});
  EXPECT_EQ(got.uniform, 0.189094543F);
  EXPECT_EQ(got.uniform_double, 0.68909454368986189);
  const SobolNumbers scrambled = draw_sobol<curandStateScrambledSobol32>(words[500], 77U);
  expect_equal(scrambled.words, {860389453, 3007873101, 1934131277, 2422767693});
  EXPECT_EQ(scrambled.uniform_double, 0.68909456161782146);
  const SobolNumbers wide = draw_sobol<curandStateSobol64>(long_words[500]);
  expect_equal(wide.words, {3695344231745847296, 12918716268600623104U, 8307030250173235200,
                            10405707676527886336U});
  EXPECT_EQ(wide.uniform, 0.189094543F);
  EXPECT_EQ(wide.uniform_double, 0.68909454345703125);
  EXPECT_NEAR(wide.normal, got.normal, 1e-6);
  EXPECT_NEAR(wide.normal_double, got.normal_double, 1e-8);
  EXPECT_NEAR(wide.log_normal_double, got.log_normal_double, 1e-8);
  EXPECT_EQ(wide.poisson, got.poisson);
  EXPECT_NEAR(wide.poisson, 50, 40);
  const SobolNumbers wide_scrambled =
      draw_sobol<curandStateScrambledSobol64>(long_words[500], 77ULL);
  EXPECT_EQ(wide_scrambled.words[3], 10405707676527886413U);
}

// Between 64 and 4000 by another method than NVIDIA's.
__global__ void poisson_kernel(unsigned* out, double mean) {
  curandState state;
  curand_init(7, threadIdx.x, 0, &state);
  for (int i = 0; i < 64; ++i) out[threadIdx.x * 64 + i] = curand_poisson(&state, mean);
}

TEST_F(DeviceRandom, PoissonNumbersHaveTheirMeanAndVariance) {
  for (const double mean : {64., 700.}) {
    Managed<unsigned> out(256 * 64);
    poisson_kernel<<<1, 256>>>(out.get(), mean);
    double sum = 0, squares = 0;
    const std::vector<unsigned> counts = out.values();
    for (const unsigned count : counts) {
      sum += count;
      squares += (count - mean) * (count - mean);
    }
    const auto n = static_cast<double>(counts.size());
    // Six standard errors: sqrt(mean / n), and about sqrt((2 mean^2 + mean) / n).
    EXPECT_NEAR(sum / n, mean, 6 * sqrt(mean / n));
    EXPECT_NEAR(squares / n, mean, 6 * sqrt((2 * mean * mean + mean) / n));
  }
}

__global__ void use_states_kernel(curandState* states, float* out) {
  out[threadIdx.x] = curand_uniform(&states[threadIdx.x]);
}
constexpr int kUseLine = __LINE__ - 2;

TEST_F(DeviceRandom, FindsStatesThatWereNeverMade) {
  curandState* states = nullptr;
  cudaMalloc(&states, 32 * sizeof(curandState));
  Managed<float> out(32);
  use_states_kernel<<<1, 32>>>(states, out.get());
  const std::vector<simt::Finding> findings = simt::take_findings();
  ASSERT_FALSE(findings.empty());
  for (const simt::Finding& finding : findings) {
    EXPECT_EQ(finding.kind, simt::FindingKind::kUninitializedRead);
    EXPECT_EQ(finding.line, kUseLine);
  }
  cudaFree(states);
}

}  // namespace
}  // namespace simt_test::random_test
