// SPDX-License-Identifier: MIT
// Programs: PTX made executable, its variables and its kernels.
#include <algorithm>
#include <cstring>
#include <system_error>
#include <utility>

#include "memory/book.h"
#include "ptx/module.h"
#include "run/bind.h"
#include "serve/cuda_errors.h"
#include "serve/device.h"
#include "serve/ring.h"

namespace serve {
namespace {

using MemoryKind = memory::Allocation::Kind;

constexpr std::size_t kMaxModules = 1000;

bool needs_room(const ptx::Variable& variable) {
  return variable.space != ptx::Space::kShared && !variable.is_managed;
}

std::uint64_t padded(const ptx::Variable& variable) {
  const std::uint64_t unit = std::max<std::uint64_t>(
      memory::kAllocationAlignment, std::max<std::size_t>(variable.align_bytes, 1));
  const std::uint64_t size = std::max<std::uint64_t>(variable.size_bytes, 1);
  return (size + memory::kRedZoneBytes + unit - 1) / unit * unit;
}

std::uint64_t room_for(const ptx::Module& module) {
  std::uint64_t size_bytes = 0;
  for (const ptx::Variable& variable : module.variables) {
    if (needs_room(variable)) size_bytes += padded(variable);
    if (size_bytes > memory::kDeviceMemoryBytes) {
      throw std::runtime_error("its variables need more memory than the device has");
    }
  }
  return size_bytes;
}

// Variables one after another in a module's room; managed ones where the host has them, too.
class Places {
 public:
  explicit Places(const ptx::Module& module) {
    const std::uint64_t size_bytes = room_for(module);
    if (size_bytes != 0) next_ = memory::variable_room(size_bytes);
  }

  std::uint64_t operator()(const ptx::Variable& variable) {
    if (needs_room(variable)) return std::exchange(next_, next_ + padded(variable));
    return memory::managed_room(std::max<std::uint64_t>(variable.size_bytes, 1));
  }

