// SPDX-License-Identifier: MIT
// The device process. The judge starts it next to a worker, with the PTX that the grader compiled:
// see common/judge/protocol/device_wire.h for what they say to each other, and commands.h for what
// the worker asks.
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "memory/book.h"
#include "protocol/device_wire.h"
#include "protocol/wire.h"
#include "report/finding.h"
#include "serve/commands.h"
#include "serve/counters_to_wire.h"
#include "serve/device.h"
#include "serve/mailbox.h"

namespace {

using serve::Mailbox;

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) throw std::runtime_error(std::string("cannot read ") + path);
  return text.str();
}

Mailbox* map_mailbox() {
  void* const mapped =
      mmap(nullptr, sizeof(Mailbox), PROT_READ | PROT_WRITE, MAP_SHARED, serve::kMailboxFd, 0);
  if (mapped == MAP_FAILED) throw std::runtime_error("cannot map the mailbox");
  return static_cast<Mailbox*>(mapped);
}

// Messages of the judge arrive in a thread of their own, since the main thread sleeps on the bell.
class Judge {
 public:
  explicit Judge(Mailbox& mailbox) : mailbox_(mailbox), thread_([this] { listen(); }) {}

  struct Message {
    wire::Header header;
    std::string payload;
  };
  std::optional<Message> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(message_, std::nullopt);
  }
  void answer(wire::Header header, std::string_view payload) {
    header.code = 0;
    wire::write_message(wire::kSocketFd, header, payload);
    const std::lock_guard lock(mutex_);
    is_busy_ = false;
    changed_.notify_one();
  }

 private:
  void listen() {
    try {
      Message message;
      while (wire::read_message(wire::kSocketFd, message.header, message.payload)) {
        std::unique_lock lock(mutex_);
        message_ = message;
        is_busy_ = true;
        mailbox_.bell.fetch_add(1);
        serve::wake(mailbox_.bell);
        changed_.wait(lock, [&] { return !is_busy_; });
      }
    } catch (const std::exception&) {
    }
    _exit(0);  // the judge is gone
  }

  Mailbox& mailbox_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Message> message_;
  bool is_busy_ = false;
  std::thread thread_;
};

class Server {
 public:
  Server(serve::Device& device, Mailbox& mailbox)
      : device_(device), mailbox_(mailbox), judge_(mailbox) {}

  [[noreturn]] void run() {
    for (;;) {
      const std::uint32_t bell = mailbox_.bell.load();
      if (const auto message = judge_.take()) {
        answer(*message);
      } else if (is_open_ &&
                 mailbox_.num_requests.load(std::memory_order_acquire) != num_handled_) {
        serve_one();
      } else {
        serve::sleep_on(mailbox_.bell, bell);
      }
    }
  }

 private:
  void serve_one() {
    ++num_handled_;
    const serve::Command command = mailbox_.command;
    const serve::Request request = mailbox_.request;
    serve::Reply reply;
    mailbox_.error = device_.act(command, request, mailbox_.data, reply);
    mailbox_.reply = reply;
    mailbox_.num_replies.fetch_add(1, std::memory_order_release);
    serve::wake(mailbox_.num_replies);
  }

  void answer(const Judge::Message& message) {
    switch (static_cast<wire::DeviceKind>(message.header.code)) {
      case wire::DeviceKind::kHello: {
        const wire::DeviceHello hello = wire::decode_device_hello(message.payload);
        arena_ = memory::map_arena(wire::kArenaFd, hello.arena_bytes);
        batch_seconds_ = hello.batch_seconds;
        return judge_.answer(message.header, wire::encode(wire::DevicePlaces{arena_}));
      }
      case wire::DeviceKind::kBegin: {
        const wire::Batch batch = wire::decode_batch(message.payload);
        serve::Batch begun;
        begun.schedule_seed = batch.schedule_seed;
        begun.scratch_bytes = batch.scratch_bytes;
        begun.counts = batch.count != 0;
        begun.seconds = 0.8 * batch_seconds_;
        for (const wire::Region& region : batch.regions) {
          begun.regions.push_back({region.name, arena_ + region.offset_bytes, region.size_bytes,
                                   region.initialized != 0});
        }
        device_.begin(begun);
        is_open_ = true;
        return judge_.answer(message.header, {});
      }
      case wire::DeviceKind::kEnd: {
        const wire::BatchEnd end = wire::decode_batch_end(message.payload);
        device_.end(end.threw != 0);
        is_open_ = false;
        if (end.has_no_worker != 0) num_handled_ = mailbox_.num_requests.load();
        return judge_.answer(message.header, wire::encode(report()));
      }
    }
    throw std::runtime_error("a message of the judge that is not known");
  }

  wire::Report report() {
    wire::Report report;
    for (const report::Finding& finding : report::take_findings()) {
      report.findings.push_back({report::name_of(finding.kind), finding.file,
                                 static_cast<std::int32_t>(finding.line), finding.kernel,
                                 finding.message});
    }
    report.kernels = serve::to_wire(device_.counter().take());
    report.launches = device_.launches();
    wire::bound(report);
    return report;
  }

  serve::Device& device_;
  Mailbox& mailbox_;
  Judge judge_;
  std::uint64_t arena_ = 0;
  double batch_seconds_ = 0;
  bool is_open_ = true;
  std::uint32_t num_handled_ = 0;
};

// The judge, then, knows that a failure from here on is not of the machine's setting up.
void greet() {
  wire::Header greeting;
  greeting.code = 0;
  wire::write_message(wire::kSocketFd, greeting, {});
}

}  // namespace

int main(int argc, char** argv) {
  try {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_DUMPABLE, 0);  // no other process of this user may read or change our memory
    const char* ptx = nullptr;
    for (int i = 1; i < argc; ++i) {
      const std::string_view argument = argv[i];
      if (argument.starts_with("--ptx=")) ptx = argv[i] + 6;
    }
    if (ptx == nullptr)
      throw std::runtime_error("usage: lockstep_device --ptx=FILE [--written=FILE]");
    const auto device = std::make_unique<serve::Device>(read_file(ptx));
    Mailbox& mailbox = *map_mailbox();
    greet();
    auto* const server = new Server(*device, mailbox);  // its thread lives as long as the process
    server->run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "device: %s\n", error.what());
    _exit(3);
  }
}
