// SPDX-License-Identifier: MIT
// One PTX instruction as C++. The helpers in namespace simt::ptx are in simt/ptx.h.
#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <utility>

#include "ptx.h"

namespace simt::rewriter::ptx {
namespace {

using Strings = std::vector<std::string>;

// What an instruction's name says.
class Words {
 public:
  explicit Words(const Strings& name) : all_(name.begin() + 1, name.end()) {}

  bool has(std::string_view word) const {
    return std::find(all_.begin(), all_.end(), word) != all_.end();
  }
  // The first of the words that it has; empty: none.
  std::string one_of(std::initializer_list<std::string_view> words) const {
    for (const std::string_view word : words) {
      if (has(word)) return std::string(word);
    }
    return "";
  }
  // The C++ types, in order.
  Strings types() const {
    Strings found;
    for (const std::string& word : all_) {
      if (std::string type = type_of(word); !type.empty()) found.push_back(std::move(type));
    }
    return found;
  }
  // Whether it has only these words, and types.
  bool only(std::initializer_list<std::string_view> words) const {
    return std::all_of(all_.begin(), all_.end(), [&](const std::string& word) {
      return !type_of(word).empty() || std::find(words.begin(), words.end(), word) != words.end();
    });
  }

 private:
  Strings all_;
};

std::string set(const std::string& destination, const std::string& type, const std::string& what) {
  if (destination == "_") return "static_cast<void>(" + what + ");";
  return register_name(destination) + ".set<" + type + ">(" + what + ");";
}

std::string call(const std::string& function, const std::string& type, const Strings& arguments) {
  std::string list;
  for (const std::string& argument : arguments) list += (list.empty() ? "" : ", ") + argument;
  return "::simt::ptx::" + function + (type.empty() ? "" : "<" + type + ">") + "(" + list + ")";
}

bool is_float(const std::string& type) { return type == "float" || type == "double"; }

// The values of all operands behind the destination, of one type.
Strings values(const Instruction& one, const std::string& type) {
  Strings result;
  for (std::size_t i = 1; i < one.operands.size(); ++i) {
    result.push_back(value(one.operands[i], type));
  }
  return result;
}

// d = function(a, b ...), all of the instruction's one type.
std::string plain(const Instruction& one, const std::string& function, std::size_t num_operands) {
  const Words words(one.name);
  const Strings types = words.types();
  if (types.empty() || one.operands.size() != num_operands) return "";
  if (!words.only({"approx", "ftz", "rn", "full", "rnd", "nan", "sat", "lo", "wrap", "clamp",
                   "noftz", "uni"})) {
    return "";
  }
  std::string made = call(function, types[0], values(one, types[0]));
  if (words.has("sat")) made = call("saturated", types[0], {made});
  return set(one.operands[0], types[0], made);
}

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
  if (adds && (is_float(type) || type.find("Half") != std::string::npos)) {
    std::string made = call("fma", type, arguments);
    return set(one.operands[0], type, words.has("sat") ? call("saturated", type, {made}) : made);
  }
  std::string made = call(part, type, {arguments[0], arguments[1]});
  if (adds) made = call("add", type, {made, arguments[2]});
  if (words.has("sat")) made = call("saturated", type, {made});
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

std::string move(const Instruction& one) {
  const Strings types = Words(one.name).types();
  if (types.empty() || one.operands.size() != 2) return "";
  const Strings to = elements(one.operands[0]), from = elements(one.operands[1]);
  const std::string& type = types[0];
  if (to.size() == 1 && from.size() == 1) return set(to[0], type, value(from[0], type));
  std::string made = "{ ";
  if (to.size() > 1) {
    made += "const auto simt_whole = " + value(from[0], type) + "; ";
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (to[i] == "_") continue;
      const std::string part = "::simt::ptx::Part<" + type + ", " + std::to_string(to.size()) + ">";
      std::string taken = "static_cast<";
      taken.append(part).append(">(simt_whole >> ").append(std::to_string(i));
      taken.append(" * 8 * sizeof(").append(part).append("))");
      made.append(set(to[i], part, taken)).append(" ");
    }
  } else {
    const std::string part = "::simt::ptx::Part<" + type + ", " + std::to_string(from.size()) + ">";
    made += type + " simt_whole = 0; ";
    for (std::size_t i = 0; i < from.size(); ++i) {
      made.append("simt_whole |= static_cast<").append(type).append(">(");
      made.append(value(from[i], part)).append(") << ").append(std::to_string(i));
      made.append(" * 8 * sizeof(").append(part).append("); ");
    }
    made += set(to[0], type, "simt_whole") + " ";
  }
  return made + "}";
}

// [%0 + 4] as a pointer.
std::string address(const std::string& operand, const Words& words, const std::string& type) {
  if (operand.size() < 3 || operand.front() != '[') return "";
  std::string inside = operand.substr(1, operand.size() - 2);
  std::string offset = "0";
  const std::size_t plus = inside.find_first_of("+-", 1);
  if (plus != std::string::npos) {
    offset = inside.substr(inside[plus] == '+' ? plus + 1 : plus);
    inside = inside.substr(0, plus);
  }
  const auto drop_blanks = [](std::string& text) {
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  };
  drop_blanks(inside);
  drop_blanks(offset);
  const bool is_shared = words.has("shared") || words.has("shared::cta");
  return "::simt::ptx::" + std::string(is_shared ? "shared_pointer" : "pointer") + "<" + type +
         ">(" + value(inside, "unsigned long long") + ", " + value(offset, "long long") + ")";
}

std::string ordering(const Words& words) {
  const std::string scope = words.has("cta") || words.has("cluster") ? "kBlock"
                            : words.has("sys")                       ? "kSystem"
                                                                     : "kDevice";
  const std::string order = words.one_of({"acq_rel", "acquire", "release"});
  return "::simt::Ordering{::simt::MemoryOrder::" + (order.empty() ? "relaxed" : order) +
         ", ::simt::Scope::" + scope + "}";
}

std::string load_or_store(const Instruction& one, bool loads) {
  const Words words(one.name);
  const Strings types = words.types();
  if (types.size() != 1 || one.operands.size() < 2) return "";
  const std::string& type = types[0];
  const Strings list = elements(one.operands[loads ? 0 : 1]);
  const bool is_atomic =
      words.has("acquire") || words.has("relaxed") || words.has("release") || words.has("mmio");
  const bool is_volatile = words.has("volatile");
  const bool polls = words.has("cg") || words.has("cv");
  const std::string place =
      address(one.operands[loads ? 1 : 0], words,
              (loads && !is_volatile && !is_atomic ? "const " : "") +
                  (list.size() > 1 && !is_volatile && !is_atomic
                       ? "::simt::ptx::Vector<" + type + ", " + std::to_string(list.size()) + ">"
                       : type));
  if (place.empty()) return "";
  std::string made = "{ const auto simt_place = " + place + "; ";
  if (polls && loads) made += "::simt::poll(simt_place); ";
  if (!loads && words.one_of({"cg", "wt", "wb", "cs"}) != "") {
    made += "::simt::expect_company(simt_place); ";
  }
  if (is_atomic || is_volatile) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string at = "simt_place + " + std::to_string(i);
      std::string volatile_place =
          loads ? "*static_cast<const volatile " : "*static_cast<volatile ";
      volatile_place.append(type).append("*>(").append(at).append(")");
      if (loads) {
        const std::string loaded =
            is_atomic ? call("atomic_load", type, {at, ordering(words)}) : volatile_place;
        made.append(set(list[i], type, loaded));
      } else if (is_atomic) {
        made.append(call("atomic_store", type, {at, value(list[i], type), ordering(words)}));
        made.append(";");
      } else {
        made.append(volatile_place).append(" = ").append(value(list[i], type)).append(";");
      }
      made.append(" ");
    }
  } else if (list.size() > 1) {
    const std::string vector =
        "::simt::ptx::Vector<" + type + ", " + std::to_string(list.size()) + ">";
    if (loads) {
      made += "const " + vector + " simt_loaded = *simt_place; ";
      for (std::size_t i = 0; i < list.size(); ++i) {
        std::string loaded = "simt_loaded.x[";
        loaded.append(std::to_string(i)).append("]");
        made.append(set(list[i], type, loaded)).append(" ");
      }
    } else {
      made += "*simt_place = " + vector + "{{";
      for (const std::string& element : list) made.append(value(element, type)).append(", ");
      made += "}}; ";
    }
  } else {
    made +=
        loads ? set(list[0], type, "*simt_place") : "*simt_place = " + value(list[0], type) + ";";
    made += ' ';
  }
  return made + "}";
}

