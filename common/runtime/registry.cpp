// SPDX-License-Identifier: MIT
#include "registry.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <unordered_map>

#include "connection.h"
#include "error_state.h"
#include "lock.h"
#include "shared_pages.h"

namespace {

// By which clang's -fgpu-rdc announces a kernel or a variable of the device.
struct OffloadEntry {
  std::uint64_t reserved;
  std::uint16_t version;
  std::uint16_t kind;
  std::uint32_t flags;
  const void* address;       // by which the host's code names it
  const char* name;          // mangled
  std::uint64_t size_bytes;  // 0: a kernel
  std::uint64_t data;
  void* auxiliary;
};
static_assert(sizeof(OffloadEntry) == 56);
constexpr std::uint16_t kCudaEntry = 2;

}  // namespace

// What the linker calls the ends of sections: of keywords.h, of clang's entries, and of the PTX of
// the program's files. Null: the program has none.
#define RUNTIME_SECTION(type, name)                                               \
  extern const type __start_##name[] __attribute__((weak, visibility("hidden"))); \
  extern const type __stop_##name[] __attribute__((weak, visibility("hidden")));
extern "C" {
RUNTIME_SECTION(char, lockstep_managed)
RUNTIME_SECTION(OffloadEntry, llvm_offload_entries)
RUNTIME_SECTION(char, lockstep_ptx)
}

namespace runtime {
namespace {

bool is_in_managed_section(const void* variable) {
  return variable >= __start_lockstep_managed && variable < __stop_lockstep_managed;
}

constexpr std::uint32_t kDefaultSharedBytes = 48 << 10;

// The wrapper of an image as clang embeds it; of ours the image is PTX with a zero behind it.
struct FatBinary {
  std::uint32_t magic;
  std::uint32_t version;
  const char* image;
  const void* unused;
};
constexpr std::uint32_t kFatBinaryMagic = 0x466243b1;

// A program with a main() of its own was compiled with -fgpu-rdc, and has entries and PTX in
// sections. A rung registers its own.
struct Registry {
  std::unordered_map<const void*, Kernel> kernels;
  std::unordered_map<const void*, Variable> variables;
  ProgramImage linked;

