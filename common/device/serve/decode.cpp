// SPDX-License-Identifier: MIT
#include "serve/decode.h"

#include <cstring>
#include <type_traits>

#include "serve/ring.h"

namespace serve {
namespace {

// How long the tail of a command is.
template <class Command>
std::size_t tail_of(const Command&) {
  return 0;
}
template <>
std::size_t tail_of(const FindKernel& command) {
  return command.name_bytes;
}
template <>
std::size_t tail_of(const FindSymbol& command) {
  return command.name_bytes;
}
template <>
std::size_t tail_of(const Launch& command) {
  return command.parameter_bytes;
}
template <>
std::size_t tail_of(const GiveUp& command) {
  return command.why_bytes;
}
template <>
std::size_t tail_of(const DeclareScratch& command) {
  return command.name_bytes;
}
template <>
std::size_t tail_of(const Report& command) {
  return std::size_t{command.kernel_bytes} + command.message_bytes;
}

// Whether values that later code indexes or switches by are in their range. Ends texts.
template <class Command>
bool is_in_range(Command&) {
  return true;
}
template <>
bool is_in_range(LoadModule& command) {
  return command.piece_bytes <= kDataBytes;
}
template <>
bool is_in_range(Allocate& command) {
  return command.memory <= Memory::kLast;
}
template <>
bool is_in_range(Free& command) {
  return command.call <= FreeCall::kLast;
}
template <>
bool is_in_range(Copy& command) {
  return (command.waits & ~kAllWaits) == 0;
}
template <>
bool is_in_range(Fill& command) {
  const std::uint32_t element = command.element_bytes;
  return (command.waits & ~kAllWaits) == 0 && (element == 1 || element == 2 || element == 4);
}
template <>
bool is_in_range(Launch& command) {
  return command.parameter_bytes <= kMaxParameterBytes;
}

template <>
bool is_in_range(MakeImage& command) {
  constexpr std::uint32_t kMaxSize = 1u << 30;
  const auto is_size = [](std::uint32_t size) { return size != 0 && size <= kMaxSize; };
  const auto is_power = [](std::uint32_t value) { return value == 1 || value == 2 || value == 4; };
  bool is_fine = is_size(command.width) && is_size(command.height) && is_size(command.depth) &&
                 is_power(command.num_channels) && is_power(command.channel_bytes) &&
                 command.channel_kind <= 2 && command.dimensions >= 1 && command.dimensions <= 3;
  for (const std::uint32_t mode : command.address_modes) is_fine = is_fine && mode <= 3;
  return is_fine;
}

template <class Command, class = void>
struct HasPlace : std::false_type {};
template <class Command>
struct HasPlace<Command, std::void_t<decltype(Command::at)>> : std::true_type {};

template <class Command>
std::optional<Decoded> decode_as(std::span<const std::byte> rest) {
  static_assert(std::is_trivially_copyable_v<Command>);
  Command command;
  if (rest.size() < sizeof command) return std::nullopt;
  std::memcpy(&command, rest.data(), sizeof command);
  rest = rest.subspan(sizeof command);
  if (!is_in_range(command) || rest.size() != tail_of(command)) return std::nullopt;
  if constexpr (HasPlace<Command>::value) command.at.file[sizeof command.at.file - 1] = '\0';
  return Decoded{command, rest};
}

// The alternatives of AnyCommand have the order of Kind.
template <std::size_t index = 0>
std::optional<Decoded> decode_kind(Kind kind, std::span<const std::byte> rest) {
  if constexpr (index < std::variant_size_v<AnyCommand>) {
    using Command = std::variant_alternative_t<index, AnyCommand>;
    static_assert(static_cast<std::size_t>(Command::kKind) == index + 1);
    return kind == Command::kKind ? decode_as<Command>(rest) : decode_kind<index + 1>(kind, rest);
  } else {
    return std::nullopt;
  }
}

}  // namespace

std::optional<Decoded> decode(std::span<const std::byte> bytes) {
  Kind kind = {};
  if (bytes.size() < sizeof kind || bytes.size() > kCommandBytes) return std::nullopt;
  std::memcpy(&kind, bytes.data(), sizeof kind);
  return decode_kind(kind, bytes.subspan(sizeof kind));
}

}  // namespace serve
