// SPDX-License-Identifier: MIT
#include "run/confined.h"

#include <sys/mman.h>

#include "simt/page.h"

namespace simt::device {

extern "C" {
Confined simt_confined;
}

void open_confined(bool may_write) {
  if (page_bytes() != kConfinedBytes) return;
  mprotect(&simt_confined, sizeof simt_confined, may_write ? PROT_READ | PROT_WRITE : PROT_READ);
}

}  // namespace simt::device
