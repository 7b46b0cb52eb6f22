// SPDX-License-Identifier: MIT
#include "check/bounds.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "check/lanes.h"
#include "memory/address_map.h"

namespace check {
namespace {

using memory::Allocation;
using report::Kind;
using run::Access;

// A null pointer with an index added to it.
constexpr std::uint64_t kNullBytes = std::uint64_t{4} << 20;
// As far from the device's range a pointer is taken to have left an allocation.
constexpr std::uint64_t kNearBytes = std::uint64_t{2} << 30;
constexpr std::uint64_t kEndOfAddresses = std::uint64_t{1} << 47;  // that a host can have
// Offsets in shared memory have 32 bits: beyond this one, a negative number was added.
constexpr std::uint64_t kNegativeOffset = std::uint64_t{1} << 31;

// Farther from a variable, the access has nothing to do with it. It may be one of a header.
constexpr std::uint64_t kNearVariableBytes = std::uint64_t{1} << 20;

bool is_far_variable(const Allocation& allocation, std::uint64_t address) {
  using enum Allocation::Kind;
  if (allocation.kind != kSymbol && allocation.kind != kConstant) return false;
  const std::uint64_t past =
      address < allocation.base ? allocation.base - address : address - allocation.base;
  return past > allocation.size_bytes + kNearVariableBytes;
}

bool has_gaps(std::uint32_t lanes) {
  const std::uint32_t from_first = lanes >> lowest(lanes);
  return (from_first & (from_first + 1)) != 0;
}

report::Touch touch_of(const run::Warp& warp, const Access& access, std::uint32_t lane) {
  const run::Launch& launch = *warp.block->launch;
  return {access.address[lane], access.size_bytes, access.writes, access.is_atomic && access.writes,
          place_of(launch, launch.running, *access.instruction)};
}

std::string name_of(const run::Warp& warp, std::uint32_t lane) {
  return thread_name(*warp.block, warp.thread_id(static_cast<int>(lane)));
}

[[noreturn]] void end_at(Kind kind, const run::Warp& warp, const Access& access,
                         std::string message, int error = kIllegalAddress) {
  end_kernel(kind, *warp.block->launch, *access.instruction, std::move(message), error);
}

// Where the pointer leads that is none to device memory.
bool is_near_device(std::uint64_t address) {
  return address - (memory::kDeviceBase - kNearBytes) < memory::kDeviceRangeBytes + 2 * kNearBytes;
}
bool is_local(std::uint64_t address) {
  return address - memory::kLocalBase < memory::kSharedBase - memory::kLocalBase;
}

// Of a lane's access, what has been written.
std::uint64_t count_unwritten(const Access& access, std::uint32_t lane, const ByteFlags& flags) {
  std::uint64_t count = 0;
  for (std::uint32_t i = 0; i < access.size_bytes; ++i) {
    count += !flags.all(access.address[lane] + i, 1);
  }
  return count;
}

}  // namespace

const Allocation* Bounds::find(std::uint64_t address) {
  if (version_ == memory::version() && last_ != nullptr && last_->live &&
      last_->contains(address)) {
    return last_;
  }
  version_ = memory::version();
  last_ = memory::find(address);
  return last_;
}

// Around each of the judge's buffers is a zone that it looks at after the call.
bool Bounds::is_in_guard_zone(const Access& access, std::uint32_t lane) {
  const Allocation* const nearest = find(access.address[lane]);
  if (nearest == nullptr || !nearest->live || nearest->kind != Allocation::Kind::kExternal) {
    return false;
  }
  const std::uint64_t offset = access.address[lane] - (nearest->base - memory::kRedZoneBytes);
  const std::uint64_t size_bytes = nearest->size_bytes + 2 * memory::kRedZoneBytes;
  return offset < size_bytes && access.size_bytes <= size_bytes - offset;
}

bool Bounds::is_allocated(const Access& access, std::uint32_t lane) {
  const std::uint64_t address = access.address[lane];
  if (!memory::is_device(address)) return false;
  const Allocation* const found = find(address);
  return found != nullptr && found->live && found->contains(address, access.size_bytes);
}

std::string Bounds::shared_name(std::uint64_t offset) const {
  const report::SharedRoom* const variable = layout_->find(offset);
  const bool is_inside = variable != nullptr && offset < variable->end();
  return "shared memory" + (is_inside ? " (" + variable->name + ")" : "");
}

std::string Bounds::name_of_place(const Access& access, std::uint64_t address) const {
  const auto byte_of = [](std::uint64_t offset, const std::string& name) {
    return "byte " + std::to_string(offset) + " of " + name;
  };
  if (access.space == run::Space::kShared) {
    const report::SharedRoom* const variable = layout_->find(address);
    if (variable == nullptr || address >= variable->end()) return byte_of(address, "shared memory");
    return byte_of(address - variable->offset, "shared " + variable->name);
  }
  const Allocation* const allocation = memory::find(address);
  if (allocation != nullptr && allocation->contains(address)) {
    return byte_of(address - allocation->base, report::short_name_of(room_of(*allocation)));
  }
  return report::hex(address);
}

void Bounds::check_alignment(const run::Warp& warp, const Access& access) const {
  std::uint64_t alignment = access.size_bytes;
  if (access.is_async) alignment = std::min<std::uint64_t>(alignment, 16);
  if (!std::has_single_bit(alignment) || alignment == 1) return;
  const std::uint64_t mask = alignment - 1;
  std::uint64_t bits = 0;
  if (access.pattern == run::Pattern::kOther) {
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      bits |= (access.lanes >> lane & 1) != 0 ? access.address[lane] : 0;
    }
  } else {
    bits = access.address[lowest(access.lanes)];
  }
  if ((bits & mask) == 0) [[likely]]
    return;
  std::uint32_t lane = lowest(access.lanes);
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    lane = lowest(rest);
    if ((access.address[lane] & mask) != 0) break;
  }
  const std::string thread = name_of(warp, lane);
  const report::Touch touch = touch_of(warp, access, lane);
  const std::string place = name_of_place(access, touch.address);
  if (access.is_async) {
    end_at(Kind::kMisaligned, warp, access,
           report::misaligned_copy_text(thread, touch, place, alignment), kMisalignedAddress);
  }
  std::string message = report::misaligned_text(thread, touch, place);
  if (access.space == run::Space::kShared) {
    const report::SharedRoom* const variable = layout_->find(touch.address);
    if (variable != nullptr) message += report::alignas_text(*variable, access.size_bytes);
  }
  end_at(Kind::kMisaligned, warp, access, std::move(message), kMisalignedAddress);
}

