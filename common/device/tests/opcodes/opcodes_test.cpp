// SPDX-License-Identifier: MIT
// Every spelling of spellings.py on the machine: it binds, leaves other lanes alone, and computes
// what a GPU computed (results.bin).
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <unordered_map>

#include "tests/opcodes/cases.h"
#include "tests/opcodes/errors.h"
#include "tests/opcodes/one_warp.h"

namespace opcodes {
namespace {

const std::vector<Case>& cases() {
  static const std::vector<Case> read = read_cases(OPCODES_CASES);
  return read;
}

void set_operands(OneWarp* warp, const Case& made, int first) {
  for (std::size_t s = 0; s < made.sources.size(); ++s) {
    for (int lane = 0; lane < 32; ++lane) {
      warp->set(made.sources[s].first, lane,
                operand(made.sources[s].second, first + lane, static_cast<int>(s)));
    }
  }
}

Values computed(const Case& made) {
  OneWarp warp(made.text);
  Values values(made.results.size() * kNumTuples);
  for (int first = 0; first < kNumTuples; first += 32) {
    set_operands(&warp, made, first);
    warp.run();
    for (std::size_t r = 0; r < made.results.size(); ++r) {
      for (int lane = 0; lane < 32; ++lane) {
        values[r * kNumTuples + first + lane] = warp.get(made.results[r], lane);
      }
    }
  }
  return values;
}

std::string described(const Case& made, int tuple) {
  std::string text = made.text + " with";
  for (std::size_t s = 0; s < made.sources.size(); ++s) {
    char word[64];
    std::snprintf(word, sizeof word, " %s=%llx", made.sources[s].first.c_str(),
                  static_cast<unsigned long long>(
                      operand(made.sources[s].second, tuple, static_cast<int>(s))));
    text += word;
  }
  return text;
}

TEST(Opcodes, EverySpellingBinds) {
  ASSERT_GT(cases().size(), 2400u);
  for (const Case& made : cases()) {
    EXPECT_NO_THROW(OneWarp(made.text)) << made.text;
  }
}

TEST(Opcodes, LeavesOtherLanesAlone) {
  constexpr std::uint32_t kLanes = 0x8421f00f;
  for (const Case& made : cases()) {
    if (made.text.find(".aligned") != std::string::npos) continue;  // needs all lanes
    OneWarp whole(made.text), part(made.text);
    set_operands(&whole, made, 1024);
    set_operands(&part, made, 1024);
    for (const std::string& result : made.results) {
      for (int lane = 0; lane < 32; ++lane) part.set(result, lane, 0x1234567890abcdef);
    }
    std::vector<std::uint64_t> before;
    for (const std::string& result : made.results) {
      for (int lane = 0; lane < 32; ++lane) before.push_back(part.get(result, lane));
    }
    whole.run();
    part.run(kLanes, kLanes);
    std::size_t index = 0;
    for (const std::string& result : made.results) {
      for (int lane = 0; lane < 32; ++lane, ++index) {
        const bool takes_part = (kLanes >> lane & 1) != 0;
        ASSERT_EQ(part.get(result, lane), takes_part ? whole.get(result, lane) : before[index])
            << described(made, 1024 + lane) << ", lane " << lane;
      }
    }
  }
}

TEST(Opcodes, ApproximationsAreWithinTheirError) {
  for (const Case& made : cases()) {
    if (made.check == "exact" || made.check.starts_with("mma")) continue;
    const Values values = computed(made);
    for (int i = 0; i < kNumTuples; ++i) {
      std::uint64_t sources[3] = {};
      for (std::size_t s = 0; s < made.sources.size(); ++s) {
        sources[s] = operand(made.sources[s].second, i, static_cast<int>(s));
      }
      const bool ftz = made.text.find(".ftz.") != std::string::npos;
      const std::string wrong =
          error_of(made.check, sources, values[static_cast<std::size_t>(i)], ftz);
      EXPECT_EQ(wrong, "") << described(made, i);
      if (!wrong.empty()) break;
    }
  }
}

// What the GPU gave: condensed, by key.
std::unordered_map<std::uint64_t, std::string> read_results() {
  std::unordered_map<std::uint64_t, std::string> results;
  std::ifstream file(OPCODES_RESULTS, std::ios::binary);
  std::uint64_t key = 0;
  std::uint32_t size = 0;
  while (file.read(reinterpret_cast<char*>(&key), 8) &&
         file.read(reinterpret_cast<char*>(&size), 4)) {
    std::string bytes(size, '\0');
    file.read(bytes.data(), size);
    results[key] = bytes;
  }
  return results;
}

TEST(Opcodes, MatchesTheGpu) {
  const auto results = read_results();
  if (results.empty()) GTEST_SKIP() << "no " OPCODES_RESULTS ": see run-on-gpu";
  int num_missing = 0;
  for (const Case& made : cases()) {
    const auto found = results.find(key_of(made));
    if (found == results.end()) {
      ++num_missing;
      continue;
    }
    const Values values = computed(made);
    if (made.check == "exact") {
      EXPECT_TRUE(found->second == condensed(made, values)) << made.text;
      continue;
    }
    EXPECT_EQ(difference_of(made, values, found->second), "") << made.text;
  }
  EXPECT_EQ(num_missing, 0) << "cases without a result: run run-on-gpu again";
}

// To look for the reason of a difference: LAB_OPCODES_RAW=raw.bin (unpacked) shows the operands.
TEST(Opcodes, ShowsDifferencesOfRawResults) {
  const char* path = std::getenv("LAB_OPCODES_RAW");
  if (path == nullptr) GTEST_SKIP();
  std::ifstream file(path, std::ios::binary);
  for (const Case& made : cases()) {
    const Values values = computed(made);
    int num_shown = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::uint64_t theirs = 0;
      file.read(reinterpret_cast<char*>(&theirs), value_bytes(made.results[i / kNumTuples]));
      if (made.check != "exact" || theirs == values[i] || num_shown++ >= 3) continue;
      ADD_FAILURE() << described(made, static_cast<int>(i % kNumTuples)) << std::hex << ": GPU "
                    << theirs << ", machine " << values[i];
    }
    if (num_shown > 3) std::printf("  ... %d values of %s\n", num_shown, made.text.c_str());
  }
}

}  // namespace
}  // namespace opcodes
