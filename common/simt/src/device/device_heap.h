// SPDX-License-Identifier: MIT
// malloc, free, new and delete in kernels: memory of the device that stays until a kernel frees it.
#pragma once

namespace simt::device {

// Call at a launch: kernels may allocate. (Links the functions below to every program that
// launches.)
void open_device_heap();

// After a kernel's early end: nobody is left to free what its threads allocated.
void release_device_heap();

}  // namespace simt::device