  Registry() {
    const char* const end = __stop_lockstep_ptx;
    linked.text = {__start_lockstep_ptx, static_cast<std::size_t>(end - __start_lockstep_ptx)};
    for (const OffloadEntry* entry = __start_llvm_offload_entries;
         entry != __stop_llvm_offload_entries; ++entry) {
      if (entry->kind != kCudaEntry) continue;
      if (entry->size_bytes == 0) {
        kernels[entry->address] = {&linked, entry->address, entry->name, {}, {}, {}, 0};
      } else {
        variables[entry->address] = {&linked, entry->name};
      }
    }
  }
};

Registry& registry() {
  static auto* const all = new Registry;  // outlives all users
  return *all;
}

[[noreturn]] void refuse_image(std::string_view why) {
  std::fflush(nullptr);
  report_launch_error({}, "the device cannot load the program's kernels: " + std::string(why));
  std::_Exit(1);
}

void load(ProgramImage& image) {
  if (std::exchange(image.is_loaded, true)) return;
  Connection& connection = Connection::get();
  // In judgement the device has the kernels that the grader compiled.
  if (!connection.takes_modules()) return;
  const std::string_view ptx = image.text;
  serve::LoadModule command;
  command.total_bytes = ptx.size();
  while (command.offset < ptx.size()) {
    const std::size_t size = std::min(ptx.size() - command.offset, connection.data().size());
    std::memcpy(connection.data().data(), ptx.data() + command.offset, size);
    command.piece_bytes = static_cast<std::uint32_t>(size);
    const auto asked = connection.ask(command);
    if (asked.error != cudaSuccess) refuse_image(asked.tail);
    command.offset += size;
    image.module = asked.result.module;
  }
}

void look_up(Kernel& kernel) {
  load(*kernel.image);
  const serve::FindKernel command{kernel.image->module,
                                  static_cast<std::uint32_t>(kernel.mangled.size())};
  const auto asked = ask(command, kernel.mangled);
  if (asked.error != cudaSuccess) return;
  const std::size_t num_bytes = asked.result.num_parameters * sizeof(serve::ParameterPlace);
  if (num_bytes > asked.tail.size()) return;
  kernel.about = asked.result;
  kernel.parameters.resize(asked.result.num_parameters);
  std::memcpy(kernel.parameters.data(), asked.tail.data(), num_bytes);
  kernel.name = asked.tail.substr(num_bytes);
  const std::uint32_t taken = std::min(kernel.about.static_shared_bytes, kDefaultSharedBytes);
  kernel.dynamic_limit = kDefaultSharedBytes - taken;
}

}  // namespace

Kernel* find_kernel(const void* host_function) {
  const DeviceLock lock;
  const auto found = registry().kernels.find(host_function);
  if (found == registry().kernels.end()) return nullptr;
  Kernel& kernel = found->second;
  if (kernel.about.kernel == 0) look_up(kernel);
  return kernel.about.kernel != 0 ? &kernel : nullptr;
}

const Variable* find_variable(const void* host_variable) {
  const DeviceLock lock;
  const auto found = registry().variables.find(host_variable);
  if (found == registry().variables.end()) return nullptr;
  Variable& variable = found->second;
  if (variable.address == 0) {
    load(*variable.image);
    const serve::FindSymbol command{variable.image->module,
                                    static_cast<std::uint32_t>(variable.mangled.size())};
    const auto asked = ask(command, variable.mangled);
    if (asked.error != cudaSuccess) return nullptr;
    variable.address = asked.result.address;
    variable.size_bytes = asked.result.size_bytes;
    variable.is_managed = asked.result.is_managed != 0;
  }
  return &variable;
}

void share_managed_variables() {
  for (auto& [host, registered] : registry().variables) {
    if (!is_in_managed_section(host) || registered.is_shared) continue;
    const Variable* const variable = find_variable(host);
    const auto address = reinterpret_cast<std::uint64_t>(host);
    if (variable == nullptr || !variable->is_managed ||
        ask(serve::ShareVariable{variable->address, address}).error != cudaSuccess ||
        !share_variable(address, variable->size_bytes, variable->address)) {
      refuse_image("a __managed__ variable cannot be shared with the host");
    }
    registered.is_shared = true;
  }
}

}  // namespace runtime

// Called by initialisers that clang makes.
extern "C" {

// The handle is the image.
void** __cudaRegisterFatBinary(void* wrapper) {
  auto* const image = new runtime::ProgramImage;  // lives as long as the program
  const auto* const binary = static_cast<const runtime::FatBinary*>(wrapper);
  if (binary->magic == runtime::kFatBinaryMagic) image->text = binary->image;
  return reinterpret_cast<void**>(image);
}
void __cudaRegisterFatBinaryEnd(void**) { runtime::share_managed_variables(); }
void __cudaUnregisterFatBinary(void**) {}

void __cudaRegisterFunction(void** image, const char* host_function, char*, const char* name, int,
                            void*, void*, void*, void*, int*) {
  runtime::Kernel& kernel = runtime::registry().kernels[host_function];
  kernel.image = reinterpret_cast<runtime::ProgramImage*>(image);
  kernel.host_function = host_function;
  kernel.mangled = name;
}
void __cudaRegisterVar(void** image, char* host_variable, char*, const char* name, int, std::size_t,
                       int, int) {
  runtime::Variable& variable = runtime::registry().variables[host_variable];
  variable.image = reinterpret_cast<runtime::ProgramImage*>(image);
  variable.mangled = name;
}
void __cudaRegisterManagedVar(void** image, void** pointer, void*, const char* name, std::size_t,
                              unsigned) {
  runtime::Variable& variable = runtime::registry().variables[pointer];
  variable.image = reinterpret_cast<runtime::ProgramImage*>(image);
  variable.mangled = name;
}

}  // extern "C"
