// SPDX-License-Identifier: MIT
// A call table of everything that a misbehaving submission may do.
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "lab/cuda_error.cuh"
#include "lab/todo.cuh"
#include "tests/misbehaving_ring.h"
#include "worker/call_table.h"

namespace {

// What an initialiser of the rung may do before main.
[[gnu::constructor]] void blame_the_sandbox(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "--blame-the-sandbox") return;
  std::puts("bwrap: no namespaces");
  std::fflush(stdout);
  std::abort();
}

void put(int* d_out, const std::vector<int>& values) {
  lab::check(cudaMemcpy(d_out, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice));
}
void behave(int* d_out, int value, lab::Scratch&, cudaStream_t) { put(d_out, {value}); }
void abort_now() { std::abort(); }
void use_null() {
  volatile int* volatile nothing = nullptr;
  *nothing = 1;
}
void divide_by_zero() {
  volatile int zero = 0;
  zero = 100 / zero;
}
// NOLINTNEXTLINE(misc-no-recursion)
int recurse(int depth) {
  volatile char room[4096] = {};
  room[depth % 4096] = 1;
  return depth < 0 ? 0 : recurse(depth + 1) + room[0];
}
void recurse_forever() { recurse(1); }
void be_killed() { kill(getpid(), SIGKILL); }
void leave_early() {
  std::puts("[  PASSED  ] all");
  std::fflush(stdout);
  _exit(0);
}
void loop_forever() {
  const volatile bool again = true;
  while (again) {
  }
}
void sleep_forever() { pause(); }
void fail_late() {
  while (std::clock() < 0.3 * CLOCKS_PER_SEC) {
  }
  throw 42;
}
void flood() {
  const std::vector<char> chunk(1 << 16, 'x');
  for (;;) std::fwrite(chunk.data(), 1, chunk.size(), stdout);
}
void hoard() {
  for (;;) {
    auto* volatile chunk = static_cast<volatile char*>(std::malloc(16 << 20));
    for (int i = 0; i < 16 << 20; i += 4096) chunk[i] = 1;
  }
}
void not_written() { lab::todo("write me"); }
// What well-behaved functions do that no lab's first rung does.
void negate_on_host(const int* h_in, int num_items, int* h_out) {
  for (int i = 0; i < num_items; ++i) h_out[i] = -h_in[i];
}
void write_past_on_host(int* h_out, int num_items) { h_out[num_items] = 1; }
void take_shape(dim3 grid, int* d_out) {
  put(d_out, {static_cast<int>(grid.x), static_cast<int>(grid.y), static_cast<int>(grid.z)});
}
struct Wide {  // more than fits an argument
  double weight;
  int numbers[3];
};
enum class Turn : int { kAround = -1, kOn = 1 };
Wide turn(const Wide& wide, Turn turn) {
  const int sign = static_cast<int>(turn);
  return {sign * wide.weight, {sign * wide.numbers[0], sign * wide.numbers[1], wide.numbers[2]}};
}
void do_nothing() {}
void report_error() { lab::check(cudaSetDevice(99)); }
void leave_error() {
  cudaSetDevice(99);
  throw lab::CudaError(cudaPeekAtLastError());
}

