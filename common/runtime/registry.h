// SPDX-License-Identifier: MIT
// What the program's initialisers register: kernels and device variables, by the addresses by which
// the host's code names them.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <vector>

namespace runtime {

struct Kernel {
  std::string mangled;
  std::string name;  // readable
  std::uint32_t number = 0;
  std::uint32_t parameter_bytes = 0;
  struct Parameter {
    std::uint32_t offset, size_bytes;
  };
  std::vector<Parameter> parameters;
  std::uint32_t shared_bytes = 0, local_bytes = 0, max_threads = 0, num_registers = 0;
  int dynamic_limit = 48 << 10;
};

// Asks the device at the first use. Null: no kernel.
Kernel* find_kernel(const void* host_function);

struct Variable {
  std::string mangled;
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
};
const Variable* find_variable(const void* host_variable);

// Streams of the API as the device numbers them.
std::uint64_t stream_number(cudaStream_t stream);

}  // namespace runtime
