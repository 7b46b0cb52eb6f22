// SPDX-License-Identifier: MIT
#include "code/flow.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace code {
namespace {

using Word = std::string_view;

std::vector<std::string_view> targets_of(const ptx::Function& function, const Flow& flow,
                                         const ptx::Instruction& last) {
  if (control_of(last) == Control::kBranch) return {last.operands.front().name};
  const ptx::Table* const table = flow.table(function, last.operands.back().name);
  if (table == nullptr) throw ptx::Error(last.text_line, "brx.idx without its .branchtargets");
  return table->targets;
}

// Instructions that begin a block: after one that ends it, and where branches lead. Other labels
// are of lines, and part nothing.
std::vector<bool> leaders(const ptx::Function& function, const Flow& flow) {
  const std::size_t size = function.instructions.size();
  std::vector<bool> leads(size + 1, false);
  leads[0] = true;
  std::unordered_set<std::string_view> targets;
  for (std::size_t i = 0; i < size; ++i) {
    const ptx::Instruction& instruction = function.instructions[i];
    const Control control = control_of(instruction);
    if (control != Control::kNone) leads[i + 1] = true;
    if (control != Control::kBranch && control != Control::kIndexedBranch) continue;
    for (const std::string_view target : targets_of(function, flow, instruction)) {
      targets.insert(target);
    }
  }
  for (const ptx::Label& label : function.labels) {
    if (targets.contains(label.name)) leads[label.instruction] = true;
  }
  return leads;
}

// Whether it ends the kernel, by a mistake: a trap, or a call that reports one.
bool is_fatal(const ptx::Instruction& instruction) {
  if (!instruction.guard.empty()) return false;
  if (instruction.words.front() == "trap") return true;
  return control_of(instruction) == Control::kCall &&
         std::ranges::any_of(instruction.operands, [](const ptx::Operand& operand) {
           return operand.name == "__assertfail" ||
                  (operand.name.starts_with("__ubsan_handle_") && operand.name.ends_with("_abort"));
         });
}

const ptx::Instruction* last_of(const ptx::Function& function, Flow::Range range) {
  return range.begin == range.end ? nullptr : &function.instructions[range.end - 1];
}

using Successors = std::vector<std::vector<std::uint32_t>>;

// The graph without the ways that lead only to a mistake: they would be the reason why no
// block comes after every branch in front of them.
Successors without_mistakes(const ptx::Function& function, const Flow& flow) {
  const std::size_t num_blocks = flow.blocks.size();
  Successors before(num_blocks), after(num_blocks);
  std::vector<std::uint32_t> ends, mistakes;
  for (std::uint32_t b = 0; b < num_blocks; ++b) {
    for (const std::uint32_t next : flow.blocks[b].successors) before[next].push_back(b);
    if (!flow.blocks[b].successors.empty()) continue;
    const ptx::Instruction* const last = last_of(function, flow.ranges[b]);
    (last != nullptr && is_fatal(*last) ? mistakes : ends).push_back(b);
  }
  const auto leading_to = [&](std::vector<std::uint32_t> open) {
    std::vector<bool> found(num_blocks, false);
    while (!open.empty()) {
      const std::uint32_t b = open.back();
      open.pop_back();
      if (found[b]) continue;
      found[b] = true;
      open.insert(open.end(), before[b].begin(), before[b].end());
    }
    return found;
  };
  const std::vector<bool> to_end = leading_to(ends), to_mistake = leading_to(mistakes);
  const auto is_lost = [&](std::uint32_t b) { return to_mistake[b] && !to_end[b]; };
  for (std::uint32_t b = 0; b < num_blocks; ++b) {
    after[b] = flow.blocks[b].successors;
    if (!is_lost(b)) std::erase_if(after[b], is_lost);
  }
  return after;
}

void connect(const ptx::Function& function, Flow& flow) {
  const auto num_blocks = static_cast<std::uint32_t>(flow.blocks.size());
  for (std::uint32_t b = 0; b < num_blocks; ++b) {
    std::vector<std::uint32_t>& next = flow.blocks[b].successors;
    const ptx::Instruction* const last = last_of(function, flow.ranges[b]);
    const Control control = last == nullptr ? Control::kNone : control_of(*last);
    if (control == Control::kBranch || control == Control::kIndexedBranch) {
      for (const std::string_view target : targets_of(function, flow, *last)) {
        const auto found = flow.block_of_label.find(target);
        if (found == flow.block_of_label.end()) {
          throw ptx::Error(last->text_line, "no label " + std::string(target));
        }
        next.push_back(found->second);
      }
    }
    const bool always_leaves = control != Control::kNone &&
                               (control == Control::kCall ? is_fatal(*last) : last->guard.empty());
    if (!always_leaves && b + 1 < num_blocks) next.push_back(b + 1);
    std::ranges::sort(next);
    next.erase(std::unique(next.begin(), next.end()), next.end());
  }
}

// Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001), on the reversed graph. The
// end of the function is one more node, which every block reaches: a loop without an exit counts as
// leading there.
class PostDominators {
 public:
  explicit PostDominators(const Successors& successors)
      : successors_(successors),
        end_(static_cast<std::uint32_t>(successors.size())),
        predecessors_(end_ + 1) {
    for (std::uint32_t b = 0; b < end_; ++b) {
      for (const std::uint32_t next : successors[b]) predecessors_[next].push_back(b);
      if (successors[b].empty()) predecessors_[end_].push_back(b);
    }
    number();
    solve();
  }

