// SPDX-License-Identifier: MIT
#include "ptx/variables.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string>

#include "ptx/constant.h"

namespace ptx {

namespace {

using Kind = Token::Kind;

constexpr std::size_t kMaxVariableBytes = std::size_t{1} << 40;
// A short initialiser may describe a large array: {{1}, {2}} of [2][100000000].
constexpr std::size_t kMaxInitialBytes = kMaxTextBytes;
// Each takes about 300 bytes.
constexpr std::size_t kMaxVariables = std::size_t{2} << 20;
constexpr std::size_t kMaxDimensions = 16;
constexpr std::size_t kMaxAlignment = std::size_t{1} << 20;
constexpr std::size_t kManagedAlignment = std::size_t{64} << 10;  // as memory/address_map.h has it

bool is_float(Type type) { return type == Type::kF32 || type == Type::kF64; }
bool is_bits(Type type) {
  return type == Type::kB8 || type == Type::kB16 || type == Type::kB32 || type == Type::kB64;
}

}  // namespace

// Bytes of one element at each level of braces: [2][3] .b32 has 24, 12, 4.
struct VariableParser::Shape {
  std::vector<std::size_t> sizes;
  bool is_open = false;  // the first length is not given: it has no limit
};

Space space_named(std::string_view word) {
  if (word == "global") return Space::kGlobal;
  if (word == "shared") return Space::kShared;
  if (word == "local") return Space::kLocal;
  if (word == "const") return Space::kConst;
  if (word == "param") return Space::kParam;
  return Space::kGeneric;
}

Variable parse_linkage(Lexer& lexer) {
  Variable linkage;
  for (;; lexer.next()) {
    if (lexer.is_word("extern")) {
      linkage.is_extern = true;
    } else if (lexer.is_word("visible") || lexer.is_word("weak") || lexer.is_word("common")) {
      linkage.is_visible = true;
      linkage.is_weak |= !lexer.is_word("visible");
    } else {
      return linkage;
    }
  }
}

// (.managed), (.unified(1, 2))
bool parse_attribute(Lexer& lexer) {
  lexer.expect('(', "after .attribute");
  bool is_managed = false;
  for (std::size_t depth = 1; depth > 0; lexer.next()) {
    if (lexer.is(Kind::kEnd)) lexer.fail_expecting("')' of .attribute");
    if (lexer.is('(')) ++depth;
    if (lexer.is(')')) --depth;
    is_managed = is_managed || lexer.is_word("managed");
  }
  return is_managed;
}

// .ptr .global .align 16: of what the parameter points to
void VariableParser::parse_pointer() {
  if (lexer_.is(Kind::kDotWord) && space_named(lexer_.token().text) != Space::kGeneric) {
    lexer_.next();
  }
  if (lexer_.is_word("align")) {
    lexer_.next();
    parse_size(lexer_, "the number after .align");
  }
}

Variable VariableParser::parse_base(const Variable& linkage) {
  Variable base = linkage;
  if (lexer_.is_word("reg")) {
    lexer_.fail("a parameter in a register (.reg) is not supported; declare it as .param");
  }
  if (!lexer_.is(Kind::kDotWord)) lexer_.fail_expecting("a state space, such as .param");
  base.space = space_named(lexer_.token().text);
  if (base.space == Space::kGeneric) lexer_.fail_expecting("a state space, such as .param");
  lexer_.next();
  vector_length_ = 1;
  std::size_t align_bytes = 0;
  while (lexer_.is(Kind::kDotWord)) {
    const std::string_view word = lexer_.token().text;
    if (word == "align") {
      lexer_.next();
      align_bytes = parse_size(lexer_, "the number after .align");
      if (!std::has_single_bit(align_bytes) || align_bytes > kMaxAlignment) {
        lexer_.fail("the alignment of a variable must be a power of two, at most " +
                    std::to_string(kMaxAlignment));
      }
      continue;
    }
    lexer_.next();
    if (word == "attribute") {
      base.is_managed = parse_attribute(lexer_) || base.is_managed;
    } else if (word == "ptr") {
      parse_pointer();
    } else if (word == "v2" || word == "v4" || word == "v8") {
      vector_length_ = static_cast<std::size_t>(word[1] - '0');
    } else if (base.type == Type::kNone && type_named(word) != Type::kNone) {
      base.type = type_named(word);
    } else {
      lexer_.fail(quoted("." + std::string(word.substr(0, 60))) +
                  " does not fit into the declaration of a variable before it");
    }
  }
  if (base.type == Type::kPred) lexer_.fail("a predicate cannot be in memory; use .u8");
  if (base.type == Type::kNone) lexer_.fail_expecting("the type of a variable, such as .b32");
  base.align_bytes = align_bytes > 0 ? align_bytes : size_of(base.type) * vector_length_;
  // clang's PTX has no attribute for it: see keywords.h of the toolkit.
  base.is_managed |= base.space == Space::kGlobal && align_bytes == kManagedAlignment;
  return base;
}

std::vector<std::size_t> VariableParser::parse_lengths() {
  std::vector<std::size_t> lengths;
  while (lexer_.accept('[')) {
    if (lengths.size() == kMaxDimensions) {
      lexer_.fail("an array has more than " + std::to_string(kMaxDimensions) + " dimensions");
    }
    if (lexer_.is(']')) {
      if (!lengths.empty()) lexer_.fail("only the first length of an array may be left out");
      lengths.push_back(0);
    } else {
      const std::uint64_t length = parse_size(lexer_, "the length of an array");
      if (length > kMaxVariableBytes) lexer_.fail("an array is longer than any memory");
      // [0] is an array without a length, as clang writes `extern __shared__`'s.
      if (length == 0 && !lengths.empty()) lexer_.fail("an array has the length 0");
      lengths.push_back(length);
    }
    lexer_.expect(']', "after the length of an array");
  }
  return lengths;
}

Variable VariableParser::parse_named(const Variable& base, bool may_have_initialiser) {
  Variable variable = base;
  variable.name = lexer_.expect_name("the name of a variable");
  if (++num_variables_ > kMaxVariables) {
    lexer_.fail("the text has more than " + std::to_string(kMaxVariables) +
                " variables and parameters; split the program into several files");
  }
  const std::vector<std::size_t> lengths = parse_lengths();
  bool is_open = false;
  std::size_t size = size_of(variable.type) * vector_length_;
  for (const std::size_t length : lengths) {
    is_open = is_open || length == 0;
    if (length > 0 && size > kMaxVariableBytes / length) {
      lexer_.fail("the array " + quoted(variable.name) + " is larger than any memory");
    }
    size *= std::max<std::size_t>(length, 1);
  }
  variable.size_bytes = is_open ? 0 : size;
  if (may_have_initialiser && lexer_.accept('=')) {
    if (variable.space != Space::kGlobal && variable.space != Space::kConst) {
      lexer_.fail("only variables in .global and .const have initial values");
    }
    parse_initialiser(variable, lengths);
  }
  return variable;
}

std::vector<Variable> VariableParser::parse_parameters() {
  std::vector<Variable> parameters;
  lexer_.expect('(', "before parameters");
  if (lexer_.accept(')')) return parameters;
  do {
    const Variable base = parse_base({});
    parameters.push_back(parse_named(base, false));
  } while (lexer_.accept(','));
  lexer_.expect(')', "after parameters");
  return parameters;
}

void VariableParser::parse_initialiser(Variable& variable,
                                       const std::vector<std::size_t>& lengths) {
  Shape shape;
  std::size_t size = size_of(variable.type);
  shape.sizes.push_back(size);
  if (vector_length_ > 1) shape.sizes.push_back(size *= vector_length_);
  for (auto length = lengths.rbegin(); length != lengths.rend(); ++length) {
    shape.is_open = *length == 0;
    size = shape.is_open ? kMaxVariableBytes : size * *length;
    shape.sizes.push_back(size);
  }
  std::reverse(shape.sizes.begin(), shape.sizes.end());
  position_ = 0;
  if (lexer_.is('{')) {
    parse_braces(variable, shape, 0);
  } else {
    if (shape.sizes.size() > 1) lexer_.fail_expecting("'{' before the values of an array");
    parse_element(variable, shape);
  }
  if (shape.is_open) variable.size_bytes = position_;
  num_initial_bytes_ += variable.initial.size();
}

// The values of one object of shape.sizes[level] bytes. What they leave out is zero.
void VariableParser::parse_braces(Variable& variable, const Shape& shape, std::size_t level) {
  const std::size_t begin = position_;
  const std::size_t size = shape.sizes[level];
  const bool has_level_below = level + 1 < shape.sizes.size();
  lexer_.next();
  std::size_t end = begin;
  while (!lexer_.is('}')) {
    if (position_ - begin >= size) {
      lexer_.fail("the variable " + quoted(variable.name) + " has too many initial values");
    }
    if (lexer_.is('{')) {
      if (!has_level_below) {
        lexer_.fail("the initial values of " + quoted(variable.name) +
                    " have more braces than it has dimensions");
      }
      parse_braces(variable, shape, level + 1);
    } else {
      parse_element(variable, shape);
    }
    end = position_;
    if (!lexer_.accept(',')) break;
  }
  lexer_.expect('}', "after initial values");
  if (level > 0 || !shape.is_open) {
    position_ = begin + size;
  } else {
    // An array without a length is as long as its values, in whole elements.
    const std::size_t unit = shape.sizes[1];
    position_ = begin + (end - begin + unit - 1) / unit * unit;
  }
}

void VariableParser::parse_element(Variable& variable, const Shape& shape) {
  const std::size_t size = shape.sizes.back();
  if (position_ + size + num_initial_bytes_ > kMaxInitialBytes) {
    lexer_.fail("the initial values of all variables need more than " +
                std::to_string(kMaxInitialBytes) + " bytes");
  }
  if (lexer_.is(Kind::kName) && lexer_.token().text != "WARP_SZ") {
    if (size < 4) {
      lexer_.fail("an address does not fit in an element of " + quoted(variable.name) +
                  "; write it into an array of .u64");
    }
    const std::string_view name = lexer_.token().text;
    lexer_.next();
    parse_address(variable, name);
    variable.initial.resize(position_ + size);
  } else {
    const std::uint64_t bits = bits_of_element(variable.type);
    variable.initial.resize(position_ + size);
    std::memcpy(&variable.initial[position_], &bits, std::min(size, sizeof bits));
  }
  position_ += size;
}

// symbol, symbol + 4, generic(symbol), generic(symbol) + 4
void VariableParser::parse_address(Variable& variable, std::string_view name) {
  Variable::Address address;
  address.offset = position_;
  address.symbol = name;
  if (name == "generic" && lexer_.accept('(')) {
    address.is_generic = true;
    address.symbol = lexer_.expect_name("the variable whose generic address is meant");
    lexer_.expect(')', "after the variable of generic()");
  }
  address.addend = parse_offset(lexer_);
  variable.addresses.push_back(address);
}

// The current token begins a number: the bytes that it puts into an element of `type`.
std::uint64_t VariableParser::bits_of_element(Type type) {
  if (!begins_constant(lexer_)) lexer_.fail_expecting("a number or an address as initial value");
  const Constant value = parse_constant(lexer_);
  if (lexer_.is('(')) {
    lexer_.fail(
        "a byte of an address (mask(symbol)) as initial value is not supported; give the pointer "
        "its natural alignment, so that the compiler writes it as .u64");
  }
  if (value.kind == Kind::kInteger) {
    if (!is_float(type)) return value.bits;
    lexer_.fail("an integer cannot initialise a floating-point variable; write 1.0 or 0f3F800000");
  }
  const bool is_single = value.kind == Kind::kFloat32;
  if (is_bits(type) && size_of(type) == (is_single ? 4 : 8)) return value.bits;
  if (type == Type::kF32) {
    if (is_single) return value.bits;
    const double number = std::bit_cast<double>(value.bits);
    // The conversion of a larger one is undefined in C++; IEEE 754 rounds it to infinity.
    constexpr double kLargest = std::numeric_limits<float>::max();
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    float rounded = 0;
    if (number > kLargest) {
      rounded = kInfinity;
    } else if (number < -kLargest) {
      rounded = -kInfinity;
    } else {
      rounded = static_cast<float>(number);
    }
    return std::bit_cast<std::uint32_t>(rounded);
  }
  if (type == Type::kF64) {
    if (!is_single) return value.bits;
    const auto number = std::bit_cast<float>(static_cast<std::uint32_t>(value.bits));
    return std::bit_cast<std::uint64_t>(static_cast<double>(number));
  }
  lexer_.fail(
      "a floating-point number cannot initialise a variable of this type; write its bits, "
      "such as 0x3F800000");
}

}  // namespace ptx
