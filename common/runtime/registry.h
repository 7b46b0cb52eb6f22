// SPDX-License-Identifier: MIT
// What the program's initialisers register: kernels and device variables, by the addresses by which
// the host's code names them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "serve/commands.h"

namespace runtime {

// Kernels that are embedded in the program.
struct ProgramImage {
  std::string_view text;  // PTX; of several files with a NUL between them
  bool is_loaded = false;
  std::uint32_t module = 0;  // 0: the device has one that the judge gave
};

struct Kernel {
  ProgramImage* image = nullptr;
  const void* host_function = nullptr;
  std::string mangled;
  std::string name;  // readable
  serve::FindKernel::Result about;
  std::vector<serve::ParameterPlace> parameters;
  std::uint32_t dynamic_limit = 0;  // of shared memory
  std::uint32_t cluster_limit = memory::kMaxPortableClusterSize;
};

// Asks the device at the first use. Null: no kernel.
Kernel* find_kernel(const void* host_function);

struct Variable {
  ProgramImage* image = nullptr;
  std::string mangled;
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  bool is_managed = false;
  bool is_shared = false;  // a managed one that the host has in its own pages
};
const Variable* find_variable(const void* host_variable);

// Before the host's code uses a __managed__ variable by its name.
void share_managed_variables();

}  // namespace runtime
