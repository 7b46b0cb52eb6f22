// SPDX-License-Identifier: MIT
// Source lines: .file, .loc, and the chain of calls that an inlined instruction came through.
//
//   nvcc:   .loc 1 2 71, function_name $L__info_string1, inlined_at 1 3 71
//           A .loc for 1 3 71 comes before it and has the next link of the chain.
//   clang:  .loc 1 31 5     // foo.cu:31:5 @[ foo.cu:40:3 @[ bar.cu:2:1 ] ]
//           The chain is in the comment alone, with file names as clang was given them.
//
// Files and names of functions come after the functions, so finish() fills them in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/lexer.h"
#include "ptx/module.h"

namespace ptx {

class Places {
 public:
  explicit Places(Module& module);

  void parse_file(Lexer& lexer);  // the token is .file
  // The token is .loc. Returns an index into Module::places.
  std::uint32_t parse_loc(Lexer& lexer);
  void begin_function() { calls_.clear(); }

  // Files by number, functions by name. Equal places get one index: instructions are updated.
  void finish();

 private:
  struct Key {
    std::uint32_t file = 0, line = 0, column = 0;
    std::uint32_t inlined_at = kNoPlace;
    std::uint32_t function = 0;  // index into functions_
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };

  struct FunctionName {  // nvcc: the place of its text in .debug_str
    std::string_view label;
    std::uint64_t offset = 0;
    bool operator==(const FunctionName&) const = default;
  };
  struct FunctionHash {
    std::size_t operator()(const FunctionName& name) const {
      return std::hash<std::string_view>()(name.label) + name.offset;
    }
  };

  std::uint32_t interned(Key key);
  std::uint32_t parse_function_name(Lexer& lexer);
  std::uint32_t file_of_comment(std::string_view name);
  std::uint32_t chain_of_comment(std::string_view comment, const Key& place);
  std::uint32_t parse_inlined_at(Lexer& lexer);
  void find_files_of_comments();
  std::vector<std::string_view> names_of_functions();
  void intern_again();

  Module& module_;
  std::vector<Key> keys_;              // by index of the place
  std::vector<std::uint32_t> depths_;  // number of calls that it came through
  std::vector<FunctionName> functions_;
  std::unordered_map<FunctionName, std::uint32_t, FunctionHash> function_indices_;
  std::unordered_map<Key, std::uint32_t, Hash> indices_;
  std::unordered_map<Key, std::uint32_t, Hash> calls_;  // of this function, by coordinates alone
  std::unordered_map<std::string_view, std::uint32_t> files_of_comments_;
  std::vector<std::string_view> unknown_files_;  // that only comments have named so far
};

}  // namespace ptx
