namespace lab {
namespace {

__global__ void kernel(float* d_out, int num_items) {
  for (int i = 0; i < num_items; ++i) {
    if (i % 2 == 0) {
      d_out[i] = '}';  // {
    }
  }
}

struct Pair {
  int a;
};

}  // namespace

void run(float* d_out,
         int num_items) {
  kernel<<<1, 32>>>(d_out, num_items);
}

}  // namespace lab
