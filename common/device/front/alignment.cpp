// SPDX-License-Identifier: MIT
#include "front/alignment.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace front {
namespace {

constexpr std::string_view kAlign = "align ";
constexpr std::string_view kOfAggregate = "!tbaa.struct ";  // no memcpy() of the program's has it

// What an address leads to.
struct Origin {
  enum class Kind { kPointer, kVariable, kLocal };

  Kind kind = Kind::kPointer;
  bool is_packed = false;      // through a member of a packed structure
  bool is_whole = true;        // no member, which may be as aligned as what it is in
  std::string_view type = {};  // of a local variable: the structure that it has or holds
};

using Origins = std::map<std::string_view, Origin>;  // by the value's name

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

// Of a type that `text` begins with; 0: it is no scalar and no vector of scalars.
unsigned alignment_of_type(std::string_view text) {
  if (text.starts_with('<')) {  // <2 x half>
    const std::size_t of = text.find(" x ");
    if (of == std::string_view::npos) return 0;
    return number_in(text.substr(1)) * alignment_of_type(text.substr(of + 3));
  }
  if (text.starts_with('i')) return number_in(text.substr(1)) / 8;
  if (text.starts_with("half") || text.starts_with("bfloat")) return 2;
  if (text.starts_with("float")) return 4;
  if (text.starts_with("double") || text.starts_with("ptr")) return 8;
  return 0;
}

// Through an array or from one element to the next, and not to a structure's member or base.
bool steps_over_elements(const Instruction& made) {
  const std::string_view type = made.operands[0];
  if (type.find('[') != std::string_view::npos) return true;
  return made.operands.size() == 3 && !type.ends_with(" i8") && type != "i8";
}

bool is_power_of_two(unsigned number) { return number != 0 && (number & (number - 1)) == 0; }

class Aligner {
 public:
  explicit Aligner(Module& module) : module_(module) {
    for (const std::string& line : module_.lines) {
      if (line.starts_with('%') && line.find(" = type <{") != std::string::npos) {
        packed_.emplace(names_in(line).front());
      } else if (line.find(" = alloca ") != std::string::npos) {
        learn_type(Instruction(line));
      }
    }
  }

  void run() {
    for (const FunctionLines& function : module_.functions) {
      Origins origins;
      for (std::size_t at = function.begin + 1; at < function.end; ++at) {
        std::string& line = module_.lines[at];
        const Instruction instruction(line);
        if (instruction.opcode == "load" || instruction.opcode == "store") {
          align_access(line, instruction, origins);
        } else if (line.find(kOfAggregate) != std::string::npos) {
          align_copy(line, origins);
        } else if (!instruction.result.empty()) {
          follow(instruction, origins);
        }
      }
    }
  }

 private:
  // A type is aligned no more than the least aligned of its variables.
  void learn_type(const Instruction& alloca) {
    const auto names = names_in(alloca.operands.front());
    if (names.empty() || alloca.operands.size() < 2) return;
    const unsigned bytes = alignment_in(alloca.operands.back());
    const auto [known, is_new] = alignments_.try_emplace(std::string(names.back()), bytes);
    if (!is_new) known->second = std::min(known->second, bytes);
  }

  void follow(const Instruction& made, Origins& origins) const {
    // Names are views of lines, and a line that makes a value is not changed.
    if (made.operands.empty()) return;
    if (made.opcode == "alloca") {
      const auto names = names_in(made.operands.front());
      const std::string_view type = names.empty() ? std::string_view{} : names.back();
      origins[made.result] = {.kind = Origin::Kind::kLocal, .type = type};
    } else if (made.opcode == "addrspacecast") {
      origins[made.result] = origin_of(made.operands.front(), origins);
    } else if (made.opcode == "getelementptr" && made.operands.size() > 1) {
      Origin origin = origin_of(made.operands[1], origins);
      origin.is_packed |= names_a_packed(made.operands[0]);
      origin.is_whole &= steps_over_elements(made);
      origins[made.result] = origin;
    } else if (made.opcode != "call") {
      origins[made.result].is_whole = false;
    }
  }

