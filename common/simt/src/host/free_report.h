// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace simt::internal {

// Why `function` ("cudaFree") cannot free the pointer: "cudaFree of allocation 3 (64 bytes), which
// has been freed already".
std::string describe_bad_free(const void* pointer, const char* function);

}  // namespace simt::internal
