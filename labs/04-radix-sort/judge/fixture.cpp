// SPDX-License-Identifier: MIT
#include "fixture.h"

#include <algorithm>

#include "fixture/test_data.h"
#include "judge.h"

namespace lab_judge {
namespace {

template <class Make>
Keys keys_of(int num_items, Make make) {
  Keys keys(num_items);
  for (int i = 0; i < num_items; ++i) keys[i] = static_cast<std::uint32_t>(make(i));
  return keys;
}

}  // namespace

Keys random_keys(std::uint64_t seed, int num_items) {
  return keys_of(num_items, [=](int i) { return judge::random_bits(seed, i) >> 32; });
}

const std::vector<Kind>& kinds_of_keys() {
  static const std::vector<Kind> kinds = {
      {"random keys", random_keys, false},
      {"keys that are in order already",
       [](std::uint64_t seed, int num_items) {
         Keys keys = random_keys(seed, num_items);
         std::ranges::sort(keys);
         return keys;
       },
       false},
      {"keys in descending order",
       [](std::uint64_t seed, int num_items) {
         Keys keys = random_keys(seed, num_items);
         std::ranges::sort(keys, std::greater<>());
         return keys;
       },
       false},
      {"keys that are nearly all the same",
       [](std::uint64_t seed, int num_items) {
         const auto usual = static_cast<std::uint32_t>(judge::random_bits(seed, 0) >> 32);
         return keys_of(num_items, [=](int i) {
           const std::uint64_t bits = judge::random_bits(seed, i + 1);
           return bits % 256 == 0 ? static_cast<std::uint32_t>(bits >> 32) : usual;
         });
       }},
      {"four different keys",
       [](std::uint64_t seed, int num_items) {
         return keys_of(num_items, [=](int i) {
           return judge::random_bits(seed, judge::random_bits(~seed, i) % 4) >> 32;
         });
       }},
      {"keys with one bit set",
       [](std::uint64_t seed, int num_items) {
         return keys_of(num_items, [=](int i) {
           return std::uint32_t{1} << judge::random_bits(seed, i) % 32;
         });
       }},
      {"random keys, half of them 0xffffffff",
       [](std::uint64_t seed, int num_items) {
         return keys_of(num_items, [=](int i) {
           const std::uint64_t bits = judge::random_bits(seed, i);
           return bits % 2 == 0 ? 0xffffffffU : static_cast<std::uint32_t>(bits >> 32);
         });
       }},
      {"keys whose bytes are 0x00 or 0xff, so that two digits take all",
       [](std::uint64_t seed, int num_items) {
         return keys_of(num_items, [=](int i) {
           const std::uint64_t bits = judge::random_bits(seed, i);
           std::uint32_t key = 0;
           for (int byte = 0; byte < 4; ++byte) key |= (bits >> byte & 1) * 0xffU << 8 * byte;
           return key;
         });
       }},
      {"keys whose every digit takes long turns",
       [](std::uint64_t seed, int num_items) {
         return keys_of(num_items, [=](int i) {
           const auto turn = static_cast<std::uint32_t>(i / 700 + seed % 16) % 16;
           return (15 - turn) * 0x11111111U;
         });
       }},
  };
  return kinds;
}

std::string what(const char* function, std::size_t num_items) {
  return std::string(function) + " of " + judge::counted(num_items, "key");
}

std::optional<Failure> SortFixture::compare_whole(const Keys& h_in, const Keys& h_out) {
  return compare(unsigned_case(what("radix_sort", h_in.size()), h_in), h_out);
}

std::optional<Failure> SortFixture::radix_sort(const Keys& h_in) {
  Keys h_out;
  auto failure = sort<decltype(lab::radix_sort)>("radix_sort", h_in, h_out);
  return failure ? failure : compare_whole(h_in, h_out);
}

void SortFixture::expect_and_explain(const std::vector<int>& sizes, const Attempt& attempt) {
  constexpr int kFew = 64;
  constexpr int kMany = 5000;
  std::optional<std::optional<Failure>> larger;  // one for all attempts with few keys
  expect_for_sizes(sizes, [&](int num_items) {
    auto failure = attempt(num_items);
    if (!failure || num_items >= kFew) return failure;
    if (failure->kind != judge::kind::kWrongResult &&
        failure->kind != judge::kind::kOutputUnwritten)
      return failure;
    if (!larger) larger = attempt(kMany);
    if (*larger) failure->pattern = (*larger)->pattern;
    return failure;
  });
}

void SortFixture::expect_random(const std::vector<int>& sizes, const Sort& sort) {
  expect_and_explain(sizes, [&](int size) { return sort(random_keys(next_seed(), size)); });
}

void SortFixture::expect_all_kinds(int num_items, const Sort& sort, Kinds kinds) {
  for (const Kind& kind : kinds_of_keys()) {
    if (kinds == Kinds::kWithEqualKeys && !kind.has_equal_keys) continue;
    expect_and_explain({num_items}, [&](int size) {
      auto failure = sort(kind.make(next_seed(), size));
      if (failure) failure->message = std::string(kind.name) + ": " + failure->message;
      return failure;
    });
    if (HasFailure()) return;
  }
}

void SortFixture::expect_each_bit(int num_items, const Sort& sort) {
  for (int bit = 0; bit < 32; ++bit) {
    const std::uint64_t seed = next_seed();
    const auto others = static_cast<std::uint32_t>(judge::random_bits(seed, num_items) >> 32);
    auto failure = sort(keys_of(num_items, [=](int i) {
      const auto set = static_cast<std::uint32_t>(judge::random_bits(seed, i) & 1);
      return (others & ~(1U << bit)) | set << bit;
    }));
    if (!failure) continue;
    if (failure->pattern.starts_with("nothing was moved")) {
      failure->pattern = "no pass looks at this bit";
    }
    failure->message =
        "keys that differ in bit " + std::to_string(bit) + " alone: " + failure->message;
    return fail(*failure);
  }
}

void SortFixture::expect_no_order_to_matter(int num_rounds, int few, int many, const Sort& sort) {
  const bool waits = judge::options().rung > "04b_eight_bits";
  expect_in_any_order(num_rounds, [&](int round) {
    // In the first round the emulated device has room for 2^11 threads. Where tiles wait for each
    // other, and have up to 32 keys per thread, they are more than that.
    const int most = !judge::kOnGpu && waits && round == 0 ? 1 << 16 : round % 2 == 0 ? few : many;
    const int num_items = most + static_cast<int>(next_seed() % 500);
    return sort(random_keys(next_seed(), num_items));
  });
}

}  // namespace lab_judge
