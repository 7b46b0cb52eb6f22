// SPDX-License-Identifier: MIT
// Device memory out of the reach of the program's host code, by the processor's own means: the
// hooks do not see what a library's compiled function reads or writes.
#pragma once

namespace simt {

// From the first on until the second, if launches are counted, an access of the host's code to
// device memory is a finding of kind host_pointer. Calls of CUDA open the memory until they return.
// Managed and pinned memory is the host's, too: its use is noted, by pages.
void close_device_to_host();
void open_device_to_host();

}  // namespace simt
