// SPDX-License-Identifier: MIT
// Rewriting a file together with the local headers that it includes.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "edits.h"
#include "token.h"

namespace simt::rewriter {

inline constexpr std::size_t kMaxSourceBytes = std::size_t{4} << 20;

// Something is wrong with a file. what() is one line: "FILE:LINE: error: what is wrong", or the
// same without a line.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Project {
 public:
  // Reads `input` and all headers that it includes by "name", directly or not, and that are found
  // next to the including file or in include_dirs. Throws FileError.
  //
  // library_dirs: where libraries in source are, which are included as they are. The compiler looks
  // there, too.
  Project(const std::filesystem::path& input, std::vector<std::filesystem::path> include_dirs,
          std::vector<std::filesystem::path> library_dirs = {});

  // Writes the rewritten input to `output` and, next to it as OUTPUT.HEADER, each header that had
  // to be rewritten, too; includes are redirected to those. If its threads may wait
  // for memory to change in a way that only the compiler's hooks see, writes an empty OUTPUT.polls.
  // Throws FileError.
  void write(const std::filesystem::path& output);

 private:
  struct File {
    std::filesystem::path path;  // as messages and #line name it
    std::string text;
    Source source;
    std::vector<std::optional<std::string>> includes;  // keys into files_, as source.includes
    bool is_changed = false;
  };

  std::string load(const std::filesystem::path& path, bool is_input);
  std::optional<std::filesystem::path> find(const Include& include, const File& from) const;
  void spread_changes();
  std::filesystem::path output_of(const File& file) const;
  bool is_in_library(const Include& include) const;
  bool has_thrust() const;
  bool needs_wrapper(const Include& include) const;
  std::filesystem::path wrapper_of(const Include& include) const;
  std::string rewritten(const File& file) const;
  std::string table() const;
  bool may_poll() const;

  std::vector<std::filesystem::path> include_dirs_;
  std::vector<std::filesystem::path> library_dirs_;
  bool uses_thrust_ = false;
  std::map<std::string, File> files_;  // by canonical path
  std::set<std::string, std::less<>> kernels_;
  std::string input_;  // its key
  std::filesystem::path output_;
};

}  // namespace simt::rewriter
