// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "front/changes.h"

namespace front {
namespace {

constexpr std::string_view kAlign = "align ";
constexpr std::string_view kMark = "!tbaa ";
constexpr std::string_view kCopyMark = "!tbaa.struct ";  // no memcpy() of the program's has it

// The vectors of CUDA whose copy is one access, and their alignments in bytes.
constexpr std::pair<std::string_view, unsigned> kVectors[] = {
    {"char2", 2},      {"uchar2", 2},      {"char4", 4},         {"uchar4", 4},
    {"short2", 4},     {"ushort2", 4},     {"short4", 8},        {"ushort4", 8},
    {"int2", 8},       {"uint2", 8},       {"int4", 16},         {"uint4", 16},
    {"long2", 16},     {"ulong2", 16},     {"long4", 16},        {"ulong4", 16},
    {"longlong2", 16}, {"ulonglong2", 16}, {"longlong4", 16},    {"ulonglong4", 16},
    {"float2", 8},     {"float4", 16},     {"double2", 16},      {"double4", 16},
    {"__half", 2},     {"__half2", 4},     {"__nv_bfloat16", 2}, {"__nv_bfloat162", 4},
};

// What lies at an address.
struct Origin {
  bool is_local = false;
  std::string_view type = {};  // LLVM's name of it, of an array its items'; empty: not known
};

unsigned number_in(std::string_view text) {
  unsigned number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The alignment in `text`, which is `align 4` or has it somewhere; 0: it says none.
unsigned alignment_in(std::string_view text) {
  const std::size_t at = text.find(kAlign);
  return at == std::string_view::npos ? 0 : number_in(text.substr(at + kAlign.size()));
}

// Of a scalar that `text` begins with the type of; 0: it is none.
unsigned alignment_of_scalar(std::string_view text) {
  if (text.starts_with('i')) return number_in(text.substr(1)) / 8;
  if (text.starts_with("half") || text.starts_with("bfloat")) return 2;
  if (text.starts_with("float")) return 4;
  if (text.starts_with("double") || text.starts_with("ptr")) return 8;
  return 0;
}

bool is_power_of_two(unsigned number) { return number != 0 && (number & (number - 1)) == 0; }

// An aggregate's copy; its sides are views of the line.
struct Copy {
  explicit Copy(std::string_view line) {
    if (line.find(kCopyMark) == std::string_view::npos) return;
    const Call call(line);
    if (!call.callee.starts_with("@llvm.memcpy.") || call.arguments.size() < 3) return;
    is_volatile = call.arguments.back() == "i1 true";
    to = call.arguments[0];
    from = call.arguments[1];
    const std::string_view size = call.arguments[2];
    size_bytes = number_in(size.substr(std::min(size.find(' ') + 1, size.size())));
    marks = line.substr(std::min(line.find("), !"), line.size() - 1) + 1);
  }

  std::string_view to, from;
  std::string_view marks;   // what follows the call
  unsigned size_bytes = 0;  // 0: the line is no such copy
  bool is_volatile = false;
};

// `!"_ZTS6float4"` -> float4
std::string_view name_in(std::string_view mark) {
  constexpr std::string_view kBegin = R"(!"_ZTS)";
  if (!mark.starts_with(kBegin) || !mark.ends_with('"')) return {};
  mark.remove_suffix(1);
  return mark.substr(std::min(mark.find_first_not_of("0123456789", kBegin.size()), mark.size()));
}

// Of an array type the type of its items, in as many dimensions as it has.
std::string_view item_of(std::string_view type) {
  while (type.starts_with('[')) {
    type.remove_prefix(std::min(type.find(" x ") + 3, type.size()));
    if (type.ends_with(']')) type.remove_suffix(1);
  }
  return type;
}

// Behind words such as inbounds.
std::string_view type_in(std::string_view operand) {
  while (operand.starts_with("inbounds ") || operand.starts_with("nuw ") ||
         operand.starts_with("nusw ")) {
    operand.remove_prefix(operand.find(' ') + 1);
  }
  return operand;
}

// Where the pointers of one function come from.
class Origins {
 public:
  // The line that made the value must stay as it is.
  void follow(const Instruction& made) {
    if (made.operands.empty() || made.result.empty()) return;
    if (made.opcode == "alloca") {
      known_[made.result] = {.is_local = true};
    } else if (made.opcode == "addrspacecast") {
      known_[made.result] = of(made.operands.front());
    } else if (made.opcode == "getelementptr") {
      known_[made.result] = behind(made.operands);
    }
  }

