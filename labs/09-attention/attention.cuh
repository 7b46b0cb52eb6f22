// SPDX-License-Identifier: MIT
// The contract of lab 09-attention. Rungs 01, 02 and 04 define attention, rung 03 defines
// causal_attention, and rungs 05 and 07 define attention_bf16. Not edited by students.
//
// For each head, each query q gives every key k a score, (q . k) / sqrt(kHeadSize), and a weight:
// the softmax of its scores. Its output is the sum of the values, each times its key's weight.
//
// What holds for all:
//   arrays   (num_heads, length, kHeadSize) without gaps: element e of vector i of head h is
//            [(h * length + i) * kHeadSize + e]. Queries and outputs have the length num_queries,
//            keys and values have the length num_keys. Device memory, 256-byte aligned
//   inputs   read only, finite, and all products are; may be null when they have no elements
//   d_out    every element overwritten; no overlap with the inputs
//   sizes    num_heads and num_queries in [0, 65535], num_keys in [1, 2^18]. An array has
//            fewer than 2^31 elements. Without heads or queries there is nothing to write
//   stream   all work is queued on it, and the host does not wait
//   errors   lab::CudaError if a launch fails
//   rounding u = 2^-24. M is the largest, over a query's keys, of the sum of all |q[e] k[e]|,
//            divided by sqrt(kHeadSize). S is the sum of weight * |value|. An element may be off by
//            (2 delta + rho) S, of which delta is what an exponent may be off by:
//              delta = (3 kHeadSize + 8) u M: 3 u for each product and its addition (lab 08); 8 u
//                to scale by a rounded number and to subtract the maximum. A weight is a quotient
//                of sums of such powers, hence 2 delta
//              rho = (5 num_keys + 32) u: per key 3 u to add a product and u to add a power; 16 u
//                where a maximum grows, at most once per 16 keys; 32 u for the power, for the
//                division, and to join parts. attention_bf16 rounds powers and outputs to bfloat16,
//                each by at most 2^-8 of its size. With products of errors: 2^-7 + 2^-15 more
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "lab/scratch.cuh"

namespace lab {

constexpr int kHeadSize = 128;  // elements of a query, a key, a value or an output
constexpr int kMaxSplits = 64;  // of the keys, in rung 04

// Rungs 01, 02 and 04.
//   d_q, d_out (num_heads, num_queries, kHeadSize)
//   d_k, d_v   (num_heads, num_keys, kHeadSize)
//   scratch    rung 01: 4 bytes for each pair of a query and a key, and 64 KiB
//              rung 02: 64 KiB
//              rung 04: 4 * (kHeadSize + 2) * kMaxSplits bytes per query of a head, and 64 KiB
void attention(const float* d_q, const float* d_k, const float* d_v, int num_heads, int num_queries,
               int num_keys, float* d_out, Scratch& scratch, cudaStream_t stream);

// Rung 03: query i has only the keys 0 to i.
//   d_q, d_k, d_v, d_out (num_heads, length, kHeadSize)
//   length   in [0, 65535]: num_queries and num_keys
//   scratch  64 KiB
void causal_attention(const float* d_q, const float* d_k, const float* d_v, int num_heads,
                      int length, float* d_out, Scratch& scratch, cudaStream_t stream);

// Rungs 05 and 07: attention for bfloat16. Shapes as in attention; scratch 64 KiB.
void attention_bf16(const __nv_bfloat16* d_q, const __nv_bfloat16* d_k, const __nv_bfloat16* d_v,
                    int num_heads, int num_queries, int num_keys, __nv_bfloat16* d_out,
                    Scratch& scratch, cudaStream_t stream);

}  // namespace lab