  [[nodiscard]] Origin origin_of(std::string_view pointer, const Origins& origins) const {
    const auto names = names_in(pointer);
    const auto is_variable = [](std::string_view name) { return name.starts_with('@'); };
    if (std::ranges::any_of(names, is_variable)) {
      return {.kind = Origin::Kind::kVariable, .is_packed = names_a_packed(pointer)};
    }
    const auto known = names.empty() ? origins.end() : origins.find(names.back());
    return known == origins.end() ? Origin{} : known->second;
  }

  [[nodiscard]] bool names_a_packed(std::string_view text) const {
    const auto is_packed = [&](std::string_view name) { return packed_.contains(name); };
    return text.find("<{") != std::string_view::npos ||
           std::ranges::any_of(names_in(text), is_packed);
  }

  void align_access(std::string& line, const Instruction& access, const Origins& origins) const {
    if (access.operands.size() < 3) return;
    const unsigned natural = alignment_of_type(access.operands[0]);
    raise(line, access.operands[1], access.operands[2], natural, origins);
  }

  // One side shows what the type asks of both.
  void align_copy(std::string& line, const Origins& origins) const {
    const Call call(line);
    if (!call.callee.starts_with("@llvm.memcpy.") || call.arguments.size() < 3) return;
    const std::string_view size = call.arguments[2];
    const unsigned size_bytes = number_in(size.substr(std::min(size.find(' ') + 1, size.size())));
    unsigned shown = 0;
    for (const std::string_view side : {call.arguments[0], call.arguments[1]}) {
      shown = std::max(shown, shown_by(side, origins));
    }
    const unsigned bytes = std::min(shown, size_bytes & ~(size_bytes - 1));
    for (const std::size_t number : {0, 1}) {  // the first change moves the second side
      const std::string_view side = Call(line).arguments[number];
      raise(line, side, side, bytes, origins);
    }
  }

  // A declared variable shows the alignment of its own type, which is another one.
  [[nodiscard]] unsigned shown_by(std::string_view side, const Origins& origins) const {
    const Origin origin = origin_of(side, origins);
    const unsigned bytes = alignment_in(side);
    if (!origin.is_whole) return 0;
    if (origin.kind == Origin::Kind::kPointer) return bytes;
    const auto of_type = alignments_.find(origin.type);
    return of_type == alignments_.end() ? 0 : std::min(bytes, of_type->second);
  }

  // `said`, a view of the line, has the alignment of the access through `pointer`.
  void raise(std::string& line, std::string_view pointer, std::string_view said, unsigned bytes,
             const Origins& origins) const {
    const Origin origin = origin_of(pointer, origins);
    const unsigned now = alignment_in(said);
    if (origin.kind != Origin::Kind::kVariable || origin.is_packed || now == 0 || now >= bytes ||
        !is_power_of_two(bytes)) {
      return;
    }
    const auto at =
        static_cast<std::size_t>(said.data() - line.data()) + said.find(kAlign) + kAlign.size();
    line.replace(at, std::to_string(now).size(), std::to_string(bytes));
  }

  Module& module_;
  std::set<std::string, std::less<>> packed_;                // types
  std::map<std::string, unsigned, std::less<>> alignments_;  // of types, in bytes
};

void strip_types(std::string& line) {
  for (std::size_t at = 0; (at = line.find(", !tbaa", at)) != std::string::npos;) {
    line.erase(at, std::min(line.find(',', at + 2), line.size()) - at);
  }
  if (line.starts_with("!llvm.errno.tbaa")) line.clear();
}

}  // namespace

void align_as_types_are(Module& module) {
  Aligner(module).run();
  for (std::string& line : module.lines) strip_types(line);
}

}  // namespace front
