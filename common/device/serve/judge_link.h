// SPDX-License-Identifier: MIT
// The judge's messages: see common/judge/protocol/device_wire.h. A thread waits for them, since the
// main thread sleeps on the ring; the main thread handles them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "protocol/device_wire.h"
#include "protocol/wire.h"
#include "serve/device.h"
#include "serve/ring.h"
#include "serve/server.h"

namespace serve {

class JudgeLink {
 public:
  JudgeLink(Device& device, Server& server, Ring& ring);
  JudgeLink(const JudgeLink&) = delete;
  JudgeLink& operator=(const JudgeLink&) = delete;

  // The device is ready. From here on a failure is not of the machine's setting up.
  void greet();
  // Handles a message, if there is one. Throws on one that makes no sense.
  bool take_message();

 private:
  struct Message {
    wire::Header header;
    std::string payload;
  };
  void listen();
  void answer(wire::Header header, std::string_view payload);
  std::string handle(const Message& message);
  wire::Report report();

  Device& device_;
  Server& server_;
  Ring& ring_;
  std::uint64_t arena_ = 0;
  std::uint64_t arena_bytes_ = 0;
  double batch_seconds_ = 0;
  std::string recording_;  // of the batch's launch

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Message> message_;
  bool is_busy_ = false;
  std::thread thread_;
};

}  // namespace serve
