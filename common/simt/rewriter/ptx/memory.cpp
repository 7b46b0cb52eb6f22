// SPDX-License-Identifier: MIT
// Loads, stores, atomics, asynchronous copies, fences and address spaces.
#include <algorithm>
#include <map>

#include "ptx/statement.h"

namespace simt::rewriter::ptx {
namespace {

std::string ordering(const Words& words) {
  const std::string scope = words.has("cta") || words.has("cluster") ? "kBlock"
                            : words.has("sys")                       ? "kSystem"
                                                                     : "kDevice";
  const std::string order = words.one_of({"acq_rel", "acquire", "release"});
  return "::simt::Ordering{::simt::MemoryOrder::" + (order.empty() ? "relaxed" : order) +
         ", ::simt::Scope::" + scope + "}";
}

}  // namespace

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

}  // namespace simt::rewriter::ptx
