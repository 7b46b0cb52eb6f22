// SPDX-License-Identifier: MIT
// What the worker says about the host's own code, and what it asks at the end.
#include <string>

#include "memory/book.h"
#include "report/finding.h"
#include "serve/cuda_errors.h"
#include "serve/device.h"

namespace serve {
namespace {

constexpr std::size_t kMaxMessageBytes = 4096;

// Of the device and its kernels only the device itself speaks.
bool is_of_host(report::Kind kind) {
  return kind == report::Kind::kHostPointer || kind == report::Kind::kLaunchError ||
         kind == report::Kind::kCrash || kind == report::Kind::kHostWait;
}

std::string host_access_text(const memory::Allocation* allocation, bool writes) {
  return std::string("the host ") + (writes ? "writes to " : "reads ") +
         (allocation != nullptr ? allocation->name : std::string("the device's memory")) +
         " itself: on a GPU that is a segmentation fault; " +
         (writes ? "set it with cudaMemsetAsync, or copy with cudaMemcpyAsync"
                 : "copy it with cudaMemcpy");
}

}  // namespace

// Memory of both: a race, perhaps. Other memory of the device: the host must not touch it.
int Device::handle(const Touch& command, Nothing&, Call& call) {
  const memory::HostPlace at = host_place(command.at);
  const memory::Allocation* const found = memory::find(command.address);
  const bool is_inside = found != nullptr && found->live && found->contains(command.address);
  if (is_inside && found->is_hosts_too()) {
    watchers_.checker().host_accesses(
        {command.address, 1, command.writes != 0, command.is_volatile != 0, at});
    return kSuccess;
  }
  if (!memory::is_device(command.address)) return kInvalidValue;
  const std::string text = host_access_text(is_inside ? found : nullptr, command.writes != 0);
  report::report({report::Kind::kHostPointer, at.file, at.line, "", text});
  return call.explain(kInvalidValue, text);
}

int Device::handle(const Report& command, Nothing&, Call& call) {
  const auto kind = static_cast<report::Kind>(command.finding);
  if (command.finding > static_cast<std::uint32_t>(report::Kind::kHostWait) || !is_of_host(kind)) {
    return kInvalidValue;
  }
  const memory::HostPlace at = host_place(command.at);
  const std::string_view text = call.text();
  report::report({kind, at.file, at.line, std::string(text.substr(0, command.kernel_bytes)),
                  std::string(text.substr(command.kernel_bytes, kMaxMessageBytes)), -1,
                  command.error});
  return kSuccess;
}

int Device::handle(const TakePrinted&, Nothing&, Call&) { return kSuccess; }

int Device::handle(const End&, End::Result&, Call&) {
  finish();
  return kSuccess;
}

}  // namespace serve
