// SPDX-License-Identifier: MIT
// A module made executable: control flow, registers with places in memory, and for each
// instruction an Op that `run` gives a handler. Knows which operands an instruction defines and
// where it may go next, and not what it computes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/module.h"

namespace run {
struct Warp;
}

namespace code {

struct Op;
struct Function;

inline constexpr int kWarpSize = 32;

// Executes one instruction for the lanes of `lanes`, and returns the Op to execute next: op + 1 but
// for control flow; null: the running part of the warp cannot go on (it waits, or has ended).
using Handler = const Op* (*)(run::Warp& warp, const Op* op, std::uint32_t lanes);

// Where a register lives. Every register is a row of 32 lanes. There are three files, so that the
// lanes of two frames that overlap stay apart: rows of 4 bytes a lane (all types up to 32 bits; a
// 16-bit value is in the low half, the high half is undefined), of 8 bytes a lane (64 bits; 128
// bits take two rows, low half first), and predicates, which are masks of 32 bits.
enum class File : std::uint8_t { kNone, k32, k64, kPredicate };

// Byte offset from the beginning of the frame in its file: rows of 128, 256 and 4 bytes.
struct Slot {
  File file = File::kNone;
  bool is_negated = false;  // !%p
  std::uint32_t offset = 0;
  bool exists() const { return file != File::kNone; }
};
inline constexpr std::uint32_t kRowBytes32 = 4 * kWarpSize;
inline constexpr std::uint32_t kRowBytes64 = 8 * kWarpSize;
inline constexpr std::uint32_t kRowBytesPredicate = 4;

inline constexpr std::uint32_t kNoGuard = UINT32_MAX;

// 64 bytes, so that the loop that executes them touches one cache line each.
struct alignas(64) Op {
  Handler handler = nullptr;
  std::uint32_t guard = kNoGuard;  // offset of the predicate
  bool guard_negated = false;
  // Offsets of the operands' rows, in the order of the text: d is the destination of an
  // instruction that has one, a, b, c its sources. Without a destination the first source is a.
  // In which file a row is, the handler knows from the instruction's types.
  std::uint32_t d = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  std::int64_t immediate = 0;     // the offset of an address; otherwise the handler's own
  const void* details = nullptr;  // the handler's own: modifiers, lists of rows; kept by Function
  const Op* target = nullptr;     // of a branch
};

// One operand after registers and symbols got their places.
struct Operand {
  Slot slot;  // of a register, of an immediate (a row that holds it), or of the
              // base of an address
  ptx::Type type = ptx::Type::kNone;  // of the register, as declared
  std::int64_t offset = 0;            // of an address
  bool is_address = false;
  bool is_immediate = false;  // `bits` is the value
  std::uint64_t bits = 0;
  std::string_view symbol;        // of an address or a callee: a name that is no register
  std::vector<Operand> elements;  // of a vector; of a tensor's coordinates
  Slot second;                    // of d|p
  std::string_view selector;      // of a video instruction: "h1", "b3", "b3210"
};

// What is known of an Op besides what it does: for binding, findings, counters and debugging.
struct Instruction {
  std::vector<std::string_view> words;  // "ld", "global", "f32"
  std::vector<Operand> operands;
  std::uint32_t place = ptx::kNoPlace;  // index into Program::places
  std::uint32_t id = 0;                 // unique in the program; counters are arrays by it
  std::uint32_t block = 0;              // index into Function::blocks
  bool has_destination = false;         // operands[0] (and its `second`) is defined by it

  bool has(std::string_view word) const;
};

struct Block {
  std::uint32_t begin = 0;  // indices into Function::ops
  std::uint32_t end = 0;
  std::vector<std::uint32_t> successors;
  std::uint32_t post_dominator = kNone;  // the nearest one
  static constexpr std::uint32_t kNone = UINT32_MAX;
};

struct Constant {  // a row that holds the same value in all lanes, from the warp's start on
  Slot slot;
  std::uint64_t bits;
};
struct SpecialRow {  // a row that holds a special register: "%tid.x", "%laneid"
  Slot slot;
  std::string_view name;
};

struct Function {
  std::string name;      // mangled
  std::string readable;  // "interleaved_kernel", without parameters
  bool is_kernel = false;
  std::vector<Op> ops;                    // begins with block 0
  std::vector<Instruction> instructions;  // parallel to ops
  std::vector<Block> blocks;
  std::vector<Constant> constants;  // functions that are called fill them on entry, too
  std::vector<SpecialRow> specials;
  std::uint32_t bytes32 = 0;  // size of a frame in each file
  std::uint32_t bytes64 = 0;
  std::uint32_t bytes_predicate = 0;
  std::vector<ptx::Variable> parameters;  // with offsets in the same order
  std::vector<std::uint32_t> parameter_offsets;
  std::uint32_t parameter_bytes = 0;
  std::vector<ptx::Variable> returns;
  std::uint32_t local_bytes = 0;   // the depot, and .param variables of calls
  std::uint32_t shared_bytes = 0;  // static, of the kernel and of all that it may call
  std::uint32_t max_threads = 0;   // __launch_bounds__; 0: none
  std::vector<std::shared_ptr<const void>> details;  // what Op::details points to
};

// A variable with its place.
struct Symbol {
  std::string name;  // mangled
  ptx::Space space = ptx::Space::kGlobal;
  std::uint64_t address = 0;  // generic for global and const; offset for shared
  std::uint64_t size_bytes = 0;
  bool is_managed = false;
};

struct SourceFile {
  std::string path;       // as the PTX gives it
  std::string name;       // without folders
  bool is_users = false;  // not a header of ours, of the toolkit, or of the C++ library
};

struct Program {
  ptx::Module module;  // what the names point into
  std::vector<SourceFile> files;
  std::vector<std::unique_ptr<Function>> functions;
  std::unordered_map<std::string_view, Function*> by_name;
  std::vector<Symbol> symbols;
  std::uint32_t num_instructions = 0;  // ids are below

  const Function* find(std::string_view name) const;
  const Symbol* find_symbol(std::string_view name) const;

  // The line that a finding names: the innermost one of a user's file in the chain of inlining, a
  // lab's header if there is none. line 0: unknown.
  struct Line {
    std::string_view file;
    std::uint32_t line = 0;
    bool operator==(const Line&) const = default;
  };
  Line line_of(std::uint32_t place) const;
};

}  // namespace code