// Whether a small negative index became a large number without a sign. Reports it.
bool Bounds::report_negative_unsigned(const run::Warp& warp, const Access& access,
                                      std::uint32_t lane) {
  constexpr std::int64_t kFewItems = 1 << 20;
  const report::Touch touch = touch_of(warp, access, lane);
  const std::uint64_t meant = touch.address - (std::uint64_t{touch.size_bytes} << 32);
  const Allocation* const nearest = memory::find(meant);
  if (nearest == nullptr || meant >= nearest->base) return false;
  const auto size_bytes = static_cast<std::int64_t>(touch.size_bytes);
  const auto offset = static_cast<std::int64_t>(meant - nearest->base);
  if (offset % size_bytes != 0 || offset / size_bytes < -kFewItems) return false;
  if (!findings_.is_new(*access.instruction, Mistake::kOutOfBounds)) return true;
  report_at(Kind::kOutOfBounds, *warp.block->launch, *access.instruction,
            report::negative_unsigned_text(name_of(warp, lane), touch, room_of(*nearest),
                                           offset / size_bytes));
  return true;
}

// The address is not in the device's range.
void Bounds::report_elsewhere(const run::Warp& warp, const Access& access, std::uint32_t lane) {
  const report::Touch touch = touch_of(warp, access, lane);
  const std::string thread = name_of(warp, lane);
  if (touch.address < kNullBytes) {
    end_at(Kind::kOutOfBounds, warp, access, report::null_pointer_text(thread, failed_allocation_));
  }
  if (is_local(touch.address)) {
    std::string message = report::other_local_text(thread, touch);
    if (access.writes) end_at(Kind::kOutOfBounds, warp, access, std::move(message));
    if (!findings_.is_new(*access.instruction, Mistake::kOutOfBounds)) return;
    return report_at(Kind::kOutOfBounds, *warp.block->launch, *access.instruction,
                     std::move(message));
  }
  if (touch.address - memory::kSharedBase < memory::kSharedWindowBytes) {
    end_at(Kind::kOutOfBounds, warp, access, report::no_shared_text(thread, touch));
  }
  if (report_negative_unsigned(warp, access, lane)) return;
  if (is_near_device(touch.address) || touch.address >= kEndOfAddresses) {
    const Allocation* const nearest =
        touch.address >= kEndOfAddresses ? nullptr : memory::find(touch.address);
    if (nearest == nullptr) {
      end_at(Kind::kOutOfBounds, warp, access, report::out_of_bounds_text(thread, touch, nullptr));
    }
    if (!findings_.is_new(*access.instruction, Mistake::kOutOfBounds)) return;
    const report::Room room = room_of(*nearest);
    return report_at(Kind::kOutOfBounds, *warp.block->launch, *access.instruction,
                     report::out_of_bounds_text(thread, touch, &room));
  }
  end_at(Kind::kHostPointer, warp, access, report::host_pointer_text(thread, touch));
}

