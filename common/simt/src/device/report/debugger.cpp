// SPDX-License-Identifier: MIT
#include "report/debugger.h"

#include <utility>

#include "report/words.h"

int simt_debug_attached = 0;
SimtDebugWatch simt_debug_watch = {};
const char* simt_debug_said = "";

[[gnu::noinline]] void simt_debug_stop() { asm volatile(""); }

namespace simt::device {
namespace {

std::string& parties() {
  static auto* const text = new std::string;  // outlives all users
  return *text;
}

bool are_equal(const unsigned (&a)[3], uint3 b) { return a[0] == b.x && a[1] == b.y && a[2] == b.z; }

std::string spell(uint3 i) {
  return " " + std::to_string(i.x) + " " + std::to_string(i.y) + " " + std::to_string(i.z);
}

std::string spell(const Party& party) {
  return spell(party.block) + spell(party.thread) + " " +
         hex(reinterpret_cast<std::uintptr_t>(party.pc));
}

void say(const char* text) {
  simt_debug_said = text;
  simt_debug_stop();
  simt_debug_said = "";
}

}  // namespace

void name_accused(const Party& accused) { parties() = "accused" + spell(accused) + "\n"; }

void name_other(const Party& other, const char* verb) {
  parties() += "other" + spell(other) + " " + verb + "\n";
}

void forget_parties() { parties().clear(); }

void tell_debugger(FindingKind kind, const std::string& message) {
  static auto& last = *new std::string;
  const std::string named = std::exchange(parties(), {});
  if (simt_debug_attached == 0 || message == last) return;
  last = message;
  const std::string text =
      std::string("finding ") + finding_kind_name(kind) + "\n" + named + "message " + message;
  say(text.c_str());
}

void tell_debugger_of_end(uint3 block, uint3 thread) {
  const SimtDebugWatch& watch = simt_debug_watch;
  if (are_equal(watch.block, block) && are_equal(watch.thread, thread)) say("end");
}

}  // namespace simt::device
