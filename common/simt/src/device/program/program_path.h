// SPDX-License-Identifier: MIT
#pragma once

#include <sys/auxv.h>

namespace simt::device {

// The file of the running program, as it was started. Not /proc/self/exe: a sandbox has no /proc.
inline const char* program_path() { return reinterpret_cast<const char*>(getauxval(AT_EXECFN)); }

}  // namespace simt::device
