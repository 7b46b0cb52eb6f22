# SPDX-License-Identifier: MIT
"""`run`: what kernels can do that no lab asks for."""

from pathlib import Path

import pytest

from test_run import report, run

emulated = pytest.mark.e2e


@emulated
def test_files_share_variables_and_keep_what_is_static(tmp_path: Path) -> None:
    (tmp_path / "parts.cuh").write_text(
        "#pragma once\nextern __device__ int base;\nextern __constant__ int scale;\n"
        "extern __managed__ int count;\n__global__ void second(int* out);\n"
        "struct Square { int side; __device__ int area() const; };\n"
        "template <class T> __global__ void fill(T* out, T value) { *out = value + scale; }\n"
        "void fill_third(int* out);\n"
    )
    (tmp_path / "main.cu").write_text(
        '#include <cstdio>\n#include "parts.cuh"\nstatic __device__ int own = 1;\n'
        "__device__ int base = 10;\n__constant__ int scale;\n__managed__ int count;\n"
        "static __global__ void first(int* out) { *out = base + own + Square{3}.area(); }\n"
        "int main() {\n  int *d, h[4], seven = 7;\n  cudaMalloc(&d, sizeof h);\n"
        "  cudaMemcpyToSymbol(scale, &seven, sizeof seven);\n"
        "  first<<<1, 1>>>(d);\n  second<<<1, 1>>>(d + 1);\n  fill_third(d + 2);\n"
        "  fill<int><<<1, 1>>>(d + 3, 1);\n  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);\n"
        '  std::printf("%d %d %d %d %d\\n", h[0], h[1], h[2], h[3], count);\n  cudaFree(d);\n}\n'
    )
    (tmp_path / "other.cu").write_text(
        '#include "parts.cuh"\nstatic __device__ int own = 2;\n'
        "__device__ int Square::area() const { return side * side; }\n"
        "static __global__ void first(int* out) { *out = own; }\n"
        "__global__ void second(int* out) { *out = base + own; count = 5; }\n"
        "void fill_third(int* out) { first<<<1, 1>>>(out); fill<int><<<1, 1>>>(out + 1, 0); }\n"
    )
    ran = run("main.cu", "other.cu", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "20 12 2 8 5\n"), ran.stderr


NESTED = """\
#include <cstdio>
__device__ int order[4], num_launched;
__global__ void note(int what) { order[atomicAdd(&num_launched, 1)] = what; }
__global__ void deeper(int* depth, int wanted) {
  *depth += 1;
  if (*depth < wanted) deeper<<<1, 1>>>(depth, wanted);
}
__global__ void parent(int* out) {
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(3);
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  note<<<1, 1, 0, stream>>>(1);
  note<<<1, 1, 0, cudaStreamFireAndForget>>>(2);
  cudaStreamDestroy(stream);
  *out = cudaGetLastError();
  deeper<<<1, 1>>>(out, DEPTH);
}
int main() {
  int *d, h[5];
  cudaMalloc(&d, sizeof(int));
  parent<<<1, 1>>>(d);
  cudaMemcpy(&h[4], d, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(h, order, 4 * sizeof(int));
  std::printf("%d %d %d %d\\n", h[0], h[1], h[2], h[4]);
  cudaFree(d);
}
"""


@emulated
@pytest.mark.parametrize(("wanted", "reached"), [(10, 10), (99, 24)])
def test_a_kernel_launches_kernels_which_run_after_it_in_order(
    tmp_path: Path, wanted: int, reached: int
) -> None:
    (tmp_path / "nest.cu").write_text(NESTED.replace("DEPTH", str(wanted)))
    ran = run("nest.cu", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, f"1 2 3 {reached}\n"), ran.stderr


