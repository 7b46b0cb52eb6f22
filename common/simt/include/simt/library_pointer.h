// SPDX-License-Identifier: MIT
// What headers of libraries ask about the pointers that a program hands them, before they follow
// one on behalf of the device or of the host.
#pragma once

namespace simt {

// `algorithm`, "thrust::sort", is about to use the memory on the device. A finding if only the host
// can use it.
void require_device_pointer(const volatile void* pointer, const char* algorithm);

// The same on the host. A finding if only the device can use the memory.
void require_host_pointer(const volatile void* pointer, const char* algorithm);

}  // namespace simt
