// SPDX-License-Identifier: MIT
#include "time/block_cost.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

namespace timing {
namespace {

using code::Instruction;

constexpr std::size_t kNone = SIZE_MAX;
// Where a warp waits for others of its block, or for copies, or begins to be able to.
bool is_stop(const Instruction& at) {
  const std::string_view opcode = opcode_of(at);
  if (opcode == "cp") return at.has("commit_group") || at.has("wait_group") || at.has("wait_all");
  return is_one_of(opcode, {"bar", "barrier"}) && (at.has("sync") || at.has("red")) &&
         !at.has("warp");
}

// What a region fetches: a constant; the block's place in its cluster, of which it makes the
// address of shared memory.
constexpr Cost kLoad = {Pipe::kAdu, 1, {20, 0}};
constexpr Cost kRank = {Pipe::kAdu, 1, {20, 0}};
constexpr Cost kAddress = {Pipe::kOther, 2, {8, 0}};

constexpr Cost kWideProduct = {Pipe::kInteger, 1, {5, 0}};
constexpr Cost kMove = {Pipe::kInteger, 1, {4, 0}};

// Registers of a thread: so many wait for loads, and so many hold these and what a region leaves to
// others. The second number lies between 08/06, whose 24 words ptxas loads at once, and 08/03,
// whose 32 it parts.
constexpr std::uint32_t kMostWaitingWords = 32;
constexpr std::uint32_t kRegisters = 192;

constexpr std::int64_t kSoonCycles = 8;  // of results that no later block waits for

Row row_of(const code::Slot& slot) { return {slot.file, slot.offset}; }

template <class Visit>
void for_each_row(const code::Operand& operand, Visit visit) {
  if (operand.slot.exists()) visit(row_of(operand.slot));
  for (const code::Operand& element : operand.elements) {
    if (element.slot.exists()) visit(row_of(element.slot));
  }
  if (operand.second.exists()) visit(row_of(operand.second));
}

// ---- what ptxas folds

// What a value is, as far as the instruction that takes it may do that instruction's work as well.
enum class Made : std::uint8_t { kOther, kProduct, kSum, kLogic };

Made made_by(const Instruction& at) {
  const std::string_view opcode = opcode_of(at);
  if (is_one_of(opcode, {"mul", "shl"})) return Made::kProduct;
  if (is_one_of(opcode, {"add", "sub"})) return Made::kSum;
  if (is_one_of(opcode, {"and", "or", "xor", "not"})) return Made::kLogic;
  return Made::kOther;
}

// Of a product or a shifted value and the sum that it goes into, ptxas makes one instruction (IMAD,
// LEA); so it does of two sums (IADD3), of two steps of logic (LOP3), and of one and the question
// whether the result is zero.
bool can_take(const Instruction& at, bool is_long, Made made) {
  const std::string_view opcode = opcode_of(at);
  if (is_one_of(opcode, {"add", "sub"})) {
    return made == Made::kProduct || (made == Made::kSum && !is_long);
  }
  if (made != Made::kLogic) return false;
  const bool compares_with_zero = opcode == "setp" && (at.has("eq") || at.has("ne")) &&
                                  at.operands.back().is_immediate && at.operands.back().bits == 0;
  return compares_with_zero || is_one_of(opcode, {"and", "or", "xor", "not"});
}

// An offset that the memory instruction has room for.
bool adds_constant_to_address(const Instruction& at) {
  return opcode_of(at) == "add" && (at.has("s64") || at.has("u64")) && at.operands.size() == 3 &&
         at.operands[2].is_immediate;
}

// A word with its sign, as 64 bits: of such two ptxas makes a product with one instruction.
bool extends_word(const Instruction& at) {
  const std::string_view opcode = opcode_of(at);
  if (opcode == "cvt") return at.has("s64") && at.has("s32");
  return takes_half(at) && at.has("s64");
}

// Whether a value comes from elsewhere in place of being computed: a parameter, or a constant.
bool is_fetch(const Instruction& at) {
  return opcode_of(at) == "ld" && (at.has("param") || at.has("const"));
}

// Registers that a load fills.
std::uint32_t words_of_load(const Instruction& at) {
  if (opcode_of(at) == "ldmatrix") return at.has("x4") ? 4 : at.has("x2") ? 2 : 1;
  if (opcode_of(at) != "ld" || is_fetch(at)) return 0;
  const std::uint32_t words = at.has("b64") || at.has("u64") || at.has("f64") ? 2 : 1;
  return words * (at.has("v4") ? 4 : at.has("v2") ? 2 : 1);
}

// ---- the block as a graph

constexpr std::uint32_t kAll =
    UINT32_MAX;  // in place of a block: its instructions have no condition

struct Node {
  std::uint32_t index = 0;  // of the instruction in the function
  std::uint32_t side = 0;   // whose condition it has: a block, or kAll
  bool is_guarded = false;  // by a condition of its own
  bool is_long = false;     // of 64 bits, and both words are needed
  Cost cost;
  std::vector<std::size_t> sources;  // nodes whose results it takes
  std::vector<std::size_t> before;   // nodes that are issued before
  bool is_taken = false;             // another instruction does its work as well
  bool is_stop = false;
  bool is_wavefront = false;       // of shared memory, even if no lane's condition holds
  std::uint32_t loaded_words = 0;  // registers that a load needs
  bool is_shared = false;          // where it loads from
  std::uint32_t words_before = 0;  // that its piece has loaded from shared memory, with its own
  Path start, ready;
  std::size_t producer = kNone;  // whose result decides `ready`: its own, unless it is free
};

// What an address is a constant offset from: a register's value, which one instruction has made.
// Registers have one row after the other's last use.
struct Base {
  Row row;
  std::size_t writer = kNone;
  friend auto operator<=>(const Base&, const Base&) = default;
};

struct Address {
  Base base;
  std::string_view symbol;
  std::int64_t offset = 0;
  friend auto operator<=>(const Address&, const Address&) = default;
};

// Keeps memory operations in order where ptxas cannot know that they go to different places: loads
// and stores after stores, unless their addresses have the same base, and all around barriers.
class MemoryOrder {
 public:
  void add(const Instruction& at, const Base& base, std::size_t number, Node& node) {
    const std::string_view opcode = opcode_of(at);
    const bool is_barrier =
        is_stop(at) || is_one_of(opcode, {"bar", "barrier", "membar", "fence", "mbarrier"});
    if (!is_barrier && (node.cost.pipe != Pipe::kMemory || at.has("nc"))) return;
    const bool is_load = is_one_of(opcode, {"ld", "ldu", "ldmatrix"});
    const Past own = {number, at.has("shared"), is_load, base};
    for (const Past& past : past_) {
      const bool may_meet = past.is_shared == own.is_shared && past.base != own.base;
      if (is_barrier || (may_meet && !(past.is_load && is_load)))
        node.before.push_back(past.number);
    }
    if (barrier_ != kNone) node.before.push_back(barrier_);
    if (is_barrier) {
      barrier_ = number;
      past_.clear();
    } else {
      past_.push_back(own);
    }
  }

