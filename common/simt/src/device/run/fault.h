// SPDX-License-Identifier: MIT
// A kernel's early end.
#pragma once

#include <optional>
#include <string>

#include "simt/error.h"
#include "simt/finding.h"

namespace simt::device {

struct Fault {
  cudaError_t error;                // becomes the sticky error
  std::optional<FindingKind> kind;  // nothing: the launch is refused, and there is no finding
  std::string message;              // the finding's
  const void* pc;                   // where; a return address, or null
};

}  // namespace simt::device
