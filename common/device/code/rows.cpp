// SPDX-License-Identifier: MIT
#include "code/rows.h"

#include <algorithm>
#include <array>
#include <bit>

namespace code {
namespace {

constexpr std::array<std::string_view, 25> kNoDestination = {"st",
                                                             "red",
                                                             "bra",
                                                             "brx",
                                                             "ret",
                                                             "exit",
                                                             "trap",
                                                             "membar",
                                                             "fence",
                                                             "cp",
                                                             "prefetch",
                                                             "prefetchu",
                                                             "discard",
                                                             "nanosleep",
                                                             "pmevent",
                                                             "stmatrix",
                                                             "sust",
                                                             "sured",
                                                             "setmaxnreg",
                                                             "brkpt",
                                                             "wgmma",
                                                             "call",
                                                             "griddepcontrol",
                                                             "stackrestore",
                                                             "applypriority"};

bool has_word(const ptx::Instruction& instruction, std::string_view word) {
  return std::ranges::find(instruction.words, word) != instruction.words.end();
}

File file_of(ptx::Type type) {
  if (type == ptx::Type::kPred) return File::kPredicate;
  return ptx::size_of(type) <= 4 ? File::k32 : File::k64;
}

// A set of registers by number.
class Set {
 public:
  explicit Set(std::size_t size) : words_((size + 63) / 64) {}
  void add(std::uint32_t i) { words_[i / 64] |= std::uint64_t{1} << i % 64; }
  void remove(std::uint32_t i) { words_[i / 64] &= ~(std::uint64_t{1} << i % 64); }
  bool has(std::uint32_t i) const { return (words_[i / 64] >> i % 64 & 1) != 0; }
  // this |= other; whether that changed anything.
  bool merge(const Set& other) {
    std::uint64_t changed = 0;
    for (std::size_t w = 0; w < words_.size(); ++w) {
      changed |= other.words_[w] & ~words_[w];
      words_[w] |= other.words_[w];
    }
    return changed != 0;
  }
  bool merge_without(const Set& other, const Set& without) {
    std::uint64_t changed = 0;
    for (std::size_t w = 0; w < words_.size(); ++w) {
      const std::uint64_t more = other.words_[w] & ~without.words_[w];
      changed |= more & ~words_[w];
      words_[w] |= more;
    }
    return changed != 0;
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1) {
        visit(static_cast<std::uint32_t>(w * 64 + std::countr_zero(rest)));
      }
    }
  }

 private:
  std::vector<std::uint64_t> words_;
};

struct Interval {
  std::uint32_t reg = 0;
  std::uint32_t begin = UINT32_MAX;  // twice the instruction, plus one for what it defines
  std::uint32_t end = 0;
  void extend(std::uint32_t position) {
    begin = std::min(begin, position);
    end = std::max(end, position);
  }
};

class Allocation {
 public:
  Allocation(const ptx::Function& function, const Flow& flow) : function_(function), flow_(flow) {
    for (const ptx::Register& reg : function.registers) {
      rows_.types[reg.name] = reg.type;
      if (file_of(reg.type) == File::kPredicate) {
        rows_.slots[reg.name] = rows_.add(File::kPredicate);
      } else if (reg.type == ptx::Type::kB128) {
        rows_.slots[reg.name] = rows_.add(File::k64);
        rows_.add(File::k64);
      } else {
        numbers_[reg.name] = static_cast<std::uint32_t>(names_.size());
        names_.push_back(reg.name);
        files_.push_back(file_of(reg.type));
      }
    }
  }

  Rows take() {
    find_live();
    count_live_words();
    const std::vector<Interval> intervals = find_intervals();
    assign(intervals, File::k32);
    assign(intervals, File::k64);
    return std::move(rows_);
  }

 private:
  template <class Visit>  // visit(number) of each register in the operand
  void for_each_register(const ptx::Operand& operand, Visit visit) const {
    if (const auto found = numbers_.find(operand.name); found != numbers_.end()) {
      visit(found->second);
    }
    if (const auto found = numbers_.find(operand.second); found != numbers_.end()) {
      visit(found->second);
    }
    for (const ptx::Operand& element : operand.elements) for_each_register(element, visit);
  }
  template <class Visit>
  void for_each_use(const ptx::Instruction& instruction, Visit visit) const {
    const std::size_t first = has_destination(instruction) ? 1 : 0;
    for (std::size_t i = first; i < instruction.operands.size(); ++i) {
      for_each_register(instruction.operands[i], visit);
    }
  }
  template <class Visit>
  void for_each_definition(const ptx::Instruction& instruction, Visit visit) const {
    if (has_destination(instruction)) for_each_register(instruction.operands.front(), visit);
  }