 private:
  struct Past {
    std::size_t number;
    bool is_shared;
    bool is_load;
    Base base;
  };

  std::vector<Past> past_;  // since the last barrier
  std::size_t barrier_ = kNone;
};

// Finds loads of neighbouring words of shared memory, between two writes of it, that the same lanes
// make: all, or those that execute a conditional block.
class WideLoads {
 public:
  explicit WideLoads(std::vector<BlockCost::Wide>& found) : found_(found) {}

  void add(const Instruction& at, const Base& base, std::uint32_t block, bool is_guarded) {
    const std::string_view opcode = opcode_of(at);
    if (is_stop(at) || is_one_of(opcode, {"bar", "barrier", "st", "atom", "red", "call"})) flush();
    const bool is_word = at.has("b32") || at.has("f32") || at.has("u32") || at.has("s32");
    if (opcode != "ld" || !at.has("shared") || !is_word || at.operands.size() != 2) return;
    if (at.has("v2") || at.has("v4") || at.has("volatile") || base.row == Row{}) return;
    if (is_guarded) return;
    loads_[{base, block}].emplace(at.operands[1].offset, &at);
  }

  void flush() {
    for (const auto& [where, by_offset] : loads_) {
      for (auto at = by_offset.begin(); at != by_offset.end();) {
        const std::int64_t words = length(by_offset, at->first);
        BlockCost::Wide wide = {{}, static_cast<std::uint32_t>(words * kWord)};
        for (std::int64_t i = 0; i < words; ++i, ++at) wide.loads.push_back(at->second);
        if (words > 1) found_.push_back(std::move(wide));
      }
    }
    loads_.clear();
  }

