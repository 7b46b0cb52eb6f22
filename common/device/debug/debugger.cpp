// SPDX-License-Identifier: MIT
#include "debug/debugger.h"

#include <bit>

#include "fixture/json.h"

namespace debug {
namespace {

using code::Instruction;
using run::Warp;

constexpr std::uint64_t kOpsBetweenLooks = 4096;  // at what the front end says meanwhile

const Instruction& instruction_of(const Warp& warp, const code::Op& op) {
  const code::Function& function = *warp.part->frames.back().function;
  return function.instructions[static_cast<std::size_t>(&op - function.ops.data())];
}

std::uint32_t first_of(std::uint32_t lanes) {
  return static_cast<std::uint32_t>(std::countr_zero(lanes)) % run::kWarpSize;
}

}  // namespace

Debugger::Debugger(Channel& channel) : channel_(channel) {
  report::set_listener([this](const report::Finding& finding) { found(finding); });
}

Debugger::~Debugger() { report::set_listener({}); }

void Debugger::greet() {
  channel_.write_line(json::object({{"event", json::quote("hello")}}));
  serve();
}

void Debugger::launch_begins(run::Launch& launch) {
  if (launch_ == nullptr || launch_->program != launch.program) spots_.reset();
  launch_ = &launch;
  blocks_.clear();
  started_.clear();
  num_ended_ = 0;
  if (!spots_) spots_.emplace(*launch.program, breaks_);
}

void Debugger::launch_ends(run::Launch&) {
  launch_ = nullptr;
  now_ = {};
  step_.reset();
  blocks_.clear();
  spots_.reset();
}

void Debugger::block_starts(run::Block& block) {
  blocks_[block.linear] = &block;
  started_.push_back(block.linear);
}

void Debugger::block_ends(run::Block& block) {
  if (step_ && step_->warp->block == &block) step_.reset();
  if (now_.warp != nullptr && now_.warp->block == &block) now_ = {};
  blocks_.erase(block.linear);
  ++num_ended_;
}

void Debugger::executes(Warp& warp, const code::Op& op, std::uint32_t lanes) {
  if (++num_ops_ % kOpsBetweenLooks == 0) {
    std::string line;
    while (channel_.has_line() && channel_.read_line(line)) obey(Command(line));
  }
  now_ = {&warp, first_of(lanes)};
  lanes_ = lanes;
  const Instruction& instruction = instruction_of(warp, op);
  // An access that has let others run before is executed once more, and not for the first time.
  const bool is_again = warp.part->has_yielded;
  const bool is_break = spots_->of(instruction).is_break && !is_again;
  if (is_interrupted_) {
    is_interrupted_ = false;
    return stop(now_, "pause", warp.lanes);
  }
  if (step_ && (step_->warp->live >> step_->lane & 1) == 0) step_.reset();
  if (!step_) {
    if (is_break) stop({&warp, first_of(warp.lanes)}, "breakpoint", warp.lanes);
    return;
  }
  if (step_->warp != &warp || (warp.lanes >> step_->lane & 1) == 0) return;
  const bool is_done = is_at_end_of_step(warp, instruction);
  if (is_done || is_break) {
    stop({&warp, step_->lane}, is_done ? "step" : "breakpoint", 1U << step_->lane);
  }
}

bool Debugger::is_at_end_of_step(const Warp& warp, const Instruction& instruction) const {
  const Spot& spot = spots_->of(instruction);
  const std::size_t depth = warp.part->frames.size() + spot.depth;
  if (spot.line == 0) return false;
  const bool is_elsewhere = spot.line != step_->line || spot.file != step_->file;
  switch (step_->kind) {
    case Kind::kStep:
      return is_elsewhere || depth != step_->depth;
    case Kind::kNext:
      return depth < step_->depth || (depth == step_->depth && is_elsewhere);
    case Kind::kUntil:
      return depth < step_->depth ||
             (depth == step_->depth && spot.file == step_->file && spot.line > step_->line);
    case Kind::kFinish:
      return depth < step_->depth;
    case Kind::kAdvance:
      return depth < step_->depth || (instruction.text_line == step_->to.second &&
                                      warp.part->frames.back().function->name == step_->to.first);
  }
  return true;
}

// Called by the checks, before the access that they accuse, or when the kernel has ended with it.
void Debugger::found(const report::Finding& finding) {
  if (launch_ == nullptr || blocks_.empty()) return;
  // A deadlock, after the block that ran last has ended: any thread that waits.
  if (now_.warp == nullptr) now_ = {blocks_.begin()->second->warps.front().get(), 0};
  Place at = now_;
  if (finding.thread >= 0) {
    const auto thread = static_cast<std::uint32_t>(finding.thread);
    at = {now_.warp->block->warps[thread / run::kWarpSize].get(), thread % run::kWarpSize};
  }
  const json::Members members = {{"kind", json::quote(report::name_of(finding.kind))},
                                 {"file", json::quote(finding.file)},
                                 {"line", std::to_string(finding.line)},
                                 {"named", finding.thread >= 0 ? "true" : "false"},
                                 {"message", json::quote(finding.message)},
                                 {"other", other_json(finding)}};
  stop(at, "finding", lanes_, json::object(members));
}

std::string Debugger::other_json(const report::Finding& finding) const {
  if (finding.race.empty() || finding.race.back().block_ordinal >= started_.size()) return "null";
  const report::RacingAccess& other = finding.race.back();
  return json::object({{"block", std::to_string(started_[other.block_ordinal])},
                       {"thread", std::to_string(other.thread)},
                       {"file", json::quote(other.file)},
                       {"line", std::to_string(other.line)},
                       {"writes", other.writes ? "true" : "false"}});
}

void Debugger::stop(Place at, const std::string& reason, std::uint32_t lanes,
                    const std::string& more) {
  json::Members members = {
      {"event", json::quote("stopped")},
      {"reason", json::quote(reason)},
      {"block", std::to_string(at.warp->block->linear)},
      {"thread", std::to_string(at.warp->thread_id(static_cast<int>(at.lane)))},
      {"running", json::array({std::to_string(now_.warp->block->linear),
                               std::to_string(now_.warp->id), std::to_string(now_.warp->lanes)})},
      {"lanes", std::to_string(lanes)},
      {"launch", launch_json(*launch_, started_.size(), num_ended_)},
      {"frames", frames_json(*at.warp, at.lane)}};
  if (!more.empty()) members.emplace_back("finding", more);
  channel_.write_line(json::object(members));
  serve();
}

void Debugger::serve() {
  std::string line;
  while (channel_.read_line(line)) {
    if (obey(Command(line))) return;
  }
  breaks_.clear();  // the front end has gone
  if (spots_) spots_->set_breaks(breaks_);
  step_.reset();
}

bool Debugger::obey(const Command& command) {
  const std::string what = command.text("do");
  if (what == "pause") {
    is_interrupted_ = true;
    return false;
  }
  if (what == "resume") return true;  // with the same step, if there is one
  if (what == "continue" || what == "step") {
    step_.reset();
    return what == "continue" || begin_step(command);
  }
  const std::string answer = answer_to(command);
  if (command.number("quiet") == 0) channel_.write_line(answer);
  return false;
}

bool Debugger::begin_step(const Command& command) {
  const std::optional<Place> place = place_of(command);
  if (!place || state_of(*place->warp, place->lane) == "ended") {
    channel_.write_line(json::object({{"error", json::quote("this thread has ended")}}));
    return false;
  }
  const std::string kind = command.text("kind");
  Step step;
  step.kind = kind == "next"      ? Kind::kNext
              : kind == "until"   ? Kind::kUntil
              : kind == "finish"  ? Kind::kFinish
              : kind == "advance" ? Kind::kAdvance
                                  : Kind::kStep;
  step.warp = place->warp;
  step.lane = place->lane;
  // As the front end shows it: of a thread that is inside of a library, the user's line.
  step.depth = command.number("depth");
  step.line = static_cast<std::uint32_t>(command.number("line"));
  const std::string file = command.text("file");
  const auto& files = launch_->program->files;
  for (std::uint32_t i = 0; i < files.size(); ++i) {
    if (files[i].path == file) step.file = i;
  }
  step.to = {command.text("function"), command.number("at")};
  step_ = step;
  return true;
}

std::optional<Debugger::Place> Debugger::place_of(const Command& command) const {
  const auto found = blocks_.find(command.number("block"));
  const std::uint64_t thread = command.number("thread");
  if (found == blocks_.end() || thread >= found->second->num_threads) return std::nullopt;
  return Place{found->second->warps[thread / run::kWarpSize].get(),
               static_cast<std::uint32_t>(thread % run::kWarpSize)};
}

std::string Debugger::answer_to(const Command& command) {
  const std::string what = command.text("do");
  const auto refuse = [](const char* why) { return json::object({{"error", json::quote(why)}}); };
  if (what == "clear" || what == "break") {
    if (what == "clear") breaks_.clear();
    if (what == "break") breaks_.emplace(command.text("function"), command.number("at"));
    if (spots_) spots_->set_breaks(breaks_);
    return json::object({});
  }
  if (launch_ == nullptr) return refuse("no kernel is running");
  if (what == "threads") return threads_json(blocks_);
  if (what == "symbols") return symbols_json(*launch_);
  const std::optional<Place> place = place_of(command);
  if (!place) return refuse("this thread is not on the device");
  if (what == "frames") return frames_json(*place->warp, place->lane);
  if (what == "read") {
    return memory_json(*place->warp, place->lane,
                       {command.number("address"), command.number("size"), command.number("from")});
  }
  return refuse("an unknown command");
}

}  // namespace debug