  std::uint32_t of(std::uint32_t block) const {
    return parent_[block] == end_ ? Block::kNone : parent_[block];
  }

 private:
  // Post-order of the reversed graph from its root, the end.
  void number() {
    order_.clear();
    position_.assign(end_ + 1, Block::kNone);
    std::vector<bool> seen(end_ + 1, false);
    visit(end_, seen);
    for (std::uint32_t b = end_; b-- > 0;) {  // loops without an exit
      if (seen[b]) continue;
      predecessors_[end_].push_back(b);
      endless_.push_back(b);
      // Numbered before the end, whose place is the last.
      order_.pop_back();
      visit(b, seen);
      order_.push_back(end_);
    }
    for (std::uint32_t i = 0; i < order_.size(); ++i) position_[order_[i]] = i;
  }
  void visit(std::uint32_t root, std::vector<bool>& seen) {
    std::vector<std::pair<std::uint32_t, std::size_t>> stack{{root, 0}};
    seen[root] = true;
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next == predecessors_[node].size()) {
        order_.push_back(node);
        stack.pop_back();
        continue;
      }
      const std::uint32_t child = predecessors_[node][next++];
      if (!seen[child]) {
        seen[child] = true;
        stack.emplace_back(child, 0);
      }
    }
  }
  std::uint32_t meet(std::uint32_t a, std::uint32_t b) const {
    while (a != b) {
      while (position_[a] < position_[b]) a = parent_[a];
      while (position_[b] < position_[a]) b = parent_[b];
    }
    return a;
  }
  void solve() {
    parent_.assign(end_ + 1, Block::kNone);
    parent_[end_] = end_;
    for (bool changed = true; changed;) {
      changed = false;
      for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
        const std::uint32_t node = *it;
        if (node == end_) continue;
        std::uint32_t best = Block::kNone;
        const auto take = [&](std::uint32_t next) {
          if (parent_[next] == Block::kNone) return;
          best = best == Block::kNone ? next : meet(best, next);
        };
        for (const std::uint32_t next : successors_[node]) take(next);
        if (successors_[node].empty() || std::ranges::count(endless_, node) != 0) take(end_);
        if (best != parent_[node]) {
          parent_[node] = best;
          changed = true;
        }
      }
    }
  }

  const Successors& successors_;
  const std::uint32_t end_;
  std::vector<std::vector<std::uint32_t>> predecessors_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> position_;
  std::vector<std::uint32_t> parent_;
  std::vector<std::uint32_t> endless_;
};

}  // namespace

Control control_of(const ptx::Instruction& instruction) {
  const Word opcode = instruction.words.front();
  if (opcode == "bra") return Control::kBranch;
  if (opcode == "brx") return Control::kIndexedBranch;
  if (opcode == "call") return Control::kCall;
  if (opcode == "ret") return Control::kReturn;
  if (opcode == "exit" || opcode == "trap") return Control::kExit;
  return Control::kNone;
}

const ptx::Table* Flow::table(const ptx::Function& function, std::string_view label) const {
  const auto found = std::ranges::find(function.tables, label, &ptx::Table::label);
  return found == function.tables.end() ? nullptr : &*found;
}

Flow flow_of(const ptx::Function& function) {
  Flow flow;
  const std::vector<bool> leads = leaders(function, flow);
  const std::size_t size = function.instructions.size();
  std::vector<std::uint32_t> block_at(size + 1);
  for (std::size_t i = 0; i < size; ++i) {
    if (leads[i]) flow.ranges.push_back({static_cast<std::uint32_t>(i), 0});
    block_at[i] = static_cast<std::uint32_t>(flow.ranges.size() - 1);
    flow.ranges.back().end = static_cast<std::uint32_t>(i + 1);
  }
  // An empty block at the end: what a label there, or code without a last `ret`, leads to.
  block_at[size] = static_cast<std::uint32_t>(flow.ranges.size());
  flow.ranges.push_back({static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(size)});
  flow.blocks.resize(flow.ranges.size());
  for (const ptx::Label& label : function.labels) {
    flow.block_of_label[label.name] = block_at[label.instruction];
  }
  connect(function, flow);
  const Successors successors = without_mistakes(function, flow);
  const PostDominators post_dominators(successors);
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
    flow.blocks[b].post_dominator = post_dominators.of(b);
  }
  return flow;
}

}  // namespace code
