// SPDX-License-Identifier: MIT
#include "serve/device.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "memory/book.h"
#include "report/finding.h"
#include "run/bind.h"

namespace serve {
namespace {

// cudaError, by the numbers.
constexpr int kSuccess = 0;
constexpr int kInvalidValue = 1;
constexpr int kMemoryAllocation = 2;
constexpr int kInvalidSymbol = 13;
constexpr int kInvalidDeviceFunction = 98;
constexpr int kInvalidResourceHandle = 400;
constexpr int kNotReady = 600;
constexpr int kLaunchOutOfResources = 701;
constexpr int kCooperativeLaunchTooLarge = 720;

constexpr std::uint32_t kMaxBlockDim[3] = {1024, 1024, 64};
constexpr std::uint32_t kMaxGridDim[3] = {2147483647, 65535, 65535};
constexpr std::size_t kMaxPrintedBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxKernelsKept = 1000;

memory::HostPlace place_of(const Place& place) {
  const std::size_t size = strnlen(place.file, sizeof place.file);
  return {std::string(place.file, size), place.line};
}

std::uint64_t place_variable(const ptx::Variable& variable) {
  const bool is_constant = variable.space == ptx::Space::kConst;
  const std::uint64_t address = memory::allocate(
      std::max<std::uint64_t>(variable.size_bytes, 1),
      is_constant ? memory::Allocation::Kind::kConstant : memory::Allocation::Kind::kSymbol, {});
  return address;
}

bool fits(const Dim& dim, const std::uint32_t (&limits)[3]) {
  return dim.x >= 1 && dim.x <= limits[0] && dim.y >= 1 && dim.y <= limits[1] && dim.z >= 1 &&
         dim.z <= limits[2];
}

std::unique_ptr<code::Program> load_program(const std::string& text) {
  memory::reserve(kSharedWithHostFd);
  auto program = code::load(ptx::parse(text), place_variable);
  run::bind(*program);
  return program;
}

std::string bytes_text(std::uint64_t count) { return report::bytes(count); }

}  // namespace

Device::Device(const std::string& ptx) : program_(load_program(ptx)), machine_(*program_) {
  for (const code::Symbol& symbol : program_->symbols) {
    if (symbol.space == ptx::Space::kShared) continue;
    const memory::Allocation* const found = memory::find(symbol.address);
    memory::declare(symbol.address, symbol.size_bytes, symbol.readable, true,
                    found == nullptr ? memory::Allocation::Kind::kSymbol : found->kind);
    const std::vector<std::byte> contents = code::initial_contents(*program_, symbol);
    std::memset(reinterpret_cast<void*>(symbol.address), 0, symbol.size_bytes);
    std::memcpy(reinterpret_cast<void*>(symbol.address), contents.data(),
                std::min<std::size_t>(contents.size(), symbol.size_bytes));
  }
  machine_.set_monitors({&checker_});
  machine_.set_printer([this](std::string_view text) {
    const std::size_t kept = std::min(text.size(), kMaxPrintedBytes - printed_.size());
    printed_.append(text.substr(0, kept));
    dropped_bytes_ += text.size() - kept;
  });
}

Device::~Device() = default;

bool Device::is_usable(std::uint64_t address, std::uint64_t size_bytes) const {
  const memory::Allocation* const found = memory::find(address);
  return found != nullptr && found->live && found->contains(address, size_bytes);
}

int Device::act(Command command, const Request& request, std::byte* data, Reply& reply) {
  reply = {};
  if (request.data_bytes > kDataBytes) return kInvalidValue;
  const std::string_view text(reinterpret_cast<const char*>(data), request.data_bytes);
  int error = kSuccess;
  switch (command) {
    case Command::kAllocate:
      error = allocate(request, reply);
      break;
    case Command::kFree:
      error = free(request);
      break;
    case Command::kWrite:
    case Command::kRead:
    case Command::kCopy:
      error = transfer(command, request, data, reply);
      break;
    case Command::kFill:
      error = fill(request);
      break;
    case Command::kLaunch:
      error = launch(request, data, reply);
      break;
    case Command::kFindSymbol:
      error = find_symbol(text, reply);
      break;
    case Command::kFindFunction:
      error = find_function(std::string(text), data, reply);
      break;
    case Command::kMakeStream:
    case Command::kEndStream:
    case Command::kWaitForStream:
    case Command::kWaitForAll:
    case Command::kRecordEvent:
    case Command::kWaitForEvent:
    case Command::kStreamWaitsForEvent:
    case Command::kEndEvent:
    case Command::kQuery:
      error = order(command, request, reply);
      break;
    case Command::kSetSharedLimit:
      shared_limit_ = std::clamp<std::uint64_t>(request.size_bytes, shared_limit_,
                                                run::kMaxSharedBytesPerBlock);
      break;
    case Command::kTakeText: {
      const std::size_t size = std::min(printed_.size(), kDataBytes);
      std::memcpy(data, printed_.data(), size);
      printed_.erase(0, size);
      reply.data_bytes = static_cast<std::uint32_t>(size);
      reply.size_bytes = std::exchange(dropped_bytes_, 0);
      break;
    }
    case Command::kReset:
      memory::release_all();
      sticky_error_ = kSuccess;
      break;
    case Command::kMemoryInfo:
      reply.size_bytes = memory::kDeviceMemoryBytes;
      reply.free_bytes = memory::kDeviceMemoryBytes - memory::used_bytes();
      break;
    case Command::kScratchRoom:
    case Command::kDeclareScratch:
    case Command::kRetireScratch:
      error = scratch(command, request, data, reply);
      break;
    case Command::kReportHost:
      report_host(request, data);
      break;
    case Command::kHostAccess:
      checker_.host_accesses({request.address, request.size_bytes, (request.flags & kWrites) != 0,
                              (request.flags & kVolatile) != 0, place_of(request.place)});
      break;
    case Command::kFailedAllocation:
      checker_.note_failed_allocation(place_of(request.place));
      break;
    default:
      error = kInvalidValue;
  }
  reply.text_bytes = static_cast<std::uint32_t>(printed_.size());
  reply.waits_for_host = machine_.is_waiting() ? 1 : 0;
  return error;
}

int Device::allocate(const Request& request, Reply& reply) {
  if (sticky_error_ != kSuccess) return sticky_error_;
  using Kind = memory::Allocation::Kind;
  const Kind kind = static_cast<Kind>(request.kind);
  if (kind != Kind::kDevice && kind != Kind::kManaged && kind != Kind::kPinnedHost)
    return kInvalidValue;
  if (request.size_bytes == 0) return kSuccess;
  reply.address = memory::allocate(request.size_bytes, kind, place_of(request.place));
  if (reply.address != 0) return kSuccess;
  checker_.note_failed_allocation(place_of(request.place));
  return kMemoryAllocation;
}

int Device::free(const Request& request) {
  if (request.address == 0) return kSuccess;
  if ((request.flags & kOrdered) == 0) {
    finish_waiting("");
    checker_.streams().host_waits_for_all();
  }
  if (sticky_error_ != kSuccess) return sticky_error_;
  const auto kind = static_cast<memory::Allocation::Kind>(request.kind);
  if (memory::release(request.address, kind, place_of(request.place))) return kSuccess;
  const memory::Allocation* const found = memory::find(request.address);
  const std::string call =
      kind == memory::Allocation::Kind::kPinnedHost ? "cudaFreeHost" : "cudaFree";
  std::string why = "a pointer to nothing that was allocated";
  if (found != nullptr && found->base == request.address && !found->live) {
    why = "memory that has been freed already";
    if (found->freed_at.line != 0) why += " in line " + std::to_string(found->freed_at.line);
  } else if (found != nullptr && found->live && found->contains(request.address)) {
    why = found->base == request.address
              ? found->name + ", which is memory of another kind"
              : "a pointer into the middle of " + found->name + " (" +
                    bytes_text(request.address - found->base) + " from its start)";
  }
  const memory::HostPlace at = place_of(request.place);
  report::report({report::Kind::kLaunchError, at.file, at.line, "", call + " gets " + why});
  return kInvalidValue;
}

int Device::transfer(Command command, const Request& request, std::byte* data, Reply& reply) {
  finish_waiting("");
  if (sticky_error_ != kSuccess) return sticky_error_;
  if (request.size_bytes == 0) return kSuccess;
  if (command != Command::kCopy && request.size_bytes > kDataBytes) return kInvalidValue;
  if (!is_usable(request.address, request.size_bytes)) return kInvalidValue;
  if (command == Command::kCopy && !is_usable(request.source, request.size_bytes))
    return kInvalidValue;
  check::Work& work = checker_.streams().begin_work(request.stream);
  work.issued_at = place_of(request.place);
  const bool to_device = command != Command::kRead;
  counter_.copy(work.issued_at, to_device ? request.address : 0,
                command == Command::kRead   ? request.address
                : command == Command::kCopy ? request.source
                                            : 0,
                request.size_bytes);
  void* const at = reinterpret_cast<void*>(request.address);
  memory::Observer* const observer = memory::observer();
  switch (command) {
    case Command::kWrite:
      if (observer != nullptr) observer->on_write(request.address, request.size_bytes);
      std::memcpy(at, data, request.size_bytes);
      break;
    case Command::kRead:
      memory::poison_on_first_use(request.address, request.size_bytes);
      if (observer != nullptr) observer->on_read(request.address, request.size_bytes);
      std::memcpy(data, at, request.size_bytes);
      reply.data_bytes = static_cast<std::uint32_t>(request.size_bytes);
      break;
    default:
      if (observer != nullptr)
        observer->on_copy(request.address, request.source, request.size_bytes);
      std::memmove(at, reinterpret_cast<const void*>(request.source), request.size_bytes);
  }
  checker_.streams().end_work();
  if ((request.flags & kBlocks) != 0) checker_.streams().host_waits_for(request.stream);
  return kSuccess;
}

int Device::fill(const Request& request) {
  finish_waiting("");
  if (sticky_error_ != kSuccess) return sticky_error_;
  if (request.size_bytes == 0) return kSuccess;
  if (!is_usable(request.address, request.size_bytes)) return kInvalidValue;
  if (request.width != 1 && request.width != 2 && request.width != 4) return kInvalidValue;
  check::Work& work = checker_.streams().begin_work(request.stream);
  work.issued_at = place_of(request.place);
  if (memory::observer() != nullptr)
    memory::observer()->on_write(request.address, request.size_bytes);
  auto* const at = reinterpret_cast<std::byte*>(request.address);
  if (request.width == 1) {
    std::memset(at, static_cast<int>(request.value), request.size_bytes);
  } else {
    for (std::uint64_t i = 0; i + request.width <= request.size_bytes; i += request.width) {
      std::memcpy(at + i, &request.value, request.width);
    }
  }
  checker_.streams().end_work();
  if ((request.flags & kBlocks) != 0) checker_.streams().host_waits_for(request.stream);
  return kSuccess;
}

int Device::launch(const Request& request, const std::byte* data, Reply& reply) {
  if (machine_.is_waiting()) finish_waiting("");
  if (sticky_error_ != kSuccess) return sticky_error_;
  if (request.function == 0 || request.function > program_->functions.size())
    return kInvalidDeviceFunction;
  const code::Function& kernel = *program_->functions[request.function - 1];
  if (!kernel.is_kernel) return kInvalidDeviceFunction;
  const bool is_known_stream = request.stream == check::kLegacyStream ||
                               request.stream == check::kPerThreadStream ||
                               std::ranges::find(streams_, request.stream) != streams_.end();
  if (!is_known_stream) return kInvalidResourceHandle;
  const std::uint64_t num_threads =
      std::uint64_t{request.block.x} * request.block.y * request.block.z;
  // As CUDA 13 does; CUDA 12 said cudaErrorInvalidConfiguration of all but the shared memory.
  if (!fits(request.grid, kMaxGridDim) || !fits(request.block, kMaxBlockDim) ||
      num_threads > run::kMaxThreadsPerBlock || request.shared_bytes > shared_limit_ ||
      kernel.shared_bytes + request.shared_bytes > run::kMaxSharedBytesPerBlock) {
    return kInvalidValue;
  }
  if (kernel.max_threads != 0 && num_threads > kernel.max_threads) return kInvalidValue;
  if (request.data_bytes < kernel.parameter_bytes) return kInvalidValue;
  const Dim& cluster = request.cluster;
  if (cluster.x == 0 || cluster.y == 0 || cluster.z == 0 || request.grid.x % cluster.x != 0 ||
      request.grid.y % cluster.y != 0 || request.grid.z % cluster.z != 0 ||
      std::uint64_t{cluster.x} * cluster.y * cluster.z > 16) {
    return kInvalidValue;
  }
  auto launch = std::make_unique<run::Launch>();
  launch->program = program_.get();
  launch->kernel = &kernel;
  launch->grid = {request.grid.x, request.grid.y, request.grid.z};
  launch->block = {request.block.x, request.block.y, request.block.z};
  launch->cluster = {cluster.x, cluster.y, cluster.z};
  launch->dynamic_shared_bytes = static_cast<std::uint32_t>(request.shared_bytes);
  launch->is_cooperative = (request.flags & kCooperative) != 0;
  launch->stream = request.stream;
  launch->parameters.assign(data, data + request.data_bytes);
  launch->is_counted = counter_.is_counting();
  launch->loses_updates = !launch->is_counted && checker_.has_races(kernel.readable);
  const memory::HostPlace at = place_of(request.place);
  launch->host_file = at.file;
  launch->host_line = at.line;
  if (launch->is_cooperative && launch->grid.count() > run::max_resident_blocks(*launch)) {
    return kCooperativeLaunchTooLarge;
  }
  const bool is_new = std::ranges::find(launches_, kernel.readable) == launches_.end();
  if (is_new && launches_.size() < kMaxKernelsKept) launches_.push_back(kernel.readable);
  checker_.streams().begin_work(request.stream).issued_at = at;
  const run::Outcome outcome = machine_.launch(std::move(launch));
  if (outcome == run::Outcome::kWaitsForHost) {
    checker_.streams().set_work_aside();
  } else {
    checker_.streams().end_work();
    sticky_error_ = machine_.error();
  }
  static_cast<void>(reply);
  static_cast<void>(kLaunchOutOfResources);
  return kSuccess;
}

// The kernel that waits for the host goes on; the host will write no more until it has ended.
void Device::finish_waiting(const std::string& why) {
  if (!machine_.is_waiting()) return;
  checker_.streams().resume_work();
  counter_.host_had_a_turn();
  if (machine_.proceed() == run::Outcome::kWaitsForHost) {
    machine_.give_up(why.empty() ? ", and the host waits for the kernel" : why);
  }
  checker_.streams().end_work();
  sticky_error_ = machine_.error();
}

int Device::find_symbol(std::string_view name, Reply& reply) const {
  const code::Symbol* const symbol = program_->find_symbol(name);
  if (symbol == nullptr || symbol->space == ptx::Space::kShared) return kInvalidSymbol;
  reply.address = symbol->address;
  reply.size_bytes = symbol->size_bytes;
  return kSuccess;
}

int Device::find_function(std::string_view name, std::byte* data, Reply& reply) const {
  for (std::size_t i = 0; i < program_->functions.size(); ++i) {
    const code::Function& function = *program_->functions[i];
    if (function.name != name || !function.is_kernel) continue;
    reply.function = static_cast<std::uint32_t>(i + 1);
    reply.size_bytes = function.parameter_bytes;
    reply.shared_bytes = function.shared_bytes;
    reply.local_bytes = function.local_bytes;
    reply.max_threads = function.max_threads == 0 ? run::kMaxThreadsPerBlock : function.max_threads;
    reply.num_registers = 32;
    // Where each parameter is in the launch's block of them, and its size.
    std::vector<std::uint32_t> pairs;
    for (std::size_t p = 0; p < function.parameters.size(); ++p) {
      const ptx::Variable& parameter = function.parameters[p];
      pairs.push_back(function.parameter_offsets[p]);
      pairs.push_back(
          static_cast<std::uint32_t>(std::max(parameter.size_bytes, ptx::size_of(parameter.type))));
    }
    reply.data_bytes = static_cast<std::uint32_t>(std::min(pairs.size() * 4, kDataBytes));
    std::memcpy(data, pairs.data(), reply.data_bytes);
    return kSuccess;
  }
  return kInvalidDeviceFunction;
}

int Device::order(Command command, const Request& request, Reply& reply) {
  check::StreamOrder& streams = checker_.streams();
  const auto is_stream = [&](std::uint64_t stream) {
    return stream == check::kLegacyStream || stream == check::kPerThreadStream ||
           std::ranges::find(streams_, stream) != streams_.end();
  };
  switch (command) {
    case Command::kMakeStream: {
      static std::uint64_t number = 15;
      reply.address = ++number;
      streams_.push_back(reply.address);
      streams.add_stream(reply.address, (request.flags & kNonBlocking) == 0);
      return sticky_error_;
    }
    case Command::kEndStream:
      if (std::erase(streams_, request.stream) == 0) return kInvalidResourceHandle;
      streams.remove_stream(request.stream);
      return kSuccess;
    case Command::kWaitForStream:
      if (!is_stream(request.stream)) return kInvalidResourceHandle;
      if (machine_.is_waiting() && streams.is_behind_unfinished(request.stream)) finish_waiting("");
      streams.host_waits_for(request.stream);
      return sticky_error_;
    case Command::kWaitForAll:
      finish_waiting("");
      streams.host_waits_for_all();
      return sticky_error_;
    case Command::kRecordEvent:
      if (!is_stream(request.stream)) return kInvalidResourceHandle;
      if (events_.size() > 100'000) return kMemoryAllocation;
      events_[request.event] = streams.record_event(request.stream);
      return sticky_error_;
    case Command::kWaitForEvent: {
      const auto found = events_.find(request.event);
      if (found == events_.end()) return sticky_error_;
      if (machine_.is_waiting() && streams.is_behind_unfinished(found->second)) finish_waiting("");
      streams.host_waits_for(found->second);
      return sticky_error_;
    }
    case Command::kStreamWaitsForEvent: {
      if (!is_stream(request.stream)) return kInvalidResourceHandle;
      const auto found = events_.find(request.event);
      if (found != events_.end()) streams.stream_waits_for(request.stream, found->second);
      return sticky_error_;
    }
    case Command::kEndEvent:
      events_.erase(request.event);
      return kSuccess;
    default: {  // kQuery
      if (!is_stream(request.stream)) return kInvalidResourceHandle;
      if (machine_.is_waiting() && streams.is_behind_unfinished(request.stream)) {
        streams.resume_work();
        counter_.host_had_a_turn();
        if (machine_.proceed() == run::Outcome::kWaitsForHost) {
          streams.set_work_aside();
          return kNotReady;
        }
        streams.end_work();
        sticky_error_ = machine_.error();
      }
      streams.host_waits_for(request.stream);
      return sticky_error_;
    }
  }
}

// Of the size that the judge has given, and nowhere else: the program says only where a piece is.
int Device::scratch(Command command, const Request& request, const std::byte* data, Reply& reply) {
  if (command == Command::kDeclareScratch) {
    const std::uint64_t offset = request.address - scratch_room_;
    if (request.size_bytes == 0) return kSuccess;
    if (offset >= scratch_bytes_ || request.size_bytes > scratch_bytes_ - offset) {
      return kInvalidValue;
    }
    scratch_.push_back(request.address);
    memory::declare(request.address, request.size_bytes,
                    std::string(reinterpret_cast<const char*>(data), request.data_bytes), false,
                    memory::Allocation::Kind::kScratch);
    return kSuccess;
  }
  retire_scratch();
  if (command != Command::kScratchRoom || scratch_bytes_ == 0) return kSuccess;
  if (request.size_bytes != scratch_bytes_) return kInvalidValue;
  reply.address = scratch_room_ = memory::scratch_room(scratch_bytes_);
  return kSuccess;
}

void Device::retire_scratch() {
  for (const std::uint64_t base : scratch_) memory::retire_scratch(base);
  scratch_.clear();
}

void Device::report_host(const Request& request, const std::byte* data) {
  const memory::HostPlace at = place_of(request.place);
  const auto kind = static_cast<report::Kind>(
      std::min<std::uint32_t>(request.kind, static_cast<std::uint32_t>(report::Kind::kTimeout)));
  report::report({kind, at.file, at.line, "",
                  std::string(reinterpret_cast<const char*>(data), request.data_bytes)});
}

void Device::begin(const Batch& batch) {
  scratch_bytes_ = batch.scratch_bytes;
  scratch_room_ = 0;
  machine_.set_schedule(batch.schedule_seed);
  counter_.set_counting(batch.counts);
  if (batch.counts) {
    machine_.set_monitors({&checker_, &counter_});
  } else {
    machine_.set_monitors({&checker_});
  }
  machine_.set_time_limit(batch.seconds);
  launches_.clear();
  for (const memory::Allocation* allocation : memory::live_allocations()) last_id_ = allocation->id;
  regions_ = batch.regions;
  for (const Region& region : regions_) {
    if (region.size_bytes == 0) continue;
    memory::declare(region.address, region.size_bytes, region.name, region.is_initialized);
  }
}

void Device::end(bool threw) {
  finish_waiting("");
  retire_scratch();
  report_leaks(threw);
  for (const Region& region : regions_) {
    if (region.size_bytes > 0) memory::retire(region.address);
  }
  regions_.clear();
}

void Device::report_leaks(bool threw) const {
  using Kind = memory::Allocation::Kind;
  for (const memory::Allocation* allocation : memory::live_allocations()) {
    const bool is_students = allocation->kind == Kind::kDevice ||
                             allocation->kind == Kind::kManaged ||
                             allocation->kind == Kind::kDeviceHeap;
    if (allocation->id <= last_id_ || !is_students) continue;
    std::string remedy = ") were allocated during the call and never freed: call cudaFree";
    if (allocation->kind == Kind::kDeviceHeap) {
      remedy = ") were allocated in a kernel and never freed: a kernel must free or delete them";
    } else if (threw) {
      remedy =
          ") are never freed: the call ended by an exception, which leaves out what follows; "
          "call cudaFree in a destructor";
    }
    report::report({report::Kind::kLeak, allocation->made_at.file, allocation->made_at.line, "",
                    std::to_string(allocation->size_bytes) + " bytes of device memory (" +
                        allocation->name + remedy});
  }
}

}  // namespace serve
