// SPDX-License-Identifier: MIT
// Sorts 2^20 numbers of several types on the device: without a sort of the emulator's own, the
// checks of each access would take a minute.
#include <thrust/device_vector.h>
#include <thrust/sort.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "check.h"

template <class T>
void sort_many() {
  std::vector<T> host(1 << 20);
  for (T& value : host) value = static_cast<T>(std::rand() - RAND_MAX / 2);
  thrust::device_vector<T> items(host.begin(), host.end());
  thrust::sort(items.begin(), items.end());
  std::sort(host.begin(), host.end());
  std::vector<T> sorted(host.size());
  CHECK_CUDA(cudaMemcpy(sorted.data(), thrust::raw_pointer_cast(items.data()),
                        sorted.size() * sizeof(T), cudaMemcpyDeviceToHost));
  EXPECT(sorted == host);
}

int main(int argc, char**) {
  sort_many<int>();
  if (argc > 1) return 0;
  sort_many<float>();
  return 0;
}
