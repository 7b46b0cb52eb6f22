// SPDX-License-Identifier: MIT
// What the worker asks of the device, and what the device answers: plain structs, which travel
// through the ring as they are. Both ends are built from this file for one machine.
//
//   command = Kind, its struct, tail bytes          see decode.h
//   answer  = Answer, the command's ::Result, tail bytes
//
// The device carries a command out before it answers, launches included. Only a kernel that waits
// for the host is still there afterwards (Answer::waits); it goes on while the host runs, and with
// kProceed.
#pragma once

#include <cstdint>
#include <type_traits>

#include "memory/address_map.h"

namespace serve {

enum class Kind : std::uint32_t {
  kConnect = 1,
  kLoadModule,
  kFindKernel,
  kFindSymbol,
  kSetKernelLimits,
  kAllocate,
  kFree,
  kFind,
  kAskMemory,
  kReset,
  kCopy,
  kCopyMore,
  kFill,
  kAddStream,
  kRemoveStream,
  kWaitForStream,
  kWaitForAll,
  kAskStream,
  kAddEvent,
  kRemoveEvent,
  kRecordEvent,
  kWaitForEvent,
  kAskEvent,
  kStreamWaits,
  kCallersWork,
  kLaunch,
  kProceed,
  kGiveUp,
  kTouch,
  kReport,
  kTakePrinted,
  kTakeScratch,
  kDeclareScratch,
  kEndScratch,
  kTakeGraphMemory,
  kFreeGraphMemory,
  kMakeImage,
  kEndImage,
  kShareVariable,
  kRegister,
  kUnregister,
  kHostWaits,
  kGraphTurn,
  kGraphCall,
  kAddGraph,
  kRemoveGraph,
  kHostFunction,
  kCallersTurn,
  kEnd,
  kLast = kEnd,
};

// A line of the user's files, by name without folders; line 0: unknown. Longer names are cut.
struct Place {
  std::uint32_t line = 0;
  char file[124] = {};
};

struct Answer {
  std::int32_t error = 0;          // cudaError_t of the command
  std::int32_t sticky = 0;         // a kernel has faulted: every later command has this error
  std::uint32_t is_malformed = 0;  // the command could not be read; nothing has happened
  std::uint32_t waits = 0;         // a kernel waits for the host
  // Work may still run that the host's own accesses could race with: how much has been issued so
  // far. 0: the host knows that all is done.
  std::uint32_t num_racing = 0;
  std::uint32_t printed_bytes = 0;  // of Ring::printed: what kernels have printed
  std::uint32_t printed_left = 0;   // more of that, for kTakePrinted
  std::uint32_t tail_bytes = 0;     // behind the result: usually the reason of an error, in words
};

struct Nothing {
  std::uint32_t unused = 0;
};

inline constexpr std::uint64_t kLegacyStream = 0;  // of null and cudaStreamLegacy
inline constexpr std::uint64_t kPerThreadStream = 2;
inline constexpr std::uint64_t kNoStream = UINT64_MAX;

// The first command.
struct Connect {
  static constexpr Kind kKind = Kind::kConnect;
  struct Result {
    std::uint32_t takes_modules = 0;  // else the judge has given the kernels
  };
  std::uint32_t version = 0;
};

// PTX of the program, in pieces; the last one makes it a module.
struct LoadModule {
  static constexpr Kind kKind = Kind::kLoadModule;
  struct Result {
    std::uint32_t module = 0;  // modules are counted from 1; 0: more pieces have to come
  };
  std::uint64_t total_bytes = 0;
  std::uint64_t offset = 0;
  std::uint32_t piece_bytes = 0;  // in Ring::data
};

struct Size {
  std::uint32_t x = 1, y = 1, z = 1;
};

// By mangled name, which is the tail. The answer's tail: a ParameterPlace for each parameter, then
// the kernel's readable name.
struct FindKernel {
  static constexpr Kind kKind = Kind::kFindKernel;
  struct Result {
    std::uint32_t kernel = 0;
    std::uint32_t num_parameters = 0;
    std::uint32_t parameter_bytes = 0;
    std::uint32_t static_shared_bytes = 0;
    std::uint32_t local_bytes = 0;
    std::uint32_t max_threads = 0;  // __launch_bounds__; 0: none
    Size cluster;                   // __cluster_dims__; 1: none
  };
  std::uint32_t module = 0;  // 0: in any
  std::uint32_t name_bytes = 0;
};
struct ParameterPlace {
  std::uint32_t offset = 0;
  std::uint32_t size_bytes = 0;
};

struct FindSymbol {
  static constexpr Kind kKind = Kind::kFindSymbol;
  struct Result {
    std::uint64_t address = 0;
    std::uint64_t size_bytes = 0;
    std::uint32_t is_managed = 0;
  };
  std::uint32_t module = 0;  // 0: in any
  std::uint32_t name_bytes = 0;
};

// cudaFuncAttributeMaxDynamicSharedMemorySize, cudaFuncAttributeNonPortableClusterSizeAllowed
struct SetKernelLimits {
  static constexpr Kind kKind = Kind::kSetKernelLimits;
  using Result = Nothing;
  std::uint32_t kernel = 0;
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t cluster_blocks = memory::kMaxPortableClusterSize;
};

enum class Memory : std::uint32_t { kDevice, kManaged, kPinned, kLast = kPinned };

struct Allocate {
  static constexpr Kind kKind = Kind::kAllocate;
  struct Result {
    std::uint64_t address = 0;
  };
  std::uint64_t size_bytes = 0;
  std::uint64_t stream = kNoStream;  // else in the order of this one: cudaMallocAsync
  Memory memory = Memory::kDevice;
  Place at = {};
};

// Which function the program called: what it may free, and how a message calls it.
enum class FreeCall : std::uint32_t {
  kFree,
  kFreeAsync,
  kFreeHost,
  kFreeArray,
  kFreeOfPool,  // cudaFree, of memory from cudaMallocAsync
  kLast = kFreeOfPool
};

struct Free {
  static constexpr Kind kKind = Kind::kFree;
  using Result = Nothing;
  std::uint64_t address = 0;
  std::uint64_t stream = 0;
  FreeCall call = FreeCall::kFree;
  Place at = {};
};

// What an address belongs to.
struct Find {
  static constexpr Kind kKind = Kind::kFind;
  struct Result {
    std::uint64_t base = 0;  // of a live allocation; 0: there is none
    std::uint64_t size_bytes = 0;
    std::uint32_t kind = 0;  // memory::Allocation::Kind
  };
  std::uint64_t address = 0;
};

struct AskMemory {
  static constexpr Kind kKind = Kind::kAskMemory;
  struct Result {
    std::uint64_t free_bytes = 0;
    std::uint64_t total_bytes = 0;
  };
  std::uint32_t unused = 0;
};

struct Reset {  // cudaDeviceReset
  static constexpr Kind kKind = Kind::kReset;
  using Result = Nothing;
  std::uint32_t unused = 0;
};

// Rows of bytes, `pitch` apart, in slices of slice_rows rows.
struct Box {
  std::uint64_t base = 0;
  std::uint64_t pitch = 0;
  std::uint64_t slice_rows = 0;
};
struct Extent {
  std::uint64_t width = 0;  // in bytes
  std::uint64_t height = 1;
  std::uint64_t depth = 1;
};

// How a command meets the host: what it waits for before it begins, and after it is done.
enum Waits : std::uint32_t {
  kWaitsForNothing = 0,
  kWaitsBefore = 1,          // the host waits for the stream's earlier work
  kWaitsAfter = 2,           // and for the command itself
  kWaitsIfHostCanReach = 4,  // the same, where the memory is managed or pinned
  kAllWaits = 7,
};

// One end may be the host's own memory: then its bytes travel densely, row by row, through
// Ring::data. The first piece comes with the command, or with its answer; the rest by CopyMore.
struct Copy {
  static constexpr Kind kKind = Kind::kCopy;
  using Result = Nothing;
  Box to;
  Box from;
  Extent extent;
  std::uint64_t stream = kLegacyStream;
  std::uint32_t direction = 0;  // cudaMemcpyKind
  std::uint32_t waits = kWaitsForNothing;
  std::uint32_t to_host = 0;
  std::uint32_t from_host = 0;
  Place at = {};
};
struct CopyMore {
  static constexpr Kind kKind = Kind::kCopyMore;
  using Result = Nothing;
  std::uint64_t offset = 0;  // in the dense bytes; at most kDataBytes of them follow
};

struct Fill {
  static constexpr Kind kKind = Kind::kFill;
  using Result = Nothing;
  Box to;
  Extent extent;
  std::uint64_t stream = kLegacyStream;
  std::uint32_t value = 0;
  std::uint32_t element_bytes = 1;  // 1, 2 or 4
  std::uint32_t waits = kWaitsForNothing;
  Place at = {};
};

struct AddStream {
  static constexpr Kind kKind = Kind::kAddStream;
  struct Result {
    std::uint64_t stream = 0;
  };
  std::uint32_t is_blocking = 1;  // waits for the legacy default stream, and that for it
  Place at = {};                  // none: the runtime's own
};
struct RemoveStream {
  static constexpr Kind kKind = Kind::kRemoveStream;
  using Result = Nothing;
  std::uint64_t stream = 0;
};
struct WaitForStream {
  static constexpr Kind kKind = Kind::kWaitForStream;
  using Result = Nothing;
  std::uint64_t stream = 0;
};
struct WaitForAll {
  static constexpr Kind kKind = Kind::kWaitForAll;
  using Result = Nothing;
  std::uint32_t unused = 0;
};
// Whether the kernel that waits for the host comes before what is issued to the stream now.
struct AskStream {
  static constexpr Kind kKind = Kind::kAskStream;
  struct Result {
    std::uint32_t is_behind = 0;
  };
  std::uint64_t stream = 0;
};

struct AddEvent {
  static constexpr Kind kKind = Kind::kAddEvent;
  struct Result {
    std::uint64_t event = 0;
  };
  Place at = {};  // none: the runtime's own
};
struct RemoveEvent {
  static constexpr Kind kKind = Kind::kRemoveEvent;
  using Result = Nothing;
  std::uint64_t event = 0;
};
struct RecordEvent {
  static constexpr Kind kKind = Kind::kRecordEvent;
  using Result = Nothing;
  std::uint64_t event = 0;
  std::uint64_t stream = 0;
};
struct WaitForEvent {
  static constexpr Kind kKind = Kind::kWaitForEvent;
  using Result = Nothing;
  std::uint64_t event = 0;
  // A kernel that waited for the host was before it: what ran behind that kernel has begun only
  // now.
  std::uint32_t had_waited = 0;
};
struct AskEvent {
  static constexpr Kind kKind = Kind::kAskEvent;
  struct Result {
    std::uint32_t is_behind = 0;
    std::uint32_t has_clock = 0;  // the device has a clock of its own; `ms` is its time
    std::uint32_t is_known = 0;   // the host has waited for the event, or for later work
    double ms = 0;
  };
  std::uint64_t event = 0;
};
struct StreamWaits {
  static constexpr Kind kKind = Kind::kStreamWaits;
  using Result = Nothing;
  std::uint64_t stream = 0;
  std::uint64_t event = 0;
};

// The caller of a lab's function has put work into this stream that writes all buffers of the
// batch, or reads them.
struct CallersWork {
  static constexpr Kind kKind = Kind::kCallersWork;
  using Result = Nothing;
  std::uint64_t stream = 0;
  std::uint32_t writes = 0;
};

inline constexpr std::uint32_t kMaxParameterBytes = 32764;  // CUDA's limit

// The tail holds the parameters.
struct Launch {
  static constexpr Kind kKind = Kind::kLaunch;
  using Result = Nothing;
  Size grid;
  Size block;
  Size cluster;
  std::uint32_t kernel = 0;
  std::uint64_t dynamic_shared_bytes = 0;
  std::uint64_t stream = kLegacyStream;
  std::uint32_t is_cooperative = 0;
  std::uint32_t checks_only = 0;  // for errors: nothing is launched
  std::uint32_t parameter_bytes = 0;
  Place at = {};
};

// The kernel that waits gets a turn. is_last: the host waits for it, so it may take its time.
struct Proceed {
  static constexpr Kind kKind = Kind::kProceed;
  using Result = Nothing;
  std::uint32_t is_last = 0;
};
// The host will not write what it polls: it is a deadlock. The tail says why.
struct GiveUp {
  static constexpr Kind kKind = Kind::kGiveUp;
  using Result = Nothing;
  std::uint32_t why_bytes = 0;
};

// The host's own code touches managed or pinned memory that a kernel or copy may still use.
struct Touch {
  static constexpr Kind kKind = Kind::kTouch;
  using Result = Nothing;
  std::uint64_t address = 0;
  std::uint32_t writes = 0;
  std::uint32_t is_volatile = 0;  // it may look at a flag
  Place at = {};
};

// A finding about the host's code. The tail holds the kernel's name, then the message.
struct Report {
  static constexpr Kind kKind = Kind::kReport;
  using Result = Nothing;
  std::uint32_t finding = 0;  // report::Kind; only those of the host
  std::uint32_t kernel_bytes = 0;
  std::uint32_t message_bytes = 0;
  std::uint32_t error = 0;  // that the host ignored; 0: none
  Place at = {};
};

struct TakePrinted {
  static constexpr Kind kKind = Kind::kTakePrinted;
  using Result = Nothing;
  std::uint32_t unused = 0;
};

// Memory of a lab's Scratch: the room of one call, and the allocations in it.
struct TakeScratch {
  static constexpr Kind kKind = Kind::kTakeScratch;
  struct Result {
    std::uint64_t address = 0;
  };
  std::uint64_t size_bytes = 0;
};
struct DeclareScratch {
  static constexpr Kind kKind = Kind::kDeclareScratch;
  using Result = Nothing;
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  std::uint32_t name_bytes = 0;
};
struct EndScratch {
  static constexpr Kind kKind = Kind::kEndScratch;
  using Result = Nothing;
  std::uint32_t unused = 0;
};

// The memory of a graph's allocation node: its address is taken once (is_new), and is an allocation
// from the node's turn on until that of its free node.
struct TakeGraphMemory {
  static constexpr Kind kKind = Kind::kTakeGraphMemory;
  struct Result {
    std::uint64_t address = 0;
  };
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  std::uint32_t is_new = 0;
  Place at = {};
};
struct FreeGraphMemory {
  static constexpr Kind kKind = Kind::kFreeGraphMemory;
  using Result = Nothing;
  std::uint64_t address = 0;
  Place at = {};
};

// A texture or surface object. What it refers to is checked when a kernel uses it.
struct MakeImage {
  static constexpr Kind kKind = Kind::kMakeImage;
  struct Result {
    std::uint64_t object = 0;
  };
  std::uint64_t base = 0;
  std::uint64_t row_bytes = 0;          // from one row to the next
  std::uint32_t width = 1;              // in elements
  std::uint32_t height = 1, depth = 1;  // depth: slices, layers or faces
  std::uint32_t num_channels = 1;       // 1, 2 or 4
  std::uint32_t channel_bytes = 4;      // 1, 2 or 4
  std::uint32_t channel_kind = 0;       // cudaChannelFormatKind: signed, unsigned, float
  std::uint32_t dimensions = 1;         // of a layer
  std::uint32_t is_layered = 0, is_cube = 0;
  std::uint32_t is_surface = 0;
  // Of a texture.
  std::uint32_t is_linear_memory = 0;
  std::uint32_t is_filtered = 0;
  std::uint32_t normalises = 0;  // integers: cudaReadModeNormalizedFloat
  std::uint32_t has_normalised_coordinates = 0;
  std::uint32_t address_modes[3] = {};  // cudaTextureAddressMode, those in effect
  float border[4] = {};
};
struct EndImage {
  static constexpr Kind kKind = Kind::kEndImage;
  using Result = Nothing;
  std::uint64_t object = 0;
};

// The host has mapped a __managed__ variable's pages at an address of its own, too.
struct ShareVariable {
  static constexpr Kind kKind = Kind::kShareVariable;
  using Result = Nothing;
  std::uint64_t device = 0;
  std::uint64_t host = 0;
};

// cudaHostRegister: memory of the host's own, which the host then maps at its place, too.
struct Register {
  static constexpr Kind kKind = Kind::kRegister;
  struct Result {
    std::uint64_t address = 0;
  };
  std::uint64_t host = 0;
  std::uint64_t size_bytes = 0;
  Place at = {};
};
struct Unregister {
  static constexpr Kind kKind = Kind::kUnregister;
  using Result = Nothing;
  std::uint64_t address = 0;
  Place at = {};
};

// The line calls a function that waits for the device.
struct HostWaits {
  static constexpr Kind kKind = Kind::kHostWaits;
  using Result = Nothing;
  Place at = {};
};

// What follows is the launch of a graph, until the next one that does not begin: one call of the
// host's, and launches and copies that the device makes by itself.
struct GraphTurn {
  static constexpr Kind kKind = Kind::kGraphTurn;
  using Result = Nothing;
  std::uint32_t begins = 0;
  Place at = {};
};

// Makes nodes of a graph, or makes a graph executable. By a posed clock it takes the host the time
// of one call per node.
struct GraphCall {
  static constexpr Kind kKind = Kind::kGraphCall;
  using Result = Nothing;
  std::uint64_t num_nodes = 0;
  Place at = {};
};

// The host holds a graph, which it has to destroy.
struct AddGraph {
  static constexpr Kind kKind = Kind::kAddGraph;
  struct Result {
    std::uint64_t graph = 0;
  };
  std::uint32_t is_executable = 0;
  Place at = {};
};
struct RemoveGraph {
  static constexpr Kind kKind = Kind::kRemoveGraph;
  using Result = Nothing;
  std::uint64_t graph = 0;
};

// What follows is a function of the host's in the order of a stream, until the next one that does
// not begin.
struct HostFunction {
  static constexpr Kind kKind = Kind::kHostFunction;
  using Result = Nothing;
  std::uint32_t begins = 0;
  std::uint64_t stream = 0;
};

// What follows is the work of the caller of a lab's function, until the next one that does not
// begin: it is no call of the function's.
struct CallersTurn {
  static constexpr Kind kKind = Kind::kCallersTurn;
  using Result = Nothing;
  std::uint32_t begins = 0;
};

// The program ends: what it left behind is reported.
struct End {
  static constexpr Kind kKind = Kind::kEnd;
  struct Result {
    std::uint32_t num_findings = 0;
  };
  std::uint32_t unused = 0;
};

}  // namespace serve
