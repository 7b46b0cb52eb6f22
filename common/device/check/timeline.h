// SPDX-License-Identifier: MIT
// When each piece of work would begin and end on a device whose engines work at the same time: one
// copies from the host, one to the host, and the multiprocessors compute. Work begins when the host
// has issued it, when what the streams order before it has ended, and when its engine is free. The
// lengths are given; docs/emulator.md says what the model leaves out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/streams.h"

namespace check {

enum class Engine : std::uint8_t { kCopyIn, kCompute, kCopyOut };
inline constexpr std::size_t kNumEngines = 3;

class Timeline {
 public:
  struct Span {
    Engine engine = Engine::kCompute;
    std::size_t stream = 0;    // its index in clocks
    std::uint64_t number = 0;  // on its stream
    double begin_ms = 0;
    double end_ms = 0;
    // The span whose end let this one begin; nothing: the host issued it then.
    std::optional<std::size_t> after;
  };

  void clear() { *this = {}; }

  // The host's thread is busy, with a launch for example.
  void host_works(double ms) { host_ms_ += ms; }
  // The host waits until all that the clock lists has ended, or all work.
  void host_waits(const StreamClock& clock);
  void host_waits_for_all();

  // A piece of work, which the clock lists last of its stream.
  void add(std::size_t stream, const StreamClock& clock, Engine engine, double ms);

  // When the host has come this far and all that the clock lists has ended.
  double time_of(const StreamClock& clock) const;
  double length_ms() const;  // until host and device are done
  // How long the engine works in all.
  double busy_ms(Engine engine) const { return busy_ms_[static_cast<std::size_t>(engine)]; }
  std::size_t num_on(Engine engine) const { return num_on_[static_cast<std::size_t>(engine)]; }

  const std::vector<Span>& spans() const { return spans_; }
  // The spans that decide the length, in order: each begins when the one before ends, or when the
  // host issues it.
  std::vector<std::size_t> critical_path() const;
  // A line per engine, with a letter per stream, in capitals on the critical path. Empty: no work.
  std::string text() const;

 private:
  // The span that ends last of those that the clock lists.
  std::optional<std::size_t> last_of(const StreamClock& clock) const;
  std::optional<std::size_t> last_of_all() const;
  void host_waits_for(std::optional<std::size_t> span);

  std::vector<Span> spans_;
  std::vector<std::vector<std::size_t>> by_stream_;
  std::array<std::optional<std::size_t>, kNumEngines> last_on_;
  std::array<double, kNumEngines> busy_ms_ = {};
  std::array<std::size_t, kNumEngines> num_on_ = {};
  double host_ms_ = 0;
  std::optional<std::size_t> host_after_;  // what the host has waited for last
};

}  // namespace check
