#include <cstdio>
__device__ int order[4], num_launched;
__global__ void note(int what) { order[atomicAdd(&num_launched, 1)] = what; }
__global__ void deeper(int* depth, int wanted) {
  *depth += 1;
  if (*depth < wanted) deeper<<<1, 1>>>(depth, wanted);
}
__global__ void parent(int* out) {
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(3);
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  note<<<1, 1, 0, stream>>>(1);
  note<<<1, 1, 0, cudaStreamFireAndForget>>>(2);
  cudaStreamDestroy(stream);
  *out = cudaGetLastError();
  deeper<<<1, 1>>>(out, DEPTH);
}
int main() {
  int *d, h[5];
  cudaMalloc(&d, sizeof(int));
  parent<<<1, 1>>>(d);
  cudaMemcpy(&h[4], d, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(h, order, 4 * sizeof(int));
  std::printf("%d %d %d %d\n", h[0], h[1], h[2], h[4]);
  cudaFree(d);
}
