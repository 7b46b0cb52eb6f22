// SPDX-License-Identifier: MIT
// The judge's end of a socket to a program that answers requests one by one. It trusts nothing that
// arrives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "protocol/wire.h"

namespace judge {

class Channel {
 public:
  // Takes the socket. A request waits for room for `patience_seconds` at most.
  Channel(int fd, double patience_seconds);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  int fd() const { return is_open_ ? fd_ : -1; }  // to wait for; -1: the other end is closed
  bool is_open() const { return is_open_; }
  bool has_greeted() const { return has_greeted_; }
  // Whether something has arrived that no request asked for.
  bool has_unread() const;

  // Sends the next request. False: the other end is closed, or does not read.
  bool send(std::uint32_t code, const std::string& payload);

  // Takes in what has arrived.
  void receive();

  struct Message {
    std::uint32_t code = 0;
    std::string payload;
  };
  // Of the last request's reply, what has arrived makes ...
  enum class Progress { kPart, kWhole, kNonsense };
  Progress progress() const;
  Message take();  // kWhole

  void finish_sending();  // the other end finds the end of its input
  void close_both();

 private:
  std::optional<wire::Header> header() const;

  int fd_;
  bool is_open_ = true;
  bool has_greeted_ = false;
  std::uint32_t sequence_ = 0;
  std::string received_;
};

}  // namespace judge
