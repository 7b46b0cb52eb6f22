// SPDX-License-Identifier: MIT
// simt_rewrite IN.cu -o OUT.cpp [-I DIR]... [--library DIR]...
// Exit status: 0 done, 1 the source is at fault (one line on stderr), 2 usage.
#include <cstdio>
#include <exception>
#include <string_view>

#include "project.h"

namespace {

struct Arguments {
  std::filesystem::path input;
  std::filesystem::path output;
  std::vector<std::filesystem::path> include_dirs;
  std::vector<std::filesystem::path> library_dirs;
};

bool parse(int argc, char** argv, Arguments* arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const bool has_next = i + 1 < argc;
    if (argument == "-o" && has_next) {
      arguments->output = argv[++i];
    } else if (argument == "--library" && has_next) {
      arguments->library_dirs.emplace_back(argv[++i]);
    } else if (argument == "-I" && has_next) {
      arguments->include_dirs.emplace_back(argv[++i]);
    } else if (argument.substr(0, 2) == "-I" && argument.size() > 2) {
      arguments->include_dirs.emplace_back(argument.substr(2));
    } else if (argument.substr(0, 1) != "-" && arguments->input.empty()) {
      arguments->input = argument;
    } else {
      return false;
    }
  }
  return !arguments->input.empty() && !arguments->output.empty();
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!parse(argc, argv, &arguments)) {
    std::fprintf(stderr, "usage: simt_rewrite IN.cu -o OUT.cpp [-I DIR]... [--library DIR]...\n");
    return 2;
  }
  try {
    simt::rewriter::Project(arguments.input, arguments.include_dirs, arguments.library_dirs)
        .write(arguments.output);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
