// SPDX-License-Identifier: MIT
// right: bytes at any address, assembled one by one; and memcpy, which needs no alignment.
#include <cstdio>
#include <cstring>

__global__ void parse(const unsigned char* message, unsigned* out) {
  const unsigned char* at = message + 5 * threadIdx.x;
  const unsigned value = at[0] | at[1] << 8 | at[2] << 16 | static_cast<unsigned>(at[3]) << 24;
  unsigned same;
  memcpy(&same, at, sizeof same);
  out[threadIdx.x] = value == same ? value : 0;
}

int main() {
  unsigned char h_message[250];
  for (int i = 0; i < 250; ++i) h_message[i] = i;
  unsigned char* d_message;
  cudaMalloc(&d_message, 250 * sizeof(unsigned char));
  cudaMemcpy(d_message, h_message, sizeof h_message, cudaMemcpyHostToDevice);
  unsigned* d_out;
  cudaMalloc(&d_out, 32 * sizeof(unsigned));
  parse<<<1, 32>>>(d_message, d_out);
  unsigned h_out[32] = {};
  cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost);
  std::puts(h_out[1] == 0x08070605 ? "PASS" : "FAIL");
  cudaFree(d_message);
  cudaFree(d_out);
}
