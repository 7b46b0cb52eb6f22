// SPDX-License-Identifier: MIT
// Any bytes as messages between judge, worker and device process, for libFuzzer; .ci/fuzz builds
// and runs it. The first byte chooses the message. What can be decoded must survive another
// encoding.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "protocol/device_wire.h"
#include "protocol/finding_kinds.h"
#include "protocol/wire.h"

namespace {

constexpr std::uint8_t kHello = 0;
constexpr std::uint8_t kBatch = 1;
constexpr std::uint8_t kReport = 2;
constexpr std::uint8_t kReply = 3;  // and more: with the status that follows

void require(bool holds) {
  if (!holds) std::abort();
}

// The second encoding is compared with a third: in the first, texts may be longer than is kept.
template <class Message, class Decode>
void survives(const Message& message, const Decode& decode) {
  const std::string bytes = wire::encode(message);
  require(wire::encode(decode(bytes)) == bytes);
}

void read_once(std::uint8_t what, std::string_view payload) {
  if (what == kHello) {
    survives(wire::decode_hello(payload), wire::decode_hello);
  } else if (what == kBatch) {
    survives(wire::decode_batch(payload), wire::decode_batch);
  } else if (what == kReport) {
    const auto decode = [](std::string_view bytes) { return wire::decode_report(bytes); };
    survives(decode(payload), decode);
  } else {
    const auto status = static_cast<wire::Status>(what - kReply);
    const auto decode = [&](std::string_view bytes) { return wire::decode_reply(bytes, status); };
    survives(decode(payload), decode);
  }
}

wire::Batch sample_batch() {
  wire::Batch batch;
  batch.kernel = "scan_kernel";
  batch.regions = {{"d_in", 256, 400, 1}, {"d_out", 1024, 4, 0}};
  batch.calls = {{"sum", {{wire::ArgKind::kBuffer, 256}, {wire::ArgKind::kInteger, 100}}, "e"}};
  return batch;
}

wire::Reply sample_reply() {
  wire::Reply reply;
  reply.text = "what went wrong";
  reply.errors = {"cudaErrorInvalidValue"};
  return reply;
}

wire::Report sample_report() {
  wire::Report report;
  report.findings = {{judge::kind::kRace, "01_sum.cu", 7, "sum_kernel", "two threads"}};
  wire::KernelCounters kernel;
  kernel.name = "sum_kernel";
  report.kernels = {kernel};
  report.recording = "a recording";
  report.launches = {"sum_kernel"};
  return report;
}

// Found once: 2^32 - 1 calls, none of which follows.
std::string batch_with_large_count() {
  std::string bytes = wire::encode(wire::Batch{});
  return bytes.replace(bytes.size() - 4, 4, "\xff\xff\xff\xff");
}

void write_seed(const std::filesystem::path& file, std::uint8_t what, const std::string& bytes) {
  std::ofstream stream(file, std::ios::binary);
  stream << static_cast<char>(what) << bytes;
}

}  // namespace

// Fills the corpus that the last argument names.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  const std::filesystem::path folder = (*argv)[*argc - 1];
  if (!std::filesystem::is_directory(folder)) return 0;
  write_seed(folder / "hello", kHello, wire::encode(wire::Hello{4096, 0, 10}));
  write_seed(folder / "batch", kBatch, wire::encode(sample_batch()));
  write_seed(folder / "large_count", kBatch, batch_with_large_count());
  write_seed(folder / "report", kReport, wire::encode(sample_report()));
  write_seed(folder / "reply", kReply, wire::encode(sample_reply()));
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string payload(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    read_once(data[0], payload);
  } catch (const std::runtime_error&) {
    // What the judge calls a broken message.
  }
  return 0;
}
