// SPDX-License-Identifier: MIT
#include <cooperative_groups.h>

#include "quiz.cuh"

namespace {

using quiz::Drawn;

__global__ void cover(int* d_visits, int width, int height) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column < width && row < height) {
    d_visits[row * width + column] = 1;
  }
}

// As few blocks as cover the matrix: without the last column or row of blocks, items are left.
void cover_matrix(const Drawn& drawn) {
  const int width = drawn["width"];
  const int height = drawn["height"];
  const quiz::Array<int> visits(static_cast<std::size_t>(width) * height);
  dim3 grid(1, 1);
  while (static_cast<int>(grid.x) * 16 < width) {
    ++grid.x;
  }
  while (static_cast<int>(grid.y) * 16 < height) {
    ++grid.y;
  }
  cover<<<grid, dim3(16, 16)>>>(visits.get(), width, height);
}

void blocks_of_a_matrix(const Drawn& drawn) {
  cover_matrix(drawn);
  quiz::counted("blocks");
}

void idle_threads(const Drawn& drawn) {
  cover_matrix(drawn);
  quiz::counted("threads - global_write_lanes");
}

__global__ void speak(int* d_num_lines, int step) {
  if (threadIdx.x % step == 0) {
    atomicAdd(d_num_lines, 1);
  }
}

void lines_printed(const Drawn& drawn) {
  const quiz::Array<int> num_lines(1);
  speak<<<drawn["blocks"], drawn["threads"]>>>(num_lines.get(), drawn["step"]);
  quiz::answer(num_lines.read()[0]);
}

__global__ void visit(int* d_visits, int num_items) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int num_threads = gridDim.x * blockDim.x;
  for (int i = thread; i < num_items; i += num_threads) {
    ++d_visits[thread];
  }
}

void items_of_a_thread(const Drawn& drawn) {
  const int threads = drawn["threads"];
  const quiz::Array<int> visits(threads);
  visit<<<threads / 64, 64>>>(visits.get(), drawn["items"]);
  quiz::answer(visits.read()[drawn["id"]]);
}

__global__ void rank_threads(unsigned long long* d_rank, dim3 block, dim3 thread) {
  if (blockIdx.x == block.x && blockIdx.y == block.y && threadIdx.x == thread.x &&
      threadIdx.y == thread.y) {
    *d_rank = cooperative_groups::this_grid().thread_rank();
  }
}

void global_id(const Drawn& drawn) {
  const quiz::Array<unsigned long long> rank(1);
  rank_threads<<<dim3(drawn["across"], 4), dim3(16, 8)>>>(rank.get(), dim3(drawn["bx"], 1),
                                                          dim3(3, 2));
  quiz::answer(static_cast<long long>(rank.read()[0]));
}

__global__ void square(int* d_out, int edge) {
  *d_out = static_cast<int>(static_cast<unsigned>(edge) * static_cast<unsigned>(edge));
}

void product_as_int(const Drawn& drawn) {
  const quiz::Array<int> product(1);
  square<<<1, 1>>>(product.get(), drawn["edge"]);
  quiz::answer(product.read()[0]);
}

__global__ void keep_columns(int* d_columns, int block) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (static_cast<int>(blockIdx.x) == block) {
    d_columns[threadIdx.x] = column;
  }
}

void ids_of_a_block(const Drawn& drawn) {
  const quiz::Array<int> columns(drawn["width"]);
  keep_columns<<<8, drawn["width"]>>>(columns.get(), drawn["block"]);
  quiz::answer(columns.read());
}

}  // namespace

int main(int argc, char** argv) {
  return quiz::run(argc, argv,
                   {{"blocks-of-a-matrix", blocks_of_a_matrix},
                    {"idle-threads", idle_threads},
                    {"lines-printed", lines_printed},
                    {"items-of-a-thread", items_of_a_thread},
                    {"global-id", global_id},
                    {"product-as-int", product_as_int},
                    {"ids-of-a-block", ids_of_a_block}});
}
