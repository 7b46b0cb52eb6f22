// SPDX-License-Identifier: MIT
// What the program's initialisers register: kernels and device variables, by the addresses by which
// the host's code names them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "serve/commands.h"

namespace runtime {

// Kernels of one file, embedded in the program.
struct ProgramImage {
  const char* text = nullptr;  // PTX
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
};

// Asks the device at the first use. Null: no kernel.
Kernel* find_kernel(const void* host_function);

struct Variable {
  ProgramImage* image = nullptr;
  std::string mangled;
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  bool is_managed = false;
};
const Variable* find_variable(const void* host_variable);

}  // namespace runtime
