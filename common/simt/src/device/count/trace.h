// SPDX-License-Identifier: MIT
// What each lane of a warp has done since its warp's lanes were last put together: a list of
// events, recorded while counting is on. merge.h makes warp instructions of the lists.
//
// Lanes run one after another, and a list must not grow without end: a lane whose list is full is
// paused at a basic block's start until the other lanes of its warp have caught up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "program/place.h"
#include "run/slot.h"
#include "simt/counters.h"

namespace simt::device {

struct Block;
struct Warp;

enum class EventKind : std::uint8_t {
  kEnd,       // of what has been recorded
  kStep,      // a basic block begins
  kContinue,  // a basic block goes on, after a call or a wait
  kOperation,
  kAccess,
};

// `code` holds the event's kind and all that must agree between lanes for one warp instruction:
//   bits 0-31 the place's pc as an offset into the program; 32-47 an access's bytes;
//   48 its space; 49 whether it polls; 50 whether it reads constant memory; 52-55 its kind; 56-63
//   the event's kind.
// `value`: an access's address; a step's order (see step_order); an operation's number and group.
struct Event {
  std::uint64_t code;
  std::uint64_t value;

  EventKind kind() const { return static_cast<EventKind>(code >> 56); }
  std::uint32_t pc() const { return static_cast<std::uint32_t>(code); }
  int size_bytes() const { return static_cast<int>(code >> 32 & 0xffff); }
  MemorySpace space() const { return static_cast<MemorySpace>(code >> 48 & 1); }
  bool polls() const { return (code >> 49 & 1) != 0; }
  bool reads_constant() const { return (code >> 50 & 1) != 0; }
  bool is_step() const { return kind() == EventKind::kStep || kind() == EventKind::kContinue; }
  AccessKind access() const { return static_cast<AccessKind>(code >> 52 & 15); }
};

// So far, of all launches; see publications.h.
extern std::uint64_t publications_made;

// The events of one lane. Those before `next` are done with.
struct LaneTrace {
  std::vector<Event> events;
  std::size_t next = 0;
  std::uint32_t height = 0;         // of the basic block it is in; 0: the next access has to say
  std::uint64_t chain = 0;          // the longest of publications that it knows; see publications.h
  std::uint64_t started_after = 0;  // so many publications

  void push(EventKind kind, std::uint32_t pc, std::uint64_t value, std::uint64_t more_code = 0) {
    if (events.size() == events.capacity()) grow();
    events.push_back({std::uint64_t(kind) << 56 | more_code | pc, value});
  }
  void grow();  // on the emulator's behalf, not the kernel's
  bool is_full() const { return events.size() - next >= kMaxEvents; }

  static constexpr std::size_t kMaxEvents = 256;
};

struct WarpTrace {
  std::array<LaneTrace, kWarpSize> lanes;
  std::uint32_t num_operations = 0;

  // The lanes that executed the last basic block together, as far as it is not yet known where
  // they went from there.
  std::uint32_t parting = 0;
  std::uint32_t parting_pc = 0;

  // The passes that its block's run so far has made of it, see docs/counters.md.
  std::uint64_t num_passes = 0;

  // The words of global memory that its last polling request read, and how many such requests of
  // its block's run so far have read others than the one before. Waiting for a word counts once.
  std::array<std::uintptr_t, kWarpSize> polled = {};
  int num_polled = 0;
  std::uint64_t num_polls = 0;
};

// Gives each warp of the block a trace. Traces are used again: their memory is warm.
void make_traces(Block& block);

// The block starts anew.
void begin_traces(Block& block);

// Of the memory that the running lane accesses. Nothing for memory that a device does not have:
// another thread's stack, built-in variables, what a launch reads to find its kernel.
std::optional<MemorySpace> space_of(std::uintptr_t address);

// Copies of whole structs become as many accesses as a device makes of them, each in the widest
// power of two that the struct is a multiple of.
std::size_t access_bytes(std::uintptr_t address, std::size_t size_bytes);

// Where the running lane's place comes among those of its warp. The smaller comes first: deeper
// calls before their callers, then smaller addresses.
std::uint64_t step_order(Place place);

// Lets others run until the running lane is no longer in its warp's `paused`.
void pause(const void* pc);

// Events of the running lane, whose trace is running.trace. polls: it reads what other threads may
// write at the same time, by a volatile or an atomic read.
void record_step(Place place);
void record_access(AccessKind kind, std::uintptr_t address, std::size_t size_bytes, Place place,
                   bool polls = false);

// The lanes of `group` have completed a warp operation together (kCounted: one that counts), or a
// barrier, and go on.
enum class Meeting { kCounted, kUncounted };
void record_operation(Warp& warp, std::uint32_t group, Meeting meeting);
void record_barrier(Warp& warp, std::uint32_t group);

// Of the chains that end at a publication which one of the lanes knows, the longest.
std::uint64_t longest_chain(const Warp& warp, std::uint32_t lanes);

// These lanes have met others that know one of this length.
void share_chain(Warp& warp, std::uint32_t lanes, std::uint64_t length);

}  // namespace simt::device
