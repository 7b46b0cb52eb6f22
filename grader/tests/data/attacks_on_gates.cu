
__device__ float4 g_words[32];
__device__ float g_word;
__device__ int g_flag;
volatile char g_attack[] = "attack 0 of test_gates.py";  // another digit is written into the worker

__global__ void empty_kernel() {}

__global__ void idle_kernel() {
  __shared__ volatile int word;
  if (threadIdx.x == 0) word = 0;
  __syncthreads();
  for (int i = 0; i < 16; ++i) {
    if (word != 0) g_flag = 1;
  }
}

__global__ void one_word_kernel() {
  if (g_word == 0) g_flag = 1;
}

__global__ void wide_kernel() {
  const float4 words = g_words[threadIdx.x];
  if (words.x != 0) g_flag = 1;
}