std::string atomic(const Instruction& one, bool returns) {
  const Words words(one.name);
  const Strings types = words.types();
  const std::size_t first = returns ? 1 : 0;  // where the address is
  if (types.size() != 1 || one.operands.size() < first + 2) return "";
  const std::string& type = types[0];
  const std::string place = address(one.operands[first], words, type);
  if (place.empty()) return "";
  const std::string operand = value(one.operands[first + 1], type);
  std::string made;
  if (words.has("cas")) {
    if (one.operands.size() != first + 3) return "";
    made = call("compare_and_swap", type,
                {place, operand, value(one.operands[first + 2], type), ordering(words)});
  } else {
    const std::map<std::string, std::string, std::less<>> operations = {
        {"add", "kAdd"},       {"min", "kMin"},       {"max", "kMax"},
        {"and", "kAnd"},       {"or", "kOr"},         {"xor", "kXor"},
        {"inc", "kIncrement"}, {"dec", "kDecrement"}, {"exch", "kExchange"}};
    std::string operation;
    for (const auto& [name, enumerator] : operations) {
      if (words.has(name)) operation = enumerator;
    }
    const bool is_known = !operation.empty() && type.find("::") == std::string::npos;
    if (!is_known) return "";
    made = "::simt::atomic_apply<" + type + ">(::simt::AtomicOperation::" + operation + ", " +
           place + ", " + operand + ", " + ordering(words) + ")";
  }
  return returns ? set(one.operands[0], type, made) : made + ";";
}

