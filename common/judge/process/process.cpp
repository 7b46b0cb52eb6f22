// SPDX-License-Identifier: MIT
#include "process/process.h"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "process/family.h"
#include "protocol/device_wire.h"

namespace judge {
namespace {

// What the driver maps for every program, before the rung asks for anything, is less than this. The
// rung's initialisers run before the first look, and must not raise what counts as the driver's.
constexpr std::size_t kMaxDriversOwnBytes = std::size_t{1} << 30;
constexpr auto kMaxSpin = std::chrono::seconds(2);
constexpr auto kMaxDying = std::chrono::seconds(5);  // from its last descriptor to its end
constexpr int kWatchIntervalMs = 50;                 // how often CPU time and memory are looked at
// For a device process to say what it saw, after its worker has ended before its time.
constexpr double kLastWordsSeconds = 5;

constexpr std::size_t kRingBytes = std::size_t{2} << 20;    // serve::kRingBytes
constexpr std::size_t kSharedBytes = std::size_t{4} << 30;  // addresses; few get pages

Child::Start start_of(const std::vector<std::string>& command, const Inherited& shared,
                      const MemoryGroup& group, const Limits& limits) {
  return {command,
          shared,
          group.door_fd(),
          limits.sandboxed,
          limits.checker_log,
          limits.output_bytes,
          limits.call_wall_seconds};
}

std::unique_ptr<SharedMemory> shared_if(bool is_wanted, std::size_t size_bytes) {
  return is_wanted ? std::make_unique<SharedMemory>(size_bytes) : nullptr;
}

int fd_of(const std::unique_ptr<SharedMemory>& memory) { return memory ? memory->fd() : -1; }

}  // namespace

WorkerProcess::WorkerProcess(const Commands& commands, const Memory& arena, const Limits& limits)
    : limits_(limits),
      arena_(arena),
      ring_(shared_if(!commands.device.empty(), kRingBytes)),
      shared_(shared_if(!commands.device.empty(), kSharedBytes)),
      memory_group_(limits.memory_group, limits.memory_bytes),
      drivers_own_bytes_(kMaxDriversOwnBytes),
      // Device memory is out of the worker's reach, where another process holds it.
      worker_(start_of(commands.worker, {ring_ ? -1 : arena.fd(), fd_of(ring_), fd_of(shared_)},
                       memory_group_, limits)) {
  if (commands.device.empty()) return;
  Child::Start start =
      start_of(commands.device, {arena.fd(), fd_of(ring_), fd_of(shared_)}, memory_group_, limits);
  start.log_file.clear();
  device_ = std::make_unique<Child>(std::move(start));
}

WorkerProcess::~WorkerProcess() {
  try {
    end();
  } catch (const std::runtime_error&) {
    // A caller that needs to know about a failure calls end() first.
  }
}

void WorkerProcess::pause() const { worker_.send(SIGSTOP); }
void WorkerProcess::resume() const { worker_.send(SIGCONT); }

void WorkerProcess::end() {
  if (worker_.is_running() && limits_.farewell_seconds > 0) {
    worker_.channel().close_both();  // the worker's next read finds the end, so it returns
    worker_.await_end(limits_.farewell_seconds);
  }
  worker_.kill();
  if (device_) device_->kill();
}

WorkerProcess::Turn WorkerProcess::begin_turn(Wait wait, double seconds) {
  seen_cpu_seconds_ = 0;
  seen_memory_bytes_ = 0;
  const auto now = Clock::now();
  return {now, std::min(seconds, limits_.call_wall_seconds), cpu_seconds(), wait};
}

Exchange WorkerProcess::greet() {
  Turn turn = begin_turn(Wait::kAsleep, limits_.call_wall_seconds);
  wire::Hello hello{arena_.size_bytes(), 0, limits_.call_cpu_seconds};
  if (device_) {
    const wire::DeviceHello request{arena_.size_bytes(), limits_.call_cpu_seconds};
    if (const auto ending = ask_device(wire::DeviceKind::kHello, wire::encode(request), turn)) {
      return finish(*ending);
    }
    const std::string places = device_->channel().take().payload;
    hello.arena_address = wire::decode_device_places(places).arena_address;
  }
  return converse(wire::Kind::kHello, wire::encode(hello), turn);
}

namespace {

// The worker must not know what its events will measure.
wire::Batch without_secrets(wire::Batch batch) {
  wire::Posed& posed = batch.posed;
  posed.launch_ms = posed.kernel_byte_ms = posed.byte_in_ms = posed.byte_out_ms = posed.call_ms = 0;
  posed.drift = 0;
  return batch;
}

}  // namespace

Exchange WorkerProcess::run(const wire::Batch& batch, Wait wait, double seconds) {
  Turn turn = begin_turn(wait, seconds);
  if (device_) {
    wire::Batch begun = batch;
    begun.calls.clear();
    begun.host_data.clear();
    if (const auto ending = ask_device(wire::DeviceKind::kBegin, wire::encode(begun), turn)) {
      return finish(*ending);
    }
    device_->channel().take();
    is_batch_begun_ = true;
  }
  Exchange exchange = converse(wire::Kind::kCalls, wire::encode(without_secrets(batch)), turn);
  if (exchange.ending != Ending::kReplied) return exchange;
  if (!device_) return exchange;
  const bool threw =
      !exchange.reply.errors.empty() || exchange.reply.status == wire::Status::kException;
  if (const auto ending = end_batch({threw ? 1U : 0U, 0}, turn, exchange.report)) {
    return finish(*ending);
  }
  return exchange;
}

// Has the device process end the batch and say what it saw. Nothing: it has.
std::optional<Ending> WorkerProcess::end_batch(const wire::BatchEnd& end, Turn& turn,
                                               wire::Report& report) {
  is_batch_begun_ = false;
  if (const auto ending = ask_device(wire::DeviceKind::kEnd, wire::encode(end), turn)) {
    return ending;
  }
  try {
    report = wire::decode_report(device_->channel().take().payload);
  } catch (const std::runtime_error&) {
    return Ending::kDeviceDied;  // it says what it never would
  }
  return std::nullopt;
}

std::optional<Ending> WorkerProcess::ask_device(wire::DeviceKind kind, const std::string& payload,
                                                Turn& turn) {
  const auto ending = ask(*device_, static_cast<std::uint32_t>(kind), payload, turn);
  // It alone has this channel, so what breaks that is its own fault.
  return ending == Ending::kMalformed ? Ending::kDeviceDied : ending;
}

// One request to the worker, and its reply.
Exchange WorkerProcess::converse(wire::Kind kind, const std::string& payload, Turn& turn) {
  if (const auto ending = ask(worker_, static_cast<std::uint32_t>(kind), payload, turn)) {
    return finish(*ending);
  }
  Exchange exchange;
  exchange.wall_ms = std::chrono::duration<double, std::milli>(Clock::now() - turn.begin).count();
  exchange.cpu_seconds = seen_cpu_seconds_;
  const Channel::Message message = worker_.channel().take();
  try {
    exchange.reply = wire::decode_reply(message.payload, static_cast<wire::Status>(message.code));
  } catch (const std::runtime_error&) {
    return finish(Ending::kMalformed);
  }
  drain_output();
  return exchange;
}

std::optional<Ending> WorkerProcess::ask(Child& program, std::uint32_t code,
                                         const std::string& payload, Turn& turn) {
  // An answer to a request that was not sent yet.
  if (program.channel().has_unread()) return Ending::kMalformed;
  if (!program.channel().send(code, payload)) {
    // Let it finish dying, so that we name its own cause of death.
    pollfd gone{program.pid_fd(), POLLIN, 0};
    if (poll(&gone, 1, 1000) == 0) return Ending::kMalformed;
    return &program == &worker_ ? Ending::kDied : Ending::kDeviceDied;
  }
  return wait_for(program, turn);
}

std::optional<Ending> WorkerProcess::wait_for(Child& program, Turn& turn) {
  Channel& channel = program.channel();
  Clock::time_point last_open = Clock::now();
  for (;;) {
    pollfd fds[] = {{channel.fd(), POLLIN, 0},
                    {program.pid_fd(), POLLIN, 0},
                    {device_ ? device_->pid_fd() : -1, POLLIN, 0},
                    {worker_.output_fd(), POLLIN, 0},
                    {device_ ? device_->output_fd() : -1, POLLIN, 0},
                    {worker_.log_fd(), POLLIN, 0}};
    const bool spins = turn.wait == Wait::kSpinning && Clock::now() - turn.begin < kMaxSpin;
    const int num_ready = poll(fds, std::size(fds), spins ? 0 : kWatchIntervalMs);
    if (num_ready < 0 && errno != EINTR) return Ending::kDied;
    if (spins && num_ready == 0) continue;

    if (fds[5].revents != 0) worker_.drain_log();
    if (!drain_output()) return Ending::kFlooded;
    if (fds[0].revents != 0) {
      channel.receive();
      switch (channel.progress()) {
        case Channel::Progress::kWhole:
          return std::nullopt;
        case Channel::Progress::kNonsense:
          return Ending::kMalformed;
        case Channel::Progress::kPart:
          break;
      }
    }
    if (fds[2].revents != 0) return Ending::kDeviceDied;  // first: the worker may die of it
    if (fds[1].revents != 0) return Ending::kDied;
    // A process that ends closes its socket a moment before. One that keeps running must not close
    // it.
    if (channel.is_open()) last_open = Clock::now();
    if (Clock::now() - last_open > kMaxDying) return Ending::kMalformed;
    if (const auto ending = look_at_limits(turn)) return ending;
  }
}

std::optional<Ending> WorkerProcess::look_at_limits(const Turn& turn) {
  // Memory first: on a busy machine both limits may have passed since the last look, and taking
  // memory is what took the time.
  const std::size_t held_bytes = memory_bytes();
  // The most: a process that is ending holds nothing.
  seen_memory_bytes_ = std::max(seen_memory_bytes_, held_bytes);
  if (held_bytes > limits_.memory_bytes) return Ending::kMemoryExceeded;
  seen_cpu_seconds_ = std::max(seen_cpu_seconds_, cpu_seconds() - turn.cpu_at_start);
  const std::chrono::duration<double> waited = Clock::now() - turn.begin;
  if (waited.count() > turn.seconds || seen_cpu_seconds_ > limits_.call_cpu_seconds) {
    return Ending::kTimedOut;
  }
  return std::nullopt;
}

Exchange WorkerProcess::finish(Ending ending) {
  Exchange exchange;
  exchange.memory_bytes = seen_memory_bytes_;
  exchange.cpu_seconds = seen_cpu_seconds_;
  drain_output();
  worker_.channel().receive();  // there may be only the greeting
  exchange.greeted = worker_.channel().has_greeted();
  worker_.kill();
  if (is_batch_begun_ && ending != Ending::kDeviceDied) {
    Turn last_words = begin_turn(Wait::kAsleep, kLastWordsSeconds);
    static_cast<void>(end_batch({0, 1}, last_words, exchange.report));
  }
  if (device_) device_->kill();
  const bool has_died = ending == Ending::kDied || ending == Ending::kDeviceDied;
  exchange.ending =
      has_died && memory_group_.has_reached_limit() ? Ending::kMemoryExceeded : ending;
  exchange.death = ending == Ending::kDeviceDied ? device_->death() : worker_.death();
  return exchange;
}

bool WorkerProcess::drain_output() {
  const bool is_little = worker_.drain_output();
  return (!device_ || device_->drain_output()) && is_little;
}

std::string WorkerProcess::take_output() {
  return worker_.take_output() + (device_ ? device_->take_output() : "");
}

double WorkerProcess::cpu_seconds() const {
  double sum = 0;
  for (const pid_t pid : worker_.family()) sum += cpu_seconds_of(pid);
  if (!device_) return sum;
  for (const pid_t pid : device_->family()) sum += cpu_seconds_of(pid);
  return sum;
}

std::size_t WorkerProcess::memory_bytes() const {
  std::vector<pid_t> pids = worker_.family();
  std::size_t shared_bytes = arena_.host_bytes();
  std::size_t sum = 0;
  if (device_) {
    const std::vector<pid_t> more = device_->family();
    pids.insert(pids.end(), more.begin(), more.end());
    sum = shared_->used_bytes();  // once, though both map it
    shared_bytes += ring_->size_bytes() + sum;
  }
  sum += memory_file_bytes_of(pids, {arena_.fd(), fd_of(ring_), fd_of(shared_)}) + pinned_bytes();
  for (const pid_t pid : pids) sum += memory_bytes_of(pid, shared_bytes);
  return sum;
}

std::size_t WorkerProcess::driver_bytes() const {
  std::size_t sum = 0;
  for (const pid_t pid : worker_.family()) sum += driver_bytes_of(pid);
  return sum;
}

std::size_t WorkerProcess::pinned_bytes() const {
  if (!limits_.counts_pinned) return 0;
  const std::size_t mapped = driver_bytes();
  return mapped - std::min(mapped, drivers_own_bytes_);
}

void WorkerProcess::begin_counting_pinned() {
  if (limits_.counts_pinned) drivers_own_bytes_ = std::min(driver_bytes(), kMaxDriversOwnBytes);
}

}  // namespace judge