void ignore_error() { cudaSetDevice(99); }
void throw_something() { throw 42; }
void throw_from_destructor() {
  struct Array {
    ~Array() { throw_something(); }  // noexcept, as destructors are
  };
  const Array array;
}
void blame_the_judge() { throw worker::BadRequest("no such argument"); }
void forge_reply() {
  wire::Header header;
  header.sequence = 1000;
  wire::write_message(wire::kSocketFd, header, wire::encode(wire::Reply{}));
  pause();
}
void answer_ahead() {  // the reply to the next request, after this one's
  if (fork() == 0) {
    usleep(200'000);
    wire::Header header;
    header.sequence = 3;
    wire::write_message(wire::kSocketFd, header, wire::encode(wire::Reply{}));
    pause();
  }
}
// Replies without reading requests, so that they pile up.
void answer_unread() {
  std::vector<char> unread(1 << 20);
  ssize_t seen = 0;
  for (std::uint32_t sequence = 2;; ++sequence) {
    wire::Header header;
    header.sequence = sequence;
    wire::write_message(wire::kSocketFd, header, wire::encode(wire::Reply{}));
    ssize_t now = seen;
    while (now == seen) {
      usleep(1000);
      now = recv(wire::kSocketFd, unread.data(), unread.size(), MSG_PEEK | MSG_DONTWAIT);
    }
    seen = now;
  }
}
// Each sends the judge a forged answer.
void lie(wire::Status status, const wire::Reply& reply) {
  wire::Header header;
  header.sequence = 2;
  header.code = static_cast<std::uint32_t>(status);
  wire::write_message(wire::kSocketFd, header, wire::encode(reply));
  pause();
}
void refuse_request() { lie(wire::Status::kBadRequest, {}); }
void blame_another_call() {
  wire::Reply reply;
  reply.failed_call = 77;
  lie(wire::Status::kNoError, reply);
}
void return_too_much() {
  wire::Reply reply;
  reply.host_data = {std::string(1 << 20, 'x')};
  lie(wire::Status::kOk, reply);
}
void use_up_scratch() { lie(wire::Status::kScratchUsedUp, {}); }
void send_a_novel() {
  wire::Reply reply;
  reply.text.assign(1 << 20, 'x');
  lie(wire::Status::kException, reply);
}
void nap() { usleep(400'000); }
void take_at_once() {  // faster than the judge looks
  constexpr std::size_t kBytes = std::size_t{6} << 30;
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  auto* volatile chunk =
      static_cast<volatile char*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, kFlags, -1, 0));
  madvise(const_cast<char*>(chunk), kBytes, MADV_HUGEPAGE);  // 2 MiB by each first touch
  for (std::size_t at = 0; at < kBytes; at += 4096) chunk[at] = 1;
  pause();
}
void hoard_shared() {  // works on a system without /dev/shm, too
  for (;;) {
    constexpr std::size_t kBytes = 16 << 20;
    auto* volatile chunk = static_cast<volatile char*>(
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    for (std::size_t at = 0; at < kBytes; at += 4096) chunk[at] = 1;
  }
}
void hoard_files() {  // of memory, never mapped
  static char bytes[8 << 20];
  for (int i = 0; i < 64; ++i) {
    if (write(memfd_create("hoard", 0), bytes, sizeof bytes) < 0) break;
  }
  pause();
}
void take_and_be_killed() {  // as a system does that runs out of memory
  constexpr std::size_t kBytes = 128 << 20;
  auto* volatile chunk = static_cast<volatile char*>(std::malloc(kBytes));
  for (std::size_t at = 0; at < kBytes; at += 4096) chunk[at] = 1;
  usleep(300'000);  // until the judge has looked
  kill(getpid(), SIGKILL);
}
void close_channel() {
  close(wire::kSocketFd);
  pause();
}
void count_on() {
  const std::string name = "/tmp/count_on." + std::to_string(getppid());
  const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  std::thread([file] {
    while (write(file, "1", 1) == 1) usleep(1000);
  }).detach();
}
// Through the descriptors of its own that may lead there, and through its parent's.
void print_into_log() {
  const std::string parent = "/proc/" + std::to_string(getppid()) + "/fd/1";
  const int of_parent = open(parent.c_str(), O_WRONLY);
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO, of_parent}) {
    static_cast<void>(!write(fd, "= forged\n", 9));
  }
}
void look_killed() { std::exit(137); }
void fork_and_leave() {
  if (fork() == 0) {
    pause();  // holds the socket open after its parent is gone
  }
  _exit(7);
}

// How a contender of a speed test behaves: the worker's first argument, --pace=STYLE:FILE. FILE
// stands for the device. It contains the milliseconds that calls have taken since the test last
// looked, and the caller that takes the device locks it.
const char* g_argument = "";
[[gnu::constructor]] void keep_argument(int argc, char** argv) {
  if (argc > 1) g_argument = argv[1];
}
std::string_view pace() {
  constexpr std::string_view kOption = "--pace=";
  const std::string_view argument = g_argument;
  const std::size_t end = argument.find(':');
  return argument.starts_with(kOption) ? argument.substr(kOption.size(), end - kOption.size()) : "";
}

int open_device() { return open(std::strchr(g_argument, ':') + 1, O_RDWR | O_CLOEXEC); }

constexpr double kPaceMs = 6;
void paced(int* d_out, int value) {
  static int num_calls = 0;
  static int num_batches = 0;
  const int device = open_device();
  double spent_ms = 0;
  pread(device, &spent_ms, sizeof spent_ms, 0);
  const bool is_taken = flock(device, LOCK_EX | LOCK_NB) != 0;
  if (!is_taken) flock(device, LOCK_UN);

  ++num_calls;
  if (spent_ms == 0) ++num_batches;
  double ms = kPaceMs;
  if (pace() == "half") ms *= 2;
  if (pace() == "far_slower") ms *= 90;
  if (pace() == "slow_at_first") ms *= num_calls <= 2 ? 20 : 2;
  if (pace() == "slow_in_turns") ms *= num_batches % 2 == 0 ? 2 : 12;
  if (pace() == "takes_device") {
    static const int held = open_device();
    flock(held, LOCK_EX);
    ms *= 2;
  }
  if (pace() == "needs_memory" && is_taken) throw lab::CudaError(cudaErrorMemoryAllocation);
  if (pace() == "needs_time" && is_taken) ms *= 4;
  spent_ms += ms;
  pwrite(device, &spent_ms, sizeof spent_ms, 0);
  close(device);
  put(d_out, {value});
}

}  // namespace

