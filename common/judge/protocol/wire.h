// SPDX-License-Identifier: MIT
// The messages between the judge and the worker. The worker is not trusted: the judge bounds every
// read, and a reply cannot contain addresses.
//
//   request = Header, payload      judge -> worker
//   reply   = Header, payload      worker -> judge, with the request's sequence number
//
// The worker speaks first: a reply without payload to request 0, before anything of the rung has
// run. Before it, a fault of the worker is never the student's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "protocol/bytes.h"
#include "protocol/report.h"

namespace wire {

inline constexpr std::uint32_t kMagic = 0x4c4b5331;  // "LKS1"

// File descriptors that a worker finds open when it starts, and a device process. Each has its own
// socket.
inline constexpr int kSocketFd = 3;
inline constexpr int kArenaFd = 4;   // the judge's buffers; not of a worker with a device process
inline constexpr int kRingFd = 5;    // what worker and device process say to each other
inline constexpr int kSharedFd = 6;  // device memory that the worker's host code uses, too
inline constexpr int kNumSharedFds = 3;

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
// kHostBuffer: also a buffer of the arena, but its contents travel with the request and the reply.
// The function receives them in host memory. kPinnedBuffer: that is pinned.
enum class ArgKind : std::uint32_t {
  kNull = 1,
  kBuffer,
  kInteger,
  kReal,
  kStruct,
  kHostBuffer,
  kPinnedBuffer
};
struct Arg {
  ArgKind kind;
  // buffers: offset into the arena, bytes; kInteger: int64; kReal: double; kStruct: its bytes
  std::uint64_t bits;
  bool operator==(const Arg&) const = default;
  bool is_hosts() const { return kind == ArgKind::kHostBuffer || kind == ArgKind::kPinnedBuffer; }
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

// What a buffer that a call takes as host memory holds, with its guard zones: calls may write
// there, and the judge sees it.
struct HostData {
  std::uint64_t offset_bytes = 0;  // of the buffer in the arena
  std::string bytes;
};

// Batch::record: which launch of the kernel; see record::Recorder::Which.
inline constexpr std::uint32_t kFirst = 1;
inline constexpr std::uint32_t kFirstWithFinding = 2;

// What the emulated device is for the calls of a batch; 0: as it always is.
struct Posed {
  std::uint32_t num_multiprocessors = 0;
  std::uint32_t threads_per_multiprocessor = 0;
  std::uint32_t shared_bytes_per_multiprocessor = 0;  // of which a block can have all but 1 KiB
  std::uint32_t l2_bytes = 0;
  std::uint32_t failing_allocation = 0;  // its number in the batch, from 1 on
  // What work takes by the device's clock, which events read; without launch_ms there is none. A
  // kernel's first launch takes kColdTimes as long.
  double launch_ms = 0;       // a launch ...
  double kernel_byte_ms = 0;  // ... and each byte of global memory that its threads ask for
  // Each byte of a copy between host and device, with pageable memory kPageableTimes as long.
  double byte_in_ms = 0;
  double byte_out_ms = 0;
  double call_ms = 0;  // the host's thread, for a launch, a copy or the launch of a graph
  // Of its time, by which each further copy in a direction and each further launch takes longer.
  double drift = 0;
};
inline constexpr int kColdTimes = 40;
inline constexpr int kPageableTimes = 8;

struct Batch {
  std::uint64_t scratch_bytes = 0;
  std::uint64_t schedule_seed = 0;  // cpu: order of lanes, warps and blocks; 0 is the natural order
  std::uint32_t timed = 0;          // cuda: take event times; leave the scratch as it is
  std::uint32_t count = 0;          // cpu: count what the kernels do
  std::uint32_t shapes = 0;         // cpu: note what a model of time needs of their launches
  std::uint32_t record = 0;         // cpu: record a launch of `kernel`; 0: do not
  std::string kernel;
  Posed posed;
  std::vector<Region> regions;
  std::vector<HostData> host_data;  // of each buffer that a call takes as host memory
  std::vector<Call> calls;
};

// The exit status of a worker whose rung accessed the records of its checkers.
inline constexpr int kTamperingStatus = 125;

struct Hello {
  std::uint64_t arena_bytes = 0;
  std::uint64_t arena_address = 0;  // in a device process's memory; 0: kernels run elsewhere
  double batch_seconds = 0;         // of processor time, after which the judge ends the worker
};

struct Reply {
  Status status = Status::kOk;
  std::uint32_t failed_call = 0;       // index in the batch
  double events_ms = 0;                // cuda: the worker's own clock over the batch
  std::string text;                    // what went wrong, untrusted text
  std::vector<std::string> errors;     // what calls with Call::error threw, in call order
  std::vector<std::string> host_data;  // of kOk: Batch::host_data, as the calls left it
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
