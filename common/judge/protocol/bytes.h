// SPDX-License-Identifier: MIT
// Messages as bytes. Both ends run on one machine, so integers have their native layout.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace wire {

// More than the longest recording, which is the longest text of a message.
inline constexpr std::size_t kMaxPayloadBytes = std::size_t{40} << 20;
// The judge keeps at most this much of each text that it receives, because it writes them all to
// its results.
inline constexpr std::size_t kMaxTextBytes = std::size_t{16} << 10;

class Writer {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T> Writer& put(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Writer& put(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes_.append(text);
    return *this;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Throws std::runtime_error on a message that ends too early. Texts are cut at kMaxTextBytes.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  template <class T>
  T get() {
    T value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  std::string text() { return text(kMaxTextBytes); }
  // As long as the message.
  std::string long_text() { return text(kMaxPayloadBytes); }

 private:
  std::string text(std::size_t max_bytes) {
    const auto size = get<std::uint32_t>();
    return std::string(take(size), std::min<std::size_t>(size, max_bytes));
  }
  const char* take(std::size_t size) {
    if (size > rest_.size()) throw std::runtime_error("message ends too early");
    const char* const begin = rest_.data();
    rest_.remove_prefix(size);
    return begin;
  }
  std::string_view rest_;
};

}  // namespace wire
