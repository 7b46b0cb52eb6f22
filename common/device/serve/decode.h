// SPDX-License-Identifier: MIT
// Bytes of the worker as a command. Any bytes at all are allowed. What a decoded command promises:
// its struct and its tail have the lengths that they state, enumerations have known values, and
// texts end. Addresses, handles and sizes of device memory are for the server to check.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "serve/commands.h"

namespace serve {

using AnyCommand =
    std::variant<Connect, LoadModule, FindKernel, FindSymbol, SetKernelLimits, Allocate, Free, Find,
                 AskMemory, Reset, Copy, CopyMore, Fill, AddStream, RemoveStream, WaitForStream,
                 WaitForAll, AskStream, AddEvent, RemoveEvent, RecordEvent, WaitForEvent, AskEvent,
                 StreamWaits, CallersWork, Launch, Proceed, GiveUp, Touch, Report, TakePrinted,
                 TakeScratch, DeclareScratch, EndScratch, TakeGraphMemory, FreeGraphMemory,
                 MakeImage, EndImage, ShareVariable, Register, Unregister, HostWaits, GraphTurn,
                 GraphCall, AddGraph, RemoveGraph, HostFunction, CallersTurn, End>;

struct Decoded {
  AnyCommand command;
  std::span<const std::byte> tail;  // part of the bytes

  std::string_view text() const {
    return {reinterpret_cast<const char*>(tail.data()), tail.size()};
  }
};

std::optional<Decoded> decode(std::span<const std::byte> bytes);

// A command's bytes, for the worker's side. The struct comes directly behind the kind.
template <class Command>
std::size_t encode(const Command& command, std::span<const std::byte> tail,
                   std::span<std::byte> into) {
  const Kind kind = Command::kKind;
  const std::size_t size = sizeof kind + sizeof command + tail.size();
  if (size > into.size()) return 0;
  __builtin_memcpy(into.data(), &kind, sizeof kind);
  __builtin_memcpy(into.data() + sizeof kind, &command, sizeof command);
  if (!tail.empty()) {
    __builtin_memcpy(into.data() + sizeof kind + sizeof command, tail.data(), tail.size());
  }
  return size;
}

}  // namespace serve
