# SPDX-License-Identifier: MIT
"""Programs that tests debug, and a session with them."""

import os
import subprocess
from pathlib import Path

from test_e2e import REPOSITORY

ROTATE = """\
#include <cstdio>
__device__ int twice(int x) {
  return 2 * x;
}
__global__ void rotate(const int* d_in, int* d_out) {
  __shared__ int tile[64];
  const int i = blockIdx.x * 64 + threadIdx.x;
  tile[threadIdx.x] = twice(d_in[i]);
  __syncthreads();
  int next = tile[(threadIdx.x + 1) % 64];
  next += 1;
  d_out[i] = next;
}
int main() {
  int h[100];
  for (int i = 0; i < 100; ++i) h[i] = i;
  int *d_in, *d_out;
  cudaMalloc(&d_in, sizeof h);
  cudaMalloc(&d_out, sizeof h);
  cudaMemcpy(d_in, h, sizeof h, cudaMemcpyHostToDevice);
  rotate<<<BLOCKS, 64>>>(d_in, d_out);
  cudaDeviceSynchronize();
  cudaFree(d_in);
  cudaFree(d_out);
  std::printf("the end\\n");
  return 0;
}
"""
RIGHT = ROTATE.replace("BLOCKS", "1")
PAST_THE_END = ROTATE.replace("BLOCKS", "2")
RACE = RIGHT.replace("  __syncthreads();\n", "  if (i < 0) return;\n")

TYPES = """\
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
"""
AFTER_LOOP = 32  # a line of it: `int* own`

# A kernel that takes hours; the checks end a loop that changes nothing.
ENDLESS = RIGHT.replace("  next += 1;", "  for (long k = 0; k < 1L << 40; ++k) d_out[i] = next;")


def command(*arguments: str) -> list[str]:
    return [str(REPOSITORY / "lab"), "debug", *arguments]


def environment() -> dict[str, str]:
    moved = ("LOCKSTEP_ROOT", "LOCKSTEP_TOOLCHAIN")
    return {key: value for key, value in os.environ.items() if key not in moved}


def debug(
    folder: Path, source: str, *commands: str, options: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """A session whose commands come on standard input."""
    (folder / "rotate.cu").write_text(source)
    return piped(folder, ("rotate.cu", *options), commands)


def piped(
    folder: Path, words: tuple[str, ...], commands: tuple[str, ...]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*words),
        cwd=folder,
        env=environment(),
        input="".join(f"{text}\n" for text in commands),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )


def answers(said: str) -> dict[str, str]:
    """What follows each command; of a repeated command the last answer."""
    parts = said.split("(lab) ")[1:]
    return {part.partition("\n")[0]: part.partition("\n")[2].strip() for part in parts}
