// SPDX-License-Identifier: MIT
#include "protocol/wire.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fixture/json.h"
#include "protocol/call_encoding.h"
#include "protocol/finding_kinds.h"
#include "worker/call_table.h"

namespace {

wire::Batch sample_batch() {
  wire::Batch batch;
  batch.scratch_bytes = 4096;
  batch.schedule_seed = 7;
  batch.timed = 1;
  batch.count = 1;
  batch.shapes = 1;
  batch.record = 1;
  batch.kernel = "scan_kernel";
  batch.regions = {{"d_in", 256, 400, 1}, {"d_out", 1024, 4, 0}};
  batch.host_data = {{2048, std::string(wire::kMaxTextBytes + 1, 'h')}};
  batch.calls = {{"reduce_sum", {{wire::ArgKind::kBuffer, 256}, {wire::ArgKind::kInteger, 100}}}};
  batch.calls[0].error = "cudaErrorInvalidValue";
  return batch;
}

wire::KernelCounters sample_kernel() {
  wire::KernelCounters kernel;
  kernel.name = "k<256>";
  kernel.counters = {{"launches", 9}};
  kernel.grid = {1, 2, 3};
  kernel.block = {4, 5, 6};
  kernel.static_shared_bytes = 1024;
  kernel.dynamic_shared_bytes = 64;
  kernel.occupancy = {2, 64, 64, "threads"};
  wire::Pattern pattern{wire::Space::kShared, wire::Access::kAtomic, 4, 32, 5, "tile", {}};
  pattern.offsets[2] = -8;
  kernel.lines = {{"a.cu", 31, {{"barriers", 2}}, {pattern}}};
  return kernel;
}

wire::Shape sample_shape() {
  return {"k<256>", {1, 2, 3}, {4, 5, 6}, 1088, {{"issued", 1000}}, {{"a.cu", 31, 500, 700, -2}}};
}

TEST(Wire, BatchSurvivesTheRoundTrip) {
  const wire::Batch batch = wire::decode_batch(wire::encode(sample_batch()));
  EXPECT_EQ(batch.scratch_bytes, 4096U);
  EXPECT_EQ(batch.schedule_seed, 7U);
  EXPECT_EQ(batch.timed, 1U);
  EXPECT_EQ(batch.count, 1U);
  EXPECT_EQ(batch.shapes, 1U);
  EXPECT_EQ(batch.record, 1U);
  EXPECT_EQ(batch.kernel, "scan_kernel");
  ASSERT_EQ(batch.regions.size(), 2U);
  EXPECT_EQ(batch.regions[1].name, "d_out");
  EXPECT_EQ(batch.regions[1].offset_bytes, 1024U);
  ASSERT_EQ(batch.host_data.size(), 1U);
  EXPECT_EQ(batch.host_data[0].offset_bytes, 2048U);
  EXPECT_EQ(batch.host_data[0].bytes, std::string(wire::kMaxTextBytes + 1, 'h'));
  ASSERT_EQ(batch.calls.size(), 1U);
  ASSERT_EQ(batch.calls[0].args.size(), 2U);
  EXPECT_EQ(batch.calls[0].args[1].bits, 100U);
  EXPECT_EQ(batch.calls[0].error, "cudaErrorInvalidValue");
}

struct Pair {
  int first;
  int second;
};

TEST(Wire, AStructOfAContractTravelsAsItsBytes) {
  const wire::Call call = judge::encode_call<void(Pair, int)>("f", Pair{-3, 7}, 100);
  const worker::Context context{};
  worker::Arguments arguments(call.args, context);
  const Pair pair = arguments.next<Pair>();
  EXPECT_EQ(pair.first, -3);
  EXPECT_EQ(pair.second, 7);
  EXPECT_THROW(arguments.next<Pair>(), worker::BadRequest) << "a number is not a struct";
}

TEST(Wire, ReplySurvivesTheRoundTrip) {
  wire::Reply reply;
  reply.failed_call = 3;
  reply.events_ms = 1.5;
  reply.text = "TODO: x";
  reply.errors = {"cudaErrorInvalidValue: invalid argument"};
  reply.host_data = {std::string(wire::kMaxTextBytes + 1, 'h')};
  const wire::Reply copy = wire::decode_reply(wire::encode(reply), wire::Status::kTodo);
  EXPECT_EQ(copy.status, wire::Status::kTodo);
  EXPECT_EQ(copy.failed_call, 3U);
  EXPECT_EQ(copy.events_ms, 1.5);
  EXPECT_EQ(copy.text, "TODO: x");
  EXPECT_EQ(copy.errors, reply.errors);
  EXPECT_EQ(copy.host_data, reply.host_data);
}

TEST(Wire, ReportSurvivesTheRoundTrip) {
  wire::Report report;
  report.findings = {{judge::kind::kRace, "a.cu", 12, "k", "two threads"}};
  report.notes = {{judge::kind::kRace, "a.cu", 13, "k", "a plain read"}};
  report.kernels = {sample_kernel()};
  report.shapes = {sample_shape()};
  report.recording = std::string(wire::kMaxTextBytes + 1, 'r');  // is not cut as other texts are
  report.launches = {"scan_kernel", "add_kernel"};
  const wire::Report copy = wire::decode_report(wire::encode(report));
  EXPECT_EQ(copy.recording, report.recording);
  EXPECT_EQ(copy.launches, report.launches);
  ASSERT_EQ(copy.findings.size(), 1U);
  EXPECT_EQ(copy.findings[0].line, 12);
  ASSERT_EQ(copy.notes.size(), 1U);
  EXPECT_EQ(copy.notes[0].message, "a plain read");
  ASSERT_EQ(copy.kernels.size(), 1U);
  const wire::KernelCounters& kernel = copy.kernels[0];
  EXPECT_EQ(kernel.name, "k<256>");
  EXPECT_EQ(kernel.counters.at("launches"), 9U);
  EXPECT_EQ(kernel.grid[1], 2U);
  EXPECT_EQ(kernel.block[2], 6U);
  EXPECT_EQ(kernel.static_shared_bytes, 1024U);
  EXPECT_EQ(kernel.dynamic_shared_bytes, 64U);
  EXPECT_EQ(kernel.occupancy.limiter, "threads");
  ASSERT_EQ(kernel.lines.size(), 1U);
  EXPECT_EQ(kernel.lines[0].line, 31);
  EXPECT_EQ(kernel.lines[0].counters.at("barriers"), 2U);
  ASSERT_EQ(kernel.lines[0].patterns.size(), 1U);
  const wire::Pattern& pattern = kernel.lines[0].patterns[0];
  EXPECT_EQ(pattern.space, wire::Space::kShared);
  EXPECT_EQ(pattern.access, wire::Access::kAtomic);
  EXPECT_EQ(pattern.base, "tile");
  EXPECT_EQ(pattern.lanes, 5U);
  EXPECT_EQ(pattern.offsets[2], -8);
  ASSERT_EQ(copy.shapes.size(), 1U);
  EXPECT_EQ(copy.shapes[0].kernel, "k<256>");
  EXPECT_EQ(copy.shapes[0].grid[2], 3U);
  EXPECT_EQ(copy.shapes[0].block[1], 5U);
  EXPECT_EQ(copy.shapes[0].shared_bytes, 1088U);
  EXPECT_EQ(copy.shapes[0].features.at("issued"), 1000U);
  ASSERT_EQ(copy.shapes[0].lines.size(), 1U);
  EXPECT_EQ(copy.shapes[0].lines[0].file, "a.cu");
  EXPECT_EQ(copy.shapes[0].lines[0].line, 31);
  EXPECT_EQ(copy.shapes[0].lines[0].issued, 500U);
  EXPECT_EQ(copy.shapes[0].lines[0].cycles, 700);
  EXPECT_EQ(copy.shapes[0].lines[0].loads, -2);
}

TEST(Wire, LinesOfShapesBeyondTheLimitBecomeOne) {
  std::vector<wire::Shape> shapes(2, sample_shape());
  shapes[0].lines.resize(wire::kMaxTimedLines - 1, shapes[0].lines[0]);
  shapes[1].lines.resize(4, shapes[1].lines[0]);
  wire::fold(shapes);
  EXPECT_EQ(shapes[0].lines.size(), wire::kMaxTimedLines - 1);
  ASSERT_EQ(shapes[1].lines.size(), 2U) << "one that fits, and the rest";
  EXPECT_EQ(shapes[1].lines[1].line, 0);
  EXPECT_EQ(shapes[1].lines[1].issued, 1500U);
  EXPECT_EQ(shapes[1].lines[1].loads, -6);
}

TEST(Wire, AnUnknownKindOfAccessIsRefused) {
  wire::Report report;
  report.kernels = {sample_kernel()};
  report.kernels[0].lines[0].patterns[0].access = static_cast<wire::Access>(7);
  EXPECT_THROW(wire::decode_report(wire::encode(report)), std::runtime_error);
}

TEST(Wire, AStatusThatNobodyKnowsIsRefused) {
  const std::string reply = wire::encode(wire::Reply{});
  EXPECT_THROW(wire::decode_reply(reply, static_cast<wire::Status>(77)), std::runtime_error);
}

TEST(Wire, EveryTruncationOfAReplyIsRefused) {
  wire::Reply reply;
  reply.text = "text";
  reply.errors = {"cudaErrorInvalidValue: invalid argument"};
  const std::string whole = wire::encode(reply);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(wire::decode_reply(std::string_view(whole).substr(0, size), wire::Status::kOk),
                 std::runtime_error)
        << size;
  }
}

