// SPDX-License-Identifier: MIT
#pragma once

struct CUstream_st;
typedef CUstream_st* cudaStream_t;
