// The shift that lacks a barrier.
constexpr int kThreads = 64;
__global__ void shift_kernel(const int* d_in, int* d_out) {
  __shared__ int tile[kThreads];
  tile[threadIdx.x] = d_in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 63) tile[threadIdx.x] = tile[threadIdx.x + 1];
  d_out[threadIdx.x] = tile[threadIdx.x];
}