namespace worker {

std::span<const Entry> call_table() {
  static const Entry entries[] = {
      make_entry("behave", &behave),
      make_entry("abort_now", &abort_now),
      make_entry("use_null", &use_null),
      make_entry("divide_by_zero", &divide_by_zero),
      make_entry("recurse_forever", &recurse_forever),
      make_entry("be_killed", &be_killed),
      make_entry("leave_early", &leave_early),
      make_entry("loop_forever", &loop_forever),
      make_entry("sleep_forever", &sleep_forever),
      make_entry("fail_late", &fail_late),
      make_entry("flood", &flood),
      make_entry("hoard", &hoard),
      make_entry("not_written", &not_written),
      make_entry("throw_something", &throw_something),
      make_entry("throw_from_destructor", &throw_from_destructor),
      make_entry("ignore_error", &ignore_error),
      make_entry("negate_on_host", &negate_on_host),
      make_entry("write_past_on_host", &write_past_on_host),
      make_entry("take_shape", &take_shape),
      make_entry("turn", &turn),
      make_entry("do_nothing", &do_nothing),
      make_entry("report_error", &report_error),
      make_entry("leave_error", &leave_error),
      make_entry("blame_the_judge", &blame_the_judge),
      make_entry("forge_reply", &forge_reply),
      make_entry("answer_ahead", &answer_ahead),
      make_entry("answer_unread", &answer_unread),
      make_entry("refuse_request", &refuse_request),
      make_entry("blame_another_call", &blame_another_call),
      make_entry("send_a_novel", &send_a_novel),
      make_entry("return_too_much", &return_too_much),
      make_entry("use_up_scratch", &use_up_scratch),
      make_entry("nap", &nap),
      make_entry("hoard_shared", &hoard_shared),
      make_entry("take_at_once", &take_at_once),
      make_entry("hoard_files", &hoard_files),
      make_entry("take_and_be_killed", &take_and_be_killed),
      make_entry("close_channel", &close_channel),
      make_entry("count_on", &count_on),
      make_entry("print_into_log", &print_into_log),
      make_entry("look_killed", &look_killed),
      make_entry("fork_and_leave", &fork_and_leave),
      make_entry("paced", &paced),
      make_entry("send_rubbish", &misbehaving::send_rubbish),
      make_entry("ask_without_end", &misbehaving::ask_without_end),
      make_entry("scribble", &misbehaving::scribble),
      make_entry("fill_with_findings", &misbehaving::fill_with_findings),
      make_entry("look_for_device_memory", &misbehaving::look_for_device_memory),
      make_entry("close_ring", &misbehaving::close_ring),
      make_entry("absent", static_cast<void (*)()>(nullptr)),
  };
  return entries;
}

}  // namespace worker
