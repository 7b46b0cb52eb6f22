// SPDX-License-Identifier: MIT
// A module made executable: control flow, registers with places in memory, and for each
// instruction an Op that `run` gives a handler. Knows which operands an instruction defines and
// where it may go next, and not what it computes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
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

// Executes one instruction for the lanes of `lanes`, and returns the Op to execute next: op + 1
// except for control flow; null: the running part of the warp cannot go on (it waits, or has
// ended).
using Handler = const Op* (*)(run::Warp& warp, const Op* op, std::uint32_t lanes);

// Where a register lives. Every register is a row of 32 lanes. There are three files, so that the
// lanes of two frames that overlap stay apart: rows of 4 bytes per lane (all types up to 32 bits; a
// 16-bit value is in the low half, the high half is undefined), of 8 bytes per lane (64 bits; 128
// bits take two rows, low half first), and predicates, which are masks of 32 bits.
enum class File : std::uint8_t { kNone, k32, k64, kPredicate };

// Byte offset from the beginning of the frame in its file: rows of 128, 256 and 8 bytes (all
// multiples of 8, as a row may be looked for in the wrong file; see push_frame).
struct Slot {
  File file = File::kNone;
  bool is_negated = false;  // !%p
  std::uint32_t offset = 0;
  bool exists() const { return file != File::kNone; }
};
inline constexpr std::uint32_t kRowBytes32 = 4 * kWarpSize;
inline constexpr std::uint32_t kRowBytes64 = 8 * kWarpSize;
inline constexpr std::uint32_t kRowBytesPredicate = 8;

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
};

// What is known of an Op besides what it does: for binding, findings, counters and debugging.
struct Instruction {
  std::vector<std::string_view> words;  // "ld", "global", "f32"
  std::vector<Operand> operands;
  std::uint32_t place = ptx::kNoPlace;  // index into Program::places
  std::uint32_t near = ptx::kNoPlace;   // a place with a line, nearby in its block; see line_near
  std::uint32_t text_line = 0;          // in the PTX: what a debugger calls its address
  std::uint32_t id = 0;                 // unique in the program; counters are arrays by it
  std::uint32_t block = 0;              // index into Function::blocks
  std::uint32_t guarded_update = 0;     // of a plain load: the atomic that it guards; 0: none
  bool may_be_verified = false;         // of a plain load: by an atomic that follows it
  bool has_destination = false;         // operands[0] (and its `second`) is defined by it
  bool is_read = false;                 // that destination, by some instruction

  bool has(std::string_view word) const;
};

struct Block {
  std::uint32_t begin = 0;  // indices into Function::ops
  std::uint32_t end = 0;
  std::vector<std::uint32_t> successors;
  std::uint32_t post_dominator = kNone;  // the nearest one
  std::uint32_t live_words = 0;          // of a thread's registers, at its end
  static constexpr std::uint32_t kNone = UINT32_MAX;
};

// A row that holds the same value in all lanes, from the beginning of the frame on.
struct Constant {
  enum class Kind : std::uint8_t {
    kValue,    // bits
    kLocal,    // bits behind the beginning of the frame's local memory
    kShared,   // bits behind the beginning of shared variable `symbol`, whose place is the kernel's
    kDynamic,  // bits behind the beginning of dynamic shared memory
  };
  Slot slot = {};
  Kind kind = Kind::kValue;
  std::uint64_t bits = 0;
  std::uint32_t symbol = 0;  // index into Program::symbols
};
struct SpecialRow {  // a row that holds a special register: "%tid.x", "%laneid"
  Slot slot;
  std::string_view name;
};

// Where a kernel has a shared variable. There is room of no variable between two of them, so that
// an index past the end is recognised; offsets modulo 128 bytes are as without it.
struct SharedVariable {
  std::uint32_t symbol = 0;  // index into Program::symbols
  std::string name;          // readable: "tile"
  std::uint32_t offset = 0;
  std::uint32_t size_bytes = 0;
};

// Of a function as written: a variable in local memory, in room of no variable on both sides.
inline constexpr std::uint32_t kGuardBytes = 64;
struct LocalVariable {
  std::string name;
  std::uint32_t offset = 0;
  std::uint32_t size_bytes = 0;
  std::uint32_t end() const { return offset + size_bytes; }
};
// What the compiler has at `from` and behind it, up to the next piece, is at `to`.
struct DepotPiece {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};
std::uint32_t place_in_depot(const std::vector<DepotPiece>& pieces, std::uint32_t offset);

