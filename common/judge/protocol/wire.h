// SPDX-License-Identifier: MIT
// The messages between the judge and the worker. The worker is not trusted: the judge bounds every
// read, and a reply cannot contain addresses.
//
//   request = Header, payload      judge -> worker
//   reply   = Header, payload      worker -> judge, with the request's sequence number
//
// The worker speaks first: a reply without payload to request 0, before anything of the rung has
// run. Before it, a fault of the worker is never the student's.
//
// Both ends are built from this file for one machine, so integers have their native layout.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "protocol/wire_counters.h"

namespace wire {

inline constexpr std::uint32_t kMagic = 0x4c4b5331;  // "LKS1"
// More than simt::kMaxRecordingBytes: a recording is the longest text of a reply.
inline constexpr std::size_t kMaxPayloadBytes = std::size_t{40} << 20;
// The judge keeps at most this much of each text in a reply, because it writes them all to its
// results.
inline constexpr std::size_t kMaxTextBytes = std::size_t{16} << 10;

// File descriptors that the worker finds open when it starts.
inline constexpr int kSocketFd = 3;
inline constexpr int kArenaFd = 4;  // shared memory: of the host on cpu, of the device on cuda

enum class Kind : std::uint32_t {
  kHello = 1,  // open the arena
  kCalls = 2,  // run a batch of typed calls, synchronise, report the outcome
};

// How a request ended. Any status except kOk ends the batch at the failing call.
enum class Status : std::uint32_t {
  kOk = 0,
  kTodo,            // lab::Todo: not written yet
  kCudaError,       // lab::CudaError, or an error found when synchronising
  kUncheckedError,  // a call or launch failed, and the function ended as if nothing had happened
  kScratchUsedUp,   // std::bad_alloc
  kException,       // any other exception
  kCrashed,         // a signal ends the worker after this reply
  kUndefined,       // the rung does not define this function
  kNoError,         // a call with Call::error returned as if it had worked
  kErrorLeft,       // a call with Call::error threw, and the runtime still holds the error
  kBadRequest,      // judge and worker disagree on a signature, or a rung claims it
};

struct Header {
  std::uint32_t magic = kMagic;
  std::uint32_t sequence = 0;  // of the request, from 1 on; 0: the greeting
  std::uint32_t code = 0;      // Kind in a request, Status in a reply
  std::uint32_t payload_bytes = 0;
};

// One argument of a typed call. Scratch& and cudaStream_t are supplied by the worker.
// kHostBuffer: also a buffer of the arena, but the function receives a copy in host memory,
// including guard zones. When it returns, the copy is written back to the arena.
enum class ArgKind : std::uint32_t { kNull = 1, kBuffer, kInteger, kReal, kStruct, kHostBuffer };
struct Arg {
  ArgKind kind;
  // buffers: offset into the arena, bytes; kInteger: int64; kReal: double; kStruct: its bytes
  std::uint64_t bits;
};

// Structs that a contract may pass by value.
template <class T>
inline constexpr bool fits_argument = std::is_class_v<T>&& std::is_trivially_copyable_v<T> &&
                                      sizeof(T) <= sizeof(Arg::bits);

struct Call {
  std::string function;
  std::vector<Arg> args;
  // The CUDA error that the function must throw, "cudaErrorX" or "cudaErrorX or cudaErrorY";
  // empty: none.
  std::string error = {};
};

// The least size of the guard zones on both sides of each buffer.
inline constexpr std::size_t kGuardBytes = 256;

// A buffer of the arena as the student's code may see it; everything around it is out of bounds.
struct Region {
  std::string name;
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = 0;
  std::uint32_t initialized = 0;  // 0: reading it before writing it is a mistake
};

// Batch::record: with the lanes of a warp in step, or one after another; see simt::LaneTurns.
inline constexpr std::uint32_t kInStep = 1;
inline constexpr std::uint32_t kOneByOne = 2;

struct Batch {
  std::uint64_t scratch_bytes = 0;
  std::uint64_t schedule_seed = 0;  // cpu: order of lanes, warps and blocks; 0 is the natural order
  std::uint32_t timed = 0;          // cuda: take event times; leave the scratch as it is
  std::uint32_t count = 0;          // cpu: count what the kernels do
  std::uint32_t record = 0;         // cpu: record the first launch of `kernel`; 0: do not
  std::string kernel;
  std::vector<Region> regions;
  std::vector<Call> calls;
};

// The exit status of a worker whose rung accessed the records of its checkers.
inline constexpr int kTamperingStatus = 125;

struct Hello {
  std::uint64_t arena_bytes = 0;
  double batch_seconds = 0;  // of processor time, after which the judge ends the worker
};

// A fault seen by a checker. `line` is 0 where no line is known.
struct Finding {
  std::string kind;  // one of judge::kind
  std::string file;
  std::int32_t line = 0;
  std::string kernel;
  std::string message;
};

struct Reply {
  Status status = Status::kOk;
  std::uint32_t failed_call = 0;        // index in the batch
  double events_ms = 0;                 // cuda: the worker's own clock over the batch
  std::string text;                     // what went wrong, untrusted text
  std::vector<std::string> errors;      // what calls with Call::error threw, in call order
  std::vector<Finding> findings;        // cpu: what the checkers saw during the batch
  std::vector<KernelCounters> kernels;  // cpu: what they did, if Batch::count asked for it
  std::string recording;                // cpu: of the launch, if Batch::record asked for it
  std::vector<std::string> launches;    // cpu: with it, the kernels that were launched
};

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

std::string encode(const Hello&);
std::string encode(const Batch&);
std::string encode(const Reply&);
Hello decode_hello(std::string_view);
Batch decode_batch(std::string_view);
Reply decode_reply(std::string_view, Status);

// Blocking whole-message I/O for the worker. read_message returns false when the peer closed.
// Both throw std::runtime_error on a broken connection or a malformed header.
bool read_message(int fd, Header& header, std::string& payload);
void write_message(int fd, Header header, std::string_view payload);

}  // namespace wire