 private:
  std::uint64_t next_ = 0;
};

void fill(const code::Program& program, const code::Symbol& symbol) {
  if (symbol.space == ptx::Space::kShared || symbol.size_bytes == 0) return;
  const MemoryKind kind = symbol.is_managed                    ? MemoryKind::kManaged
                          : symbol.space == ptx::Space::kConst ? MemoryKind::kConstant
                                                               : MemoryKind::kSymbol;
  memory::declare(symbol.address, symbol.size_bytes, symbol.readable, true, kind);
  auto* const at = reinterpret_cast<std::byte*>(symbol.address);
  std::memset(at, 0, symbol.size_bytes);
  const std::vector<std::byte> contents = code::initial_contents(program, symbol);
  std::memcpy(at, contents.data(), std::min<std::size_t>(contents.size(), symbol.size_bytes));
}

// What a program has embedded: the PTX of each of its files, with a NUL or several between them.
ptx::Module parse_files(std::string_view texts) {
  std::vector<ptx::Module> files;
  while (!texts.empty()) {
    const std::string_view text = texts.substr(0, texts.find('\0'));
    if (!text.empty()) files.push_back(ptx::parse(std::string(text)));
    texts.remove_prefix(std::min(text.size() + 1, texts.size()));
  }
  return ptx::link(std::move(files));
}

}  // namespace

void Device::load(std::string_view ptx) {
  memory::reserve();
  ptx::Module parsed = parse_files(ptx);
  Places places(parsed);
  auto module = std::make_unique<Module>();
  module->program = code::load(std::move(parsed),
                               [&](const ptx::Variable& variable) { return places(variable); });
  run::bind(*module->program);
  fill_variables(*module);
  module->machine = std::make_unique<run::Machine>(*module->program);
  module->machine->set_printer([this](std::string_view text) { print(text); });
  if (takes_modules_) {  // a lab's rung may not launch kernels from kernels
    module->machine->set_launcher([this, &loaded = *module](run::NestedLaunch nested) {
      return take_nested(loaded, std::move(nested));
    });
  }
  for (const code::Symbol& symbol : module->program->symbols) {
    if (symbol.space == ptx::Space::kConst) module->constant_bytes += symbol.size_bytes;
  }
  module->number = static_cast<std::uint32_t>(modules_.size() + 1);
  modules_.push_back(std::move(module));
}

void Device::fill_variables(const Module& module) {
  for (const code::Symbol& symbol : module.program->symbols) {
    fill(*module.program, symbol);
    if (symbol.is_managed) managed_variables_.insert(symbol.address);
  }
}

int Device::handle(const Connect& command, Connect::Result& result, Call& call) {
  result.takes_modules = takes_modules_ ? 1 : 0;
  call.is_malformed = command.version != kVersion;
  return kSuccess;
}

int Device::handle(const LoadModule& command, LoadModule::Result& result, Call& call) {
  if (!takes_modules_ || modules_.size() >= kMaxModules) return kNotPermitted;
  if (command.offset == 0) incoming_.clear();
  const std::uint64_t left = command.total_bytes - std::min(command.total_bytes, command.offset);
  if (command.total_bytes > ptx::kMaxTextBytes || command.offset != incoming_.size() ||
      command.piece_bytes > left) {
    return kInvalidValue;
  }
  incoming_.append(reinterpret_cast<const char*>(call.data.data()), command.piece_bytes);
  if (incoming_.size() < command.total_bytes) return kSuccess;
  try {
    load(std::exchange(incoming_, {}));
  } catch (const std::exception& error) {
    return call.explain(kInvalidPtx, error.what());
  }
  result.module = static_cast<std::uint32_t>(modules_.size());
  return kSuccess;
}

std::uint32_t Device::number_of(Module& module, const code::Function& kernel) {
  const auto known = std::ranges::find(kernels_, &kernel, &Kernel::function);
  const auto number = static_cast<std::uint32_t>(known - kernels_.begin()) + 1;
  if (known == kernels_.end()) {
    const std::uint32_t taken = std::min(kernel.shared_bytes, run::kDefaultSharedBytesPerBlock);
    kernels_.push_back({&module, &kernel, run::kDefaultSharedBytesPerBlock - taken});
  }
  return number;
}

int Device::handle(const FindKernel& command, FindKernel::Result& result, Call& call) {
  for (const auto& module : modules_) {
    if (command.module != 0 && module->number != command.module) continue;
    const code::Function* const found = module->program->find(call.text());
    if (found == nullptr || !found->is_kernel) continue;
    result.kernel = number_of(*module, *found);
    result.parameter_bytes = found->parameter_bytes;
    result.static_shared_bytes = found->shared_bytes;
    result.local_bytes = found->local_bytes;
    result.max_threads = found->max_threads;
    result.cluster = {found->cluster[0], found->cluster[1], found->cluster[2]};
    std::vector<ParameterPlace> places;
    for (std::size_t i = 0; i < found->parameters.size(); ++i) {
      const ptx::Variable& parameter = found->parameters[i];
      const std::size_t size = std::max(parameter.size_bytes, ptx::size_of(parameter.type));
      places.push_back({found->parameter_offsets[i], static_cast<std::uint32_t>(size)});
    }
    result.num_parameters = static_cast<std::uint32_t>(places.size());
    const auto* const bytes = reinterpret_cast<const char*>(places.data());
    call.explain(kSuccess, {bytes, places.size() * sizeof(ParameterPlace)});
    return call.explain(kSuccess, found->readable);
  }
  return kInvalidDeviceFunction;
}

int Device::handle(const FindSymbol& command, FindSymbol::Result& result, Call& call) {
  for (const auto& module : modules_) {
    if (command.module != 0 && module->number != command.module) continue;
    const code::Symbol* const found = module->program->find_symbol(call.text());
    if (found == nullptr || found->space == ptx::Space::kShared) continue;
    result.address = found->address;
    result.size_bytes = found->size_bytes;
    result.is_managed = found->is_managed ? 1 : 0;
    return kSuccess;
  }
  return kInvalidSymbol;
}

}  // namespace serve
