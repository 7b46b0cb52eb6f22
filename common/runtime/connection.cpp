// SPDX-License-Identifier: MIT
#include "connection.h"

#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "shared_pages.h"

namespace runtime {
namespace {

// After so long without an answer, a look at whether the device still lives.
constexpr std::uint64_t kLookNs = 200'000'000;

int g_life = -1;
int g_ring_fd = serve::kRingFd;
std::atomic<Connection*> g_connection = nullptr;
bool g_is_abandoned = false;

bool has_ended(int socket) {
  if (socket < 0) return false;  // the judge watches it
  pollfd entry = {socket, POLLRDHUP, 0};
  return poll(&entry, 1, 0) > 0;
}

}  // namespace

void Connection::use_own_device(int life, int ring_fd, int shared_fd) {
  g_life = life;
  g_ring_fd = ring_fd;
  use_shared_file(shared_fd);
}

void Connection::abandon() {
  g_is_abandoned = true;
  if (g_life >= 0) close(g_life);  // else the device would live as long as this process, too
}
bool Connection::exists() { return g_connection != nullptr && !g_is_abandoned; }
bool Connection::is_possible() { return exists() || (g_life >= 0 && !g_is_abandoned); }

Connection& Connection::get() {
  if (g_is_abandoned)
    end("a child process has no device: use it in the process that started first");
  if (Connection* const there = g_connection) return *there;
  const DeviceLock lock;
  if (g_connection == nullptr) {
    auto* const made = new Connection;  // outlives all users
    g_connection = made;
    made->connect();
  }
  return *g_connection;
}

Connection::Connection() {
  void* const mapped =
      mmap(nullptr, serve::kRingBytes, PROT_READ | PROT_WRITE, MAP_SHARED, g_ring_fd, 0);
  if (mapped == MAP_FAILED) end("this program was started without its device: use ./lab run");
  ring_ = static_cast<serve::Ring*>(mapped);
  number_ = ring_->answered;
  reserve_device_range();
}

void Connection::connect() {
  const auto asked = ask(serve::Connect{serve::kVersion});
  if (answer_.is_malformed != 0) end("the device is of another version: build the program anew");
  takes_modules_ = asked.result.takes_modules != 0;
}

void Connection::end(const char* why) {
  std::fflush(nullptr);
  std::fprintf(stderr, "lockstep: %s\n", why);
  std::_Exit(3);
}

void Connection::exchange(serve::Kind kind, const void* command, std::size_t size,
                          std::string_view tail) {
  if (sizeof kind + size + tail.size() > serve::kCommandBytes) {
    answer_.error = cudaErrorInvalidValue;
    answer_.tail_bytes = 0;
    std::memset(result_, 0, sizeof result_);
    tail_ = {};
    return;
  }
  send(kind, command, size, tail);
  std::memcpy(result_, ring_->answer + sizeof answer_, sizeof result_);
  note_racing_work(answer_.num_racing);
  if (answer_.printed_bytes != 0) print();
}

void Connection::send(serve::Kind kind, const void* command, std::size_t size,
                      std::string_view tail) {
  std::memcpy(ring_->command, &kind, sizeof kind);
  std::memcpy(ring_->command + sizeof kind, command, size);
  if (!tail.empty()) std::memcpy(ring_->command + sizeof kind + size, tail.data(), tail.size());
  ring_->command_bytes.store(static_cast<std::uint32_t>(sizeof kind + size + tail.size()),
                             std::memory_order_relaxed);
  ring_->asked.store(++number_, std::memory_order_release);
  ring_->bell.fetch_add(1, std::memory_order_seq_cst);
  if (ring_->device_sleeps.load(std::memory_order_seq_cst) != 0) serve::wake(ring_->bell);
  wait_for(number_);
  std::memcpy(&answer_, ring_->answer, sizeof answer_);
}

void Connection::wait_for(std::uint32_t number) {
  for (;;) {
    const std::uint32_t seen = ring_->answered.load(std::memory_order_acquire);
    if (seen == number) return;
    if (serve::spin_on(ring_->answered, seen)) continue;
    ring_->worker_sleeps.store(1, std::memory_order_seq_cst);
    if (ring_->answered.load(std::memory_order_seq_cst) == seen) {
      serve::sleep_on(ring_->answered, seen, kLookNs);
    }
    ring_->worker_sleeps.store(0, std::memory_order_relaxed);
    if (ring_->answered.load(std::memory_order_acquire) != number && has_ended(g_life)) {
      end("the device process has ended");
    }
  }
}

void Connection::take_result(void* result, std::size_t size) {
  std::memcpy(result, result_, std::min(size, sizeof result_));
  const std::size_t room = serve::kAnswerBytes - sizeof answer_ - size;
  tail_ = {reinterpret_cast<const char*>(ring_->answer) + sizeof answer_ + size,
           std::min<std::size_t>(answer_.tail_bytes, room)};
}

// What is printed comes before what the host prints next.
void Connection::print() {
  std::fwrite(ring_->printed, 1, std::min<std::size_t>(answer_.printed_bytes, serve::kPrintedBytes),
              stdout);
  const serve::Answer answer = answer_;
  std::byte kept[serve::kAnswerBytes];
  const bool has_more = answer_.printed_left != 0;
  if (has_more) std::memcpy(kept, ring_->answer, sizeof kept);
  while (answer_.printed_left != 0) {
    const serve::TakePrinted more;
    send(serve::TakePrinted::kKind, &more, sizeof more, {});
    std::fwrite(ring_->printed, 1,
                std::min<std::size_t>(answer_.printed_bytes, serve::kPrintedBytes), stdout);
  }
  if (has_more) std::memcpy(ring_->answer, kept, sizeof kept);
  answer_ = answer;
  std::fflush(stdout);
}

}  // namespace runtime