  [[nodiscard]] Origin of(std::string_view pointer) const {
    if (const std::size_t at = pointer.find(kStep); at != std::string_view::npos) {  // a constant
      return behind(split(pointer.substr(std::min(pointer.find('(', at) + 1, pointer.size()))));
    }
    const auto names = names_in(pointer);
    const auto known = names.empty() ? known_.end() : known_.find(names.back());
    return known == known_.end() ? Origin{} : known->second;  // as of a variable's name
  }

 private:
  static constexpr std::string_view kStep = "getelementptr ";

  // What a step leads to: `[33 x float]`, `ptr %0`, `i64 0`, `i64 %1`.
  [[nodiscard]] Origin behind(const std::vector<std::string_view>& operands) const {
    if (operands.size() < 2) return {};
    const std::string_view type = type_in(operands[0]);
    const bool is_member = operands.size() > 3 && !type.starts_with('[');
    return {of(operands[1]).is_local, is_member ? "" : item_of(type)};
  }

  std::map<std::string_view, Origin> known_;  // by the value's name
};

// Whether clang's name of a structure, `%"struct.lab::Pair"`, is the mangled one,
// `"_ZTSN3lab4PairE"`.
bool is_same_type(std::string_view type, std::string_view mangled) {
  if (type.ends_with('"')) type.remove_suffix(1);
  const std::size_t number = type.find_last_not_of("0123456789");  // of a second one of that name
  if (number != std::string_view::npos && type[number] == '.') type = type.substr(0, number);
  const std::size_t scopes = type.find_last_of(".:");
  if (scopes == std::string_view::npos) return false;
  const std::string_view name = type.substr(scopes + 1);
  return mangled.find(std::to_string(name.size()) + std::string(name)) != std::string_view::npos;
}

// What clang's marks tell of types (LLVM's type-based alias analysis, with paths to members). Views
// of lines that no change touches.
class Marks {
 public:
  explicit Marks(const Module& module) {
    for (const std::string_view line : module.lines) {
      const std::size_t at = line.find(" = ");
      if (at == std::string_view::npos) continue;
      const std::string_view made = line.substr(at + 3);
      if (line.starts_with('!') && made.starts_with("!{")) {
        nodes_[line.substr(0, at)] = made.substr(2);
      } else if (made.starts_with("alloca %")) {
        learn_alignment(Instruction(line));
      }
    }
  }

  // The name of the type that the line's access has; empty: a member, or any type.
  [[nodiscard]] std::string_view type_of(std::string_view line) const {
    const std::size_t at = line.find(kMark);
    if (at == std::string_view::npos) return {};
    const auto tag = node(split(line.substr(at + kMark.size() - 1)).front());
    if (tag.size() < 2 || tag[0] != tag[1]) return {};
    const auto type = node(tag[0]);
    return type.size() < 3 || type[2] == R"(!"omnipotent char")" ? std::string_view{} : type[2];
  }

  // Of a structure, in bytes; 0: unknown. The program's own show it by local variables.
  [[nodiscard]] unsigned alignment_of(std::string_view type) const {
    const auto known = std::ranges::find(kVectors, name_in(type), &Alignment::first);
    if (known != std::end(kVectors)) return known->second;
    const auto is_it = [&](const Alignment& local) { return is_same_type(local.first, type); };
    const auto local = std::ranges::find_if(locals_, is_it);
    return local == locals_.end() ? 0 : local->second;
  }

 private:
  using Alignment = std::pair<std::string_view, unsigned>;

  // One variable may be declared with more.
  void learn_alignment(const Instruction& alloca) {
    if (alloca.operands.size() < 2) return;
    const unsigned bytes = alignment_in(alloca.operands.back());
    const auto [known, is_new] = locals_.try_emplace(alloca.operands.front(), bytes);
    if (!is_new) known->second = std::min(known->second, bytes);
  }

  [[nodiscard]] std::vector<std::string_view> node(std::string_view name) const {
    const auto found = nodes_.find(name);
    return found == nodes_.end() ? std::vector<std::string_view>{} : split(found->second);
  }

