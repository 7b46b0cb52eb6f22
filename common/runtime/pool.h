// SPDX-License-Identifier: MIT
// Which pool the memory of cudaMallocAsync belongs to.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace runtime {

// cudaMallocAsync's pool.
cudaMemPool_t current_pool();
bool is_valid_pool(cudaMemPool_t pool);

// Whether the pool may grow by so much.
bool has_room(cudaMemPool_t pool, std::size_t size_bytes);
void enter_in_pool(cudaMemPool_t pool, const void* pointer, std::size_t size_bytes);
bool is_of_pool(const void* pointer);
// Memory of any kind was freed.
void leave_pool(const void* pointer);

}  // namespace runtime