TEST(Wire, EveryTruncationOfAReportIsRefused) {
  wire::Report report;
  report.findings = {{judge::kind::kRace, "a.cu", 12, "k", "m"}};
  report.kernels = {sample_kernel()};
  report.shapes = {sample_shape()};
  const std::string whole = wire::encode(report);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(wire::decode_report(std::string_view(whole).substr(0, size)), std::runtime_error)
        << size;
  }
}

TEST(Wire, ForgedCountIsRefusedWithoutAllocatingForIt) {
  for (const std::size_t from_end : {8, 4}) {  // the counts of errors and of host data
    std::string bytes = wire::encode(wire::Reply());
    bytes.replace(bytes.size() - from_end, 4, "\xFF\xFF\xFF\xFF");
    EXPECT_THROW(wire::decode_reply(bytes, wire::Status::kOk), std::runtime_error);
  }
  // The counts of notes, kernels and shapes, the size of the recording, the count of launches, and
  // the sizes of the timeline, of what kernels printed and of the fault.
  for (const std::size_t from_end : {36, 32, 28, 24, 20, 12, 8, 4}) {
    std::string bytes = wire::encode(wire::Report());
    bytes.replace(bytes.size() - from_end, 4, "\xFF\xFF\xFF\xFF");
    EXPECT_THROW(wire::decode_report(bytes), std::runtime_error);
  }
}

