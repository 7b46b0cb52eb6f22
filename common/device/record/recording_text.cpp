// SPDX-License-Identifier: MIT
// The recording as one JSON object; docs/profiling.md describes it. What follows from what went
// before is left out: a read's values where they are those that the recording already knows,
// offsets that are evenly spaced, ...
#include <cstdio>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "record/recording.h"

namespace record {
namespace {

std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      result += code;
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string number_text(std::uint64_t value) { return std::to_string(value); }

std::string extent(const run::Dim& size) {
  return "[" + number_text(size.x) + "," + number_text(size.y) + "," + number_text(size.z) + "]";
}

// Bytes in the order of the memory.
void append_hex(std::string& text, const Value& value, std::size_t size_bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (std::size_t i = 0; i < size_bytes; ++i) {
    const auto byte = static_cast<unsigned char>(value[i]);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
}

// What a reader of the recording knows of the memory.
class KnownMemory {
 public:
  bool holds(std::size_t array, std::uint64_t offset, const Value& value, std::size_t size) const {
    for (std::size_t i = 0; i < size; ++i) {
      const auto known = bytes_.find(key(array, offset + i));
      if (known == bytes_.end() || known->second != value[i]) return false;
    }
    return true;
  }
  void set(std::size_t array, std::uint64_t offset, const Value& value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) bytes_[key(array, offset + i)] = value[i];
  }

 private:
  static std::uint64_t key(std::size_t array, std::uint64_t offset) {
    return std::uint64_t{array} << 40 | offset;
  }
  std::unordered_map<std::uint64_t, std::byte> bytes_;
};

// [first, step] if the offsets are evenly spaced; else [[all of them]].
std::string offsets_text(const std::vector<LaneValue>& values) {
  const auto offset = [&](std::size_t i) { return static_cast<std::int64_t>(values[i].offset); };
  const std::int64_t step = values.size() > 1 ? offset(1) - offset(0) : 0;
  bool is_even = true;
  for (std::size_t i = 1; i < values.size(); ++i) {
    is_even = is_even && offset(i) - offset(i - 1) == step;
  }
  if (is_even) return "[" + std::to_string(offset(0)) + "," + std::to_string(step) + "]";
  std::string text = "[[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(offset(i));
  }
  return text + "]]";
}

class Writer {
 public:
  explicit Writer(const Recording& recording) : recording_(recording) {}

  std::string write() {
    std::string moments;
    bool is_cut = recording_.is_cut;
    for (const Moment& moment : recording_.moments) {
      if (moments.size() > kMaxRecordingBytes) {
        is_cut = true;
        break;
      }
      if (!moments.empty()) moments += ',';
      append(moments, moment);
    }
    std::string text =
        "{\"version\":1,\"kernel\":" + json_string(recording_.kernel) +
        ",\"file\":" + json_string(recording_.file) +
        ",\"line\":" + std::to_string(recording_.line) + ",\"grid\":" + extent(recording_.grid) +
        ",\"block\":" + extent(recording_.block) + ",\"cut\":" + (is_cut ? "true" : "false");
    text += ",\"arrays\":[" + arrays() + "],\"places\":[" + places_text_ + "],\"findings\":[" +
            findings() + "],\"moments\":[";
    return text + moments + "]}";
  }

 private:
  std::string arrays() const {
    std::string text;
    for (const RecordedArray& array : recording_.arrays) {
      if (!text.empty()) text += ',';
      text += "{\"name\":" + json_string(array.name) + ",\"space\":";
      text += array.is_shared ? "\"shared\"" : "\"global\"";
      text += ",\"block\":" + std::to_string(array.block) +
              ",\"bytes\":" + number_text(array.size_bytes) +
              ",\"file\":" + json_string(array.file) + ",\"line\":" + std::to_string(array.line) +
              "}";
    }
    return text;
  }

