// SPDX-License-Identifier: MIT
#include "registry.h"

#include <cxxabi.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "client.h"

namespace runtime {
namespace {

template <class T>
using Table = std::unordered_map<const void*, T>;

Table<Kernel>& kernels() {
  static auto& table = *new Table<Kernel>;
  return table;
}
Table<Variable>& variables() {
  static auto& table = *new Table<Variable>;
  return table;
}

std::string demangled(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  std::string name = status == 0 ? text.get() : mangled;
  // Without parameters, and then without scopes and template arguments.
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0 && name.compare(i, 21, "(anonymous namespace)") != 0) {
      name.resize(i);
      break;
    }
  }
  depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<' || name[i] == '(') ++depth;
    if (name[i] == '>' || name[i] == ')') --depth;
    if (depth == 0 && (name[i] == ':' || name[i] == ' ')) begin = i + 1;
  }
  name.erase(0, begin);
  return name.substr(0, name.find('<'));
}

}  // namespace

Kernel* find_kernel(const void* host_function) {
  const auto found = kernels().find(host_function);
  if (found == kernels().end()) return nullptr;
  Kernel& kernel = found->second;
  if (kernel.number != 0) return &kernel;
  Client& client = Client::get();
  const std::lock_guard lock(client.mutex());
  serve::Request request;
  if (client.call(serve::Command::kFindFunction, request, kernel.mangled) != cudaSuccess)
    return nullptr;
  const serve::Reply reply = client.reply();
  kernel.name = demangled(kernel.mangled);
  kernel.number = reply.function;
  kernel.parameter_bytes = static_cast<std::uint32_t>(reply.size_bytes);
  kernel.shared_bytes = reply.shared_bytes;
  kernel.local_bytes = reply.local_bytes;
  kernel.max_threads = reply.max_threads;
  kernel.num_registers = reply.num_registers;
  const auto* const pairs = reinterpret_cast<const std::uint32_t*>(client.data());
  for (std::uint32_t i = 0; i + 1 < reply.data_bytes / 4; i += 2) {
    kernel.parameters.push_back({pairs[i], pairs[i + 1]});
  }
  return &kernel;
}

const Variable* find_variable(const void* host_variable) {
  const auto found = variables().find(host_variable);
  if (found == variables().end()) return nullptr;
  Variable& variable = found->second;
  if (variable.address != 0) return &variable;
  Client& client = Client::get();
  const std::lock_guard lock(client.mutex());
  serve::Request request;
  if (client.call(serve::Command::kFindSymbol, request, variable.mangled) != cudaSuccess)
    return nullptr;
  variable.address = client.reply().address;
  variable.size_bytes = client.reply().size_bytes;
  return &variable;
}

std::uint64_t stream_number(cudaStream_t stream) {
  if (stream == cudaStreamLegacy) return 0;
  return reinterpret_cast<std::uint64_t>(stream);
}

}  // namespace runtime

extern "C" {

void** __cudaRegisterFatBinary(void* image) {
  static void* handle = nullptr;
  handle = image;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}

void __cudaRegisterFunction(void**, const char* host_function, char*, const char* name, int, void*,
                            void*, void*, void*, int*) {
  runtime::kernels()[host_function].mangled = name;
}
void __cudaRegisterVar(void**, char* host_variable, char*, const char* name, int, std::size_t, int,
                       int) {
  runtime::variables()[host_variable].mangled = name;
}
void __cudaRegisterManagedVar(void**, void** pointer, void*, const char* name, std::size_t,
                              unsigned) {
  runtime::variables()[pointer].mangled = name;
}

}  // extern "C"
