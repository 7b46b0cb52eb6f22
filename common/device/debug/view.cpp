// SPDX-License-Identifier: MIT
#include "debug/view.h"

#include <algorithm>
#include <array>

#include "fixture/json.h"
#include "memory/book.h"
#include "report/words.h"
#include "run/engine.h"
#include "run/generic_memory.h"

namespace debug {
namespace {

using code::Instruction;
using run::Waiting;
using run::Warp;

constexpr std::uint64_t kMaxBytes = 1 << 20;  // of one answer

std::string number(std::uint64_t value) { return std::to_string(value); }

std::string dim_json(const run::Dim& dim) {
  return json::array({number(dim.x), number(dim.y), number(dim.z)});
}

const run::Part* part_of(const Warp& warp, std::uint32_t lane) {
  for (const auto& part : warp.parts) {
    if ((part->lanes >> lane & 1) != 0) return part.get();
  }
  return nullptr;
}

const Instruction& instruction_of(const run::Part& part) {
  const code::Function& function = *part.frames.back().function;
  const auto index = static_cast<std::size_t>(part.next - function.ops.data());
  return function.instructions[std::min(index, function.instructions.size() - 1)];
}

const Instruction& call_of(const code::Function& caller, const run::Frame& callee) {
  return caller.instructions[static_cast<std::size_t>(callee.call - caller.ops.data())];
}

// The user's line, also of a part that is inside of a library's function.
std::uint32_t line_of(const code::Program& program, const run::Part& part) {
  const Instruction* at = &instruction_of(part);
  for (std::size_t i = part.frames.size(); i-- > 0;) {
    if (const std::vector<Link> chain = chain_of(program, *at); !chain.empty()) {
      return chain.front().line;
    }
    if (i > 0) at = &call_of(*part.frames[i - 1].function, part.frames[i]);
  }
  return 0;
}

std::string chain_json(const code::Program& program, const Instruction& instruction) {
  std::vector<std::string> links;
  for (const Link& link : chain_of(program, instruction)) {
    links.push_back(json::object({{"file", json::quote(program.files[link.file].path)},
                                  {"line", number(link.line)},
                                  {"function", json::quote(link.function)}}));
  }
  return json::array(links);
}

// Where structures are that a function takes by value; clang makes no copy of those.
std::string parameters_json(const run::Frame& frame, std::uint64_t local) {
  const std::uint64_t base = frame.function->is_kernel ? memory::kParamBase : local;
  std::vector<std::string> places;
  for (const std::uint32_t offset : frame.function->parameter_offsets) {
    places.push_back(number(base + offset));
  }
  return json::array(places);
}

// Where the debugger finds what the compiler has at an offset of the depot and behind it.
std::string depot_json(const run::Frame& frame, std::uint64_t local) {
  const std::uint64_t base = local + frame.function->depot_offset;
  std::vector<std::string> pieces = {json::array({number(0), number(base)})};
  for (const code::DepotPiece& piece : frame.function->depot_pieces) {
    pieces.push_back(json::array({number(piece.from), number(base + piece.to)}));
  }
  return json::array(pieces);
}

// What contains the address, and where it ends; of size 0: nothing does.
struct Room {
  std::string name;
  std::uint64_t base = 0;
  std::uint64_t size_bytes = 0;
};

Room shared_room(const run::Block& block, std::uint64_t offset) {
  const code::Function& kernel = *block.launch->kernel;
  for (const code::SharedVariable& variable : kernel.shared) {
    if (offset - variable.offset < variable.size_bytes) {
      return {variable.name, memory::kSharedBase + variable.offset, variable.size_bytes};
    }
  }
  const std::uint64_t dynamic_bytes = block.launch->dynamic_shared_bytes;
  return {"dynamic shared memory", memory::kSharedBase + kernel.dynamic_shared_offset,
          offset - kernel.dynamic_shared_offset < dynamic_bytes ? dynamic_bytes : 0};
}

Room room_of(const Warp& warp, std::uint64_t address) {
  if (memory::is_device(address)) {
    const memory::Allocation* const found = memory::find(address);
    if (found == nullptr || !found->contains(address)) return {};
    return {found->name + (found->live ? "" : ", which was freed"), found->base,
            found->live ? found->size_bytes : 0};
  }
  const std::uint64_t shared = address - memory::kSharedBase;
  if (shared < warp.block->shared_bytes) return shared_room(*warp.block, shared);
  return {};
}

std::string problem_with(const Warp& warp, const Range& range) {
  if (range.address == 0 || range.from == 0) return "a null pointer";
  const Room room = room_of(warp, range.from);
  if (room.size_bytes == 0) {
    return room.name.empty() ? report::hex(range.address) + " is in no memory of the kernel"
                             : report::hex(range.address) + " is in " + room.name;
  }
  const bool is_before = range.address < room.base;
  return std::string(is_before ? "before the beginning of " : "past the end of ") + room.name +
         " (" + report::bytes(room.size_bytes) + ")";
}

bool is_inside(const Warp& warp, const Range& range) {
  const Room room = room_of(warp, range.from);
  if (room.name.empty()) return true;  // of the thread itself, or of nothing: read_generic knows
  return range.address >= room.base && range.address - room.base <= room.size_bytes &&
         range.size_bytes <= room.size_bytes - (range.address - room.base);
}

}  // namespace

std::string state_of(const Warp& warp, std::uint32_t lane) {
  const run::Part* const part = part_of(warp, lane);
  if (part == nullptr) return "ended";
  switch (part->waiting) {
    case Waiting::kNothing:
      return "ready";
    case Waiting::kBarrier:
      return "barrier";
    case Waiting::kWarp:
      return "warp operation";
    case Waiting::kGrid:
      return "grid barrier";
    case Waiting::kCluster:
      return "cluster barrier";
    case Waiting::kWarpgroup:
      return "warpgroup";
    case Waiting::kMemory:
      return "polling";
    case Waiting::kJoin:
      return "joining";
  }
  return "";
}

std::string launch_json(const run::Launch& launch, std::uint64_t num_started,
                        std::uint64_t num_ended) {
  return json::object({{"kernel", json::quote(launch.kernel->readable)},
                       {"grid", dim_json(launch.grid)},
                       {"block", dim_json(launch.block)},
                       {"number", number(launch.number)},
                       {"dynamic", number(launch.dynamic_shared_bytes)},
                       {"started", number(num_started)},
                       {"ended", number(num_ended)},
                       {"file", json::quote(launch.host_file)},
                       {"line", number(launch.host_line)}});
}

std::string threads_json(const Blocks& blocks) {
  struct Row {
    std::uint64_t first = 0, last = 0;
    std::string state;
    std::uint32_t line = 0;
  };
  std::vector<std::string> all;
  for (const auto& [linear, block] : blocks) {
    std::vector<Row> rows;
    for (std::uint32_t thread = 0; thread < block->num_threads; ++thread) {
      const Warp& warp = *block->warps[thread / run::kWarpSize];
      const std::uint32_t lane = thread % run::kWarpSize;
      const run::Part* const part = part_of(warp, lane);
      const std::uint32_t line = part == nullptr ? 0 : line_of(*block->launch->program, *part);
      const std::string state = state_of(warp, lane);
      if (!rows.empty() && rows.back().state == state && rows.back().line == line) {
        rows.back().last = thread;
      } else {
        rows.push_back({thread, thread, state, line});
      }
    }
    std::vector<std::string> texts;
    for (const Row& row : rows) {
      texts.push_back(json::array(
          {number(row.first), number(row.last), json::quote(row.state), number(row.line)}));
    }
    all.push_back(json::object({{"block", number(linear)},
                                {"index", dim_json(block->index)},
                                {"rows", json::array(texts)}}));
  }
  return json::array(all);
}

std::string frames_json(const Warp& warp, std::uint32_t lane) {
  const run::Part* const part = part_of(warp, lane);
  std::vector<std::string> frames;
  const code::Program& program = *warp.block->launch->program;
  for (std::size_t i = part == nullptr ? 0 : part->frames.size(); i-- > 0;) {
    const run::Frame& frame = part->frames[i];
    const bool is_innermost = i + 1 == part->frames.size();
    const Instruction& at =
        is_innermost ? instruction_of(*part) : call_of(*frame.function, part->frames[i + 1]);
    const std::uint64_t local = run::local_window(warp, static_cast<int>(lane)) + frame.local_base;
    frames.push_back(json::object({{"function", json::quote(frame.function->name)},
                                   {"at", number(at.text_line)},
                                   {"depot", depot_json(frame, local)},
                                   {"parameters", parameters_json(frame, local)},
                                   {"chain", chain_json(program, at)}}));
  }
  return json::array(frames);
}

std::string symbols_json(const run::Launch& launch) {
  json::Members members;
  const auto add = [&](const std::string& name, std::uint64_t address) {
    members.emplace_back(name, number(address));
  };
  const std::vector<code::Symbol>& symbols = launch.program->symbols;
  for (const code::Symbol& symbol : symbols) {
    if (symbol.space != ptx::Space::kShared) add(symbol.name, symbol.address);
    if (symbol.is_dynamic_shared && launch.dynamic_shared_bytes != 0) {
      add(symbol.name, memory::kSharedBase + launch.kernel->dynamic_shared_offset);
    }
  }
  for (const code::SharedVariable& variable : launch.kernel->shared) {
    add(symbols[variable.symbol].name, memory::kSharedBase + variable.offset);
  }
  return json::object(members);
}

std::string memory_json(const Warp& warp, std::uint32_t lane, const Range& range) {
  std::string bytes(std::min(range.size_bytes, kMaxBytes), '\0');
  const Range cut = {range.address, bytes.size(), range.from};
  if (!is_inside(warp, cut) ||
      !run::read_generic(warp, static_cast<int>(lane), range.address, bytes.data(), bytes.size())) {
    return json::object({{"error", json::quote(problem_with(warp, cut))}});
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    digits += {kDigits[byte / 16], kDigits[byte % 16]};
  }
  return json::object({{"bytes", json::quote(digits)}});
}

}  // namespace debug