  std::string findings() const {
    std::string text;
    for (const report::Finding& finding : recording_.findings) {
      if (!text.empty()) text += ',';
      text += "{\"kind\":" + json_string(report::name_of(finding.kind)) +
              ",\"file\":" + json_string(finding.file) +
              ",\"line\":" + std::to_string(finding.line) +
              ",\"message\":" + json_string(finding.message) + ",\"race\":[" + race(finding) + "]}";
    }
    return text;
  }

  static std::string race(const report::Finding& finding) {
    std::string text;
    for (const report::RacingAccess& access : finding.race) {
      if (!text.empty()) text += ',';
      text += "[" + std::to_string(access.block) + "," + std::to_string(access.thread) + "," +
              std::to_string(access.line) + (access.writes ? ",1]" : ",0]");
    }
    return text;
  }

  // The index of the line in "places".
  std::string place(const code::Program::Line& where) {
    const auto [known, is_new] =
        places_.try_emplace({std::string(where.file), where.line}, places_.size());
    if (is_new) {
      if (!places_text_.empty()) places_text_ += ',';
      places_text_ +=
          "[" + json_string(known->first.first) + "," + std::to_string(where.line) + "]";
    }
    return number_text(known->second);
  }

  void append(std::string& text, const Moment& moment) {
    constexpr std::string_view kLetters = "srwaovxbgBEf";
    text += "[\"";
    text += kLetters[std::size_t(moment.kind)];
    text += "\"," + number_text(moment.block);
    switch (moment.kind) {
      case MomentKind::kBarrier:
      case MomentKind::kGridBarrier:
        text += "," + place(moment.place);
        break;
      case MomentKind::kBlockStart:
        for (const std::uint32_t index : moment.at) text += "," + number_text(index);
        break;
      case MomentKind::kBlockEnd:
        break;
      case MomentKind::kFinding:
        text += "," + std::to_string(moment.warp) + "," + number_text(moment.at[0]) + "," +
                number_text(moment.at[1]);
        break;
      default:
        text += "," + std::to_string(moment.warp) + "," + place(moment.place) + "," +
                number_text(moment.lanes) + "," + number_text(moment.live) + "," +
                number_text(moment.waiting);
        if (moment.kind == MomentKind::kOperation) {
          append_operation(text, moment);
        } else if (!moment.values.empty()) {
          append_access(text, moment);
        }
    }
    text += ']';
  }

  void append_access(std::string& text, const Moment& moment) {
    text += "," + number_text(moment.array) + "," + number_text(moment.size_bytes) + "," +
            offsets_text(moment.values) + ",\"";
    const bool reads = moment.kind != MomentKind::kWrite;
    const bool writes = moment.kind != MomentKind::kRead;
    bool is_known = true;
    for (const LaneValue& value : moment.values) {
      is_known =
          is_known && known_.holds(moment.array, value.offset, value.before, moment.size_bytes);
    }
    if (reads && !is_known) {
      for (const LaneValue& value : moment.values) {
        append_hex(text, value.before, moment.size_bytes);
        known_.set(moment.array, value.offset, value.before, moment.size_bytes);
      }
    }
    text += "\",\"";
    if (writes) {
      for (const LaneValue& value : moment.values) {
        append_hex(text, value.after, moment.size_bytes);
        known_.set(moment.array, value.offset, value.after, moment.size_bytes);
      }
    }
    text += "\"," + std::to_string(moment.cost) + "," + std::to_string(moment.ideal);
  }

  static void append_operation(std::string& text, const Moment& moment) {
    text += "," + json_string(moment.operation) + ",\"";
    for (const LaneValue& value : moment.values) append_hex(text, value.before, moment.size_bytes);
    text += "\",\"";
    for (const LaneValue& value : moment.values) append_hex(text, value.after, moment.size_bytes);
    text += '"';
  }

  const Recording& recording_;
  std::map<std::pair<std::string, std::uint32_t>, std::size_t> places_;
  std::string places_text_;
  KnownMemory known_;
};

}  // namespace

std::string to_text(const Recording& recording) { return Writer(recording).write(); }

}  // namespace record
