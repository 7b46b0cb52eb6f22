// SPDX-License-Identifier: MIT
// Kernels that kernels launch. They begin when the launching one has ended, which a GPU may choose,
// too, in the order of the calls, tail launches last, and before what the host ordered behind the
// first kernel. So they are in its stream, whatever stream a kernel names.
#include <algorithm>
#include <iterator>
#include <utility>

#include "serve/cuda_errors.h"
#include "serve/device.h"

namespace serve {
namespace {

constexpr int kMaxDepth = 24;  // as of a GPU
constexpr std::size_t kMaxPending = 1 << 16;
constexpr std::uint64_t kTailLaunch = 3;  // cudaStreamTailLaunch

bool is_tail(const run::NestedLaunch& nested) { return nested.stream == kTailLaunch; }

Size size(const run::Dim& dim) { return {dim.x, dim.y, dim.z}; }

}  // namespace

int Device::take_nested(Module& module, run::NestedLaunch nested) {
  if (nested.kernel == nullptr) return kInvalidDeviceFunction;
  // A tail launch takes its kernel's place: a kernel may go on so for as long as it likes.
  const int depth = is_tail(nested) ? nested_depth_ : nested_depth_ + 1;
  if (depth > kMaxDepth) return kLaunchMaxDepthExceeded;
  if (nested_.size() + launched_.size() >= kMaxPending) return kLaunchPendingCountExceeded;
  Launch command = host_launch_;
  command.grid = size(nested.grid);
  command.block = size(nested.block);
  command.cluster = {1, 1, 1};
  command.dynamic_shared_bytes = nested.dynamic_shared_bytes;
  command.is_cooperative = 0;
  const Kernel& kernel = kernels_[number_of(module, *nested.kernel) - 1];
  if (const auto problem = problem_with(command, kernel)) {
    report::report({report::Kind::kLaunchError, nested.at.file, nested.at.line,
                    kernel.function->readable,
                    "the launch of " + kernel.function->readable + problem->text +
                        " failed in the kernel that makes it"});
    return problem->error;
  }
  std::unique_ptr<run::Launch> launch = make_launch(command, kernel);
  launch->parameters = std::move(nested.parameters);
  launch->parameters.resize(
      std::max<std::size_t>(launch->parameters.size(), kernel.function->parameter_bytes));
  launch->host_file = nested.at.file;
  launch->host_line = nested.at.line;
  launched_.push_back({&module, std::move(launch), depth, is_tail(nested)});
  return kSuccess;
}

void Device::start_nested() {
  for (;;) {
    std::stable_partition(launched_.begin(), launched_.end(),
                          [](const Nested& nested) { return !nested.is_tail; });
    nested_.insert(nested_.begin(), std::make_move_iterator(launched_.begin()),
                   std::make_move_iterator(launched_.end()));
    launched_.clear();
    if (waiting_ != nullptr) return;  // comes back when that has ended
    if (sticky_ != kSuccess) nested_.clear();
    if (nested_.empty()) return;
    Nested next = std::move(nested_.front());
    nested_.pop_front();
    nested_depth_ = next.depth;
    start(*next.module, std::move(next.launch));
  }
}

}  // namespace serve
