// SPDX-License-Identifier: MIT
// Many small launches: the loop's body is recorded once as a graph, and replayed.
// New: one call of the host per step instead of four. The first kernel's argument differs in each
// step, so it is set in the executable graph before each launch.
#include "given_kernels.cuh"
#include "lab/cuda_error.cuh"
#include "streams.cuh"

namespace lab {
namespace {

// The four launches of a step, as a graph.
cudaGraph_t capture_step(std::uint32_t* d_out, int num_items, std::uint32_t* d_other) {
  cudaStream_t own = nullptr;  // the caller's may be the default stream, which cannot be captured
  check(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
  check(cudaStreamBeginCapture(own, cudaStreamCaptureModeThreadLocal));
  launch_step(d_out, num_items, 0, d_other, own);
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(own, &graph));
  check(cudaStreamDestroy(own));
  return graph;
}

}  // namespace

void mix_steps(const std::uint32_t* d_in, int num_items, const std::uint32_t* h_keys, int num_steps,
               std::uint32_t* d_out, Scratch& scratch, cudaStream_t stream) {
  std::uint32_t* d_other = scratch.allocate<std::uint32_t>(num_items);
  check(cudaMemcpyAsync(d_out, d_in, num_items * sizeof(std::uint32_t), cudaMemcpyDeviceToDevice,
                        stream));
  const cudaGraph_t graph = capture_step(d_out, num_items, d_other);
  cudaGraphExec_t step_graph = nullptr;
  check(cudaGraphInstantiate(&step_graph, graph, 0));

  cudaGraphNode_t first = nullptr;  // the launch that no other one precedes
  std::size_t num_roots = 1;
  check(cudaGraphGetRootNodes(graph, &first, &num_roots));
  std::uint32_t key = 0;
  void* arguments[] = {&d_out, &num_items, &key, &d_other};  // as key_kernel takes them
  cudaKernelNodeParams launch = {};
  check(cudaGraphKernelNodeGetParams(first, &launch));
  launch.kernelParams = arguments;
  for (int step = 0; step < num_steps; ++step) {
    key = h_keys[step];
    check(cudaGraphExecKernelNodeSetParams(step_graph, first, &launch));  // copies the arguments
    check(cudaGraphLaunch(step_graph, stream));
  }

  check(cudaGraphExecDestroy(step_graph));  // once the launches are done
  check(cudaGraphDestroy(graph));
}

}  // namespace lab
