#pragma once
#include <twice.cuh>
inline __global__ void start(int* out) {
  extern __shared__ int room[];
  room[0] = NUMBER;
  *out = twice(room[0]);
}
inline void launch(int* d_out) { start<<<1, 1, sizeof(int)>>>(d_out); }
