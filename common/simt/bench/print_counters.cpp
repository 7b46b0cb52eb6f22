// SPDX-License-Identifier: MIT
// main() for a CUDA program whose own main() is renamed: runs it, counts its kernels, and prints
// the counters as JSON on stdout, {"kernel": {"global_read_sectors": 2048, ...}, ...}.
#include <cstdio>

#include "simt/counters.h"

namespace {

void print_counters() {
  const char* separator = "{";
  for (const simt::KernelCounters& kernel : simt::take_counters()) {
    std::printf("%s\n \"%s\": ", separator, kernel.name.c_str());
    separator = ",";
    for (std::size_t i = 0; i < simt::kNumCounters; ++i) {
      const auto counter = static_cast<simt::Counter>(i);
      std::printf("%s\"%s\": %llu", i == 0 ? "{" : ", ", simt::counter_name(counter),
                  static_cast<unsigned long long>(kernel.counters[counter]));
    }
    std::printf("}");
  }
  std::printf("}\n");
}

}  // namespace

int counted_main();

int main() {
  simt::set_counting(true);
  const int status = counted_main();
  print_counters();
  return status;
}
