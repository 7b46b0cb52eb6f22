// SPDX-License-Identifier: MIT
// Two streams that are captured into one graph, which orders their kernels as events do.
__global__ void fill(int* items, int value) { items[threadIdx.x] = value; }
__global__ void add(const int* a, const int* b, int* sums) {
  sums[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

int main() {
  int *d_a, *d_b, *d_sums;
  cudaMalloc(&d_a, 64 * sizeof(int));
  cudaMalloc(&d_b, 64 * sizeof(int));
  cudaMalloc(&d_sums, 64 * sizeof(int));
  cudaStream_t stream, side;
  cudaStreamCreate(&stream);
  cudaStreamCreate(&side);
  cudaEvent_t fork, join;
  cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
  cudaGraph_t graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, stream);
  cudaStreamWaitEvent(side, fork, 0);
  fill<<<1, 64, 0, stream>>>(d_a, 1);
  fill<<<1, 64, 0, side>>>(d_b, 2);
  cudaEventRecord(join, side);
  cudaStreamWaitEvent(stream, join, 0);
  add<<<1, 64, 0, stream>>>(d_a, d_b, d_sums);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphExec_t executable;
  cudaGraphInstantiate(&executable, graph, 0);
  for (int i = 0; i < 3; ++i) cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  int h_sums[64] = {};
  cudaMemcpy(h_sums, d_sums, sizeof h_sums, cudaMemcpyDeviceToHost);
  const bool is_right = h_sums[0] == 3 && h_sums[63] == 3;
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaEventDestroy(fork);
  cudaEventDestroy(join);
  cudaStreamDestroy(side);
  cudaStreamDestroy(stream);
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_sums);
  return is_right ? 0 : 1;
}
