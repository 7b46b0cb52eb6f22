// SPDX-License-Identifier: MIT
// The front end of the device: PTX of a CUDA source, by clang, with two things as nvcc does them.
//
//   lockstep_front OUT.ptx LOWER... -- COMPILE...
//
// COMPILE is the command that makes PTX of the source. It is made to stop at LLVM's intermediate
// code, whose text is changed; the command LOWER makes PTX of that. Both get `-o FILE` here. The
// exit status is clang's: 128 and a signal's number where one ended it.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "front/changes.h"
#include "front/module.h"

extern char** environ;

namespace {

using Command = std::vector<std::string>;

constexpr int kSignalled = 128;  // as a shell reports it
constexpr int kNotRun = 127;

enum class Output { kShown, kHidden };

Command with(Command command, std::initializer_list<std::string_view> more) {
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

int run(const Command& command, Output output) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (output == Output::kHidden) {
    for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0);
    }
  }
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    std::fprintf(stderr, "lockstep_front: cannot run %s: %s\n", arguments[0], std::strerror(error));
    return kNotRun;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

// False: the file cannot be read or written.
bool change(const std::string& file, front::Locals locals) {
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  front::Module module(text);
  front::access_as_nvcc_does(module, locals);
  front::keep_constant_stores(module);
  std::ofstream out(file);
  out << module.text();
  out.close();
  return in && out;
}

int make_ptx(const std::string& ptx, const Command& lower, const Command& compile) {
  const std::string intermediate = ptx + ".ll";
  // A structure's copy has marks of types, and a memcpy() of the program's has none.
  const int front =
      run(with(compile, {"-emit-llvm", "-fstrict-aliasing", "-Xclang", "-new-struct-path-tbaa",
                         "-Xclang", "-disable-llvm-passes", "-o", intermediate}),
          Output::kShown);
  if (front != 0) return front;
  const bool is_optimised = std::ranges::find(lower, "-O0") == lower.end();
  if (!change(intermediate, is_optimised ? front::Locals::kRegisters : front::Locals::kMemory)) {
    std::fprintf(stderr, "lockstep_front: %s: %s\n", intermediate.c_str(), std::strerror(errno));
    return 1;
  }
  const Command second = with(lower, {intermediate, "-o", ptx});
  int status = run(second, Output::kHidden);
  if (status != 0 && status < kSignalled) {
    // As for inline assembly that cannot be: only of the source does clang say the line.
    status = run(with(compile, {"-o", ptx}), Output::kShown);
    if (status == 0) status = run(second, Output::kShown);
  }
  unlink(intermediate.c_str());
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  const Command words(argv + 1, argv + argc);
  const auto middle = std::ranges::find(words, "--");
  if (words.size() < 4 || middle == words.end() || middle - words.begin() < 2) {
    std::fputs("usage: lockstep_front OUT.ptx LOWER... -- COMPILE...\n", stderr);
    return 2;
  }
  return make_ptx(words[0], {words.begin() + 1, middle}, {middle + 1, words.end()});
}
