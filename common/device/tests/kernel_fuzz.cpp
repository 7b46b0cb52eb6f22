// SPDX-License-Identifier: MIT
// Kernels made of any instructions, for libFuzzer; .ci/fuzz builds and runs it. Inline PTX gives a
// student's kernel every instruction with every operand: none of them may reach the memory of the
// device's process.
//
// An input is the body of a kernel. Most inputs change a line of another one, as hardly any text is
// PTX.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "check/checker.h"
#include "code/program.h"
#include "count/watcher.h"
#include "memory/book.h"
#include "report/finding.h"
#include "run/bind.h"
#include "run/machine.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

// %d50: an array of 4 KiB, %d51: one that host and device share, %d52: an address of shared memory,
// %r50: the thread.
constexpr std::string_view kHead = R"(.version 8.7
.target sm_90a
.address_size 64
.global .align 16 .b8 table[256];
.const .align 16 .b8 constants[64] = {1, 2, 3};
.extern .shared .align 16 .b8 dynamic[];
.extern .func (.param .b32 result) vprintf (.param .b64 format, .param .b64 values);
.func (.param .b32 result) twice (.param .b32 value) {
.reg .b32 %a;
ld.param.b32 %a, [value];
add.u32 %a, %a, %a;
st.param.b32 [result], %a;
ret;
}
.visible .entry k(.param .u64 data, .param .u64 pinned) {
.local .align 16 .b8 depot[128];
.shared .align 16 .b8 tile[1024];
.reg .pred %p<70>;
.reg .b16 %h<70>;
.reg .b32 %r<70>;
.reg .b64 %d<70>;
.reg .b128 %q<10>;
ld.param.u64 %d50, [data];
ld.param.u64 %d51, [pinned];
mov.u64 %d52, tile;
mov.u32 %r50, %tid.x;
)";
constexpr std::string_view kTail = "\nret;\n}\n";

struct Buffers {
  std::uint64_t data = memory::allocate(4096, memory::Allocation::Kind::kDevice, {});
  std::uint64_t pinned = memory::allocate(4096, memory::Allocation::Kind::kPinnedHost, {});
};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

// A word between spaces and commas of one line takes the place of one of another.
std::string with_word_of(std::string_view line, std::string_view other, std::mt19937& random) {
  const auto word = [&](std::string_view text) {
    constexpr std::string_view kEnds = " ,;";
    std::vector<std::string_view> words;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find_first_of(kEnds, begin), text.size());
      if (end > begin) words.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return words.empty() ? std::string_view() : words[random() % words.size()];
  };
  const std::string_view place = word(line);
  std::string changed(line);
  if (!place.empty())
    changed.replace(static_cast<std::size_t>(place.data() - line.data()), place.size(),
                    word(other));
  return changed;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const bool is_reserved = (memory::reserve(), true);
  (void)is_reserved;
  check::Checker checker;
  count::Watcher counter;
  counter.set_counting(true);
  std::vector<std::uint64_t> symbols;
  const Buffers buffers;
  std::string text(kHead);
  text.append(reinterpret_cast<const char*>(bytes), size).append(kTail);
  try {
    const auto program =
        code::load(ptx::parse(std::move(text)), [&](const ptx::Variable& variable) {
          const std::uint64_t symbol =
              memory::allocate(std::max<std::uint64_t>(variable.size_bytes, 1),
                               memory::Allocation::Kind::kSymbol, {});
          symbols.push_back(symbol);
          return symbol;
        });
    run::bind(*program);
    run::Machine machine(*program);
    machine.set_monitors({&checker, &counter});
    machine.set_step_limit(1000);
    machine.set_time_limit(1);
    machine.set_printer([](std::string_view) {});
    auto launch = std::make_unique<run::Launch>();
    launch->program = program.get();
    launch->kernel = program->find("k");
    launch->grid = {2, 1, 1};
    launch->block = {40, 1, 1};
    launch->dynamic_shared_bytes = 64;
    launch->is_counted = true;
    launch->parameters.resize(16);
    std::memcpy(launch->parameters.data(), &buffers.data, 8);
    std::memcpy(launch->parameters.data() + 8, &buffers.pinned, 8);
    const bool can_run = launch->kernel != nullptr && launch->kernel->is_kernel &&
                         launch->kernel->parameter_bytes <= 16 &&
                         launch->kernel->shared_bytes <= run::kDefaultSharedBytesPerBlock;
    if (can_run && machine.launch(std::move(launch)) == run::Outcome::kWaitsForHost)
      machine.give_up("");
  } catch (const ptx::Error&) {  // what cannot be read is refused
  }
  report::take_findings();
  for (const memory::Allocation* const entry : memory::live_allocations()) {
    if (!memory::release(entry->base, entry->kind, {})) memory::retire(entry->base);
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  std::mt19937 random(seed);
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string_view> lines = lines_of(text);
  if (lines.empty() || random() % 4 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::size_t at = random() % lines.size();
  const std::string_view other = lines[random() % lines.size()];
  const unsigned kind = random() % 8;
  std::string changed;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i != at) {
      changed.append(lines[i]).append("\n");
    } else if (kind < 5) {
      changed.append(with_word_of(lines[i], other, random)).append("\n");
    } else if (kind < 7) {
      changed.append(lines[i]).append("\n").append(other).append("\n");
    }  // else the line is left out
  }
  changed.resize(std::min(changed.size(), max_size));
  std::memcpy(data, changed.data(), changed.size());
  return changed.size();
}

// The lines of two inputs in turn.
extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* one, std::size_t one_size,
                                                 const std::uint8_t* other, std::size_t other_size,
                                                 std::uint8_t* out, std::size_t max_size,
                                                 unsigned seed) {
  std::mt19937 random(seed);
  const auto first = lines_of({reinterpret_cast<const char*>(one), one_size});
  const auto second = lines_of({reinterpret_cast<const char*>(other), other_size});
  std::string mixed;
  for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
    if (i < first.size() && random() % 2 == 0) mixed.append(first[i]).append("\n");
    if (i < second.size() && random() % 2 == 0) mixed.append(second[i]).append("\n");
  }
  mixed.resize(std::min(mixed.size(), max_size));
  std::memcpy(out, mixed.data(), mixed.size());
  return mixed.size();
}
