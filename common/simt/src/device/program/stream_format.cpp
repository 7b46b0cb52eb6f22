// SPDX-License-Identifier: MIT
#include "program/stream_format.h"

#include <algorithm>
#include <initializer_list>
#include <iostream>

#include "program/address.h"

namespace simt::device {
namespace {

// The fields are protected, and nothing lies between the first and the last of each group.
template <class Character>
struct Fields : std::basic_ios<Character> {
  static bool contains(std::basic_ios<Character>& stream, std::uintptr_t address,
                       std::size_t size_bytes) {
    const auto lies_between = [&](const auto& first, const auto& last) {
      const std::uintptr_t begin = number(&first);
      const std::uintptr_t end = number(&last + 1);
      return address >= begin && address < end && size_bytes <= end - address;
    };
    return lies_between(stream.*(&Fields::_M_precision), stream.*(&Fields::_M_flags)) ||
           lies_between(stream.*(&Fields::_M_fill), stream.*(&Fields::_M_fill_init));
  }
};

template <class Character>
bool any_contains(std::initializer_list<std::basic_ios<Character>*> streams, std::uintptr_t address,
                  std::size_t size_bytes) {
  return std::any_of(streams.begin(), streams.end(), [&](std::basic_ios<Character>* stream) {
    return Fields<Character>::contains(*stream, address, size_bytes);
  });
}

}  // namespace

bool is_stream_format(std::uintptr_t address, std::size_t size_bytes) {
  return any_contains<char>({&std::cout, &std::cerr, &std::clog}, address, size_bytes) ||
         any_contains<wchar_t>({&std::wcout, &std::wcerr, &std::wclog}, address, size_bytes);
}

}  // namespace simt::device
