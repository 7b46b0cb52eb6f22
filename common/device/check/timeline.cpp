// SPDX-License-Identifier: MIT
#include "check/timeline.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace check {
namespace {

constexpr std::size_t kColumns = 72;
constexpr std::array<const char*, kNumEngines> kNames = {"copy in ", "compute ", "copy out"};

}  // namespace

std::optional<std::size_t> Timeline::last_of(const StreamClock& clock) const {
  std::optional<std::size_t> last;
  for (std::size_t stream = 0; stream < std::min(clock.size(), by_stream_.size()); ++stream) {
    const std::vector<std::size_t>& own = by_stream_[stream];
    const auto behind = std::ranges::upper_bound(
        own, clock[stream], {}, [&](std::size_t span) { return spans_[span].number; });
    if (behind == own.begin()) continue;
    const std::size_t found = *(behind - 1);
    if (!last || spans_[found].end_ms > spans_[*last].end_ms) last = found;
  }
  return last;
}

std::optional<std::size_t> Timeline::last_of_all() const {
  const auto last = std::ranges::max_element(spans_, {}, &Span::end_ms);
  if (last == spans_.end()) return std::nullopt;
  return static_cast<std::size_t>(last - spans_.begin());
}

void Timeline::host_waits_for(std::optional<std::size_t> span) {
  if (!span || spans_[*span].end_ms <= host_ms_) return;
  host_ms_ = spans_[*span].end_ms;
  host_after_ = span;
}

void Timeline::host_waits(const StreamClock& clock) { host_waits_for(last_of(clock)); }

void Timeline::host_waits_for_all() { host_waits_for(last_of_all()); }

void Timeline::add(std::size_t stream, const StreamClock& clock, Engine engine, double ms) {
  const auto number = static_cast<std::size_t>(engine);
  Span span = {engine, stream, clock.at(stream), host_ms_, 0, host_after_};
  for (const std::optional<std::size_t> before : {last_of(clock), last_on_[number]}) {
    if (!before || spans_[*before].end_ms <= span.begin_ms) continue;
    span.begin_ms = spans_[*before].end_ms;
    span.after = before;
  }
  span.end_ms = span.begin_ms + ms;
  busy_ms_[number] += ms;
  ++num_on_[number];
  last_on_[number] = spans_.size();
  if (by_stream_.size() <= stream) by_stream_.resize(stream + 1);
  by_stream_[stream].push_back(spans_.size());
  spans_.push_back(span);
}

double Timeline::time_of(const StreamClock& clock) const {
  const auto last = last_of(clock);
  return last ? std::max(host_ms_, spans_[*last].end_ms) : host_ms_;
}

double Timeline::length_ms() const {
  const auto last = last_of_all();
  return last ? std::max(host_ms_, spans_[*last].end_ms) : host_ms_;
}

std::vector<std::size_t> Timeline::critical_path() const {
  std::vector<std::size_t> path;
  for (auto span = last_of_all(); span; span = spans_[*span].after) path.push_back(*span);
  std::ranges::reverse(path);
  return path;
}

std::string Timeline::text() const {
  if (spans_.empty()) return "";
  const double column_ms = length_ms() / kColumns;
  std::array<std::string, kNumEngines> lines;
  lines.fill(std::string(kColumns, '.'));
  std::map<std::size_t, char> letters;
  const std::vector<std::size_t> path = critical_path();
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    const Span& span = spans_[i];
    const bool is_critical = std::ranges::binary_search(path, i);
    const auto letter = letters.try_emplace(span.stream, static_cast<char>(letters.size() % 26));
    const auto shown = static_cast<char>(letter.first->second + (is_critical ? 'A' : 'a'));
    const auto begin = static_cast<std::size_t>(span.begin_ms / column_ms + 0.5);
    const auto end = static_cast<std::size_t>(std::ceil(span.end_ms / column_ms - 0.5));
    std::string& line = lines[static_cast<std::size_t>(span.engine)];
    for (std::size_t column = begin; column < std::min(end, kColumns); ++column) {
      line[column] = shown;
    }
  }
  std::string text;
  char row[160];
  for (std::size_t engine = 0; engine < kNumEngines; ++engine) {
    std::snprintf(row, sizeof row, "%s  %s  %.1f us\n", kNames[engine], lines[engine].c_str(),
                  1e3 * busy_ms_[engine]);
    text += row;
  }
  std::snprintf(row, sizeof row, "%.1f us in all, %zu pieces of work on the critical path\n",
                1e3 * length_ms(), path.size());
  return text + row;
}

}  // namespace check
