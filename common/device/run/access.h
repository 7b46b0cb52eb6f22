// SPDX-License-Identifier: MIT
// What loads, stores, atomics and asynchronous copies have in common: from the operands of an
// instruction to addresses, and through the monitors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "memory/address_map.h"
#include "run/engine.h"

namespace run {

// A memory instruction.
struct MemoryForm {
  AccessForm prototype;
  bool is_generic = false;
  bool has_32_bit_addresses = false;
  bool is_launch_parameter = false;  // kParam: of the launch; else of a call, in local memory
  bool is_cluster = false;           // shared::cluster
  bool is_variable = false;          // of the function's own local memory, and not by a pointer
  // Of loads and stores: rows of the elements; no row: `_`.
  std::array<code::Slot, 8> rows = {};
  // Moves the elements of the lanes between rows and `origin` + address.
  void (*move)(Warp& warp, const MemoryForm& form, std::byte* origin, const Access& access,
               std::uint32_t lanes) = nullptr;
  void (*move_local)(Warp& warp, const MemoryForm& form, const Access& access,
                     std::uint32_t lanes) = nullptr;
  std::uint32_t compare_row = 0, value_row = 0;  // of atomics
};

// Reads order, scope, space, cache operator and type from the words.
MemoryForm memory_form(const code::Instruction& instruction, const code::Operand& address,
                       bool is_kernel);

// Fills access.address with row + offset for all lanes, from rows of 8 or 4 bytes, and classifies
// the lanes of the access.
void find_addresses(Access& access, const Warp& warp, std::uint32_t row, bool is_32_bit,
                    std::int64_t offset);
// Sets pattern and base. To be called where lanes or addresses have changed.
void classify(Access& access);

// A place in shared memory of a block of the cluster: from an offset in the own block's or in the
// cluster's window, or from a generic address. Ends the kernel if the block is not there.
struct SharedPlace {
  Block* block = nullptr;
  std::uint64_t offset = 0;
};
SharedPlace shared_place(Warp& warp, const code::Instruction& instruction, int lane,
                         std::uint64_t address);

// Lanes whose addresses lie in [low, low + size).
std::uint32_t lanes_within(const Access& access, std::uint64_t low, std::uint64_t size);

// Takes one space out of a generic access: `access` gets those lanes and, for shared and param
// memory, addresses that are offsets. Returns the lanes that are left for further calls.
std::uint32_t take_space(Access& access, Warp& warp, std::uint32_t lanes,
                         const std::array<std::uint64_t, code::kWarpSize>& generic);

// Asks the monitors, and makes sure of what memory the access really goes to: ends the kernel where
// that is none. Returns what addresses are added to; lanes that monitors have taken out are missing
// in access.lanes afterwards.
std::byte* admit(Access& access, Warp& warp);

// The shared memory that a lane's access goes to. No monitor sees this access, because the hardware
// makes it and not the program. Ends the kernel if it is outside of the block's shared memory.
std::byte* admit_unwatched(const Access& access, Warp& warp, int lane);

// A word for, or a look at, other threads: lets others run first where that is due. True: the
// instruction will be executed again later. Where the launch loses updates, lanes may be taken out
// of the access, which then come later.
bool yields_before(Warp& warp, const code::Op* op, Access& access);

}  // namespace run
