// SPDX-License-Identifier: MIT
#include "protocol/wire.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace wire {
namespace {

// Fills `size` bytes. Returns the number read before the peer closed.
std::size_t read_fully(int fd, char* data, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::read(fd, data + done, size - done);
    if (got == 0) break;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw std::runtime_error("cannot read from the judge's socket");
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void write_fully(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    // MSG_NOSIGNAL: a peer that has died is an error code here, not a SIGPIPE.
    const ssize_t put = ::send(fd, data, size, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) throw std::runtime_error("cannot write to the socket");
    data += put;
    size -= static_cast<std::size_t>(put);
  }
}

}  // namespace

std::string encode(const Hello& hello) {
  return Writer().put(hello.arena_bytes).put(hello.arena_address).put(hello.batch_seconds).take();
}

Hello decode_hello(std::string_view payload) {
  Reader reader(payload);
  Hello hello;
  hello.arena_bytes = reader.get<std::uint64_t>();
  hello.arena_address = reader.get<std::uint64_t>();
  hello.batch_seconds = reader.get<double>();
  return hello;
}

std::string encode(const Batch& batch) {
  Writer out;
  out.put(batch.scratch_bytes).put(batch.schedule_seed).put(batch.timed).put(batch.count);
  out.put(batch.shapes).put(batch.record).put(std::string_view(batch.kernel)).put(batch.posed);
  out.put(static_cast<std::uint32_t>(batch.regions.size()));
  for (const Region& region : batch.regions) {
    out.put(std::string_view(region.name)).put(region.offset_bytes).put(region.size_bytes);
    out.put(region.initialized);
  }
  out.put(static_cast<std::uint32_t>(batch.host_data.size()));
  for (const HostData& data : batch.host_data) {
    out.put(data.offset_bytes).put(std::string_view(data.bytes));
  }
  out.put(static_cast<std::uint32_t>(batch.calls.size()));
  for (const Call& call : batch.calls) {
    out.put(std::string_view(call.function)).put(static_cast<std::uint32_t>(call.args.size()));
    for (const Arg& arg : call.args) out.put(arg.kind).put(arg.bits);
    out.put(std::string_view(call.error));
  }
  return out.take();
}

Batch decode_batch(std::string_view payload) {
  Reader in(payload);
  Batch batch;
  batch.scratch_bytes = in.get<std::uint64_t>();
  batch.schedule_seed = in.get<std::uint64_t>();
  batch.timed = in.get<std::uint32_t>();
  batch.count = in.get<std::uint32_t>();
  batch.shapes = in.get<std::uint32_t>();
  batch.record = in.get<std::uint32_t>();
  batch.kernel = in.text();
  batch.posed = in.get<Posed>();
  // push_back, not resize: a damaged count must not allocate.
  for (auto count = in.get<std::uint32_t>(); count > 0; --count) {
    Region region;
    region.name = in.text();
    region.offset_bytes = in.get<std::uint64_t>();
    region.size_bytes = in.get<std::uint64_t>();
    region.initialized = in.get<std::uint32_t>();
    batch.regions.push_back(std::move(region));
  }
  for (auto count = in.get<std::uint32_t>(); count > 0; --count) {
    const auto offset = in.get<std::uint64_t>();
    batch.host_data.push_back({offset, in.long_text()});
  }
  for (auto count = in.get<std::uint32_t>(); count > 0; --count) {
    Call call;
    call.function = in.text();
    for (auto num_args = in.get<std::uint32_t>(); num_args > 0; --num_args) {
      const auto kind = in.get<ArgKind>();
      call.args.push_back({kind, in.get<std::uint64_t>()});
    }
    call.error = in.text();
    batch.calls.push_back(std::move(call));
  }
  return batch;
}

std::string encode(const Reply& reply) {
  Writer out;
  out.put(reply.failed_call).put(reply.events_ms);
  out.put(std::string_view(reply.text));
  out.put(static_cast<std::uint32_t>(reply.errors.size()));
  for (const std::string& error : reply.errors) out.put(std::string_view(error));
  out.put(static_cast<std::uint32_t>(reply.host_data.size()));
  for (const std::string& bytes : reply.host_data) out.put(std::string_view(bytes));
  return out.take();
}

Reply decode_reply(std::string_view payload, Status status) {
  if (status > Status::kBadRequest) throw std::runtime_error("unknown status");
  Reader in(payload);
  Reply reply;
  reply.status = status;
  reply.failed_call = in.get<std::uint32_t>();
  reply.events_ms = in.get<double>();
  reply.text = in.text();
  // push_back here, too: the worker may forge a count.
  for (auto count = in.get<std::uint32_t>(); count > 0; --count) {
    reply.errors.push_back(in.text());
  }
  for (auto count = in.get<std::uint32_t>(); count > 0; --count) {
    reply.host_data.push_back(in.long_text());
  }
  return reply;
}

bool read_message(int fd, Header& header, std::string& payload) {
  char raw[sizeof header];
  const std::size_t got = read_fully(fd, raw, sizeof raw);
  if (got == 0) return false;
  if (got < sizeof raw) throw std::runtime_error("message ends too early");
  std::memcpy(&header, raw, sizeof header);
  if (header.magic != kMagic || header.payload_bytes > kMaxPayloadBytes) {
    throw std::runtime_error("malformed message");
  }
  payload.resize(header.payload_bytes);
  if (read_fully(fd, payload.data(), payload.size()) < payload.size()) {
    throw std::runtime_error("message ends too early");
  }
  return true;
}

void write_message(int fd, Header header, std::string_view payload) {
  header.payload_bytes = static_cast<std::uint32_t>(payload.size());
  write_fully(fd, reinterpret_cast<const char*>(&header), sizeof header);
  write_fully(fd, payload.data(), payload.size());
}

}  // namespace wire
