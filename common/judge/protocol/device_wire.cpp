// SPDX-License-Identifier: MIT
#include "protocol/device_wire.h"

#include "protocol/bytes.h"

namespace wire {

std::string encode(const DeviceHello& hello) {
  return Writer().put(hello.arena_bytes).put(hello.batch_seconds).take();
}
std::string encode(const DevicePlaces& places) { return Writer().put(places.arena_address).take(); }
std::string encode(const BatchEnd& end) {
  return Writer().put(end.threw).put(end.has_no_worker).take();
}
std::string encode(const Report& report) {
  Writer out;
  encode(out, report);
  return out.take();
}

DeviceHello decode_device_hello(std::string_view payload) {
  Reader in(payload);
  DeviceHello hello;
  hello.arena_bytes = in.get<std::uint64_t>();
  hello.batch_seconds = in.get<double>();
  return hello;
}

DevicePlaces decode_device_places(std::string_view payload) {
  return {Reader(payload).get<std::uint64_t>()};
}

BatchEnd decode_batch_end(std::string_view payload) {
  Reader in(payload);
  BatchEnd end;
  end.threw = in.get<std::uint32_t>();
  end.has_no_worker = in.get<std::uint32_t>();
  return end;
}

Report decode_report(std::string_view payload) {
  Reader in(payload);
  return decode_report(in);
}

}  // namespace wire
