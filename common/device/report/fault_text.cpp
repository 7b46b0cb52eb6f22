// SPDX-License-Identifier: MIT
#include "report/fault_text.h"

#include <cstdlib>
#include <string_view>

namespace report {
namespace {

// "a float", "an int"
std::string with_article(const std::string& type) {
  const bool vowel = !type.empty() && std::string_view("aeiou").find(type[0]) != std::string::npos;
  return (vowel ? "an " : "a ") + type;
}

std::string verb_of(PointerUse use) {
  switch (use) {
    case PointerUse::kLoad:
      return "reads";
    case PointerUse::kStore:
      return "writes";
    case PointerUse::kReference:
      return "binds a reference to";
    case PointerUse::kMember:
      return "uses a member of";
    case PointerUse::kCall:
      break;
  }
  return "calls a member function of";
}

}  // namespace

std::string index_text(const std::string& thread, std::int64_t index,
                       const std::string& array_type) {
  const std::size_t bracket = array_type.find('[');
  std::string type = array_type;
  // One spelling for all compilers, as students' messages and tests know it: "float [32]".
  if (bracket != std::string::npos && bracket > 0 && type[bracket - 1] != ' ') {
    type.insert(bracket, " ");
  }
  std::string text =
      thread + " uses index " + std::to_string(index) + " of an array of type " + type;
  if (bracket != std::string::npos) {
    const unsigned long long length = std::strtoull(&array_type[bracket + 1], nullptr, 10);
    if (length > 0) text += ", whose last element is number " + std::to_string(length - 1);
  }
  return text;
}

std::string overflow_text(const std::string& thread, const std::string& left,
                          const std::string& operation, const std::string& right,
                          const std::string& type) {
  return thread + " computes " + left + " " + operation + " " + right +
         ", which does not fit in type " + type +
         ": the result is undefined; use a wider type, such as long long or std::size_t";
}

std::string negation_text(const std::string& thread, const std::string& value,
                          const std::string& type) {
  return thread + " negates " + value + ", and the result does not fit in type " + type +
         ": it is undefined; use a wider type";
}

std::string shift_text(const std::string& thread, std::int64_t distance, const std::string& type,
                       std::uint32_t type_bits) {
  return thread + " shifts " + with_article(type) + " by " + std::to_string(distance) +
         " bits: the result is undefined unless the distance is 0 to " +
         std::to_string(type_bits - 1);
}

std::string division_by_zero_text(const std::string& thread) {
  return thread + " divided an integer by zero";
}

std::string division_overflow_text(const std::string& thread, const std::string& type) {
  return thread + " divides the least " + type + " by -1, and the result does not fit in type " +
         type;
}

std::string null_use_text(const std::string& thread, PointerUse use, const std::string& type) {
  return thread + " " + verb_of(use) + " " + with_article(type) +
         " through a null pointer; if this pointer may be null, test for it first";
}

std::string misaligned_use_text(const std::string& thread, PointerUse use, const std::string& type,
                                std::uint64_t address, std::uint64_t alignment) {
  const std::string size = std::to_string(alignment);
  return thread + " " + verb_of(use) + " " + with_article(type) + " at " + hex(address) +
         ", which is " + bytes(address % alignment) + " past a multiple of " + size + ": " +
         with_article(type) + " needs an address that is a multiple of " + size;
}

std::string bad_value_text(const std::string& thread, const std::string& value,
                           const std::string& type) {
  return thread + " makes " + with_article(type) + " of the value " + value +
         ", which that type does not have: the variable was never set, or the conversion is wrong";
}

std::string unreachable_text(const std::string& thread) {
  return thread + " reached code that must not be reached";
}

std::string missing_return_text(const std::string& thread) {
  return thread + " reached the end of a function that must return a value, without a return";
}

std::string trap_text(const std::string& thread) { return thread + " executed __trap()"; }

std::string assertion_text(const std::string& thread, const std::string& assertion) {
  return thread + ": assertion `" + assertion + "` failed";
}

std::string bad_device_free_text(const std::string& thread, bool is_freed, const Place& freed_at) {
  if (!is_freed) {
    return thread + " frees a pointer, which neither malloc nor new in a kernel returned";
  }
  const std::string line = full_line_name(freed_at);
  return thread + " frees a pointer, which has been freed already" +
         (line.empty() ? "" : " in " + line);
}

std::string stack_text(const std::string& thread, std::uint64_t stack_bytes) {
  return thread + " used up its stack of " + std::to_string(stack_bytes >> 10) +
         " KiB: recursion without end, or local arrays too large";
}

std::string unknown_instruction_text(const std::string& thread, const std::string& instruction) {
  return thread + " executes the PTX instruction " + instruction +
         ", which the machine does not know: use the CUDA function that does the same, or run the "
         "program on a GPU";
}

}  // namespace report