 private:
  using ByOffset = std::map<std::int64_t, const Instruction*>;
  static constexpr std::int64_t kWord = 4;

  // Of the widest load that begins there: 4, 2 or 1 words.
  static std::int64_t length(const ByOffset& loads, std::int64_t first) {
    for (const std::int64_t words : {4, 2}) {
      if (first % (words * kWord) != 0) continue;
      std::int64_t found = 1;
      while (found < words && loads.contains(first + found * kWord)) ++found;
      if (found == words) return words;
    }
    return 1;
  }

  std::vector<BlockCost::Wide>& found_;
  std::map<std::pair<Base, std::uint32_t>, ByOffset> loads_;  // since the last write
};

// Of the sources at most one is folded in: an instruction of the device has three operands.
void fold(const code::Function& function, std::vector<Node>& nodes, Node& node) {
  const Instruction& at = function.instructions[node.index];
  if (node.cost.pipe != Pipe::kInteger && node.cost.pipe != Pipe::kAlu) return;
  if (adds_constant_to_address(at)) {
    node.cost = kFree;
    return;
  }
  const auto is_word = [&](std::size_t source) {
    return extends_word(function.instructions[nodes[source].index]);
  };
  if (opcode_of(at) == "mul" && at.has("lo") && std::ranges::count_if(node.sources, is_word) == 2) {
    node.cost = kWideProduct;
    return;
  }
  for (const std::size_t source : node.sources) {
    Node& other = nodes[source];
    const Instruction& made = function.instructions[other.index];
    if (other.is_taken || other.cost.slots == 0 || !can_take(at, node.is_long, made_by(made)))
      continue;
    other.is_taken = true;
    node.cost = kFree;
    return;
  }
}

// A load that comes later in the program does not overtake what uses earlier ones, if registers for
// so many words would have to wait for their use. `room`: for words from memory.
void limit_loads(std::vector<Node>& nodes, std::uint32_t room) {
  std::vector<std::size_t> last_use(nodes.size(), kNone);
  std::vector<std::size_t> loads;
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const std::size_t use = nodes[i].cost.slots == 0 && last_use[i] != kNone ? last_use[i] : i;
    for (const std::size_t source : nodes[i].sources) {
      if (last_use[source] == kNone || last_use[source] < use) last_use[source] = use;
    }
    if (nodes[i].loaded_words != 0) loads.push_back(i);
  }
  for (auto load = loads.begin(); load != loads.end(); ++load) {
    const std::uint32_t most = nodes[*load].is_shared ? kMostWaitingWords : room;
    std::uint32_t words = nodes[*load].loaded_words;
    for (auto earlier = load + 1; earlier != loads.end(); ++earlier) {
      words += nodes[*earlier].loaded_words;
      if (words <= most) continue;
      const std::size_t use = last_use[*earlier];
      if (use != kNone && use < *load) nodes[*load].before.push_back(use);
      break;
    }
  }
}

// As a list scheduler does: by the time at which operands are there, if nothing else was in the
// way.
std::vector<std::size_t> order_of(std::vector<Node>& nodes) {
  for (Node& node : nodes) {
    node.start = {};
    for (const std::size_t source : node.sources) {
      node.start = longer(node.start, nodes[source].start + nodes[source].cost.latency);
    }
    for (const std::size_t other : node.before) {
      node.start = longer(node.start, nodes[other].start);
    }
  }
  std::vector<std::size_t> order(nodes.size());
  std::iota(order.begin(), order.end(), 0);
  const auto end = order.end() - (!nodes.empty() && nodes.back().cost.blocks ? 1 : 0);
  std::stable_sort(order.begin(), end,
                   [&](std::size_t a, std::size_t b) { return nodes[a].start < nodes[b].start; });
  return order;
}

// Issues the instructions one after the other. Adds to `cost` its path and pieces, and to `waits`,
// by node, what others wait for its result.
void issue(std::vector<Node>& nodes, std::vector<Path>& waits, BlockCost& cost) {
  Path now, free;  // free: when the tensor core takes the next product
  BlockCost::Piece piece;
  std::uint32_t shared_words = 0;  // that the piece has loaded
  const auto end_piece = [&] {
    shared_words = 0;
    piece.path = now - cost.path;
    cost.pieces.push_back(std::exchange(piece, {}));
    cost.path = now;
  };
  for (const std::size_t number : order_of(nodes)) {
    Node& node = nodes[number];
    Path there;
    std::size_t producer = kNone;
    for (const std::size_t source : node.sources) {
      if (producer != kNone && !(there < nodes[source].ready)) continue;
      there = nodes[source].ready;
      producer = nodes[source].producer;
    }
    if (node.cost.slots == 0) {
      node.start = there;
      node.ready = there + node.cost.latency;
      node.producer = producer;
      continue;
    }
    if (producer != kNone && nodes[producer].loaded_words != 0) {
      piece.lead.end(there - now, nodes[producer].words_before);
    }
    if (now < there && producer != kNone) {
      waits[producer] += there - now;
      now = there;
    }
    if (node.cost.busy != 0) {
      if (now < free) waits[number] += free - now;
      now = longer(now, free);
      free = now + Path{node.cost.busy, 0};
    }
    node.start = now;
    node.ready = now + node.cost.latency;
    node.producer = number;
    now += Path{node.cost.slots, 0};
    piece.slots[std::size_t(node.cost.pipe)] += node.cost.slots;
    piece.wavefronts += node.is_wavefront ? 1 : 0;
    if (node.is_shared) shared_words += node.loaded_words;
    node.words_before = shared_words;
    piece.lead += {node.cost.slots, 0, {}, false};
    if (node.cost.blocks) {
      waits[number] += node.cost.latency;
      now += node.cost.latency;
    }
    if (node.is_stop) end_piece();
  }
  end_piece();
}

// A region's instructions, and what they wait for.
class Graph {
 public:
  Graph(const code::Function& function, const Regions& regions, std::uint32_t first);
  BlockCost cost();

