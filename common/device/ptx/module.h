// SPDX-License-Identifier: MIT
// A PTX file as it is written: what the parser returns, and what `code` makes executable. It knows
// the grammar and no opcode: an instruction is its words and its operands.
// Source: NVIDIA, "Parallel Thread Execution ISA", version 8.7.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptx {

enum class Space : std::uint8_t { kGeneric, kGlobal, kShared, kLocal, kConst, kParam };

enum class Type : std::uint8_t {
  kNone,
  kPred,
  kB8,
  kB16,
  kB32,
  kB64,
  kB128,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kF16,
  kF16x2,
  kBF16,
  kBF16x2,
  kTF32,
  kF32,
  kF64,
  kE4M3,
  kE5M2,
  kE4M3x2,
  kE5M2x2,
  kU16x2,
  kS16x2,
  kTexture,
  kSurface,
  kSampler,
};

std::size_t size_of(Type type);  // in bytes; 0: kNone; 1: kPred
// "u32" -> kU32; kNone: it is not a type.
Type type_named(std::string_view word);

// A line of the source, and the line that its function was inlined into.
inline constexpr std::uint32_t kNoPlace = 0;
struct Place {
  std::uint32_t file = 0;  // index into Module::files
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t inlined_at = kNoPlace;  // index into Module::places
  std::string_view function;            // that was inlined, mangled; empty: unknown
};

struct Operand {
  enum class Kind : std::uint8_t {
    kRegister,  // name; also special ones, "%tid.x", which `registers` lacks
    kInteger,   // bits: two's complement in 64 bits
    kFloat32,   // 0f3F800000: bits in the low half
    kFloat64,   // 0d..., and 1.5 whatever the type of the instruction: bits
    kSymbol,    // name of a variable, function, label or parameter; offset
    kAddress,   // [name + offset]; name: a register or a symbol; empty: the offset alone
    kVector,    // {elements}; also (elements) of a call
    kIgnored,   // _
  };
  Kind kind = Kind::kIgnored;
  bool is_negated = false;  // !%p
  std::string_view name;
  std::uint64_t bits = 0;
  std::int64_t offset = 0;
  std::vector<Operand> elements;  // of an address, too: tex [object, {x, y}], cp.async.bulk.tensor
  std::string_view second;        // d|p: the second destination of setp, shfl, match
};

struct Instruction {
  std::string_view guard;  // register; empty: always
  bool guard_negated = false;
  std::vector<std::string_view> words;  // "ld", "global", "v4", "f32": split at the dots
  std::vector<Operand> operands;
  std::uint32_t place = kNoPlace;  // index into Module::places
  std::uint32_t text_line = 0;     // in the PTX
};

struct Register {
  std::string_view name;  // "%r12", "%p3", or a name that inline assembly declares
  Type type = Type::kNone;
};

// A variable: of the module, of a function (.local, .shared), or a parameter.
struct Variable {
  std::string_view name;
  Space space = Space::kGeneric;
  Type type = Type::kNone;  // of one element
  std::size_t align_bytes = 1;
  std::size_t size_bytes = 0;  // 0: `extern .shared name[]`, or an array without a length
  bool is_extern = false;
  bool is_visible = false;
  bool is_weak = false;            // .weak, .common: other files may define it, too
  bool is_managed = false;         // .attribute(.managed)
  std::vector<std::byte> initial;  // at most size_bytes; zeros follow
  struct Address {                 // words of `initial` that hold the address of a symbol
    std::size_t offset = 0;
    std::string_view symbol;
    std::int64_t addend = 0;
    bool is_generic = false;  // generic(symbol)
  };
  std::vector<Address> addresses;
};

struct Label {
  std::string_view name;
  std::size_t instruction = 0;  // index of the one after it; may be instructions.size()
};

// .branchtargets, .calltargets and .callprototype of a function.
struct Table {
  std::string_view label;
  std::vector<std::string_view> targets;
  std::vector<Variable> returns;  // .callprototype
  std::vector<Variable> parameters;
};

// A variable of the source in the depot, or several in one object there.
struct Local {
  std::string name;
  std::uint32_t offset = 0;
  std::uint32_t size_bytes = 0;  // 0: unknown
};

struct Function {
  std::string_view name;
  bool is_kernel = false;  // .entry
  bool is_declared_only = false;
  bool is_visible = false;
  bool is_weak = false;  // other files may define it, too
  std::vector<Variable> returns;
  std::vector<Variable> parameters;
  // Names are unique in a function: the parser renames what inner scopes declare again. Ranges
  // (.reg .b32 %r<10>) are written out, as far as instructions name their registers.
  std::vector<Register> registers;
  std::vector<Variable> variables;  // .local (the depot), .shared, .param of calls
  std::vector<Local> locals;        // by offset; as written, with debug information
  std::vector<Instruction> instructions;
  std::vector<Label> labels;
  std::vector<Table> tables;
  // Of .entry: 0 or empty where not given.
  std::array<std::uint32_t, 3> max_threads = {};       // .maxntid
  std::array<std::uint32_t, 3> required_threads = {};  // .reqntid
  std::uint32_t min_blocks = 0;                        // .minnctapersm
  std::array<std::uint32_t, 3> cluster = {};           // .reqnctapercluster
};

struct Alias {
  std::string_view name;
  std::string_view target;  // a function of this module
};

struct Module {
  std::string text;  // what every string_view of this struct points into, or into `names`
  std::vector<std::string> files;  // from .file, by number; files[0] is empty
  std::vector<Place> places;       // places[0]: unknown
  std::vector<Variable> variables;
  std::vector<Function> functions;  // each name once: a definition takes its declarations' place
  std::vector<Alias> aliases;       // .alias
  std::vector<std::string> debug_sections;          // text of .section blocks (DWARF), unparsed
  std::vector<std::unique_ptr<std::string>> names;  // made by the parser (renamed registers)
};

struct SourceLine {
  std::string file;  // empty: unknown
  std::uint32_t line = 0;
};

// What is wrong with a PTX file, with its line. parse() adds the line of the source.
class Error : public std::runtime_error {
 public:
  Error(std::uint32_t line, const std::string& what);
  std::uint32_t line() const { return line_; }
  const SourceLine& source() const { return source_; }
  void set_source(SourceLine source) { source_ = std::move(source); }

 private:
  std::uint32_t line_;
  SourceLine source_;
};

// Throws Error. Any bytes at all are allowed: at most this many, and bounded work and memory.
inline constexpr std::size_t kMaxTextBytes = std::size_t{64} << 20;
Module parse(std::string text);

// The files of a program as one module, in which they find each other. Throws std::runtime_error.
Module link(std::vector<Module> parts);

}  // namespace ptx
