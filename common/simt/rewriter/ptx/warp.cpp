// SPDX-License-Identifier: MIT
// What a warp's lanes do together, and barriers.
#include "ptx/statement.h"

namespace simt::rewriter::ptx {
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

std::string reduce(const Instruction& one) {
  const Words words(one.name);
  const std::string kind = words.one_of({"add", "min", "max", "and", "or", "xor"});
  const Strings types = words.types();
  if (kind.empty() || types.size() != 1 || one.operands.size() != 3) return "";
  return set(one.operands[0], types[0],
             "__reduce_" + kind + "_sync(" + value(one.operands[2], "unsigned") + ", " +
                 value(one.operands[1], types[0]) + ")");
}

std::string barrier(const Instruction& one) {
  const Words words(one.name);
  if (words.has("warp")) return "__syncwarp(" + value(one.operands.at(0), "unsigned") + ");";
  const bool is_of_all = words.has("sync") && one.operands.size() <= 1 &&
                         (one.operands.empty() || one.operands[0] == "0");
  if (is_of_all) return "__syncthreads();";
  const bool waits = words.has("sync");
  if (waits || (words.has("arrive") && one.operands.size() == 2)) {
    const std::string count = one.operands.size() > 1 ? value(one.operands[1], "unsigned") : "0";
    return std::string(waits ? "::simt::sync" : "::simt::arrive_at") + "_named_barrier(" +
           value(one.operands.at(0), "unsigned") + " & 0x7fffffff, " + count + " & 0x7fffffff);";
  }
  if (!words.has("red") || one.operands.size() != 3 || one.operands[1] != "0") return "";
  const std::string kind = words.one_of({"popc", "and", "or"});
  if (kind.empty()) return "";
  const std::string function = kind == "popc" ? "count" : kind;
  return set(one.operands[0], kind == "popc" ? "unsigned" : "bool",
             "static_cast<unsigned>(__syncthreads_" + function + "(" +
                 value(one.operands[2], "bool") + "))");
}

}  // namespace simt::rewriter::ptx
