// SPDX-License-Identifier: MIT
#include "run/path.h"

namespace simt::device {

Path kernel_path;

}  // namespace simt::device
