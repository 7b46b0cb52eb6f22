// SPDX-License-Identifier: MIT
#include "tests/opcodes/one_warp.h"

#include <cstdlib>
#include <stdexcept>

#include "run/arithmetic/bind.h"

namespace opcodes {

namespace {

using code::File;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// At commas outside braces.
std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == at && depth == 0)) {
      parts.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    } else if (text[i] == '{') {
      ++depth;
    } else if (text[i] == '}') {
      --depth;
    }
  }
  return parts;
}

}  // namespace

OneWarp::OneWarp(const std::string& text) {
  std::string rest = text;
  while (!rest.empty()) {
    const std::size_t end = rest.find("; ");
    const std::string line = rest.substr(0, end);
    rest = end == std::string::npos ? "" : rest.substr(end + 2);
    const std::string_view kept_line = kept(line);
    const std::size_t space = kept_line.find(' ');
    code::Instruction instruction;
    instruction.words = split(kept_line.substr(0, space), '.');
    for (const std::string_view operand : split(kept_line.substr(space + 1), ',')) {
      instruction.operands.push_back(operand_of(operand));
    }
    function_.instructions.push_back(instruction);
  }
  function_.ops.resize(function_.instructions.size());
  for (std::size_t i = 0; i < function_.ops.size(); ++i) {
    if (!run::arithmetic::bind_arithmetic(function_.ops[i], function_.instructions[i], function_)) {
      throw std::runtime_error("`" + text + "` is not arithmetic.");
    }
  }
  rows32_.assign(function_.bytes32 / 8 + 1, 0xbadbadbadbadbad1);
  rows64_.assign(function_.bytes64 / 8 + 1, 0xbadbadbadbadbad1);
  predicates_.assign(function_.bytes_predicate / 4 + 1, 0);
  warp_.r32 = reinterpret_cast<std::byte*>(rows32_.data());
  warp_.r64 = reinterpret_cast<std::byte*>(rows64_.data());
  warp_.predicates = reinterpret_cast<std::byte*>(predicates_.data());
  for (const code::Constant& constant : function_.constants) {
    if (constant.slot.file == File::kPredicate) {
      warp_.predicate(constant.slot.offset) = static_cast<std::uint32_t>(constant.bits);
    }
    for (int lane = 0; lane < 32; ++lane) {
      if (constant.slot.file == File::k32) {
        warp_.row32<std::uint32_t>(constant.slot.offset)[lane] =
            static_cast<std::uint32_t>(constant.bits);
      } else if (constant.slot.file == File::k64) {
        warp_.row64<std::uint64_t>(constant.slot.offset)[lane] = constant.bits;
      }
    }
  }
}

const std::string& OneWarp::kept(std::string_view text) {
  texts_.push_back(std::make_unique<std::string>(text));
  return *texts_.back();
}

code::Slot OneWarp::slot_of(std::string_view name) {
  const auto known = registers_.find(name);
  if (known != registers_.end()) return known->second;
  code::Slot slot;
  std::uint32_t* bytes = nullptr;
  std::uint32_t size = 0;
  switch (name[1]) {
    case 'p':
      slot.file = File::kPredicate;
      bytes = &function_.bytes_predicate;
      size = code::kRowBytesPredicate;
      break;
    case 'h':
    case 'r':
      slot.file = File::k32;
      bytes = &function_.bytes32;
      size = code::kRowBytes32;
      break;
    default:
      slot.file = File::k64;
      bytes = &function_.bytes64;
      size = name[1] == 'q' ? 2 * code::kRowBytes64 : code::kRowBytes64;
  }
  slot.offset = *bytes;
  *bytes += size;
  registers_.emplace(name, slot);
  return slot;
}

code::Operand OneWarp::operand_of(std::string_view text) {
  code::Operand operand;
  if (text == "_") return operand;
  if (text.front() == '{') {
    for (const std::string_view element : split(text.substr(1, text.size() - 2), ',')) {
      operand.elements.push_back(operand_of(element));
    }
    return operand;
  }
  if (text.front() == '!') {
    operand = operand_of(text.substr(1));
    operand.slot.is_negated = true;
    return operand;
  }
  if (text.front() != '%') {
    operand.is_immediate = true;
    operand.bits = static_cast<std::uint64_t>(std::strtoll(std::string(text).c_str(), nullptr, 0));
    return operand;
  }
  const std::size_t bar = text.find('|');
  if (bar != std::string_view::npos) {
    operand.second = slot_of(text.substr(bar + 1));
    text = text.substr(0, bar);
  }
  operand.slot = slot_of(text);
  return operand;
}

void OneWarp::set(std::string_view name, int lane, std::uint64_t value) {
  const code::Slot slot = registers_.find(name)->second;
  if (slot.file == File::kPredicate) {
    const std::uint32_t bit = std::uint32_t{1} << lane;
    std::uint32_t& mask = warp_.predicate(slot.offset);
    mask = (value & 1) != 0 ? mask | bit : mask & ~bit;
  } else if (slot.file == File::k32) {
    // The high half of a 16-bit register is undefined: here it is something.
    const std::uint64_t above = name[1] == 'h' ? 0x5a5a0000 + (value << 20 & 0xffff0000) : 0;
    warp_.row32<std::uint32_t>(slot.offset)[lane] = static_cast<std::uint32_t>(
        name[1] == 'h' ? (value & 0xffff) | (above & 0xffff0000) : value);
  } else {
    warp_.row64<std::uint64_t>(slot.offset)[lane] = value;
  }
}

std::uint64_t OneWarp::get(std::string_view name, int lane) {
  const code::Slot slot = registers_.find(name)->second;
  if (slot.file == File::kPredicate) return warp_.predicate(slot.offset) >> lane & 1;
  if (slot.file == File::k64) return warp_.row64<std::uint64_t>(slot.offset)[lane];
  const std::uint32_t word = warp_.row32<std::uint32_t>(slot.offset)[lane];
  return name[1] == 'h' ? word & 0xffff : word;
}

void OneWarp::run(std::uint32_t lanes, std::uint32_t only) {
  warp_.lanes = only == UINT32_MAX ? UINT32_MAX : only;
  warp_.only = only;
  for (const code::Op& op : function_.ops) op.handler(warp_, &op, lanes);
}

}  // namespace opcodes