void Bounds::report_unwritten(const run::Warp& warp, const Access& access,
                              const report::Touch& touch, std::uint32_t lane,
                              std::uint64_t unwritten_bytes) {
  if (!findings_.is_new(*access.instruction, Mistake::kUninitialized)) return;
  const run::Launch& launch = *warp.block->launch;
  const std::string thread = name_of(warp, lane);
  std::string message;
  if (access.space == run::Space::kShared) {
    const report::SharedRoom* const variable = layout_->find(touch.address);
    message =
        report::uninitialized_text(thread, touch, shared_name(touch.address),
                                   variable == nullptr ? 0 : variable->offset, unwritten_bytes);
  } else if (const Allocation* const allocation = memory::find(touch.address)) {
    message =
        report::uninitialized_text(thread, touch, report::allocation_text(room_of(*allocation)),
                                   allocation->base, unwritten_bytes);
    const auto fill = fills_.find(allocation->base);
    // As many bytes as the allocation has items.
    const bool is_short = fill != fills_.end() && fill->second.at.is_known() &&
                          fill->second.size_bytes * touch.size_bytes == allocation->size_bytes &&
                          !device_.flags().all(allocation->base + fill->second.size_bytes, 1);
    message += is_short ? report::short_fill_text(fill->second, touch.place.file)
                        : report::fill_before_text();
  }
  report_at(Kind::kUninitializedRead, launch, *access.instruction, std::move(message));
}

// Some byte of what the lane reads was never written. An element with a written byte passes:
// programs copy structs with their padding. An atomic is one of a number, which has none.
void Bounds::note_unwritten(const run::Warp& warp, Access& access, std::uint32_t lane,
                            const ByteFlags& flags) {
  const std::uint64_t address = access.address[lane];
  const std::uint32_t bit = 1u << lane;
  const bool has_register =
      !access.is_atomic && !access.is_async && access.num_elements <= access.unwritten.size();
  if (!has_register) {
    if (!access.is_atomic && !flags.none(address, access.size_bytes)) return;
    return report_unwritten(warp, access, touch_of(warp, access, lane), lane,
                            count_unwritten(access, lane, flags));
  }
  std::uint32_t num_unwritten = 0;
  for (std::uint32_t i = 0; i < access.num_elements; ++i) {
    if (!flags.none(address + i * access.element_bytes, access.element_bytes)) continue;
    access.unwritten[i] |= bit;
    ++num_unwritten;
  }
  if (num_unwritten != 0 && num_unwritten != access.num_elements) access.partly_written |= bit;
}

