// SPDX-License-Identifier: MIT
// launch_error: memory from malloc is freed by cudaFree.
// at: cudaFree(h_items);
#include <cstdio>
#include <cstdlib>

int main() {
  int* h_items = static_cast<int*>(std::malloc(64 * sizeof(int)));
  h_items[0] = 7;
  cudaFree(h_items);
  std::puts(h_items[0] == 7 ? "PASS" : "FAIL");
  std::free(h_items);
}