  void find_live() {
    const std::size_t num_blocks = flow_.blocks.size();
    std::vector<Set> defines(num_blocks, Set(names_.size()));
    live_in_.assign(num_blocks, Set(names_.size()));
    live_out_.assign(num_blocks, Set(names_.size()));
    for (std::size_t b = 0; b < num_blocks; ++b) {
      for (std::uint32_t i = flow_.ranges[b].begin; i < flow_.ranges[b].end; ++i) {
        const ptx::Instruction& instruction = function_.instructions[i];
        for_each_use(instruction, [&](std::uint32_t reg) {
          rows_.read.insert(names_[reg]);
          if (!defines[b].has(reg)) live_in_[b].add(reg);
        });
        // With a guard, some lanes keep what was there.
        if (!instruction.guard.empty()) continue;
        for_each_definition(instruction, [&](std::uint32_t reg) { defines[b].add(reg); });
      }
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t b = num_blocks; b-- > 0;) {
        for (const std::uint32_t next : flow_.blocks[b].successors) {
          changed |= live_out_[b].merge(live_in_[next]);
        }
        changed |= live_in_[b].merge_without(live_out_[b], defines[b]);
      }
    }
  }

  void count_live_words() {
    for (const Set& live : live_out_) {
      std::uint32_t& words = rows_.live_words.emplace_back(0);
      live.for_each([&](std::uint32_t reg) { words += files_[reg] == File::k64 ? 2 : 1; });
    }
  }

  // A handler goes from lane to lane, reads its sources and writes its result; so one that yields
  // one register of its own lane may write over a source that is needed no more.
  static bool may_write_over_source(const ptx::Instruction& instruction) {
    constexpr std::array<std::string_view, 13> kAcross = {
        "shfl",     "match",     "redux", "vote", "atom", "mma",  "wmma",
        "ldmatrix", "movmatrix", "tex",   "suld", "ld",   "elect"};
    return std::ranges::find(kAcross, instruction.words.front()) == kAcross.end() &&
           !instruction.operands.empty() &&
           instruction.operands.front().kind == ptx::Operand::Kind::kRegister;
  }

  std::vector<Interval> find_intervals() const {
    std::vector<Interval> intervals(names_.size());
    for (std::uint32_t r = 0; r < intervals.size(); ++r) intervals[r].reg = r;
    for (std::size_t b = 0; b < flow_.blocks.size(); ++b) {
      const Flow::Range range = flow_.ranges[b];
      live_in_[b].for_each([&](std::uint32_t r) { intervals[r].extend(2 * range.begin); });
      live_out_[b].for_each([&](std::uint32_t r) { intervals[r].extend(2 * range.end); });
      for (std::uint32_t i = range.begin; i < range.end; ++i) {
        const ptx::Instruction& instruction = function_.instructions[i];
        const bool may = may_write_over_source(instruction);
        for_each_use(instruction,
                     [&](std::uint32_t r) { intervals[r].extend(may ? 2 * i : 2 * i + 1); });
        for_each_definition(instruction, [&](std::uint32_t r) {
          intervals[r].extend(2 * i + 1);
          // Kept by the lanes that the guard excludes.
          if (!instruction.guard.empty()) intervals[r].extend(2 * i);
        });
      }
    }
    std::erase_if(intervals, [](const Interval& i) { return i.begin == UINT32_MAX; });
    std::ranges::sort(intervals, {}, &Interval::begin);
    return intervals;
  }

  // Poletto, Sarkar, "Linear Scan Register Allocation" (1999), with as many rows as it takes.
  void assign(const std::vector<Interval>& intervals, File file) {
    struct Used {
      std::uint32_t end;
      Slot slot;
    };
    const auto ends_later = [](const Used& a, const Used& b) { return a.end > b.end; };
    std::vector<Used> used;  // a heap: the earliest end first
    std::vector<Slot> free;
    for (const Interval& interval : intervals) {
      if (files_[interval.reg] != file) continue;
      while (!used.empty() && used.front().end < interval.begin) {
        free.push_back(used.front().slot);
        std::ranges::pop_heap(used, ends_later);
        used.pop_back();
      }
      Slot slot;
      if (free.empty()) {
        slot = rows_.add(file);
      } else {
        slot = free.back();
        free.pop_back();
      }
      rows_.slots[names_[interval.reg]] = slot;
      used.push_back({interval.end, slot});
      std::ranges::push_heap(used, ends_later);
    }
  }

  const ptx::Function& function_;
  const Flow& flow_;
  Rows rows_;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
  std::vector<std::string_view> names_;
  std::vector<File> files_;
  std::vector<Set> live_in_;
  std::vector<Set> live_out_;
};

}  // namespace

bool has_destination(const ptx::Instruction& instruction) {
  const std::string_view opcode = instruction.words.front();
  if (instruction.operands.empty()) return false;
  if (std::ranges::find(kNoDestination, opcode) != kNoDestination.end()) return false;
  if (opcode == "bar" || opcode == "barrier") return has_word(instruction, "red");
  if (opcode == "wmma") return !has_word(instruction, "store");
  if (opcode == "multimem") return has_word(instruction, "ld_reduce");
  if (opcode == "mbarrier") {
    return has_word(instruction, "arrive") || has_word(instruction, "arrive_drop") ||
           has_word(instruction, "test_wait") || has_word(instruction, "try_wait") ||
           has_word(instruction, "pending_count");
  }
  return true;
}

Slot Rows::add(File file) {
  switch (file) {
    case File::k32:
      return {file, false, num32++ * kRowBytes32};
    case File::k64:
      return {file, false, num64++ * kRowBytes64};
    case File::kPredicate:
      return {file, false, num_predicates++ * kRowBytesPredicate};
    case File::kNone:
      break;
  }
  return {};
}

Rows rows_of(const ptx::Function& function, const Flow& flow) {
  return Allocation(function, flow).take();
}

}  // namespace code