// Some byte of it was never written, or is not allocated. Returns false if it is not allocated, or
// must not be written.
bool Bounds::check_lane(const run::Warp& warp, Access& access, std::uint32_t lane) {
  const std::uint64_t address = access.address[lane];
  if (!memory::is_device(address)) {
    report_elsewhere(warp, access, lane);
    return false;
  }
  const run::Launch& launch = *warp.block->launch;
  const Allocation* const allocation = find(address);
  const bool is_constant = allocation != nullptr && allocation->kind == Allocation::Kind::kConstant;
  if (!is_allocated(access, lane) || (is_constant && access.writes)) {
    if (is_in_guard_zone(access, lane)) in_guard_zones_ |= 1u << lane;
    if (!is_allocated(access, lane) && report_negative_unsigned(warp, access, lane)) return false;
    if (!findings_.is_new(*access.instruction, Mistake::kOutOfBounds)) return false;
    const report::Touch touch = touch_of(warp, access, lane);
    const std::string thread = name_of(warp, lane);
    if (is_constant && is_allocated(access, lane)) {
      report_at(Kind::kOutOfBounds, launch, *access.instruction,
                report::constant_text(thread, touch));
    } else if (allocation == nullptr || is_far_variable(*allocation, address)) {
      report_at(Kind::kOutOfBounds, launch, *access.instruction,
                report::out_of_bounds_text(thread, touch, nullptr));
    } else {
      const report::Room room = room_of(*allocation);
      report_at(Kind::kOutOfBounds, launch, *access.instruction,
                report::out_of_bounds_text(thread, touch, &room));
    }
    return false;
  }
  if (is_constant) return true;
  memory::poison_on_first_use(address, access.size_bytes);
  if (access.reads) note_unwritten(warp, access, lane, device_.flags());
  if (access.writes) device_.flags().set(address, access.size_bytes);
  return true;
}

void Bounds::check_global(const run::Warp& warp, Access& access) {
  const ByteFlags& flags = device_.flags();
  const std::uint32_t first = lowest(access.lanes);
  const std::uint64_t begin = access.address[first];
  if (access.pattern != run::Pattern::kOther) {
    const std::uint64_t size_bytes =
        access.pattern == run::Pattern::kUniform
            ? access.size_bytes
            : std::uint64_t{highest(access.lanes) - first + 1} * access.size_bytes;
    const bool is_in_range = memory::is_device(begin) && memory::is_device(begin + size_bytes - 1);
    if (is_in_range && flags.all(begin, size_bytes)) return;
    if (is_in_range && access.writes && !access.reads && !has_gaps(access.lanes)) {
      const Allocation* const found = find(begin);
      if (found != nullptr && found->live && found->contains(begin, size_bytes) &&
          found->kind != Allocation::Kind::kConstant) {
        memory::poison_on_first_use(begin, size_bytes);
        return flags.set(begin, size_bytes);
      }
    }
    if (!is_in_range || access.pattern == run::Pattern::kUniform) {
      std::uint32_t wrong = 0;
      for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
        if (!check_lane(warp, access, lowest(rest))) wrong |= 1u << lowest(rest);
      }
      access.lanes &= ~wrong;
      return;
    }
  }
  std::uint32_t wrong = 0;
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint32_t lane = lowest(rest);
    if (memory::is_device(access.address[lane]) &&
        flags.all(access.address[lane], access.size_bytes)) {
      continue;
    }
    if (!check_lane(warp, access, lane)) wrong |= 1u << lane;
  }
  access.lanes &= ~wrong;
}

void Bounds::check_constant(const run::Warp& warp, Access& access) {
  std::uint32_t wrong = 0;
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint32_t lane = lowest(rest);
    if (!access.writes && is_allocated(access, lane)) {
      if (access.pattern == run::Pattern::kUniform) break;
      continue;
    }
    if (!check_lane(warp, access, lane)) wrong |= 1u << lane;
  }
  access.lanes &= ~wrong;
}

bool Bounds::reports_copy(const run::Warp& warp, const BlockState& block, const Access& access,
                          std::uint32_t lane) {
  const auto late = block.copies.find(access.address[lane], access.size_bytes);
  if (!late) return false;
  if (!findings_.is_new(*access.instruction, Mistake::kUninitialized)) return true;
  const run::Launch& launch = *warp.block->launch;
  const report::CopyUnderWay copy = {late->copy->thread, place_of(launch, *late->copy->begun_by),
                                     late->is_committed, late->num_left};
  report_at(Kind::kRace, launch, *access.instruction,
            report::unfilled_text(name_of(warp, lane), touch_of(warp, access, lane),
                                  shared_name(access.address[lane]), copy));
  return true;
}

