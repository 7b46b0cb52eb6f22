// SPDX-License-Identifier: MIT
// The worker: the process that runs a student's code. It obeys the judge over a socket, and holds
// no expected result, no clock that counts and no verdict.
#include <cuda_runtime.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "lab/cuda_error.cuh"
#include "lab/todo.cuh"
#include "worker/call_table.h"
#include "worker/device.h"
#include "worker/filter.h"

namespace worker {
namespace {

constexpr std::string_view kChecked = "--checked";  // a checker runs the worker

const Entry* find_entry(const std::string& name) {
  for (const Entry& entry : call_table()) {
    if (name == entry.name) return &entry;
  }
  return nullptr;
}

cudaStream_t g_stream = nullptr;  // that all calls receive

// What a call may do with the stream that it receives, as long as this lives.
class CallOnStream {
 public:
  explicit CallOnStream(bool takes_stream) : takes_stream_(takes_stream) {
    if (takes_stream_) begin_call_on(g_stream);
  }
  ~CallOnStream() {
    if (takes_stream_) end_call_on(g_stream);
  }
  CallOnStream(const CallOnStream&) = delete;
  CallOnStream& operator=(const CallOnStream&) = delete;

 private:
  bool takes_stream_;
};

// Times a batch on the stream. The judge compares this with its own wall clock.
class EventTimer {
 public:
  EventTimer() {
    lab::check(cudaEventCreate(&begin_));
    lab::check(cudaEventCreate(&end_));
    lab::check(cudaEventRecord(begin_, g_stream));
  }
  ~EventTimer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  EventTimer(const EventTimer&) = delete;
  EventTimer& operator=(const EventTimer&) = delete;

  void stop() { lab::check(cudaEventRecord(end_, g_stream)); }
  double elapsed_ms() {
    float elapsed = 0;
    lab::check(cudaEventElapsedTime(&elapsed, begin_, end_));
    return elapsed;
  }

