// SPDX-License-Identifier: MIT
// Which function translates an instruction.
#include <functional>
#include <map>
#include <stdexcept>

#include "ptx/statement.h"

namespace simt::rewriter::ptx {
namespace {

using Translate = std::function<std::string(const Instruction&)>;

const std::map<std::string, Translate, std::less<>>& translations() {
  const auto unary = [](const char* function) {
    return [=](const Instruction& one) { return plain(one, function, 2); };
  };
  const auto binary = [](const char* function) {
    return [=](const Instruction& one) { return plain(one, function, 3); };
  };
  const auto nothing = [](const Instruction&) { return std::string(";"); };
  static const std::map<std::string, Translate, std::less<>> all = {
      {"add", add_or_subtract},
      {"sub", add_or_subtract},
      {"addc", add_or_subtract},
      {"subc", add_or_subtract},
      {"mul", [](const Instruction& one) { return multiply(one, false); }},
      {"mad", [](const Instruction& one) { return multiply(one, true); }},
      {"madc", [](const Instruction& one) { return multiply(one, true); }},
      {"fma", [](const Instruction& one) { return multiply(one, true); }},
      {"div", binary("divide")},
      {"rem", binary("remainder")},
      {"min", binary("minimum")},
      {"max", binary("maximum")},
      {"abs", unary("absolute")},
      {"neg", unary("negative")},
      {"copysign", binary("copy_sign")},
      {"rcp", unary("reciprocal")},
      {"sqrt", unary("square_root")},
      {"rsqrt", unary("reciprocal_root")},
      {"sin", unary("sine")},
      {"cos", unary("cosine")},
      {"lg2", unary("logarithm")},
      {"ex2", unary("power_of_two")},
      {"tanh", unary("hyperbolic_tangent")},
      {"and", binary("bit_and")},
      {"or", binary("bit_or")},
      {"xor", binary("bit_xor")},
      {"not", unary("bit_not")},
      {"cnot", unary("is_zero")},
      {"shl", [](const Instruction& one) { return shifted(one, "shift_left"); }},
      {"shr", [](const Instruction& one) { return shifted(one, "shift_right"); }},
      {"shf",
       [](const Instruction& one) {
         const Words words(one.name);
         const std::string side = words.has("l") ? "left" : "right";
         return on_words(one, "funnel_" + side + (words.has("clamp") ? "_clamp" : ""), 4);
       }},
      {"bfe", bit_field},
      {"bfi", bit_field},
      {"bfind", [](const Instruction& one) { return counted(one, "find_bit"); }},
      {"popc", [](const Instruction& one) { return counted(one, "count_ones"); }},
      {"clz", [](const Instruction& one) { return counted(one, "leading_zeros"); }},
      {"brev", unary("reversed")},
      {"prmt",
       [](const Instruction& one) {
         return one.name.size() == 2 ? on_words(one, "permute", 4) : std::string();
       }},
      {"lop3", [](const Instruction& one) { return on_words(one, "logic", 5); }},
      {"sad", [](const Instruction& one) { return plain(one, "absolute_difference", 4); }},
      {"dp4a", byte_dot_product},
      {"vabsdiff4", absolute_differences},
      {"selp", select},
      {"setp", [](const Instruction& one) { return compare(one, true); }},
      {"set", [](const Instruction& one) { return compare(one, false); }},
      {"cvt", convert},
      {"cvta", to_address_space},
      {"isspacep", is_in_space},
      {"mov", move},
      {"ld", [](const Instruction& one) { return load_or_store(one, true); }},
      {"ldu", [](const Instruction& one) { return load_or_store(one, true); }},
      {"st", [](const Instruction& one) { return load_or_store(one, false); }},
      {"atom", [](const Instruction& one) { return atomic(one, true); }},
      {"red", [](const Instruction& one) { return atomic(one, false); }},
      {"bar", barrier},
      {"barrier", barrier},
      {"membar", fence},
      {"fence", fence},
      {"shfl", shuffle},
      {"vote", vote},
      {"match", match},
      {"redux", reduce},
      {"mma", multiply_matrices},
      {"ldmatrix", load_matrices},
      {"activemask",
       [](const Instruction& one) {
         return one.operands.size() == 1 ? set(one.operands[0], "unsigned", "__activemask()")
                                         : std::string();
       }},
      {"nanosleep",
       [](const Instruction& one) {
         return one.operands.size() == 1
                    ? "__nanosleep(" + value(one.operands[0], "unsigned") + ");"
                    : std::string();
       }},
      {"trap", [](const Instruction&) { return std::string("__trap();"); }},
      {"cp",
       [](const Instruction& one) {
         return one.name.size() > 1 && one.name[1] == "async" ? copy_async(one) : std::string();
       }},
      {"prefetch", nothing},
      {"prefetchu", nothing},
      {"applypriority", nothing},
      {"griddepcontrol", nothing},
      {"pmevent", nothing},
      {"createpolicy",
       [](const Instruction& one) { return set(one.operands.at(0), "unsigned long long", "0"); }},
  };
  return all;
}

}  // namespace

bool is_known(const Instruction& instruction) {
  return translations().find(instruction.name[0]) != translations().end();
}

std::string statement(const Instruction& instruction) {
  const auto found = translations().find(instruction.name[0]);
  if (found == translations().end()) return "";
  try {
    return found->second(instruction);
  } catch (const std::out_of_range&) {  // an operand is missing
    return "";
  }
}

}  // namespace simt::rewriter::ptx