@emulated
def test_a_launch_that_a_kernel_may_not_make_names_its_line(tmp_path: Path) -> None:
    (tmp_path / "nest.cu").write_text(
        "__global__ void child(int* out) { *out = 1; }\n"
        "__global__ void parent(int* out) {\n  child<<<1, 2048>>>(out);\n}\n"
        "int main() {\n  int* d;\n  cudaMalloc(&d, 4);\n  parent<<<1, 1>>>(d);\n  cudaFree(d);\n}\n"
    )
    run("nest.cu", "--json", "out.json", cwd=tmp_path)
    (finding,) = report(tmp_path / "out.json")["findings"]
    assert (finding["kind"], finding["line"]) == ("launch_error", 3)
    assert "2048 x 1 x 1" in finding["message"]


TILES = """\
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void tiles(int* out) {
  __shared__ int room[192];
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  const int rank = threadIdx.x;
  room[rank] = rank;
  SYNC
  const int across = room[rank ^ 32];
  const int sum = cg::reduce(tile, rank, cg::plus<int>());
  out[rank] = sum * 1000 + tile.shfl(across, 1) + tile.any(rank == 64) * 500;
}
int main() {
  int *d, h[192];
  cudaMalloc(&d, sizeof h);
  tiles<<<1, 192>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d\\n", h[0], h[127], h[128]);
  cudaFree(d);
}
"""


@emulated
def test_a_tile_of_several_warps_waits_and_combines(tmp_path: Path) -> None:
    (tmp_path / "tiles.cu").write_text(TILES.replace("SYNC", "tile.sync();"))
    ran = run("tiles.cu", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "2016033 6112597 10208161\n"), ran.stderr
    (tmp_path / "tiles.cu").write_text(TILES.replace("SYNC", ""))
    run("tiles.cu", "--json", "out.json", cwd=tmp_path)
    findings = report(tmp_path / "out.json")["findings"]
    assert ("race", 9) in [(finding["kind"], finding["line"]) for finding in findings]


CLUSTERS = """\
#include <cooperative_groups.h>
#include <cstdio>
#define WIDTH 2
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(WIDTH) swap(int* out) {
  __shared__ int own;
  const auto cluster = cg::this_cluster();
  own = blockIdx.x;
  cluster.sync();
  out[blockIdx.x] = *cluster.map_shared_rank(&own, cluster.block_rank() ^ 1);
  cluster.sync();
}
int main() {
  int *d, h[4];
  cudaMalloc(&d, sizeof h);
  swap<<<4, 1>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  swap<<<3, 1>>>(d);
  std::printf("%d %d %d %d %d\\n", h[0], h[1], h[2], h[3], cudaGetLastError() != cudaSuccess);
  cudaFree(d);
}
"""


@emulated
def test_a_kernel_may_ask_for_clusters_itself(tmp_path: Path) -> None:
    (tmp_path / "clusters.cu").write_text(CLUSTERS)
    ran = run("clusters.cu", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "1 0 3 2 1\n"), ran.stderr


@emulated
def test_a_variable_that_no_file_defines_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "main.cu").write_text(
        "extern __device__ int missing;\n__global__ void k(int* out) { *out = missing; }\n"
        "int main() {\n  int* d;\n  cudaMalloc(&d, 4);\n  k<<<1, 1>>>(d);\n  cudaFree(d);\n}\n"
    )
    ran = run("main.cu", "--json", "out.json", cwd=tmp_path)
    (finding,) = report(tmp_path / "out.json")["findings"]
    assert (ran.returncode, finding["kind"]) == (1, "launch_error")
    assert "no file of the program defines the variable missing" in finding["message"]


