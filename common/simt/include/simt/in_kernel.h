// SPDX-License-Identifier: MIT
#pragma once

namespace simt {

// Whether a thread of a kernel makes the call, and not the host.
bool is_in_kernel();

}  // namespace simt
