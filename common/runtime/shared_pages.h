// SPDX-License-Identifier: MIT
// Memory that host and device share, at the same addresses. While work may run that could use it,
// its pages are closed to the host: its first touch of each traps, and the device says whether that
// is a race.
#pragma once

#include <cstddef>
#include <cstdint>

namespace runtime {

// Takes the addresses of device memory, so that nothing else gets them here: an access traps.
void reserve_device_range();

// Where that memory is, if not in the judge's file.
void use_shared_file(int fd);

// [address, address + size_bytes) is managed or pinned from now on, or not any more.
bool open_shared(std::uint64_t address, std::uint64_t size_bytes);
void close_shared(std::uint64_t address);

// After each answer. number: how much work has been issued; 0: the host knows that all is done.
void note_racing_work(std::uint32_t number);

// The host's own code has trapped there. Returns whether that was for the reason above; then the
// page is open. May be called in a signal's handler.
bool is_closed_page(std::uint64_t address);
void open_page(std::uint64_t address);

// All pages, while the runtime itself reads or writes there for the program.
void open_all_pages();

// The variable of the program, which begins at a page, becomes the device's: the same bytes at both
// addresses. False: that cannot be.
bool share_variable(std::uint64_t host, std::uint64_t size_bytes, std::uint64_t device);
// The same for memory that the host registers. What is next to it on its first and last page stays
// the host's. Its pages are never closed, for the allocator of the host has its notes there.
bool share_registered(std::uint64_t host, std::uint64_t size_bytes, std::uint64_t device);
void take_registered_back(std::uint64_t host);
// Whether a byte of [begin, end) is such memory.
bool is_registered(std::uint64_t begin, std::uint64_t end);
// Of such a variable, its last page, or of registered memory; other addresses stay as they are.
std::uint64_t device_address(std::uint64_t address);
// In a child process, which has no device: its variables are its own again.
void take_variables_back();

}  // namespace runtime
