// SPDX-License-Identifier: MIT
// The contract of lab 07-scheduling. Each rung defines the functions that its part declares. Not
// edited by students.
//   machine.cuh  rungs 01 to 04: how the machine places a grid and runs it; plain C++, on the
//                host
//   kernels.cuh  rungs 05 to 08: kernels that make the machine's work easy
#pragma once

#include "kernels.cuh"
#include "machine.cuh"
