// SPDX-License-Identifier: MIT
// Runs every kernel of access_patterns.cu, compiled to PTX, on the machine and prints the counters
// as JSON: {"kernel": {"global_read_sectors": 2048, ...}, ...}. The program's own main() is not
// part of it: all kernels have the same shape and parameters.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "code/program.h"
#include "count/watcher.h"
#include "memory/book.h"
#include "run/bind.h"
#include "run/machine.h"

namespace {

// As in access_patterns.cu.
constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kBlocks = 64;
constexpr std::uint64_t kBytes = std::uint64_t{4} * 64 * kThreads * kBlocks;

std::uint64_t zeros() {
  const std::uint64_t room = memory::allocate(kBytes, memory::Allocation::Kind::kDevice, {});
  std::memset(reinterpret_cast<void*>(room), 0, kBytes);
  return room;
}

void print(const std::vector<count::KernelCounters>& kernels) {
  const char* separator = "{";
  for (const count::KernelCounters& kernel : kernels) {
    std::printf("%s\n \"%s\": ", separator, kernel.name.c_str());
    separator = ",";
    for (std::size_t i = 0; i < count::kNumCounters; ++i) {
      const auto counter = static_cast<count::Counter>(i);
      std::printf("%s\"%s\": %llu", i == 0 ? "{" : ", ", count::name_of(counter),
                  static_cast<unsigned long long>(kernel.counters[counter]));
    }
    std::printf("}");
  }
  std::printf("}\n");
}

int run_all(const char* path) {
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::unique_ptr<code::Program> program =
      code::load(ptx::parse(std::move(text)), [](const ptx::Variable& variable) {
        return memory::allocate(variable.size_bytes, memory::Allocation::Kind::kSymbol, {});
      });
  for (const std::string& refusal : run::bind(*program)) {
    std::fprintf(stderr, "count_patterns: %s\n", refusal.c_str());
    return 3;
  }
  count::Watcher watcher;
  watcher.set_counting(true);
  run::Machine machine(*program);
  machine.set_monitors({&watcher});
  const std::uint64_t d_in = zeros();
  const std::uint64_t d_out = zeros();
  for (const auto& function : program->functions) {
    if (!function->is_kernel) continue;
    auto launch = std::make_unique<run::Launch>();
    launch->program = program.get();
    launch->kernel = function.get();
    launch->grid = {kBlocks, 1, 1};
    launch->block = {kThreads, 1, 1};
    launch->is_counted = true;
    launch->parameters.resize(2 * sizeof d_in);
    std::memcpy(launch->parameters.data(), &d_in, sizeof d_in);
    std::memcpy(launch->parameters.data() + sizeof d_in, &d_out, sizeof d_out);
    machine.launch(std::move(launch));
    if (machine.error() != 0) return 3;
  }
  print(watcher.take());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  memory::reserve();
  try {
    return run_all(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "count_patterns: %s\n", error.what());
    return 3;
  }
}
