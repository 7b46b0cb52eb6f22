// SPDX-License-Identifier: MIT
// Address space for the checkers' records, which are indexed by the device's addresses: all of it
// is reserved at once, and a part gets memory when there is something to record about it. So a
// system without overcommit (vm.overcommit_memory=2) does not need memory for the whole.
#pragma once

#include <cstddef>

namespace simt::device {

// Address space of `size_bytes` without access, at an address that is a multiple of a page. Ends
// the process with one line on stderr if there is none.
void* reserve_address_space(std::size_t size_bytes);

// Makes [begin, begin + size_bytes) of it readable and writable, whole pages that touch the range
// included. Ends the process if the system refuses.
void commit(void* begin, std::size_t size_bytes);

// Sets a committed range to zeros again, and returns the whole pages of a large one to the system.
void clear_pages(void* begin, std::size_t size_bytes);

// The same for everything that was reserved at `begin`, committed or not.
void discard_pages(void* begin, std::size_t size_bytes);

// Much of it will be used: in large pages, which a processor finds faster. Only a hint.
void expect_use(void* begin, std::size_t size_bytes);

}  // namespace simt::device
