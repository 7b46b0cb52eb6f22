// SPDX-License-Identifier: MIT
// Address space for the checks' records, which are indexed by the device's addresses. All of it is
// reserved at once, and a part gets memory when there is something to record about it. So a system
// without overcommit (vm.overcommit_memory=2) does not need memory for the whole.
#pragma once

#include <cstddef>
#include <cstdint>

namespace check {

class Reserved {
 public:
  enum class Use { kCommitted, kWritable };  // parts must be committed first; all may be used
  // Reads as zeros. Ends the process with one line on stderr if there is no room.
  explicit Reserved(std::size_t size_bytes, Use use = Use::kCommitted);
  ~Reserved();
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;

  template <class T>
  T* as() const {
    return static_cast<T*>(begin_);
  }

  // Makes [begin, begin + size_bytes) of it writable, whole pages that touch the range included.
  // Ends the process if the system refuses.
  void commit(void* begin, std::size_t size_bytes);

  // Sets all to zeros, and returns it to the system.
  void discard();

 private:
  void* begin_;
  std::size_t size_bytes_;
};

// Sets a committed range to zeros again, and returns the whole pages of a large one to the system.
void clear_pages(void* begin, std::size_t size_bytes);

// Much of it will be used: in large pages, which a processor finds faster. Only a hint.
void expect_use(void* begin, std::size_t size_bytes);

}  // namespace check
