// SPDX-License-Identifier: MIT
#include "run/print.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "run/generic_memory.h"

namespace run {
namespace {

constexpr int kMaxWidth = 1000;

// Takes arguments one by one; each is aligned to its size.
class Arguments {
 public:
  Arguments(const Warp& warp, int lane, std::uint64_t at) : warp_(warp), lane_(lane), at_(at) {}
  template <class T>
  T next() {
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    const T value = read_generic<T>(warp_, lane_, at_);
    at_ += sizeof(T);
    ++count_;
    return value;
  }
  int count() const { return count_; }

 private:
  const Warp& warp_;
  int lane_;
  std::uint64_t at_;
  int count_ = 0;
};

template <class T>
std::string print(const std::string& conversion, T value) {
  std::array<char, 2048> text;
  const int size = std::snprintf(text.data(), text.size(), conversion.c_str(), value);
  return size <= 0 ? "" : std::string(text.data(), std::min<std::size_t>(size, text.size() - 1));
}

}  // namespace

std::string formatted(const Warp& warp, int lane, const std::string& format,
                      std::uint64_t arguments_at, int& num_arguments) {
  Arguments arguments(warp, lane, arguments_at);
  std::string text;
  std::size_t at = 0;
  const auto number = [&] {  // of a width or a precision
    if (at < format.size() && format[at] == '*') {
      ++at;
      return std::clamp(arguments.next<int>(), -kMaxWidth, kMaxWidth);
    }
    int value = 0;
    while (at < format.size() && format[at] >= '0' && format[at] <= '9') {
      value = std::min(kMaxWidth, value * 10 + (format[at++] - '0'));
    }
    return value;
  };
  while (at < format.size()) {
    const std::size_t percent = format.find('%', at);
    text += format.substr(at, percent - at);
    if (percent == std::string::npos) break;
    at = percent + 1;
    std::string conversion = "%";
    while (at < format.size() && std::strchr("-+ #0", format[at]) != nullptr) {
      conversion += format[at++];
    }
    if (const int width = number(); width != 0) conversion += std::to_string(width);
    if (at < format.size() && format[at] == '.') {
      ++at;
      conversion += "." + std::to_string(std::max(0, number()));
    }
    int num_long = 0;
    while (at < format.size() && std::strchr("hljztL", format[at]) != nullptr) {
      if (format[at] == 'l') ++num_long;
      if (std::strchr("jzt", format[at]) != nullptr) num_long = 2;
      ++at;
    }
    if (at == format.size()) break;
    const char kind = format[at++];
    switch (kind) {
      case '%':
        text += '%';
        break;
      case 'd':
      case 'i':
        text += num_long > 0 ? print(conversion + "ll" + kind, arguments.next<long long>())
                             : print(conversion + kind, arguments.next<int>());
        break;
      case 'u':
      case 'o':
      case 'x':
      case 'X':
        text += num_long > 0 ? print(conversion + "ll" + kind, arguments.next<unsigned long long>())
                             : print(conversion + kind, arguments.next<unsigned>());
        break;
      case 'c':
        text += print(conversion + kind, arguments.next<int>());
        break;
      case 'a':
      case 'A':
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        text += print(conversion + kind, arguments.next<double>());
        break;
      case 'p':
        text += print(conversion + kind, reinterpret_cast<void*>(arguments.next<std::uint64_t>()));
        break;
      case 's':
        text += print(conversion + kind,
                      read_text(warp, lane, arguments.next<std::uint64_t>()).c_str());
        break;
      default:
        text += conversion + kind;
    }
  }
  num_arguments = arguments.count();
  return text;
}

}  // namespace run
