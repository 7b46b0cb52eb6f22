// SPDX-License-Identifier: MIT
// Overlapped copies and kernels in streams, pinned memory, events with timing, host callbacks.
#include "check.h"

__global__ void scale(float* data, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factor;
}

void CUDART_CB count_call(void* user_data) { ++*static_cast<int*>(user_data); }

int main() {
  const int num_streams = 4, chunk = 1000, n = num_streams * chunk;
  float *h_data, *d_data;
  CHECK_CUDA(cudaMallocHost((void**)&h_data, n * sizeof(float)));
  CHECK_CUDA(cudaMalloc((void**)&d_data, n * sizeof(float)));
  for (int i = 0; i < n; ++i) h_data[i] = (float)i;

  cudaStream_t streams[num_streams];
  for (auto& stream : streams)
    CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaEvent_t start, stop, copied;
  CHECK_CUDA(cudaEventCreate(&start));
  CHECK_CUDA(cudaEventCreate(&stop));
  CHECK_CUDA(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));

  int calls = 0;
  CHECK_CUDA(cudaEventRecord(start, 0));
  for (int i = 0; i < num_streams; ++i) {
    float* d = d_data + i * chunk;
    float* h = h_data + i * chunk;
    CHECK_CUDA(cudaMemcpyAsync(d, h, chunk * sizeof(float), cudaMemcpyHostToDevice, streams[i]));
    scale<<<(chunk + 255) / 256, 256, 0, streams[i]>>>(d, chunk, i + 1.0f);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpyAsync(h, d, chunk * sizeof(float), cudaMemcpyDeviceToHost, streams[i]));
    CHECK_CUDA(cudaLaunchHostFunc(streams[i], count_call, &calls));
  }
  CHECK_CUDA(cudaEventRecord(copied, streams[0]));
  CHECK_CUDA(cudaStreamWaitEvent(streams[1], copied, 0));
  for (auto stream : streams) CHECK_CUDA(cudaStreamSynchronize(stream));
  CHECK_CUDA(cudaEventRecord(stop));
  CHECK_CUDA(cudaEventSynchronize(stop));
  float ms = -1;
  CHECK_CUDA(cudaEventElapsedTime(&ms, start, stop));
  EXPECT(ms >= 0 && ms < 60000);
  EXPECT(calls == num_streams);
  EXPECT(cudaStreamQuery(streams[2]) == cudaSuccess && cudaEventQuery(stop) == cudaSuccess);
  for (int i = 0; i < n; ++i) EXPECT(h_data[i] == i * (i / chunk + 1.0f));

  for (auto& stream : streams) CHECK_CUDA(cudaStreamDestroy(stream));
  cudaEventDestroy(start), cudaEventDestroy(stop), cudaEventDestroy(copied);
  CHECK_CUDA(cudaFreeHost(h_data));
  CHECK_CUDA(cudaFree(d_data));
  return 0;
}
