// SPDX-License-Identifier: MIT
#include <cuda_pipeline.h>

#include "quiz.cuh"

namespace {

using quiz::Drawn;

__global__ void read_words(const float* d_in, float* d_out, int stride) {
  d_out[threadIdx.x] = d_in[stride * threadIdx.x];
}

void sectors_of_b(const Drawn& drawn) {
  const quiz::Array<float> in(32 * drawn["stride"] + 1);
  const quiz::Array<float> out(32);
  read_words<<<1, 32>>>(in.get(), out.get(), drawn["stride"]);
  quiz::counted("global_read_sectors");
}

// One block: of A it reads `high` words per step of the depth, of B `wide`.
__global__ void read_operands(const float* d_a, const float* d_b, float* d_c, int high, int wide,
                              int depth) {
  float sum = 0;
  for (int i = threadIdx.x; i < high * depth; i += blockDim.x) {
    sum += d_a[i];
  }
  for (int i = threadIdx.x; i < depth * wide; i += blockDim.x) {
    sum += d_b[i];
  }
  for (int i = threadIdx.x; i < high * wide; i += blockDim.x) {
    d_c[i] = sum;
  }
}

void read_tiles(int high, int wide, int depth) {
  const quiz::Array<float> a(static_cast<std::size_t>(high) * depth);
  const quiz::Array<float> b(static_cast<std::size_t>(depth) * wide);
  const quiz::Array<float> c(static_cast<std::size_t>(high) * wide);
  read_operands<<<1, 256>>>(a.get(), b.get(), c.get(), high, wide, depth);
  quiz::counted("global_read_lanes / global_write_lanes");
}

void words_read_tiled(const Drawn& drawn) {
  read_tiles(drawn["tile"], drawn["tile"], drawn["depth"]);
}

void words_read_rectangular(const Drawn& drawn) { read_tiles(128, drawn["wide"], drawn["depth"]); }

template <int Tile>
__global__ void fill_tiles(float* d_out) {
  __shared__ float a[Tile][Tile];
  __shared__ float b[Tile][Tile];
  a[threadIdx.x][0] = 1;
  b[threadIdx.x][0] = 1;
  d_out[threadIdx.x] = a[threadIdx.x][0] * b[threadIdx.x][0];
}

void shared_bytes(const Drawn& drawn) {
  const int tile = drawn["tile"];
  const quiz::Array<float> out(tile);
  if (tile == 16) {
    fill_tiles<16><<<1, 16>>>(out.get());
  } else if (tile == 32) {
    fill_tiles<32><<<1, 32>>>(out.get());
  } else if (tile == 64) {
    fill_tiles<64><<<1, 64>>>(out.get());
  }
  quiz::counted("static_shared_bytes");
}

__global__ void walk_depth(float* d_c, int depth) {
  __shared__ float tile[32];
  float sum = 0;
  for (int first = 0; first < depth; first += 32) {
    tile[threadIdx.x] = first + static_cast<int>(threadIdx.x) < depth ? 1.0F : 0.0F;
    __syncthreads();
    for (const float word : tile) {
      sum += word;
    }
    __syncthreads();
  }
  d_c[threadIdx.x] = sum;
}

void barriers_tiled(const Drawn& drawn) {
  const quiz::Array<float> c(32);
  walk_depth<<<1, 32>>>(c.get(), drawn["depth"]);
  quiz::require(c.read()[0] == static_cast<float>(drawn["depth"]), "a part is left out");
  quiz::counted("barriers");
}

__global__ void read_column(float* d_out, int row) {
  extern __shared__ float tile[];
  d_out[threadIdx.x] = tile[threadIdx.x * row];
}

void bank_of_padded(const Drawn& drawn) {
  const quiz::Array<float> out(32);
  read_column<<<1, 32, 32 * drawn["row"] * sizeof(float)>>>(out.get(), drawn["row"]);
  quiz::counted("shared_read_wavefronts");
}

__global__ void read_vectors(float4* d_out, int stride) {
  extern __shared__ float4 vectors[];
  d_out[threadIdx.x] = vectors[threadIdx.x * stride / 4];
}

void vectors_in_banks(const Drawn& drawn) {
  const quiz::Array<float4> out(32);
  read_vectors<<<1, 32, 32 * drawn["stride"] * sizeof(float)>>>(out.get(), drawn["stride"]);
  quiz::counted("shared_read_wavefronts");
}

// An atomic addition per multiply-add, so that the counters count it.
__global__ void multiply_fragments(float* d_sums, int high, int wide) {
  __shared__ float a[16];
  __shared__ float b[8];
  float of_a[16];
  float of_b[8];
  for (int row = 0; row < high; ++row) {
    of_a[row] = a[row];
  }
  for (int column = 0; column < wide; ++column) {
    of_b[column] = b[column];
  }
  for (int row = 0; row < high; ++row) {
    for (int column = 0; column < wide; ++column) {
      atomicAdd(&d_sums[row * wide + column], of_a[row] * of_b[column]);
    }
  }
}

void fma_per_load(const Drawn& drawn) {
  const quiz::Array<float> sums(128);
  multiply_fragments<<<1, 1>>>(sums.get(), drawn["high"], drawn["wide"]);
  quiz::counted("global_atomic_lanes / shared_read_lanes");
}

// A copy that need not have arrived leaves what was there.
__global__ void copy_batches(const int* d_in, int* d_arrived, int batches, int open) {
  __shared__ int room[16];
  for (int batch = 0; batch < batches; ++batch) {
    room[batch] = 0;
    __pipeline_memcpy_async(&room[batch], &d_in[batch], sizeof(int));
    __pipeline_commit();
  }
  switch (open) {  // nvcc wants a constant
    case 1:
      __pipeline_wait_prior(1);
      break;
    default:
      __pipeline_wait_prior(2);
  }
  int arrived = 0;
  for (int batch = 0; batch < batches; ++batch) {
    arrived += room[batch] == 1 ? 1 : 0;
  }
  *d_arrived = arrived;
  __pipeline_wait_prior(0);
}

void batches_arrived(const Drawn& drawn) {
  const quiz::Array<int> in(std::vector<int>(16, 1));
  const quiz::Array<int> arrived(1);
  copy_batches<<<1, 1>>>(in.get(), arrived.get(), drawn["batches"], drawn["open"]);
  quiz::answer(arrived.read()[0]);
}

}  // namespace

int main(int argc, char** argv) {
  return quiz::run(argc, argv,
                   {{"sectors-of-b", sectors_of_b},
                    {"words-read-tiled", words_read_tiled},
                    {"words-read-rectangular", words_read_rectangular},
                    {"shared-bytes", shared_bytes},
                    {"barriers-tiled", barriers_tiled},
                    {"bank-of-padded", bank_of_padded},
                    {"vectors-in-banks", vectors_in_banks},
                    {"fma-per-load", fma_per_load},
                    {"batches-arrived", batches_arrived}});
}
