// SPDX-License-Identifier: MIT
// Stands in for a worker or for its device process: --worker=HOW or --device=HOW. It says what such
// a program says and runs nothing, so that tests see what the judge makes of the way it ends.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "protocol/device_wire.h"
#include "protocol/finding_kinds.h"
#include "protocol/wire.h"

namespace {

constexpr std::uint64_t kArenaAddress = 0x2000'0000'1000;

bool is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

[[noreturn]] void leave(const char* words, int status) {
  std::fputs(words, stderr);
  std::exit(status);
}

void greet() { wire::write_message(wire::kSocketFd, wire::Header{}, ""); }

wire::Report report(std::string_view how, const wire::Batch& batch) {
  wire::Report report;
  for (const wire::Region& region : batch.regions) {
    report.findings.push_back({judge::kind::kRace, "a.cu", 7, "kernel", region.name});
  }
  if (batch.count != 0) report.kernels.emplace_back().name = "kernel";
  if (how == "fails") report.fault = "a bug of ours";
  return report;
}

std::string answer_as_worker(std::string_view how, const wire::Header& request,
                             const std::string& payload) {
  wire::Reply reply;
  if (static_cast<wire::Kind>(request.code) == wire::Kind::kHello) {
    if (wire::decode_hello(payload).arena_address != kArenaAddress) leave("no address\n", 1);
    return wire::encode(reply);
  }
  if (how == "dies") std::abort();
  if (how == "hangs") pause();
  if (how == "looks" && is_open(wire::kArenaFd)) leave("the arena is open\n", 1);
  for (const wire::HostData& data : wire::decode_batch(payload).host_data) {
    reply.host_data.push_back(data.bytes);
  }
  return wire::encode(reply);
}

std::string answer_as_device(std::string_view how, const wire::Header& request,
                             const std::string& payload) {
  static wire::Batch batch;
  switch (static_cast<wire::DeviceKind>(request.code)) {
    case wire::DeviceKind::kHello:
      if (how == "refuses") leave("the PTX makes no sense\n", 3);
      if (!is_open(wire::kArenaFd)) leave("no arena\n", 1);
      return wire::encode(wire::DevicePlaces{kArenaAddress});
    case wire::DeviceKind::kBegin:
      batch = wire::decode_batch(payload);
      if (how == "crashes") std::abort();
      if (how == "sees nonsense") leave("the ring is broken\n", wire::kRingBrokenStatus);
      for (volatile bool again = how == "loops"; again;) {
      }
      return "";
    case wire::DeviceKind::kEnd:
      if (how == "crashes late") std::abort();
      return how == "lies" ? "no report" : wire::encode(report(how, batch));
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view role = argc > 1 ? argv[1] : "";
  const std::string_view how = role.substr(role.find('=') + 1);
  const bool is_worker = role.starts_with("--worker=");
  if (!is_open(wire::kRingFd) || !is_open(wire::kSharedFd)) leave("no ring\n", 1);
  greet();
  wire::Header header;
  std::string payload;
  while (wire::read_message(wire::kSocketFd, header, payload)) {
    const std::string answer =
        is_worker ? answer_as_worker(how, header, payload) : answer_as_device(how, header, payload);
    header.code = 0;
    wire::write_message(wire::kSocketFd, header, answer);
  }
}
