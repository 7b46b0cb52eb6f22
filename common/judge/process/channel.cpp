// SPDX-License-Identifier: MIT
#include "process/channel.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace judge {

Channel::Channel(int fd, double patience_seconds) : fd_(fd) {
  const timeval patience{static_cast<time_t>(std::ceil(patience_seconds)), 0};
  setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

Channel::~Channel() { close(fd_); }

bool Channel::has_unread() const {
  char byte;
  return sequence_ > 0 && (!received_.empty() || recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0);
}

bool Channel::send(std::uint32_t code, const std::string& payload) {
  wire::Header header;
  header.sequence = ++sequence_;
  header.code = code;
  try {
    wire::write_message(fd_, header, payload);
  } catch (const std::runtime_error&) {
    return false;
  }
  return true;
}

void Channel::receive() {
  char chunk[65536];
  const ssize_t got = recv(fd_, chunk, sizeof chunk, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {
    is_open_ = false;
    return;
  }
  received_.append(chunk, static_cast<std::size_t>(got));
  const wire::Header greeting;
  if (!has_greeted_ && received_.size() >= sizeof greeting) {
    has_greeted_ = std::memcmp(received_.data(), &greeting, sizeof greeting) == 0;
    if (has_greeted_) received_.erase(0, sizeof greeting);
  }
}

std::optional<wire::Header> Channel::header() const {
  wire::Header header;
  if (received_.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, received_.data(), sizeof header);
  return header;
}

Channel::Progress Channel::progress() const {
  const auto begin = header();
  if (!begin) return Progress::kPart;
  if (begin->magic != wire::kMagic || begin->sequence != sequence_ ||
      begin->payload_bytes > wire::kMaxPayloadBytes) {
    return Progress::kNonsense;
  }
  const std::size_t total = sizeof(wire::Header) + begin->payload_bytes;
  if (received_.size() < total) return Progress::kPart;
  // More than one reply to one request: another process writes to our socket.
  return received_.size() > total ? Progress::kNonsense : Progress::kWhole;
}

Channel::Message Channel::take() {
  Message message{header()->code, received_.substr(sizeof(wire::Header))};
  received_.clear();
  return message;
}

void Channel::finish_sending() { shutdown(fd_, SHUT_WR); }
void Channel::close_both() { shutdown(fd_, SHUT_RDWR); }

}  // namespace judge
