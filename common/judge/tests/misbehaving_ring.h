// SPDX-License-Identifier: MIT
// What a worker of the machine may do to the memory through which it asks its device process, and
// to that process itself.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "protocol/wire.h"
#include "serve/decode.h"
#include "serve/ring.h"

namespace misbehaving {

inline serve::Ring& ring() {
  static void* const mapped =
      mmap(nullptr, serve::kRingBytes, PROT_READ | PROT_WRITE, MAP_SHARED, wire::kRingFd, 0);
  return *static_cast<serve::Ring*>(mapped);
}

// Asks, and waits for the answer unless it takes longer than most. Returns the first word of the
// result: an address, of some commands.
inline std::uint64_t ask(const void* command, std::size_t size_bytes) {
  serve::Ring& shared = ring();
  std::memcpy(shared.command, command, std::min(size_bytes, sizeof shared.command));
  shared.command_bytes = static_cast<std::uint32_t>(size_bytes);
  const std::uint32_t before = shared.answered.load();
  shared.asked = before + 1;
  shared.worker_sleeps = 1;
  shared.bell.fetch_add(1);
  serve::wake(shared.bell);
  for (int i = 0; i < 20 && shared.answered.load() == before; ++i) {
    serve::sleep_on(shared.answered, before, 10'000'000);
  }
  std::uint64_t first = 0;
  std::memcpy(&first, shared.answer + sizeof(serve::Answer), sizeof first);
  return first;
}

template <class Command>
std::uint64_t ask(const Command& command, const std::string& tail = {}) {
  const serve::Kind kind = Command::kKind;
  std::string bytes(reinterpret_cast<const char*>(&kind), sizeof kind);
  bytes.append(reinterpret_cast<const char*>(&command), sizeof command);
  bytes += tail;
  return ask(bytes.data(), bytes.size());
}

// The size of each kind's struct, by kind; kinds are counted from 1.
template <class... Commands>
constexpr auto sizes_of(const std::variant<Commands...>*) {
  return std::array<std::size_t, sizeof...(Commands) + 1>{0, sizeof(Commands)...};
}

// Commands of every kind with numbers that make no sense, or nearly make sense.
inline void send_rubbish(int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  std::vector<std::uint64_t> addresses = {0, 1, 0x2000'0000'0000, ~std::uint64_t{0}};
  const auto number = [&]() -> std::uint64_t {
    const std::array<std::uint64_t, 8> sizes = {
        0, 1, 4, 400, 4096, 1 << 20, ~std::uint64_t{0}, std::uint64_t{1} << 40};
    switch (random() % 4) {
      case 0:
        return random() % 3 == 0 ? random() : random() % 4;
      case 1:
        return sizes[random() % sizes.size()];
      default:
        return addresses[random() % addresses.size()] + (random() % 3) * (random() % 300);
    }
  };
  std::array<std::uint32_t, 200> words;
  for (int i = 0; i < 3000; ++i) {
    for (std::size_t w = 1; w + 1 < words.size(); w += 2) {
      const std::uint64_t value = number();
      std::memcpy(&words[w], &value, sizeof value);
    }
    // The length that a command of this kind has: what is longer or shorter is not read at all.
    constexpr auto kSizes = sizes_of(static_cast<const serve::AnyCommand*>(nullptr));
    const auto kind = static_cast<std::uint32_t>(random() % (kSizes.size() - 1));  // not the end
    words[0] = kind;
    const std::size_t odd = random() % 8 == 0 ? random() % 64 : 0;
    const std::uint64_t address = ask(words.data(), 4 + kSizes[kind] + odd);
    if (address != 0 && addresses.size() < 100) addresses.push_back(address);
  }
}

// Says that something was asked, 2^32 - 1 times.
inline void ask_without_end() {
  ask(serve::AskMemory{});
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    ring().asked.store(i * 2654435761U);
    ring().bell.fetch_add(1);
    serve::wake(ring().bell);
  }
}

// Changes all of it while the device process works, and keeps on after the call.
inline void scribble() {
  auto* const words = reinterpret_cast<volatile std::uint32_t*>(&ring());
  for (std::uint32_t i = 0; i < 40'000'000; ++i) {
    words[i % (sizeof(serve::Ring) / 4)] = i * 2654435761U;
  }
  serve::wake(ring().bell);
}

inline void fill_with_findings() {
  const std::string message(40'000, 'x');
  for (std::uint32_t line = 1; line < 300; ++line) {
    serve::Report command;
    command.finding = line % 12;
    command.message_bytes = static_cast<std::uint32_t>(message.size());
    command.at.line = line;
    ask(command, message);
  }
}

// Ends the program if it can reach device memory other than by asking.
inline void look_for_device_memory() {
  const auto reached = [](const char* what) {
    std::printf("reached %s\n", what);
    std::fflush(stdout);
    std::_Exit(77);
  };
  if (fcntl(wire::kArenaFd, F_GETFD) >= 0) reached("the arena's descriptor");
  if (DIR* const folder = opendir("/proc")) {
    while (const dirent* const entry = readdir(folder)) {
      const int pid = std::atoi(entry->d_name);
      if (pid <= 0 || pid == getpid()) continue;
      const std::string process = "/proc/" + std::to_string(pid);
      char name[32] = {};
      const int file = open((process + "/comm").c_str(), O_RDONLY);
      static_cast<void>(!read(file, name, sizeof name - 1));
      close(file);
      if (std::strncmp(name, "lockstep_device", 15) != 0) continue;
      if (open((process + "/mem").c_str(), O_RDWR) >= 0) reached("the device process's memory");
      if (open((process + "/fd/4").c_str(), O_RDWR) >= 0) reached("the arena");
    }
    closedir(folder);
  }
}

inline void close_ring() {
  munmap(&ring(), serve::kRingBytes);
  close(wire::kRingFd);
  close(wire::kSharedFd);
}

}  // namespace misbehaving