struct Function {
  std::string name;      // mangled
  std::string readable;  // "interleaved_kernel", without parameters
  bool is_kernel = false;
  bool needs_whole_warps = false;         // has instructions that all lanes must execute together
  std::vector<Op> ops;                    // begins with block 0
  std::vector<Instruction> instructions;  // parallel to ops
  std::vector<Block> blocks;
  std::vector<Constant> constants;  // functions that are called fill them on entry, too
  std::vector<SpecialRow> specials;
  std::uint32_t bytes32 = 0;  // size of a frame in each file
  std::uint32_t bytes64 = 0;
  std::uint32_t bytes_predicate = 0;
  // With offsets in the same order: a kernel's in the launch's parameters; a called function's, and
  // what it returns, in its frame of local memory.
  std::vector<ptx::Variable> parameters;
  std::vector<std::uint32_t> parameter_offsets;
  std::uint32_t parameter_bytes = 0;
  std::vector<ptx::Variable> returns;
  std::vector<std::uint32_t> return_offsets;
  std::uint32_t local_bytes = 0;      // those, the .param variables of its own calls, and the depot
  std::uint32_t depot_offset = 0;     // in that, of the variables that clang keeps in memory
  std::vector<LocalVariable> locals;  // by offset, in local memory; those with a guard
  std::vector<DepotPiece> depot_pieces;  // in the depot; empty: all is where the compiler has it
  // Of a kernel, with all that it may call: static shared variables in order of their offsets.
  std::vector<SharedVariable> shared;
  std::uint32_t shared_bytes = 0;                    // their sizes, as the hardware lays them out
  std::uint32_t dynamic_shared_offset = 0;           // where dynamic shared memory begins
  std::uint32_t max_threads = 0;                     // __launch_bounds__; 0: none
  std::array<std::uint32_t, 3> cluster = {1, 1, 1};  // __cluster_dims__
  std::vector<std::shared_ptr<const void>> details;  // what Op::details points to
};

// A variable of the module.
struct Symbol {
  std::string name;      // mangled
  std::string readable;  // "tile"
  ptx::Space space = ptx::Space::kGlobal;
  std::uint64_t address =
      0;  // generic, of global and const; a shared one's place: Function::shared
  std::uint64_t size_bytes = 0;
  std::uint32_t align_bytes = 1;
  bool is_managed = false;
  bool is_dynamic_shared = false;  // extern __shared__ name[]
  const ptx::Variable* variable = nullptr;
};

struct SourceFile {
  std::string path;  // as the PTX gives it
  std::string name;  // without folders
  enum class Owner : std::uint8_t { kUser, kLab, kLibrary } owner = Owner::kLibrary;
};

// From one function's address to the next. An odd one would make a virtual function of what a
// pointer to a member points to.
inline constexpr std::uint64_t kFunctionBytes = 16;

struct Program {
  ptx::Module module;  // what the names point into
  std::vector<SourceFile> files;
  std::vector<std::unique_ptr<Function>> functions;
  std::unordered_map<std::string_view, Function*> by_name;
  // Functions whose address is taken: the first has the address kFunctionBytes, and so on.
  std::vector<const Function*> by_number;
  const Function* function_at(std::uint64_t address) const {  // null: there is none
    const std::uint64_t number = address / kFunctionBytes;
    const bool is_one = address % kFunctionBytes == 0 && number >= 1 && number <= by_number.size();
    return is_one ? by_number[number - 1] : nullptr;
  }
  std::vector<Symbol> symbols;
  std::uint32_t num_instructions = 0;  // ids are below

  const Function* find(std::string_view name) const;
  const Symbol* find_symbol(std::string_view name) const;

  // The line that a finding names: the innermost one of a user's file in the chain of inlining, a
  // lab's header if there is none. line 0: unknown.
  struct Line {
    std::string_view file;
    std::uint32_t line = 0;
    bool is_labs = false;
    bool operator==(const Line&) const = default;
  };
  Line line_of(std::uint32_t place) const;
  Line line_of(const Instruction& instruction) const { return line_of(instruction.place); }
  // The same, or the nearest: the compiler takes its line from what it moves out of a loop.
  Line line_near(const Instruction& instruction) const {
    const Line own = line_of(instruction);
    return own.line != 0 ? own : line_of(instruction.near);
  }
};

// Gives a variable of global or const memory its generic address.
using Placer = std::function<std::uint64_t(const ptx::Variable& variable)>;

// Throws ptx::Error or std::runtime_error with a sentence. Handlers are not set: see run/bind.h.
std::unique_ptr<Program> load(ptx::Module module, const Placer& place);

// What a variable holds from the start on, with addresses of other variables filled in; empty:
// zeros.
std::vector<std::byte> initial_contents(const Program& program, const Symbol& symbol);

}  // namespace code
