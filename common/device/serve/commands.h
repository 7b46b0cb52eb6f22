// SPDX-License-Identifier: MIT
// What a program's host code asks the device process for: one request at a time, through memory
// that both map. The device process trusts nothing that it finds there: it copies a request before
// it reads it, and bounds every length.
//
//   host:    fills Mailbox::command, request and data; ++num_requests; rings the bell; sleeps
//   device:  copies the request, acts, fills error, reply and data; ++num_replies; wakes the host
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace serve {

enum class Command : std::uint32_t {
  kAllocate = 1,
  kFree,
  kWrite,  // data -> device memory
  kRead,   // device memory -> data
  kCopy,   // within the device
  kFill,
  kLaunch,        // data: the parameters
  kFindSymbol,    // data: the mangled name
  kFindFunction,  // the same
  kMakeStream,
  kEndStream,
  kWaitForStream,  // the host does
  kWaitForAll,
  kRecordEvent,
  kWaitForEvent,  // the host does
  kStreamWaitsForEvent,
  kEndEvent,
  kQuery,  // of a stream: has its work ended?
  kSetSharedLimit,
  kTakeText,  // what kernels have printed
  kReset,
  kMemoryInfo,
  kScratchRoom,
  kDeclareScratch,  // data: the name
  kRetireScratch,
  kReportHost,  // data: a finding about the host's own code
  kHostAccess,
  kFailedAllocation,
};

// Of the host's code that makes the call; line 0: unknown.
struct Place {
  char file[60] = {};  // without folders; ends with a zero
  std::uint32_t line = 0;
};

struct Dim {
  std::uint32_t x = 1, y = 1, z = 1;
};

// Every request has the same form; which fields it uses depends on the command.
struct Request {
  Place place;
  std::uint64_t address = 0;
  std::uint64_t source = 0;  // kCopy
  std::uint64_t size_bytes = 0;
  std::uint64_t stream = 0;
  std::uint64_t event = 0;
  std::uint32_t kind = 0;  // kAllocate, kFree: memory::Allocation::Kind; kReportHost: report::Kind
  std::uint32_t data_bytes = 0;
  std::uint32_t value = 0;  // kFill
  std::uint32_t width = 1;  // kFill: bytes of the value
  std::uint32_t flags = 0;
  std::uint32_t more = 0;  // kWrite, kRead: 1: another piece of the same copy follows
  // kLaunch
  std::uint32_t function = 0;
  Dim grid, block, cluster;
  std::uint64_t shared_bytes = 0;
};
inline constexpr std::uint32_t kBlocks = 1;  // the host waits for the copy
inline constexpr std::uint32_t kCooperative = 2;
inline constexpr std::uint32_t kOrdered = 4;      // cudaMallocAsync, cudaFreeAsync
inline constexpr std::uint32_t kNonBlocking = 8;  // kMakeStream
inline constexpr std::uint32_t kWrites = 16;      // kHostAccess
inline constexpr std::uint32_t kVolatile = 32;    // kHostAccess

struct Reply {
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t free_bytes = 0;
  std::uint32_t data_bytes = 0;
  std::uint32_t text_bytes = 0;  // printed by kernels and not taken
  std::uint32_t waits_for_host = 0;
  std::uint32_t function = 0;  // kFindFunction: its number
  std::uint32_t shared_bytes = 0, local_bytes = 0, constant_bytes = 0, max_threads = 0,
                num_registers = 0;
};

inline constexpr std::size_t kDataBytes = std::size_t{1} << 20;
inline constexpr std::uint32_t kMailboxVersion = 1;

struct Mailbox {
  std::atomic<std::uint32_t> bell;  // the device process sleeps on it
  std::atomic<std::uint32_t> num_requests;
  alignas(64) std::atomic<std::uint32_t> num_replies;  // the host sleeps on it
  alignas(64) Command command;
  std::int32_t error;  // a cudaError
  Request request;
  Reply reply;
  alignas(64) std::byte data[kDataBytes];
};

// Descriptors that both find open; those of the judge's protocol (wire.h) have the same numbers.
inline constexpr int kMailboxFd = 5;
inline constexpr int kSharedWithHostFd = 6;

}  // namespace serve
