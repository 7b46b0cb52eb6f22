// SPDX-License-Identifier: MIT
// Unified memory: structures with pointers that both sides follow, a class that allocates itself in
// managed memory, a __managed__ variable.
#include <new>

#include "check.h"

class Managed {
 public:
  void* operator new(size_t len) {
    void* ptr;
    cudaMallocManaged(&ptr, len);
    cudaDeviceSynchronize();
    return ptr;
  }
  void operator delete(void* ptr) {
    cudaDeviceSynchronize();
    cudaFree(ptr);
  }
};

struct Node : public Managed {
  int key;
  Node* next;
  Node(int k, Node* n) : key(k), next(n) {}
};

__managed__ int total = 0;
__device__ __managed__ float scale_factor = 2.0f;

__global__ void walk(const Node* head) {
  int sum = 0;
  for (const Node* node = head; node != nullptr; node = node->next) sum += node->key;
  if (blockIdx.x == 0 && threadIdx.x == 0) total += sum;
}

struct Vec {
  float* data;
  int n;
};
__global__ void scale(Vec* v) {
  for (int i = threadIdx.x; i < v->n; i += blockDim.x) v->data[i] = v->data[i] * scale_factor + i;
}

int main() {
  Node* head = nullptr;
  for (int i = 1; i <= 10; ++i) head = new Node(i, head);
  walk<<<2, 3>>>(head);
  CHECK_CUDA(cudaDeviceSynchronize());
  EXPECT(total == 55);
  while (head) {
    Node* next = head->next;
    delete head;
    head = next;
  }

  Vec* v;
  CHECK_CUDA(cudaMallocManaged(&v, sizeof(Vec)));
  v->n = 77;
  CHECK_CUDA(cudaMallocManaged(&v->data, v->n * sizeof(float)));
  for (int i = 0; i < v->n; ++i) v->data[i] = 1;
  scale_factor = 3;
  scale<<<1, 32>>>(v);
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < v->n; ++i) EXPECT(v->data[i] == 3 + i);
  cudaPointerAttributes attributes;
  CHECK_CUDA(cudaPointerGetAttributes(&attributes, v->data + 5));
  EXPECT(attributes.type == cudaMemoryTypeManaged);
  CHECK_CUDA(cudaFree(v->data));
  CHECK_CUDA(cudaFree(v));
  return 0;
}
