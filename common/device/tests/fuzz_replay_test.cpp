// SPDX-License-Identifier: MIT
// The inputs of a fuzzer in the unit tests, without libFuzzer: those that it began with, and those
// that it found.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t*, std::size_t size, std::size_t) {
  return size;
}

TEST(FuzzReplay, EveryInputEndsWell) {
  int num_inputs = 0;
  for (const auto& file : std::filesystem::directory_iterator(FUZZ_SEEDS)) {
    SCOPED_TRACE(file.path());
    std::ifstream stream(file.path(), std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(stream)),
                           std::istreambuf_iterator<char>());
    EXPECT_EQ(
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()), 0);
    ++num_inputs;
  }
  EXPECT_GT(num_inputs, 0);
}
