// SPDX-License-Identifier: MIT
// Classes with __host__ __device__ members, operators, inheritance and templates; the Mandelbrot
// set computed by the same code on both sides.
#include <vector>

#include "check.h"

#ifdef __CUDACC__
#define HD __host__ __device__
#else
#define HD
#endif

template <typename T>
struct Complex {
  T re, im;
  HD Complex(T r = 0, T i = 0) : re(r), im(i) {}
  HD Complex operator*(const Complex& o) const {
    return Complex(re * o.re - im * o.im, re * o.im + im * o.re);
  }
  HD Complex operator+(const Complex& o) const { return {re + o.re, im + o.im}; }
  HD T norm() const { return re * re + im * im; }
};

HD inline int escape_time(Complex<float> c, int limit) {
  Complex<float> z;
  int i = 0;
  while (i < limit && z.norm() <= 4.0f) z = z * z + c, ++i;
  return i;
}

class Viewport {
 public:
  HD Viewport(float x0, float y0, float step) : x0_(x0), y0_(y0), step_(step) {}
  HD Complex<float> at(int x, int y) const {
    return Complex<float>(x0_ + x * step_, y0_ + y * step_);
  }

 private:
  float x0_, y0_, step_;
};

enum class Shading : unsigned char { kBands = 1, kPlain };

__global__ void mandelbrot(int* out, int width, int height, const Viewport view, Shading shading) {
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < height; y += blockDim.y * gridDim.y)
    for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < width; x += blockDim.x * gridDim.x) {
      const int time = escape_time(view.at(x, y), 50);
      out[y * width + x] = shading == Shading::kBands ? time % 8 : time;
    }
}

int main() {
  const int width = 60, height = 40;
  const Viewport view(-2.0f, -1.0f, 0.05f);
  std::vector<int> image(width * height);
  int* d_image;
  CHECK_CUDA(cudaMalloc(&d_image, sizeof(int) * width * height));
  mandelbrot<<<dim3(3, 2), dim3(16, 8)>>>(d_image, width, height, view, Shading::kPlain);
  CHECK_CUDA(cudaMemcpy(image.data(), d_image, image.size() * sizeof(int), cudaMemcpyDeviceToHost));
  int inside = 0, differing = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      differing += image[y * width + x] != escape_time(view.at(x, y), 50);
      inside += image[y * width + x] == 50;
    }
  // A device contracts a * b + c, which moves the edge of the set by a pixel here and there.
  EXPECT(inside > 100 && differing < 20);
  CHECK_CUDA(cudaFree(d_image));
  return 0;
}