std::string shuffle(const Instruction& one) {
  const Words words(one.name);
  const std::string mode = words.one_of({"up", "down", "bfly", "idx"});
  const bool is_sync = words.has("sync");
  if (mode.empty() || one.operands.size() != (is_sync ? 5u : 4u)) return "";
  const std::size_t bar = one.operands[0].find('|');
  const std::string mask =
      is_sync ? value(one.operands[4], "unsigned") : std::string("__activemask()");
  const std::string made = call(
      "shuffle", "",
      {"::simt::ptx::Shuffle::" + mode, value(one.operands[1], "unsigned"),
       value(one.operands[2], "unsigned"), value(one.operands[3], "unsigned"), mask, "&simt_in"});
  std::string result = "{ [[maybe_unused]] bool simt_in = false; " +
                       set(one.operands[0].substr(0, bar), "unsigned", made);
  if (bar != std::string::npos) {
    result += " " + set(one.operands[0].substr(bar + 1), "bool", "simt_in");
  }
  return result + " }";
}

std::string vote(const Instruction& one) {
  const Words words(one.name);
  const bool is_sync = words.has("sync");
  if (one.operands.size() != (is_sync ? 3u : 2u)) return "";
  const std::string mask = is_sync ? value(one.operands[2], "unsigned") : "__activemask()";
  const std::string predicate = value(one.operands[1], "bool");
  if (words.has("ballot")) {
    return set(one.operands[0], "unsigned", "__ballot_sync(" + mask + ", " + predicate + ")");
  }
  if (words.has("all") || words.has("any")) {
    return set(one.operands[0], "bool",
               "__" + words.one_of({"all", "any"}) + "_sync(" + mask + ", " + predicate + ") != 0");
  }
  return "";
}

std::string match(const Instruction& one) {
  const Words words(one.name);
  const Strings types = words.types();
  if (types.size() != 1 || one.operands.size() != 3) return "";
  const std::string arguments =
      "(" + value(one.operands[2], "unsigned") + ", " + value(one.operands[1], types[0]);
  if (words.has("any")) {
    return set(one.operands[0], "unsigned", "__match_any_sync" + arguments + ")");
  }
  const std::size_t bar = one.operands[0].find('|');
  std::string made = "{ int simt_all = 0; " + set(one.operands[0].substr(0, bar), "unsigned",
                                                  "__match_all_sync" + arguments + ", &simt_all)");
  if (bar != std::string::npos) {
    made += " " + set(one.operands[0].substr(bar + 1), "bool", "simt_all != 0");
  }
  return made + " }";
}

std::string barrier(const Instruction& one) {
  const Words words(one.name);
  if (words.has("warp")) return "__syncwarp(" + value(one.operands.at(0), "unsigned") + ");";
  const bool is_of_all = words.has("sync") && one.operands.size() <= 1 &&
                         (one.operands.empty() || one.operands[0] == "0");
  if (is_of_all) return "__syncthreads();";
  if (!words.has("red") || one.operands.size() != 3 || one.operands[1] != "0") return "";
  const std::string kind = words.one_of({"popc", "and", "or"});
  if (kind.empty()) return "";
  const std::string function = kind == "popc" ? "count" : kind;
  return set(one.operands[0], kind == "popc" ? "unsigned" : "bool",
             "static_cast<unsigned>(__syncthreads_" + function + "(" +
                 value(one.operands[2], "bool") + "))");
}

