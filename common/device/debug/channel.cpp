// SPDX-License-Identifier: MIT
#include "debug/channel.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace debug {

SocketChannel::SocketChannel(const std::string& path)
    : socket_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  if (socket_ < 0 ||
      connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot reach the debugger");
  }
}

bool SocketChannel::receive() {
  std::array<char, 4096> piece;
  const ssize_t size = recv(socket_, piece.data(), piece.size(), 0);
  if (size < 0 && errno == EINTR) return true;
  if (size <= 0) return is_open_ = false;
  received_.append(piece.data(), static_cast<std::size_t>(size));
  return true;
}

bool SocketChannel::has_line() {
  pollfd waiting = {socket_, POLLIN, 0};
  while (is_open_ && received_.find('\n') == std::string::npos && poll(&waiting, 1, 0) > 0) {
    receive();
  }
  return received_.find('\n') != std::string::npos;
}

bool SocketChannel::read_line(std::string& line) {
  while (received_.find('\n') == std::string::npos) {
    if (!is_open_ || !receive()) return false;
  }
  const std::size_t end = received_.find('\n');
  line = received_.substr(0, end);
  received_.erase(0, end + 1);
  return true;
}

void SocketChannel::write_line(const std::string& line) {
  const std::string whole = line + "\n";
  for (std::size_t sent = 0; is_open_ && sent < whole.size();) {
    const ssize_t now = send(socket_, whole.data() + sent, whole.size() - sent, MSG_NOSIGNAL);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) is_open_ = false;
    sent += static_cast<std::size_t>(std::max<ssize_t>(now, 0));
  }
}

}  // namespace debug
