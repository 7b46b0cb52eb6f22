struct Pair { int first; float second; int many[3]; };
template <class T> struct Span { T* data; int size; };
enum Color { red, green = 5 };
__device__ int total = 7;
__constant__ float factors[4] = {1, 2, 3, 4};
__forceinline__ __device__ int half(int number) {
  int result = number / 2;
  return result;
}
__device__ int depth(int n) {
  if (n == 0) return 1;
  return n * depth(n - 1);
}
__device__ float sum_of(float scale, Pair pair) {
  pair.first += 1;
  return pair.first * scale;
}
__global__ void work(Span<int> items, Pair pair, float scale) {
  extern __shared__ double dynamic[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float table[2][3] = {{0, 0.5f, 1}, {-1, 2, 4}};
  bool is_in = i < items.size;
  char letter = 'a';
  Color color = green;
  unsigned big = 0xfffffff0u;
  long long wide = 1LL << 40;
  dynamic[threadIdx.x] = scale;
  int halved = half(40 + i);
  for (int k = 0; k < 3; ++k) {
    table[1][k] += k;
  }
  int* own = &halved;
  int product = depth(3);
  items.data[i] = product + *own + pair.first + total + letter + color + is_in + big + wide;
  items.data[i] += sum_of(scale, pair);
}
int main() {
  int* d;
  cudaMalloc(&d, 8 * sizeof(int));
  cudaMemset(d, 0, 8 * sizeof(int));
  work<<<1, 8, 64>>>(Span<int>{d, 8}, Pair{1, 2.5f, {3, 4, 5}}, 1.5f);
  cudaDeviceSynchronize();
  cudaFree(d);
}
