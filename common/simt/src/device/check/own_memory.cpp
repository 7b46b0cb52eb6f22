// SPDX-License-Identifier: MIT
#include "check/own_memory.h"

#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "check/host_frames.h"
#include "check/memory_findings.h"
#include "program/address.h"
#include "program/own_parts.h"
#include "program/stream_format.h"
#include "run/confined.h"

// What the linker's --wrap makes of the library's function: it knows the libraries, too.
extern "C" int __real_dl_iterate_phdr(int (*callback)(dl_phdr_info*, std::size_t, void*),
                                      void* data);

namespace simt::device {
namespace {

AddressRange range_of(const dl_phdr_info& object) {
  std::uintptr_t low = UINTPTR_MAX;
  std::uintptr_t high = 0;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = object.dlpi_addr + segment.p_vaddr;
    low = std::min(low, begin);
    high = std::max(high, begin + segment.p_memsz);
  }
  return {low, high > low ? high - low : 0};
}

int add_object(dl_phdr_info* object, std::size_t, void* data) {
  auto& confined = *static_cast<Confined*>(data);
  const AddressRange range = range_of(*object);
  if (range.contains(number(&__executable_start))) {
    confined.program = range;
  } else if (confined.num_parts < confined.parts.size()) {
    confined.parts[confined.num_parts++] = range;
  }
  return 0;
}

}  // namespace

void guard_memory() {
  Confined& confined = simt_confined;
  __real_dl_iterate_phdr(add_object, &confined);
  std::uintptr_t low = UINTPTR_MAX;
  std::uintptr_t high = 0;
  for (std::size_t i = 0; i < confined.num_parts; ++i) {
    low = std::min(low, confined.parts[i].low);
    high = std::max(high, confined.parts[i].low + confined.parts[i].size_bytes);
  }
  if (high > low) confined.libraries = {low, high - low};
}

void check_guarded_store(const Access& access) {
  const bool is_in_library = std::any_of(  // the parts that are not there contain nothing
      simt_confined.parts.begin(), simt_confined.parts.end(),
      [&](const AddressRange& part) { return part.contains(access.address); });
  const bool is_in_program = simt_confined.program.contains(access.address);
  if (access.address >= simt_confined.host_stack) {
    if (hits_frame(access)) end_sealed_access(access);
    return;
  }
  const bool is_in_stacks = simt_confined.stacks.contains(access.address);
  if (!is_in_library && !is_in_program && !is_in_stacks) return;
  if (is_own_variable(access.address, access.size_bytes)) return;
  if (is_stream_format(access.address, access.size_bytes)) return;
  end_sealed_access(access);
}

}  // namespace simt::device
