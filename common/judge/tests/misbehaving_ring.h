// SPDX-License-Identifier: MIT
// What a worker of the machine may do to the memory through which it asks its device process, and
// to that process itself.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "protocol/wire.h"
#include "serve/commands.h"
#include "serve/mailbox.h"

namespace misbehaving {

inline serve::Mailbox& mailbox() {
  static void* const mapped =
      mmap(nullptr, sizeof(serve::Mailbox), PROT_READ | PROT_WRITE, MAP_SHARED, wire::kRingFd, 0);
  return *static_cast<serve::Mailbox*>(mapped);
}

// Asks, and waits for the reply unless it takes longer than most.
inline std::uint64_t ask(serve::Command command, const serve::Request& request) {
  serve::Mailbox& box = mailbox();
  box.command = command;
  box.request = request;
  const std::uint32_t before = box.num_replies.load();
  box.num_requests.fetch_add(1);
  box.bell.fetch_add(1);
  serve::wake(box.bell);
  for (int i = 0; i < 20 && box.num_replies.load() == before; ++i) {
    serve::sleep_on(box.num_replies, before, 0.01);
  }
  return box.reply.address;
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
        return random();
      case 1:
        return sizes[random() % sizes.size()];
      default:
        return addresses[random() % addresses.size()] + (random() % 3) * (random() % 300);
    }
  };
  const auto word = [&] { return static_cast<std::uint32_t>(number()); };
  for (int i = 0; i < 3000; ++i) {
    serve::Request request;
    std::memset(request.place.file, static_cast<int>(random() % 256), sizeof request.place.file);
    request.place.line = word();
    request.address = number();
    request.source = number();
    request.size_bytes = number();
    request.stream = number();
    request.event = number();
    request.kind = random() % 2 == 0 ? word() : random() % 12;
    request.data_bytes = word();
    request.value = word();
    request.width = random() % 2 == 0 ? word() : 1;
    request.flags = word();
    request.function = random() % 2 == 0 ? word() : random() % 4;
    request.grid = {word(), word(), word()};
    request.shared_bytes = number();
    const auto command = static_cast<serve::Command>(random() % 40);
    const std::uint64_t address = ask(command, request);
    if (address != 0 && addresses.size() < 100) addresses.push_back(address);
  }
}

// Says that something was asked, 2^32 - 1 times.
inline void ask_without_end() {
  serve::Request request;
  ask(serve::Command::kMemoryInfo, request);
  mailbox().num_requests.store(mailbox().num_replies.load() - 1);
  mailbox().bell.fetch_add(1);
  serve::wake(mailbox().bell);
}

// Changes all of it while the device process works, and keeps on after the call.
inline void scribble() {
  auto* const words = reinterpret_cast<volatile std::uint32_t*>(&mailbox());
  for (std::uint32_t i = 0; i < 40'000'000; ++i) {
    words[i % (sizeof(serve::Mailbox) / 4)] = i * 2654435761U;
  }
  serve::wake(mailbox().bell);
}

inline void fill_with_findings() {
  std::memset(mailbox().data, 'x', serve::kDataBytes);
  for (std::uint32_t line = 1; line < 300; ++line) {
    serve::Request request;
    request.kind = line % 12;
    request.place.line = line;
    request.data_bytes = serve::kDataBytes;
    ask(serve::Command::kReportHost, request);
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
  munmap(&mailbox(), sizeof(serve::Mailbox));
  close(wire::kRingFd);
  close(wire::kSharedFd);
}

}  // namespace misbehaving
