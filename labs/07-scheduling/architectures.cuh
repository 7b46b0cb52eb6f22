// SPDX-License-Identifier: MIT
// The limits of one SM, from the first CUDA device to Blackwell: "Technical specifications per
// compute capability" of NVIDIA's CUDA programming guides, and the tables of its occupancy
// calculator. For the judge, the handout, and your own experiments.
#pragma once

#include "machine.cuh"

namespace lab {

struct Architecture {
  const char* name;
  const char* compute_capability;
  SmLimits limits;
};

inline constexpr RegisterOwner kBlock = RegisterOwner::kBlock;
inline constexpr RegisterOwner kWarp = RegisterOwner::kWarp;

// Shared memory: the largest that can be chosen, where L1 shares the same memory.
// clang-format off
inline constexpr Architecture kArchitectures[] = {
    //                     block  warps  blocks  registers  a thread  unit  owner   units  shared  a block  reserved unit
    {"G80",        "1.0", {  512,    24,      8,      8192,      124,  256, kBlock,     2,  16384,   16384,        0,  512}},
    {"GT200",      "1.3", {  512,    32,      8,     16384,      124,  512, kBlock,     2,  16384,   16384,        0,  512}},
    {"Fermi",      "2.0", { 1024,    48,      8,     32768,       63,   64, kWarp,      2,  49152,   49152,        0,  128}},
    {"Kepler",     "3.5", { 1024,    64,     16,     65536,      255,  256, kWarp,      4,  49152,   49152,        0,  256}},
    {"Maxwell",    "5.2", { 1024,    64,     32,     65536,      255,  256, kWarp,      4,  98304,   49152,        0,  256}},
    {"Pascal",     "6.0", { 1024,    64,     32,     65536,      255,  256, kWarp,      2,  65536,   49152,        0,  256}},
    {"Volta",      "7.0", { 1024,    64,     32,     65536,      255,  256, kWarp,      4,  98304,   98304,        0,  256}},
    {"Turing",     "7.5", { 1024,    32,     16,     65536,      255,  256, kWarp,      4,  65536,   65536,        0,  256}},
    {"Ampere",     "8.0", { 1024,    64,     32,     65536,      255,  256, kWarp,      4, 167936,  166912,     1024,  128}},
    {"Ampere GA10x", "8.6", { 1024,  48,     16,     65536,      255,  256, kWarp,      4, 102400,  101376,     1024,  128}},
    {"Ada",        "8.9", { 1024,    48,     24,     65536,      255,  256, kWarp,      4, 102400,  101376,     1024,  128}},
    {"Hopper",     "9.0", { 1024,    64,     32,     65536,      255,  256, kWarp,      4, 233472,  232448,     1024,  128}},
    {"Blackwell", "10.0", { 1024,    64,     32,     65536,      255,  256, kWarp,      4, 233472,  232448,     1024,  128}},
};
// clang-format on

// The handout's machine, with 32,768 registers and no other limit.
inline constexpr Architecture kTextbook = {
    "the handout's", "none", {1024, 64, 32, 32768, 255, 1, kWarp, 1, 65536, 65536, 0, 1}};

}  // namespace lab
