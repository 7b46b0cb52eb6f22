// SPDX-License-Identifier: MIT
// Many small launches: the loop's body is recorded once as a graph, and replayed.
// New: one call of the host per step instead of four, and an argument that differs in each step.
#include "given_kernels.cuh"
#include "lab/cuda_error.cuh"
#include "lab/todo.cuh"
#include "streams.cuh"

namespace lab {
namespace {

// The four launches of a step, as a graph.
cudaGraph_t capture_step(std::uint32_t* d_out, int num_items, std::uint32_t* d_other) {
  cudaGraph_t graph = nullptr;
  // TODO 1. Make a stream, begin its capture (cudaStreamCaptureModeThreadLocal), call launch_step()
  //         with any key, and end the capture. Why not in the caller's stream?
  return graph;
}

}  // namespace

void mix_steps(const std::uint32_t* d_in, int num_items, const std::uint32_t* h_keys, int num_steps,
               std::uint32_t* d_out, Scratch& scratch, cudaStream_t stream) {
  todo("05_graph: write the function, then delete this line");

  std::uint32_t* d_other = scratch.allocate<std::uint32_t>(num_items);
  check(cudaMemcpyAsync(d_out, d_in, num_items * sizeof(std::uint32_t), cudaMemcpyDeviceToDevice,
                        stream));
  const cudaGraph_t graph = capture_step(d_out, num_items, d_other);
  // TODO 2. Make an executable graph of it. How often is that needed?
  // TODO 3. The node of key_kernel is the only root of the graph. Get it with
  //         cudaGraphGetRootNodes, and its parameters with cudaGraphKernelNodeGetParams.
  std::uint32_t key = 0;
  void* arguments[] = {&d_out, &num_items, &key, &d_other};  // as key_kernel takes them
  for (int step = 0; step < num_steps; ++step) {
    key = h_keys[step];
    // TODO 4. Set the arguments of that node in the executable graph, then launch the graph. Why do
    //         launches that still wait in the stream keep their own key?
  }
  // TODO 5. Destroy both graphs.
}

}  // namespace lab