TEST(Wire, DamagedCountsOfABatchAreRefusedWithoutAllocatingForThem) {
  wire::Batch empty;
  const std::string bytes = wire::encode(empty);
  // The last twelve bytes are the numbers of regions, of host data and of calls.
  for (const std::size_t place : {bytes.size() - 12, bytes.size() - 8, bytes.size() - 4}) {
    std::string damaged = bytes;
    damaged.replace(place, 4, "\xff\xff\xff\xff", 4);
    EXPECT_THROW(wire::decode_batch(damaged), std::runtime_error);
  }
}

TEST(Wire, MessagesCrossASocket) {
  int fds[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
  wire::Header header;
  header.sequence = 5;
  wire::write_message(fds[0], header, "payload");
  close(fds[0]);
  std::string payload;
  EXPECT_TRUE(wire::read_message(fds[1], header, payload));
  EXPECT_EQ(header.sequence, 5U);
  EXPECT_EQ(payload, "payload");
  EXPECT_FALSE(wire::read_message(fds[1], header, payload));
  close(fds[1]);
}

TEST(Json, QuoteEscapesWhatCouldEndTheString) {
  EXPECT_EQ(json::quote("a\"b\\c\nd"), "\"a\\\"b\\\\c\\nd\"");
  EXPECT_EQ(json::quote("\x1b[31m"), "\"\\u001b[31m\"");
}

TEST(Json, QuoteKeepsUtf8AndReplacesWhatIsNot) {
  EXPECT_EQ(json::quote("\xC3\xA9"), "\"\xC3\xA9\"");
  EXPECT_EQ(json::quote("\xFF"), "\"\\ufffd\"");
  EXPECT_EQ(json::quote("\xC3"), "\"\\ufffd\"");                        // cut short
  EXPECT_EQ(json::quote("\xED\xA0\x80"), "\"\\ufffd\\ufffd\\ufffd\"");  // a surrogate
}

TEST(Json, ObjectQuotesNamesAndTakesValuesAsTheyAre) {
  EXPECT_EQ(json::object({{"a\"", "1"}, {"b", json::array({"2", "null"})}}),
            "{\"a\\\"\": 1, \"b\": [2, null]}");
  EXPECT_EQ(json::object({}), "{}");
  EXPECT_EQ(json::array({}), "[]");
}

}  // namespace
