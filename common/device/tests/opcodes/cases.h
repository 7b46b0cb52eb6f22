// SPDX-License-Identifier: MIT
// The list that generate.py writes, and the form in which results of a GPU are kept.
#pragma once

#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "operands.h"

namespace opcodes {

struct Case {
  std::string text;
  std::vector<std::string> results;
  std::vector<std::pair<std::string, std::string>> sources;  // register, domain
  std::string check;
};

inline std::vector<Case> read_cases(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<Case> cases;
  for (std::string line; std::getline(file, line);) {
    Case read;
    // "text | results | register:domain ... | check"; a bar inside the text has no spaces.
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (std::size_t end; (end = line.find(" | ", begin)) != std::string::npos; begin = end + 3) {
      parts.push_back(line.substr(begin, end - begin));
    }
    parts.push_back(line.substr(begin));
    if (parts.size() != 4) throw std::runtime_error("not a case: " + line);
    read.text = parts[0];
    read.check = parts[3];
    std::istringstream results(parts[1]), sources(parts[2]);
    for (std::string word; results >> word;) read.results.push_back(word);
    for (std::string word; sources >> word;) {
      const std::size_t colon = word.find(':');
      read.sources.emplace_back(word.substr(0, colon), word.substr(colon + 1));
    }
    cases.push_back(read);
  }
  return cases;
}

// Values of all results of a case: result r of tuple i at [r * kNumTuples + i].
using Values = std::vector<std::uint64_t>;

inline int value_bytes(std::string_view name) {
  return name[1] == 'p' ? 1 : (name[1] == 'h' ? 2 : (name[1] == 'r' ? 4 : 8));
}

inline std::uint64_t hashed(std::string_view bytes, std::uint64_t seed = 0xcbf29ce484222325) {
  for (const char byte : bytes) seed = (seed ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return seed;
}
inline std::uint64_t key_of(const Case& made) {
  std::uint64_t key = hashed(made.text);
  for (const auto& [name, domain] : made.sources) key = hashed(domain, key);
  return key;
}

// Exact cases keep a hash of 32 bits for each 128 tuples; the others keep the values of some.
inline constexpr int kTuplesPerHash = 128;
inline bool is_kept(int tuple) { return tuple < 256 || (tuple >= 1024 && tuple < 1280); }

inline std::string condensed(const Case& made, const Values& values) {
  std::string bytes;
  const auto append = [&](std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> 8 * i);
  };
  if (made.check != "exact") {
    for (std::size_t r = 0; r < made.results.size(); ++r) {
      for (int i = 0; i < kNumTuples; ++i) {
        if (is_kept(i)) append(values[r * kNumTuples + i], value_bytes(made.results[r]));
      }
    }
    return bytes;
  }
  for (int begin = 0; begin < kNumTuples; begin += kTuplesPerHash) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (std::size_t r = 0; r < made.results.size(); ++r) {
      for (int i = begin; i < begin + kTuplesPerHash; ++i) {
        hash = mixed(hash ^ values[r * kNumTuples + i]);
      }
    }
    append(hash, 4);
  }
  return bytes;
}

// results.bin: for each case its key (8 bytes), the size of what follows (4 bytes), condensed().
inline void append_record(std::string* file, const Case& made, const Values& values) {
  const std::string bytes = condensed(made, values);
  const std::uint64_t key = key_of(made);
  for (int i = 0; i < 8; ++i) *file += static_cast<char>(key >> 8 * i);
  for (int i = 0; i < 4; ++i) *file += static_cast<char>(bytes.size() >> 8 * i);
  *file += bytes;
}

}  // namespace opcodes
