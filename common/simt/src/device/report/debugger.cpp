// SPDX-License-Identifier: MIT
#include "report/debugger.h"

#include <utility>

#include "report/words.h"

int simt_debug_attached = 0;
const char* simt_debug_said = "";

[[gnu::noipa]] void simt_debug_stop() { asm volatile("" ::: "memory"); }

namespace simt::device {
namespace {

std::string& parties() {
  static auto* const text = new std::string;  // outlives all users
  return *text;
}

std::string spell(uint3 i) {
  return " " + std::to_string(i.x) + " " + std::to_string(i.y) + " " + std::to_string(i.z);
}

std::string spell(const Party& party) {
  return spell(party.block) + spell(party.thread) + " " +
         hex(reinterpret_cast<std::uintptr_t>(party.pc));
}

}  // namespace

void name_accused(const Party& accused) { parties() = "accused" + spell(accused) + "\n"; }

void name_other(const Party& other, const char* verb) {
  parties() += "other" + spell(other) + " " + verb + "\n";
}

void forget_parties() { parties().clear(); }

void tell_debugger(FindingKind kind, const std::string& message, Then then) {
  static auto& last = *new std::string;
  const std::string named = std::exchange(parties(), {});
  if (simt_debug_attached == 0 || message == last) return;
  last = message;
  const std::string text = std::string("finding ") + finding_kind_name(kind) + "\n" +
                           (then == Then::kEndsKernel ? "final\n" : "") + named + "message " +
                           message;
  simt_debug_said = text.c_str();
  simt_debug_stop();
  simt_debug_said = "";
}

}  // namespace simt::device