@emulated
def test_a_texture_of_an_array_that_may_be_gathered_is_gathered(tmp_path: Path) -> None:
    (tmp_path / "gather.cu").write_text(
        "#include <cstdio>\n__global__ void gather(cudaTextureObject_t texture, float4* out) {\n"
        "  *out = tex2Dgather<float4>(texture, 1, 1, 0);\n}\n"
        "int main() {\n  const float items[4] = {1, 2, 3, 4};\n  float4 *d, h;\n"
        "  const auto format = cudaCreateChannelDesc<float>();\n  cudaResourceDesc from{};\n"
        "  from.resType = cudaResourceTypeArray;\n  cudaArray_t& array = from.res.array.array;\n"
        "  cudaMallocArray(&array, &format, 2, 2, cudaArrayTextureGather);\n"
        "  cudaMemcpy2DToArray(array, 0, 0, items, 8, 8, 2, cudaMemcpyHostToDevice);\n"
        "  const cudaTextureDesc how{};\n"
        "  cudaTextureObject_t texture;\n"
        "  cudaCreateTextureObject(&texture, &from, &how, nullptr);\n"
        "  cudaMalloc(&d, sizeof h);\n  gather<<<1, 1>>>(texture, d);\n"
        "  cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);\n"
        '  std::printf("%g %g %g %g\\n", h.x, h.y, h.z, h.w);\n  cudaFree(d);\n'
        "  cudaDestroyTextureObject(texture);\n  cudaFreeArray(array);\n}\n"
    )
    ran = run("gather.cu", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "3 4 2 1\n"), ran.stderr


COUNT_DOWN = """\
#include <cstdio>
#include <nvtx3/nvToolsExt.h>
__global__ void count_down(cudaGraphConditionalHandle handle, int* left) {
  *left -= 1;
  cudaGraphSetConditional(handle, *left > 0);
}
int main() {
  nvtxRangePush("main");
  int *d_left, left = 4;
  cudaMalloc(&d_left, sizeof left);
  cudaMemcpy(d_left, &left, sizeof left, cudaMemcpyHostToDevice);
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphConditionalHandle handle;
  cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault);
  cudaGraphNodeParams loop = {cudaGraphNodeTypeConditional};
  loop.conditional.handle = handle;
  loop.conditional.type = cudaGraphCondTypeWhile;
  loop.conditional.size = 1;
  cudaGraphNode_t node;
  cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &loop);
  void* arguments[] = {&handle, &d_left};
  cudaKernelNodeParams body = {};
  body.func = (void*)count_down;
  body.gridDim = body.blockDim = 1;
  body.kernelParams = arguments;
  cudaGraphAddKernelNode(&node, loop.conditional.phGraph_out[0], nullptr, 0, &body);
  cudaGraphExec_t executable;
  cudaGraphInstantiate(&executable, graph, 0);
  for (int i = 0; i < 2; ++i) {
    cudaGraphLaunch(executable, 0);
    cudaMemcpy(&left, d_left, sizeof left, cudaMemcpyDeviceToHost);
    std::printf("%d\\n", left);
  }
  cudaFree(d_left);
  nvtxRangePop();
}
"""


@emulated
def test_a_kernel_sets_the_condition_of_a_graph(tmp_path: Path) -> None:
    (tmp_path / "loop.cu").write_text(COUNT_DOWN)
    ran = run("loop.cu", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "0\n-1\n"), ran.stderr


REGISTERED = """\
#include <cstdio>
#include <vector>
__global__ void scale(float* items, int num_items) {
  const int item = threadIdx.x;
  if (item < num_items) items[item] *= 2;
}
int main(int argc, char**) {
  std::vector<float> a(40, 1), b(40, 3), c(40, 7);
  cudaHostRegister(a.data(), 160, cudaHostRegisterMapped);
  cudaHostRegister(b.data(), 160, cudaHostRegisterMapped);
  float* d;
  cudaHostGetDevicePointer(&d, b.data(), 0);
  scale<<<1, 64>>>(a.data(), 40);
  scale<<<1, 64>>>(d, 39 + argc);
  cudaDeviceSynchronize();
  std::printf("%g %g %g\\n", a[39], b[39], c[0]);
  cudaHostUnregister(a.data());
  cudaHostUnregister(b.data());
}
"""


@emulated
def test_kernels_use_registered_memory_and_stay_within_it(tmp_path: Path) -> None:
    (tmp_path / "mapped.cu").write_text(REGISTERED)
    ran = run("mapped.cu", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "2 6 7\n"), ran.stderr
    ran = run("mapped.cu", "--", "more", cwd=tmp_path)
    assert ran.returncode == 1
    assert "thread 40 of block 0 reads 4 bytes right past the end of" in ran.stderr
