// A tree in shared memory.
__global__ void tree_kernel(const float* d_in, int num_items, float* d_sums) {
  __shared__ float tile[2048];
  const int t = threadIdx.x;
  tile[t] = d_in[32 * t];
  for (int stride = 1; stride <= 1024; stride *= 2) {
    __syncthreads();
    if (t % stride == 0) tile[2 * t] += tile[2 * t + stride];
  }
  if (t == 0) d_sums[blockIdx.x] = tile[0];
}
