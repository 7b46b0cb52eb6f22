// SPDX-License-Identifier: MIT
// Graphs as objects of the program. They are the host's alone: when one is launched, its nodes
// become commands of the device.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "copy.h"
#include "launch.h"

namespace runtime {

// A kernel and its arguments, which may be launched any number of times.
struct KernelWork {
  const void* function = nullptr;
  const Kernel* kernel = nullptr;
  LaunchConfig config;
  std::string parameters;

  // Pointers to the arguments in it, for programs.
  std::vector<void*> places() const;
};

struct ConditionWork {
  cudaConditionalNodeParams parameters;
  std::vector<std::unique_ptr<CUgraph_st>> bodies;
  std::vector<cudaGraph_t> handles;  // of the bodies, for the program
};

// An operation that a stream's capture has made, other than a kernel. It says what came of it.
using StreamWork = std::function<cudaError_t(cudaStream_t)>;

// What a node does, by its type; nothing: an empty node.
using NodeWork =
    std::variant<std::monostate, KernelWork, cudaMemcpy3DParms, cudaMemsetParams,
                 cudaHostNodeParams, std::shared_ptr<CUgraph_st>, cudaEvent_t,
                 cudaMemAllocNodeParams, cudaMemFreeNodeParams, std::shared_ptr<ConditionWork>>;

bool is_graph(cudaGraph_t graph);
bool is_node(cudaGraphNode_t node);
bool contains(cudaGraph_t graph, cudaGraphNode_t node);

// What a program may name from now on, and what it may not name any more.
void enter_graph(cudaGraph_t graph);
// The device's number of a graph that the program has now and must destroy.
std::uint64_t note_graph(bool is_executable);
void forget_graph(cudaGraph_t graph);
void forget_node(cudaGraphNode_t node);

// It takes the host time to make nodes, and what consists of so many nodes.
void note_graph_call(std::size_t num_nodes);

// Nodes whose dependencies are nodes of the graph; else cudaErrorInvalidValue.
cudaError_t add_node(cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                     std::size_t num_dependencies, cudaGraphNodeType type, NodeWork work,
                     cudaGraphNode_t* node);

std::shared_ptr<CUgraph_st> clone(const CUgraph_st& graph);

// Carries out all nodes behind what has been issued to the stream, and before what will be. Returns
// the first error.
cudaError_t run(CUgraph_st& graph, cudaStream_t stream);

// The memory of a graph's nodes: from an allocation's turn to that of its free node, and what an
// earlier launch has left, of a graph that frees it at the next one.
void* take_address(std::size_t size_bytes);  // null: no memory is left
cudaError_t take(const cudaMemAllocNodeParams& memory);
cudaError_t give_back(const cudaMemFreeNodeParams& memory);
void free_left(const CUgraph_st& graph);
bool release_graph_memory(const void* pointer);  // false: it is none that is live

// A graph whose edges form no circle.
bool can_be_ordered(CUgraph_st& graph);

cudaError_t kernel_work(const cudaKernelNodeParams* parameters, KernelWork* work);

// Conditions, by handle.
// The handle is where its value is, for kernels set it. 0: there is no memory left.
cudaGraphConditionalHandle add_condition(unsigned default_value, bool is_reset);
unsigned& condition(cudaGraphConditionalHandle handle);
bool is_condition(cudaGraphConditionalHandle handle);
void reset_conditions();

}  // namespace runtime

struct CUgraphNode_st {
  cudaGraph_t graph;
  cudaGraphNodeType type;
  std::vector<cudaGraphNode_t> dependencies;
  runtime::NodeWork work;
  runtime::StreamWork captured;        // takes the place of `work`, if there is one
  cudaGraphNode_t original = nullptr;  // that it was cloned from
  bool is_enabled = true;
};

struct CUgraph_st {
  ~CUgraph_st();

  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  std::vector<cudaGraphNode_t> order;  // of the nodes: dependencies first; empty: not known
  std::uint64_t number = 0;            // of one that the program must destroy
  bool belongs_to_node = false;
};

struct CUgraphExec_st {
  std::shared_ptr<CUgraph_st> graph;  // a clone
  cudaGraph_t original;
  unsigned long long flags;
  std::uint64_t number;
  std::uint64_t last_launch = 0;  // what has to be done before it counts as ended; 0: none
};