std::string fence(const Instruction& one) {
  const Words words(one.name);
  if (words.has("proxy") || words.has("mbarrier_init")) return "";
  if (words.has("cta") || words.has("cluster")) return "__threadfence_block();";
  return words.has("sys") ? "__threadfence_system();" : "__threadfence();";
}

std::string copy_async(const Instruction& one) {
  const Words words(one.name);
  if (words.has("commit_group")) return "::simt::commit_copies();";
  if (words.has("wait_all")) return "::simt::commit_copies(); ::simt::wait_for_copies(0);";
  if (words.has("wait_group")) {
    return "::simt::wait_for_copies(" + value(one.operands.at(0), "unsigned") + ");";
  }
  if (!(words.has("ca") || words.has("cg")) || one.operands.size() < 3 || words.has("bulk")) {
    return "";
  }
  const std::string to = address(one.operands[0], Words({"", "shared"}), "void");
  const std::string from = address(one.operands[1], Words({"", "global"}), "const void");
  if (to.empty() || from.empty()) return "";
  const std::string size = value(one.operands[2], "unsigned");
  const std::string used = one.operands.size() > 3 ? value(one.operands[3], "unsigned") : size;
  return "::simt::ptx::copy_async(" + to + ", " + from + ", " + size + ", " + used + ");";
}

std::string to_address_space(const Instruction& one) {
  const Words words(one.name);
  if (one.operands.size() != 2) return "";
  const std::string from = value(one.operands[1], "unsigned long long");
  const bool is_shared = words.has("shared") || words.has("shared::cta");
  if (!is_shared) return set(one.operands[0], "unsigned long long", from);
  return set(one.operands[0], "unsigned long long",
             call(words.has("to") ? "to_shared" : "from_shared", "", {from}));
}

std::string is_in_space(const Instruction& one) {
  const std::string space = Words(one.name).one_of({"global", "shared", "local", "const"});
  if (space.empty() || one.operands.size() != 2) return "";
  return set(one.operands[0], "bool",
             call("is_" + space, "", {value(one.operands[1], "unsigned long long")}));
}

std::string reduce(const Instruction& one) {
  const Words words(one.name);
  const std::string kind = words.one_of({"add", "min", "max", "and", "or", "xor"});
  const Strings types = words.types();
  if (kind.empty() || types.size() != 1 || one.operands.size() != 3) return "";
  return set(one.operands[0], types[0],
             "__reduce_" + kind + "_sync(" + value(one.operands[2], "unsigned") + ", " +
                 value(one.operands[1], types[0]) + ")");
}

// d = function(a, b ...) with 32-bit words throughout, except for the given type of the result.
std::string on_words(const Instruction& one, const std::string& function,
                     std::size_t num_operands) {
  if (one.operands.size() != num_operands) return "";
  return set(one.operands[0], "unsigned", call(function, "", values(one, "unsigned")));
}

std::string counted(const Instruction& one, const std::string& function) {
  const Words words(one.name);
  const Strings types = words.types();
  if (types.size() != 1 || one.operands.size() != 2) return "";
  Strings arguments = values(one, types[0]);
  if (function == "find_bit") arguments.push_back(words.has("shiftamt") ? "true" : "false");
  return set(one.operands[0], "unsigned", call(function, types[0], arguments));
}

std::string shifted(const Instruction& one, const std::string& function) {
  const Strings types = Words(one.name).types();
  if (types.size() != 1 || one.operands.size() != 3) return "";
  return set(one.operands[0], types[0],
             call(function, types[0],
                  {value(one.operands[1], types[0]), value(one.operands[2], "unsigned")}));
}

std::string bit_field(const Instruction& one) {
  const Strings types = Words(one.name).types();
  const bool inserts = one.name[0] == "bfi";
  const std::size_t num_values = inserts ? 2 : 1;
  if (types.size() != 1 || one.operands.size() != num_values + 3) return "";
  Strings arguments;
  for (std::size_t i = 1; i < one.operands.size(); ++i) {
    arguments.push_back(value(one.operands[i], i <= num_values ? types[0] : "unsigned"));
  }
  return set(one.operands[0], types[0], call(one.name[0], types[0], arguments));
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