 private:
  void add(std::uint32_t block);
  std::size_t shared_address_of(std::uint32_t index);
  std::size_t add_fetched(std::uint32_t index, const Cost& cost);
  void fetch(Node& node);
  void read(Node& node, const Row& row);
  void write(const Row& row, std::size_t number, bool is_conditional);
  Base base_of(const Instruction& at) const;
  std::uint32_t room_for_loads() const;
  Cost cost_at(std::uint32_t index) const;

  const code::Function& function_;
  const Regions& regions_;
  std::vector<Node> nodes_;
  MemoryOrder memory_;
  std::vector<BlockCost::Wide> wide_;
  WideLoads wide_loads_{wide_};
  Row condition_;  // of the last branch
  std::uint32_t last_block_ = 0;
  // Nodes that may have written a row last: conditional ones, and one before them.
  std::map<Row, std::vector<std::size_t>> writers_;
  std::map<Row, std::size_t> first_readers_;  // of rows that the region has not written before
  std::set<Row> overwritten_;
  std::size_t shared_address_ = kNone;      // the node that makes it
  std::map<Address, std::size_t> fetches_;  // nodes: ptxas makes one of those from one address
};

Graph::Graph(const code::Function& function, const Regions& regions, std::uint32_t first)
    : function_(function), regions_(regions) {
  // A kernel begins with a load of its stack's place.
  if (function.is_kernel && first == 0) add_fetched(function.blocks[0].begin, kLoad);
  for (const std::uint32_t block : regions.blocks_of(first)) add(block);
  last_block_ = regions.blocks_of(first).back();
}

// Of an instruction that needs the address of shared memory; kNone: it does not.
std::size_t Graph::shared_address_of(std::uint32_t index) {
  const Instruction& at = function_.instructions[index];
  if (is_one_of(opcode_of(at), {"mov", "cvta"})) return kNone;
  if (std::ranges::none_of(at.operands, [&](const code::Operand& operand) {
        return regions_.is_shared_address(operand);
      })) {
    return kNone;
  }
  if (shared_address_ == kNone) {
    const std::size_t rank = add_fetched(index, kRank);
    shared_address_ = add_fetched(index, kAddress);
    nodes_.back().sources.push_back(rank);
  }
  return shared_address_;
}

std::size_t Graph::add_fetched(std::uint32_t index, const Cost& cost) {
  Node& node = nodes_.emplace_back();
  node.index = index;
  node.cost = cost;
  node.is_taken = true;
  return nodes_.size() - 1;
}

void Graph::add(std::uint32_t number) {
  const code::Block& block = function_.blocks[number];
  const bool is_conditional = regions_.is_conditional(number);
  for (std::uint32_t index = block.begin; index < block.end; ++index) {
    const Instruction& at = function_.instructions[index];
    const std::size_t shared_address = shared_address_of(index);
    Node& node = nodes_.emplace_back();
    node.index = index;
    node.side = is_conditional ? number : kAll;
    node.is_guarded = function_.ops[index].guard != code::kNoGuard;
    node.is_long = (at.has("s64") || at.has("u64")) && !regions_.has_only_low_word(at);
    node.cost = cost_at(index);
    if (shared_address != kNone) node.sources.push_back(shared_address);
    node.is_stop = is_stop(at);
    if (is_fetch(at)) fetch(node);
    for (std::size_t k = at.has_destination ? 1 : 0; k < at.operands.size(); ++k) {
      for_each_row(at.operands[k], [&](const Row& row) { read(node, row); });
    }
    const std::uint32_t guard = function_.ops[index].guard;
    if (guard != code::kNoGuard) read(node, {code::File::kPredicate, guard});
    if (is_conditional) read(node, condition_);
    fold(function_, nodes_, node);
    memory_.add(at, base_of(at), nodes_.size() - 1, node);
    const bool may_write = is_conditional || node.is_guarded;
    node.is_wavefront =
        may_write && at.has("shared") && is_one_of(opcode_of(at), {"ld", "st", "ldmatrix"});
    node.loaded_words = words_of_load(at);
    node.is_shared = at.has("shared");
    wide_loads_.add(at, base_of(at), node.side, node.is_guarded);
    if (!at.has_destination || at.operands.empty()) continue;
    for_each_row(at.operands.front(),
                 [&](const Row& row) { write(row, nodes_.size() - 1, may_write); });
  }
  if (is_conditional || block.begin == block.end) return;
  condition_ = {code::File::kPredicate, function_.ops[block.end - 1].guard};
}

void Graph::fetch(Node& node) {
  const Instruction& at = function_.instructions[node.index];
  const code::Operand& from = at.operands.back();
  const auto [first, is_new] =
      fetches_.emplace(Address{base_of(at), from.symbol, from.offset}, nodes_.size() - 1);
  if (is_new) return;
  node.cost = kFree;
  node.sources.push_back(first->second);
}

void Graph::read(Node& node, const Row& row) {
  if (!overwritten_.contains(row)) first_readers_.emplace(row, nodes_.size() - 1);
  const auto writers = writers_.find(row);
  if (writers == writers_.end()) return;
  const std::vector<std::size_t>& all = writers->second;
  // Of those, none before one that writes wherever this one reads.
  const auto last = std::find_if(all.rbegin(), all.rend(), [&](std::size_t writer) {
    return nodes_[writer].side == node.side && !nodes_[writer].is_guarded;
  });
  const auto first = last == all.rend() ? all.begin() : last.base() - 1;
  node.sources.insert(node.sources.end(), first, all.end());
}

void Graph::write(const Row& row, std::size_t number, bool is_conditional) {
  std::vector<std::size_t>& writers = writers_[row];
  if (!is_conditional) {
    writers.clear();
    overwritten_.insert(row);
  }
  writers.push_back(number);
}

Base Graph::base_of(const Instruction& at) const {
  for (const code::Operand& operand : at.operands) {
    if (!operand.is_address || !operand.slot.exists()) continue;
    const Row row = row_of(operand.slot);
    const auto writers = writers_.find(row);
    return {row, writers == writers_.end() ? kNone : writers->second.back()};
  }
  return {};
}

Cost Graph::cost_at(std::uint32_t index) const {
  const Instruction& at = function_.instructions[index];
  if (opcode_of(at) == "bra") return regions_.cost_of_branch(index);
  if (opcode_of(at) == "ld" && at.has("const")) {
    // A constant is an operand, unless its place is known late or the instruction is conditional.
    const bool is_fixed = !at.operands[1].symbol.starts_with('%');
    return is_fixed && !regions_.is_conditional(at.block) ? kFree : kLoad;
  }
  if (is_one_of(opcode_of(at), {"ld", "st"}) && at.has("local") && !regions_.has_local_memory()) {
    return {Pipe::kAlu, 1, {4, 0}};
  }
  if (opcode_of(at) != "mov" || at.operands.size() < 2) {
    return cost_of(at, regions_.has_only_low_word(at));
  }
  const bool is_special = std::ranges::any_of(function_.specials, [&](const auto& special) {
    return at.operands[1].slot.exists() && row_of(special.slot) == row_of(at.operands[1].slot);
  });
  if (is_special) return {Pipe::kOther, 1, {20, 0}};  // S2R
  // Where values of several branches meet in a register, one that is known needs an instruction.
  return at.operands[1].is_immediate && regions_.is_joined(at.operands[0]) ? kMove : kFree;
}

// For words from memory, whose loads wait longest.
std::uint32_t Graph::room_for_loads() const {
  const std::uint32_t live = std::min(function_.blocks[last_block_].live_words, kRegisters);
  return std::min(kRegisters - live, kMostWaitingWords);
}

BlockCost Graph::cost() {
  BlockCost cost;
  wide_loads_.flush();
  std::set<const Instruction*> joined;  // with one before
  for (const BlockCost::Wide& wide : wide_) {
    joined.insert(wide.loads.begin() + 1, wide.loads.end());
  }
  cost.wide = std::move(wide_);
  for (Node& node : nodes_) {
    const Instruction& at = function_.instructions[node.index];
    node.is_wavefront = node.is_wavefront && !joined.contains(&at);
    if (node.is_wavefront) cost.conditional_accesses.push_back(&at);
  }
  std::vector<Path> waits(nodes_.size());
  limit_loads(nodes_, room_for_loads());
  issue(nodes_, waits, cost);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Cost& own = nodes_[i].cost;
    cost.slots[std::size_t(own.pipe)] += own.slots;
    cost.issued += own.slots;
    if (own.slots == 0 && waits[i] == Path{}) continue;
    cost.parts.push_back({&function_.instructions[nodes_[i].index], own.pipe, own.slots,
                          waits[i] + Path{own.slots, 0}});
  }
  for (const auto& [row, reader] : first_readers_) {
    cost.uses.push_back({row, cost.path - nodes_[reader].start});
  }
  cost.overwrites.assign(overwritten_.begin(), overwritten_.end());
  for (const auto& [row, writers] : writers_) {
    for (const std::size_t writer : writers) {
      const Path after = nodes_[writer].ready - cost.path;
      if (nodes_[writer].producer == kNone || after.length() <= kSoonCycles) continue;
      const Node& producer = nodes_[nodes_[writer].producer];
      cost.late.push_back({row, after, &function_.instructions[producer.index]});
    }
  }
  return cost;
}

}  // namespace

BlockCost cost_of(const code::Function& function, const Regions& regions, std::uint32_t first) {
  return Graph(function, regions, first).cost();
}

}  // namespace timing
