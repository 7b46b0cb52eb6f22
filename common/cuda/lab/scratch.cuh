// SPDX-License-Identifier: MIT
// Device memory for a function's temporaries, handed in by the caller so that no cudaMalloc (which
// synchronises the device) sits in a timed path.
#pragma once

#include <cstddef>
#include <new>

namespace lab {

// A bump allocator over one block of device memory. Everything is released together when the call
// that received it returns; contents are undefined at first.
class Scratch {
 public:
  static constexpr std::size_t kAlignment = 256;  // bytes, as cudaMalloc's

  // Called for each allocation: tells a checker where each temporary begins and ends.
  using Observer = void (*)(void* d_base, std::size_t size_bytes);

  // d_base: device, kAlignment-aligned, size_bytes long.
  Scratch(void* d_base, std::size_t size_bytes, Observer observer = nullptr)
      : d_base_(static_cast<char*>(d_base)), size_bytes_(size_bytes), observer_(observer) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // Returns room for `count` objects of T in device memory. Throws std::bad_alloc when used up.
  template <class T>
  T* allocate(std::size_t count) {
    static_assert(alignof(T) <= kAlignment);
    if (count > (size_bytes_ - used_bytes_) / sizeof(T)) throw std::bad_alloc();
    char* const d_result = d_base_ + used_bytes_;
    const std::size_t padded_bytes = (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    used_bytes_ +=
        padded_bytes < size_bytes_ - used_bytes_ ? padded_bytes : size_bytes_ - used_bytes_;
    if (observer_ != nullptr) observer_(d_result, count * sizeof(T));
    return reinterpret_cast<T*>(d_result);
  }

 private:
  char* d_base_;
  std::size_t size_bytes_;
  std::size_t used_bytes_ = 0;
  Observer observer_;
};

}  // namespace lab
