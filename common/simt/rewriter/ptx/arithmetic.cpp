// SPDX-License-Identifier: MIT
// Arithmetic, comparisons and conversions.
#include <map>

#include "ptx/statement.h"

namespace simt::rewriter::ptx {
// Integers have .lo, .hi and .wide; sums with a carry have .cc, or end with c.
std::string multiply(const Instruction& one, bool adds) {
  const Words words(one.name);
  const Strings types = words.types();
  if (types.empty() || one.operands.size() != (adds ? 4u : 3u)) return "";
  if (!words.only({"lo", "hi", "wide", "rn", "ftz", "sat", "cc"})) return "";
  const std::string& type = types[0];
  const bool has_carry = words.has("cc") || one.name[0].back() == 'c';
  if (words.has("wide")) {
    const std::string wide = "::simt::ptx::Wide<" + type + ">";
    Strings arguments = {value(one.operands[1], type), value(one.operands[2], type)};
    if (adds) arguments.push_back(value(one.operands[3], wide));
    return set(one.operands[0], wide, call(adds ? "mad_wide" : "mul_wide", type, arguments));
  }
  const std::string part = words.has("hi") ? "mul_hi" : "mul_lo";
  Strings arguments = values(one, type);
  if (has_carry) {
    const std::string product =
        adds ? call(part, type, {arguments[0], arguments[1]}) : std::string();
    if (product.empty()) return "";
    const std::string in = one.name[0] == "madc" ? "simt_carry" : "false";
    return set(one.operands[0], type,
               call("add_carry", type,
                    {product, arguments[2], in, words.has("cc") ? "&simt_carry" : "nullptr"}));
  }
  const bool is_limited = words.has("sat");
  if (adds && is_real(type)) {
    const std::string made = call("fma", type, arguments);
    return set(one.operands[0], type, is_limited ? call("saturated", type, {made}) : made);
  }
  std::string made = call(part, type, {arguments[0], arguments[1]});
  if (is_limited && !is_real(type)) {  // mad.hi.sat.s32 is the only form
    if (!adds || type != "int" || part != "mul_hi") return "";
    return set(one.operands[0], type, call("add_saturated", "", {made, arguments[2]}));
  }
  if (adds) made = call("add", type, {made, arguments[2]});
  if (is_limited) made = call("saturated", type, {made});
  return set(one.operands[0], type, made);
}

std::string add_or_subtract(const Instruction& one) {
  const std::string& base = one.name[0];
  const Words words(one.name);
  const Strings types = words.types();
  if (types.empty() || one.operands.size() != 3) return "";
  const bool takes = base == "addc" || base == "subc";
  const bool adds = base.substr(0, 3) == "add";
  if (takes || words.has("cc")) {
    Strings arguments = values(one, types[0]);
    arguments.push_back(takes ? "simt_carry" : "false");
    arguments.push_back(words.has("cc") ? "&simt_carry" : "nullptr");
    return set(one.operands[0], types[0],
               call(adds ? "add_carry" : "subtract_borrow", types[0], arguments));
  }
  if (words.has("sat") && types[0] == "int") {
    return set(one.operands[0], types[0],
               call(adds ? "add_saturated" : "subtract_saturated", "", values(one, types[0])));
  }
  return plain(one, adds ? "add" : "subtract", 3);
}

const std::map<std::string, std::string, std::less<>>& comparisons() {
  static const std::map<std::string, std::string, std::less<>> all = {
      {"eq", "=="}, {"ne", "!="}, {"lt", "<"},  {"le", "<="}, {"gt", ">"},
      {"ge", ">="}, {"lo", "<"},  {"ls", "<="}, {"hi", ">"},  {"hs", ">="}};
  return all;
}

// setp.lt.and.u32 p|q, a, b, c; set.lt.u32.f32 d, a, b
std::string compare(const Instruction& one, bool is_predicate) {
  const Words words(one.name);
  const Strings types = words.types();
  if (types.empty() || one.operands.size() < 3) return "";
  std::string sign;
  for (const auto& [name, written] : comparisons()) {
    if (words.has(name)) sign = written;
  }
  const std::string& type = types.back();
  const std::string a = value(one.operands[1], type), b = value(one.operands[2], type);
  std::string test = "(" + a + " " + sign + " " + b + ")";
  if (sign.empty()) {
    const std::string unordered = words.one_of({"equ", "neu", "ltu", "leu", "gtu", "geu"});
    if (!unordered.empty()) {
      const std::string reversed = unordered == "equ"   ? "!="
                                   : unordered == "neu" ? "=="
                                   : unordered == "ltu" ? ">="
                                   : unordered == "leu" ? ">"
                                   : unordered == "gtu" ? "<="
                                                        : "<";
      test = unordered == "equ" || unordered == "neu"
                 ? "(::simt::ptx::is_unordered(" + a + ", " + b + ") || " + a +
                       (unordered == "equ" ? " == " : " != ") + b + ")"
                 : "!(" + a + " " + reversed + " " + b + ")";
    } else if (words.has("nan")) {
      test = "::simt::ptx::is_unordered(" + a + ", " + b + ")";
    } else if (words.has("num")) {
      test = "!::simt::ptx::is_unordered(" + a + ", " + b + ")";
    } else {
      return "";
    }
  } else if (sign == "!=" && is_float(type)) {
    test = "(!::simt::ptx::is_unordered(" + a + ", " + b + ") && " + a + " != " + b + ")";
  }
  const std::string with = words.one_of({"and", "or", "xor"});
  const auto joined = [&](const std::string& first) {
    if (with.empty()) return first;
    const std::string c = value(one.operands.back(), "bool");
    return "(" + first + (with == "and" ? " && " : with == "or" ? " || " : " != ") + c + ")";
  };
  if (!with.empty() && one.operands.size() != 4) return "";
  if (!is_predicate) {
    const std::string what = is_float(types[0]) ? "1 : 0" : "-1 : 0";
    return set(one.operands[0], types[0],
               "static_cast<" + types[0] + ">(" + joined(test) + " ? " + what + ")");
  }
  const std::size_t bar = one.operands[0].find('|');
  if (bar == std::string::npos) return set(one.operands[0], "bool", joined(test));
  return "{ const bool simt_test = " + test + "; " +
         set(one.operands[0].substr(0, bar), "bool", joined("simt_test")) + " " +
         set(one.operands[0].substr(bar + 1), "bool", joined("!simt_test")) + " }";
}

std::string convert(const Instruction& one) {
  const Words words(one.name);
  const Strings types = words.types();
  if (types.size() != 2 || one.operands.size() != 2) return "";
  if (!words.only({"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "ftz", "sat"})) return "";
  const std::string rounding = words.one_of({"rni", "rzi", "rmi", "rpi", "rn", "rz", "rm", "rp"});
  const std::string mode = rounding.substr(0, 2) == "rz"   ? "kZero"
                           : rounding.substr(0, 2) == "rm" ? "kDown"
                           : rounding.substr(0, 2) == "rp" ? "kUp"
                                                           : "kNearest";
  const bool is_whole = rounding.size() == 3;
  return set(one.operands[0], types[0],
             "::simt::ptx::convert<" + types[0] + ", " + types[1] + ">(" +
                 value(one.operands[1], types[1]) + ", ::simt::Rounding::" + mode + ", " +
                 (is_whole ? "true" : "false") + ", " + (words.has("sat") ? "true" : "false") +
                 ")");
}

std::string select(const Instruction& one) {
  const Strings types = Words(one.name).types();
  if (types.size() != 1 || one.operands.size() != 4) return "";
  return set(one.operands[0], types[0],
             "(" + value(one.operands[3], "bool") + " ? " + value(one.operands[1], types[0]) +
                 " : " + value(one.operands[2], types[0]) + ")");
}

std::string byte_dot_product(const Instruction& one) {
  const Strings types = Words(one.name).types();
  if (types.size() != 2 || types[0] != types[1] || one.operands.size() != 4) return "";
  Strings arguments = values(one, types[0]);
  return set(one.operands[0], types[0],
             "__dp4a(" + arguments[0] + ", " + arguments[1] + ", " + arguments[2] + ")");
}

std::string absolute_differences(const Instruction& one) {
  const Words words(one.name);
  if (!words.has("add") || one.operands.size() != 4) return "";
  const Strings arguments = values(one, "unsigned");
  const bool is_signed = words.has("s32") && !words.has("u32");
  return set(one.operands[0], "unsigned",
             std::string(is_signed ? "__vsads4(" : "__vsadu4(") + arguments[0] + ", " +
                 arguments[1] + ") + " + arguments[2]);
}

}  // namespace simt::rewriter::ptx
