// SPDX-License-Identifier: MIT
// The memory through which the worker sends commands and the device answers: one command at a time.
// Who starts the two makes it, as a file in memory that no process can shrink.
//
// The worker is not trusted. The device reads each word once, copies a command to memory of its own
// before it looks at it, and takes no length, offset or number from here without a check.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace serve {

inline constexpr std::uint32_t kVersion = 6;  // of ring.h and commands.h

// Descriptors that both find open; those of the judge's protocol (wire.h) have the same numbers.
inline constexpr int kRingFd = 5;
inline constexpr int kSharedWithHostFd = 6;

inline constexpr std::size_t kCommandBytes = std::size_t{48} << 10;
inline constexpr std::size_t kAnswerBytes = std::size_t{48} << 10;
// What copies send, piece by piece. A piece that fits into a cache is as fast as a whole.
inline constexpr std::size_t kDataBytes = std::size_t{1} << 20;
// What kernels have printed, piece by piece.
inline constexpr std::size_t kPrintedBytes = std::size_t{256} << 10;

using Word = std::atomic<std::uint32_t>;
static_assert(sizeof(Word) == 4 && Word::is_always_lock_free);

struct Ring {
  // Grows whenever the device has to look: a command has been asked, or another thread of the
  // device wants something. The device sleeps on it.
  alignas(64) Word bell;
  Word asked;  // the number of the last command; grows by one with each
  Word command_bytes;
  Word device_sleeps;  // then a ring of the bell must wake it

  // The worker sleeps on it.
  alignas(64) Word answered;  // the number of the command whose answer is there
  Word answer_bytes;
  Word worker_sleeps;

  alignas(64) std::byte command[kCommandBytes];
  std::byte answer[kAnswerBytes];
  alignas(4096) std::byte data[kDataBytes];
  std::byte printed[kPrintedBytes];
};

inline constexpr std::size_t kRingBytes = std::size_t{2} << 20;  // of the file
static_assert(sizeof(Ring) <= kRingBytes);

// Waits until `word` differs from `seen`, another thread wakes its sleepers, or the time is over.
void sleep_on(const Word& word, std::uint32_t seen, std::uint64_t nanoseconds);
void wake(const Word& word);

// Waits for a change of `word` for a moment without sleeping; returns whether there was one. A
// round trip costs 2 us so, and 10 us where one side sleeps.
bool spin_on(const Word& word, std::uint32_t seen);

}  // namespace serve
