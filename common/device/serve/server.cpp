// SPDX-License-Identifier: MIT
#include "serve/server.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <span>
#include <stdexcept>

#include "serve/cuda_errors.h"

namespace serve {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kLongestSleep = 500 * kMillisecond;
constexpr std::uint64_t kFirstNap = kMillisecond / 10;  // after a kernel's idle turn
constexpr std::uint64_t kLongestNap = 5 * kMillisecond;

// In place of the result of a command without one: zeros, as long as any.
Answered unknown() { return {{}, std::vector<std::byte>(sizeof(FindKernel::Result))}; }

}  // namespace

Ring& map_ring(int fd, bool is_judges) {
  struct stat about;
  // The judge's is sealed, and its sandbox allows no such question.
  const int seals = is_judges ? F_SEAL_SHRINK : fcntl(fd, F_GET_SEALS);
  const bool is_whole = fstat(fd, &about) == 0 && about.st_size >= static_cast<off_t>(kRingBytes);
  if (!is_whole || seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
    throw std::runtime_error("the ring is no sealed file in memory");
  }
  void* const mapped = mmap(nullptr, kRingBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) throw std::runtime_error("cannot map the ring");
  return *static_cast<Ring*>(mapped);
}

bool Server::take_command() {
  const std::uint32_t asked = ring_.asked.load(std::memory_order_acquire);
  if (asked == seen_ || !is_open_) return false;
  seen_ = asked;
  const std::size_t size =
      std::min<std::size_t>(ring_.command_bytes.load(std::memory_order_relaxed), kCommandBytes);
  std::memcpy(command_.data(), ring_.command, size);
  Answered answered;
  if (const auto decoded = decode(std::span(command_).first(size))) {
    try {
      answered = device_.act(*decoded, {ring_.data, kDataBytes}, {ring_.printed, kPrintedBytes});
    } catch (const std::exception& error) {  // of ours: whatever a worker asks, the device goes on
      fault_ =
          "a command of kind " + std::to_string(decoded->command.index() + 1) + ": " + error.what();
      std::fprintf(stderr, "device: %s\n", fault_.c_str());
      answered = unknown();
      answered.head.error = kUnknown;
    }
    after_(*decoded, answered);
  } else {
    answered = unknown();
    answered.head.is_malformed = 1;
  }
  answer(asked, answered);
  nap_ns_ = kFirstNap;
  return true;
}

void Server::answer(std::uint32_t number, const Answered& answered) {
  std::memcpy(ring_.answer, &answered.head, sizeof answered.head);
  const std::size_t size = std::min(answered.result.size(), kAnswerBytes - sizeof answered.head);
  std::memcpy(ring_.answer + sizeof answered.head, answered.result.data(), size);
  ring_.answer_bytes.store(static_cast<std::uint32_t>(sizeof answered.head + size),
                           std::memory_order_relaxed);
  ring_.answered.store(number, std::memory_order_seq_cst);
  if (ring_.worker_sleeps.load(std::memory_order_seq_cst) != 0) wake(ring_.answered);
}

void Server::wait(std::uint32_t bell) {
  if (device_.is_waiting() && is_open_) {
    // The host's own code runs now, and may write what the kernel polls.
    if (device_.take_idle_turn()) {
      nap_ns_ = kFirstNap;
      return;
    }
    nap_ns_ = std::min(2 * nap_ns_, kLongestNap);
  } else {
    nap_ns_ = kLongestSleep;
    if (spin_on(ring_.bell, bell)) return;
  }
  ring_.device_sleeps.store(1, std::memory_order_seq_cst);
  if (ring_.bell.load(std::memory_order_seq_cst) == bell) sleep_on(ring_.bell, bell, nap_ns_);
  ring_.device_sleeps.store(0, std::memory_order_relaxed);
}

void Server::run_until(const bool& is_over) {
  while (!is_over) {
    const std::uint32_t bell = ring_.bell.load(std::memory_order_acquire);
    if (other_work_() || take_command()) continue;
    wait(bell);
  }
}

}  // namespace serve
