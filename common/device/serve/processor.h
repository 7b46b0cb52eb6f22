// SPDX-License-Identifier: MIT
// Whether this processor has what the device was compiled for: else it would end in the middle of a
// kernel, by SIGILL. Included by what is compiled for any processor.
#pragma once

namespace serve {

// The first feature of the level (x86-64-v3, x86-64-v4; others have none) for which `has` is false;
// null: all are there. `has(i)` answers for feature i of kFeatures.
inline constexpr const char* kFeatures[] = {"AVX2",     "BMI2",     "FMA",      "AVX512F",
                                            "AVX512BW", "AVX512CD", "AVX512DQ", "AVX512VL"};
inline constexpr int kNumFeatures = 8, kNumFeaturesOfV3 = 3;

template <class Has>
const char* missing_feature(const char* level, Has has) {
  const bool is_v4 = __builtin_strcmp(level, "x86-64-v4") == 0;
  const bool is_v3 = __builtin_strcmp(level, "x86-64-v3") == 0;
  const int wanted = is_v4 ? kNumFeatures : is_v3 ? kNumFeaturesOfV3 : 0;
  for (int i = 0; i < wanted; ++i) {
    if (!has(i)) return kFeatures[i];
  }
  return nullptr;
}

#if defined(__x86_64__)
inline bool has_feature(int i) {
  __builtin_cpu_init();
  const int has[] = {__builtin_cpu_supports("avx2"),     __builtin_cpu_supports("bmi2"),
                     __builtin_cpu_supports("fma"),      __builtin_cpu_supports("avx512f"),
                     __builtin_cpu_supports("avx512bw"), __builtin_cpu_supports("avx512cd"),
                     __builtin_cpu_supports("avx512dq"), __builtin_cpu_supports("avx512vl")};
  return has[i] != 0;
}
#else
inline bool has_feature(int) { return true; }
#endif

}  // namespace serve
