// SPDX-License-Identifier: MIT
// A piece of a stream's work that is no kernel, as messages name it.
#pragma once

#include "simt/call_stack.h"

namespace simt::device {

enum class CopyKind { kCopyOrFill, kAllocation, kFree };  // the last two count as writes

struct StreamCopy {
  CopyKind kind;
  CallStack issued_by;
  bool is_written;  // the range that it shares with an access; else it reads there
};

}  // namespace simt::device