bool Bounds::check_shared_lane(const run::Warp& warp, BlockState& block, Access& access,
                               std::uint32_t lane) {
  const run::Launch& launch = *warp.block->launch;
  const std::uint64_t offset = access.address[lane];
  const std::uint64_t end = offset + access.size_bytes;
  const std::uint64_t room = block.shared.size_bytes();
  const std::uint64_t dynamic_bytes = launch.dynamic_shared_bytes;
  std::string message;
  if (offset >= kNegativeOffset) {
    message = report::before_shared_text(name_of(warp, lane), touch_of(warp, access, lane));
  } else if (end > room && dynamic_bytes > 0) {
    message = report::past_dynamic_text(name_of(warp, lane), touch_of(warp, access, lane), room,
                                        dynamic_bytes);
  } else if (end > layout_->dynamic_offset && dynamic_bytes == 0 && layout_->variables.empty()) {
    message = report::no_shared_text(name_of(warp, lane), touch_of(warp, access, lane));
  } else if (offset < layout_->dynamic_offset || end > room) {
    const report::SharedRoom* const variable = layout_->find(offset);
    if (variable != nullptr && end > variable->end()) {
      message =
          report::past_variable_text(name_of(warp, lane), touch_of(warp, access, lane), *variable);
    }
  }
  if (!message.empty()) {
    if (findings_.is_new(*access.instruction, Mistake::kOutOfBounds)) {
      report_at(Kind::kOutOfBounds, launch, *access.instruction, std::move(message));
    }
    return false;
  }
  const ByteFlags& flags = block.shared.shadow().written;
  if (access.reads && !reports_copy(warp, block, access, lane)) {
    note_unwritten(warp, access, lane, flags);
  }
  if (access.writes) flags.set(offset, access.size_bytes);
  return true;
}

void Bounds::check_shared(const run::Warp& warp, BlockState& block, Access& access) {
  const ByteFlags& flags = block.shared.shadow().written;
  const std::uint64_t room = block.shared.size_bytes();
  const auto is_inside = [&](std::uint64_t offset, std::uint64_t size_bytes) {
    return offset < room && size_bytes <= room - offset;
  };
  const std::uint32_t first = lowest(access.lanes);
  if (access.pattern != run::Pattern::kOther) {
    const std::uint64_t size_bytes =
        access.pattern == run::Pattern::kUniform
            ? access.size_bytes
            : std::uint64_t{highest(access.lanes) - first + 1} * access.size_bytes;
    const std::uint64_t begin = access.address[first];
    if (is_inside(begin, size_bytes)) {
      if (flags.all(begin, size_bytes)) return;
      const report::SharedRoom* const variable = layout_->find(begin);
      if (!access.reads && !has_gaps(access.lanes) && variable != nullptr &&
          begin + size_bytes <= variable->end()) {
        return flags.set(begin, size_bytes);
      }
    }
  }
  std::uint32_t wrong = 0;
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint32_t lane = lowest(rest);
    const std::uint64_t offset = access.address[lane];
    if (is_inside(offset, access.size_bytes) && flags.all(offset, access.size_bytes)) continue;
    if (!check_shared_lane(warp, block, access, lane)) wrong |= 1u << lane;
  }
  access.lanes &= ~wrong;
}

void Bounds::report_use(const run::Warp& warp, const Access& read, std::uint32_t element,
                        std::uint32_t lanes) {
  if (lanes == 0) return;
  const std::uint32_t lane = lowest(lanes);
  report::Touch touch = touch_of(warp, read, lane);
  touch.address += std::uint64_t{element} * read.element_bytes;
  touch.size_bytes = read.element_bytes;
  report_unwritten(warp, read, touch, lane, touch.size_bytes);
}

void Bounds::check_local(const run::Warp& warp, Access& access) {
  report_elsewhere(warp, access, lowest(access.lanes));
  access.lanes = 0;
}

void Bounds::require_memory(const run::Warp& warp, Access& access) {
  const std::uint32_t first = lowest(access.lanes);
  if (access.pattern != run::Pattern::kOther && is_allocated(access, first)) {
    const std::uint64_t last = access.address[highest(access.lanes)];
    if (last_->contains(last, access.size_bytes)) return;
  }
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint32_t lane = lowest(rest);
    if (is_allocated(access, lane)) continue;
    if (!memory::is_device(access.address[lane])) report_elsewhere(warp, access, lane);
    const Allocation* const nearest = memory::find(access.address[lane]);
    const report::Room room = nearest == nullptr ? report::Room{} : room_of(*nearest);
    end_at(Kind::kOutOfBounds, warp, access,
           report::out_of_bounds_text(name_of(warp, lane), touch_of(warp, access, lane),
                                      nearest == nullptr ? nullptr : &room));
  }
}

}  // namespace check