 private:
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

// The function returned normally after a CUDA call or a launch of its own had failed.
class UncheckedError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A function that had to throw returned instead, or threw but left the error behind.
class NoError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
class ErrorLeft : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A launch that could not start leaves only this trace, and wrong results without a visible
// cause.
void expect_checked_errors() {
  const cudaError_t unchecked = cudaGetLastError();
  if (unchecked != cudaSuccess) throw UncheckedError(lab::CudaError(unchecked).what());
}

// Makes a call that must throw, and returns what it threw.
template <class Invoke>
std::string thrown_by(const Invoke& invoke) {
  try {
    invoke();
  } catch (const lab::CudaError& error) {
    std::string text = error.what();
    if (cudaPeekAtLastError() != cudaSuccess) throw ErrorLeft(text);
    return text;
  }
  expect_checked_errors();
  throw NoError("no error");
}

void run_call(const wire::Call& call, wire::Batch& batch, std::byte* d_arena, wire::Reply& reply) {
  const Entry* const entry = find_entry(call.function);
  if (entry == nullptr) throw BadRequest("no function " + call.function + " in this lab");
  void* const d_scratch = scratch_memory(batch.scratch_bytes, batch.timed != 0);
  // Not on the stack, where the rung may write only to what its own functions have there.
  const auto scratch =
      std::make_unique<lab::Scratch>(d_scratch, batch.scratch_bytes, scratch_observer());
  HostCopies host_copies(batch.host_data, g_stream, !entry->takes_stream);
  const Context context{d_arena, &host_copies, scratch.get(), g_stream};
  Arguments arguments(call.args, context);
  const auto invoke = [&] {
    const CallOnStream on_stream(entry->takes_stream);
    entry->invoke(entry->function, arguments);
  };
  if (call.error.empty()) {
    invoke();
    expect_checked_errors();
  } else {
    reply.errors.push_back(thrown_by(invoke));
  }
  host_copies.read_pinned();
  if (batch.timed == 0) lab::check(cudaDeviceSynchronize());
  host_copies.give_back();
}

void run_calls(wire::Batch& batch, std::byte* d_arena, wire::Reply& reply) {
  for (const wire::Call& call : batch.calls) {
    run_call(call, batch, d_arena, reply);
    ++reply.failed_call;
  }
}

void run_timed(wire::Batch& batch, std::byte* d_arena, wire::Reply& reply) {
  EventTimer timer;
  run_calls(batch, d_arena, reply);
  timer.stop();
  lab::check(cudaDeviceSynchronize());  // every stream, not only the one that we passed
  reply.events_ms = timer.elapsed_ms();
}

// The first function of the batch that the rung leaves undefined, or null.
const wire::Call* undefined_call(const wire::Batch& batch) {
  for (const wire::Call& call : batch.calls) {
    const Entry* const entry = find_entry(call.function);
    if (entry != nullptr && entry->function == nullptr) return &call;
  }
  return nullptr;
}

// While a batch runs: its request, and the reply so far.
const wire::Header* g_request = nullptr;
wire::Reply* g_reply = nullptr;

void answer(wire::Header header, const wire::Reply& reply) {
  std::fflush(stdout);
  header.code = static_cast<std::uint32_t>(reply.status);
  wire::write_message(wire::kSocketFd, header, wire::encode(reply));
}

void answer_before_the_end(const std::string& what) {
  if (g_request == nullptr) return;
  g_reply->status = wire::Status::kCrashed;
  g_reply->text = what;
  answer(*std::exchange(g_request, nullptr), *g_reply);
}

wire::Reply run_batch(const wire::Header& request, wire::Batch batch, std::byte* d_arena) {
  wire::Reply reply;
  g_reply = &reply;
  g_request = &request;
  const auto fail = [&](wire::Status status, const std::string& text) {
    reply.status = status;
    reply.text = text;
  };
  const auto blame = [&](const std::string& what, bool was_ignored) {
    if (reply.failed_call == batch.calls.size()) return;  // all had ended
    report_error(batch.calls[reply.failed_call].function, what, was_ignored);
  };
  begin_batch(batch.posed);
  try {
    if (g_stream == nullptr) g_stream = make_stream();
    if (const wire::Call* const call = undefined_call(batch)) {
      fail(wire::Status::kUndefined, call->function);
    } else if (batch.timed != 0) {
      run_timed(batch, d_arena, reply);
    } else {
      run_calls(batch, d_arena, reply);
    }
  } catch (const lab::Todo& todo) {
    fail(wire::Status::kTodo, std::string("TODO: ") + todo.what());
  } catch (const lab::CudaError& error) {
    const std::string text = error.what();
    fail(wire::Status::kCudaError, text);
    blame(text, false);
  } catch (const UncheckedError& error) {
    fail(wire::Status::kUncheckedError, error.what());
    blame(error.what(), true);
  } catch (const NoError& error) {
    fail(wire::Status::kNoError, error.what());
  } catch (const ErrorLeft& error) {
    fail(wire::Status::kErrorLeft, error.what());
  } catch (const std::bad_alloc&) {
    fail(wire::Status::kScratchUsedUp, "out of scratch or host memory");
  } catch (const BadRequest& error) {
    fail(wire::Status::kBadRequest, error.what());
  } catch (const std::exception& error) {
    fail(wire::Status::kException, error.what());
  } catch (...) {
    fail(wire::Status::kException, "an exception that is not a std::exception");
  }
  static_cast<void>(cudaDeviceSynchronize());  // a call that threw may have left a kernel behind
  release_scratch();
  for (wire::HostData& data : batch.host_data) reply.host_data.push_back(std::move(data.bytes));
  g_request = nullptr;
  return reply;
}

// A sandbox reports a signal as exit status 128 + N; no exit of the worker's own may look like one.
void report_no_signal(int status, void*) {
  constexpr int kLastPlainStatus = 128;
  if ((status & 0xff) <= kLastPlainStatus) return;
  std::fflush(nullptr);
  _exit(kLastPlainStatus);
}

// Standard output belongs to the checker around the worker. The worker gives up its own copy, so
// that the rung cannot write to what the checker says. Its text goes where its errors go.
void move_output(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == kChecked) dup2(STDERR_FILENO, STDOUT_FILENO);
}

// Runs before the rung's initialisers, which have no priority: until the greeting is sent, a
// failure is the machine's. A worker started by hand has no judge to greet.
[[gnu::constructor(101)]] void begin(int argc, char** argv) {
  move_output(argc, argv);
  on_exit(report_no_signal, nullptr);
  explain_crashes(answer_before_the_end);
  const wire::Header greeting;
  static_cast<void>(send(wire::kSocketFd, &greeting, sizeof greeting, MSG_NOSIGNAL));
}

int serve() {
  std::byte* d_arena = nullptr;
  wire::Header header;
  std::string payload;
  while (wire::read_message(wire::kSocketFd, header, payload)) {
    wire::Reply reply;
    if (static_cast<wire::Kind>(header.code) == wire::Kind::kHello) {
      d_arena = open_arena(wire::decode_hello(payload));
    } else {
      reply = run_batch(header, wire::decode_batch(payload), d_arena);
    }
    answer(header, reply);
  }
  close_arena(d_arena);
  return 0;
}

[[gnu::section(".preinit_array"),
  gnu::used]] void (*const g_before_initialisers)(int, char**, char**) = &take_filter;

}  // namespace
}  // namespace worker

int main(int argc, char** argv) {
  try {
    const std::string_view argument = argc > 1 ? argv[1] : "";
    if (argument == "--probe") {  // can the device be reached from where the worker is?
      worker::scratch_memory(1, false);
      return 0;
    }
    if (argument == worker::kChecked) worker::prepare_for_checker();
    return worker::serve();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "worker: %s (started by hand? the judge starts workers)\n", error.what());
    return 3;
  }
}