  std::map<std::string_view, std::string_view> nodes_;
  std::map<std::string_view, unsigned> locals_;  // by LLVM's name of the type
};

// `said`, a view of the line, has the alignment of an access.
void raise(std::string& line, std::string_view said, unsigned bytes) {
  const unsigned now = alignment_in(said);
  if (now == 0 || now >= bytes || !is_power_of_two(bytes)) return;
  const auto at =
      static_cast<std::size_t>(said.data() - line.data()) + said.find(kAlign) + kAlign.size();
  line.replace(at, std::to_string(now).size(), std::to_string(bytes));
}

// Through a pointer that the program has cast. Local variables will be registers.
void align_access(std::string& line, const Instruction& access, const Marks& marks,
                  const Origins& origins) {
  if (access.operands.size() < 3 || marks.type_of(line).empty()) return;
  const std::string_view operand = access.operands[0];  // of a store its value, too
  const std::string_view type = operand.substr(0, operand.find(' '));
  const Origin origin = origins.of(access.operands[1]);
  if (origin.is_local || origin.type == type) return;
  raise(line, access.operands[2], alignment_of_scalar(type));
}

void align_copy(std::string& line, const Marks& marks, const Origins& origins) {
  const std::string_view type = marks.type_of(line);
  for (const auto side : {&Copy::to, &Copy::from}) {
    const std::string_view argument = Copy(line).*side;  // a change moves what follows
    const Origin origin = origins.of(pointer_in(argument));
    if (origin.is_local || is_same_type(origin.type, type)) continue;
    raise(line, argument, marks.alignment_of(type));
  }
}

constexpr unsigned kMostBytes = 128;  // in a row; LLVM copies more by a loop

// What one access of a copy moves.
struct Piece {
  std::string_view type;
  unsigned bytes;
};

// One instruction's line.
std::string line_of(std::initializer_list<std::string_view> parts) {
  std::string line = "  ";
  for (const std::string_view part : parts) line += part;
  return line.append("\n");
}

// The lines that copy it piece by piece.
std::string in_pieces(const Copy& copy, const Piece& piece, unsigned number) {
  const auto align = [&](std::string_view side) {
    return std::to_string(std::min(alignment_in(side), piece.bytes)).append(copy.marks);
  };
  const std::string name = "%whole." + std::to_string(number) + ".";
  std::string made;
  for (unsigned offset = 0; offset < copy.size_bytes; offset += piece.bytes) {
    const std::string bytes = std::to_string(offset);
    const std::string value = name + bytes;
    std::string to(pointer_in(copy.to));
    std::string from(pointer_in(copy.from));
    for (auto [side, pointer] : {std::pair{".to", &to}, {".from", &from}}) {
      if (offset == 0) continue;
      const std::string moved = value + side;
      made += line_of({moved, " = getelementptr inbounds i8, ptr ", *pointer, ", i64 ", bytes});
      *pointer = moved;
    }
    made += line_of({value, " = load ", piece.type, ", ptr ", from, ", align ", align(copy.from)});
    made += line_of({"store ", piece.type, " ", value, ", ptr ", to, ", align ", align(copy.to)});
  }
  made.pop_back();
  return made;
}

// Empty: as clang has it.
Piece piece_of(const Copy& copy, std::string_view type, const Origins& origins, Locals locals) {
  constexpr Piece kPair = {"i32", 4};
  constexpr Piece kVector = {"<2 x i64>", 16};
  const std::string_view name = name_in(type);
  const bool is_pair = name == "__half2" || name == "__nv_bfloat162";
  const Piece& piece = is_pair ? kPair : kVector;
  if (copy.size_bytes % piece.bytes != 0 || copy.size_bytes > kMostBytes || copy.is_volatile) {
    return {};
  }
  for (const std::string_view side : {copy.to, copy.from}) {
    if (origins.of(pointer_in(side)).is_local) {
      if (locals == Locals::kRegisters && !is_pair) return {};
    } else if (alignment_in(side) < piece.bytes) {
      return {};
    }
  }
  return piece;
}

void forget_marks(std::string& line) {
  for (std::size_t at = 0; (at = line.find(", !tbaa", at)) != std::string::npos;) {
    line.erase(at, std::min(line.find_first_of(",\n", at + 2), line.size()) - at);
  }
}

}  // namespace

void access_as_nvcc_does(Module& module, Locals locals) {
  const Marks marks(module);
  unsigned num_whole = 0;
  for (const FunctionLines& function : module.functions) {
    Origins origins;
    for (std::size_t at = function.begin + 1; at + 1 < function.end; ++at) {
      std::string& line = module.lines[at];
      const Instruction instruction(line);
      origins.follow(instruction);
      if (instruction.opcode == "load" || instruction.opcode == "store") {
        align_access(line, instruction, marks, origins);
      } else if (Copy(line).size_bytes != 0) {
        align_copy(line, marks, origins);
        const Copy copy(line);
        const Piece piece = piece_of(copy, marks.type_of(line), origins, locals);
        if (piece.bytes != 0) line = in_pieces(copy, piece, num_whole++);
      }
    }
  }
  for (std::string& line : module.lines) {
    if (line.starts_with("  ")) forget_marks(line);  // and no text of the program's
    if (line.starts_with("!llvm.errno.tbaa")) line.clear();
  }
}

}  // namespace front
