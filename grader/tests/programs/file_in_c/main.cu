// SPDX-License-Identifier: MIT
// The other file is in C, where `new` is a name, and stays C.
#include <cstdio>
extern "C" int twice(int);
__global__ void nothing() {}
int main() {
  nothing<<<1, 1>>>();
  std::printf("%d\n", twice(21));
}
