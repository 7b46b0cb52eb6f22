// SPDX-License-Identifier: MIT
// The worker's end of the ring: sends a command, waits for its answer, prints what kernels have
// printed. One command at a time, whatever threads the program has.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "lock.h"
#include "serve/commands.h"
#include "serve/ring.h"

namespace runtime {

template <class Result>
struct Asked {
  cudaError_t error = cudaSuccess;
  Result result = {};
  std::string_view tail;  // valid until the next command
};

class Connection {
 public:
  static Connection& get();
  // Before the first get(): this process started the device itself. `life`: a socket that ends with
  // it. Without this the ring and the shared memory are the judge's.
  static void use_own_device(int life, int ring_fd, int shared_fd);
  // In a child process, which has no device.
  static void abandon();
  // Whether get() has been called, and there is a device.
  static bool exists();
  // Whether get() gives a device: a program's own waits for its first command.
  static bool is_possible();

  // While a command is carried out, Ring::data holds what it brings or takes.
  template <class Command>
  Asked<typename Command::Result> ask(const Command& command, std::string_view tail = {}) {
    static_assert(std::is_trivially_copyable_v<Command>);
    const DeviceLock lock;
    Asked<typename Command::Result> asked;
    exchange(Command::kKind, &command, sizeof command, tail);
    asked.error = static_cast<cudaError_t>(answer_.error);
    take_result(&asked.result, sizeof asked.result);
    asked.tail = tail_;
    return asked;
  }
  std::span<std::byte> data() { return {ring_->data, serve::kDataBytes}; }

  cudaError_t sticky() const { return static_cast<cudaError_t>(answer_.sticky); }
  // A kernel waits for the host, as far as the last answer says.
  bool kernel_waits() const { return answer_.waits != 0; }
  bool takes_modules() const { return takes_modules_; }

 private:
  Connection();
  void connect();
  void exchange(serve::Kind kind, const void* command, std::size_t size, std::string_view tail);
  void send(serve::Kind kind, const void* command, std::size_t size, std::string_view tail);
  void wait_for(std::uint32_t number);
  void take_result(void* result, std::size_t size);
  void print();
  [[noreturn]] static void end(const char* why);

  serve::Ring* ring_ = nullptr;
  std::uint32_t number_ = 0;  // of the last command
  serve::Answer answer_;
  std::byte result_[256];
  std::string_view tail_;
  bool takes_modules_ = false;
};

// Asks the device. Usual callers want no more than the error.
template <class Command>
auto ask(const Command& command, std::string_view tail = {}) {
  return Connection::get().ask(command, tail);
}

}  // namespace runtime
