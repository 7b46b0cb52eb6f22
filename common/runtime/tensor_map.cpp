// SPDX-License-Identifier: MIT
// Tensor maps, and the way to the driver's function that makes them.
#include "run/tensor_map.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "call.h"
#include "error_state.h"

namespace {

using run::TensorMap;

// Why a map cannot be made.
struct Refusal {
  CUresult error;
  std::string why;
};
[[noreturn]] void refuse(std::string why) {
  throw Refusal{CUDA_ERROR_INVALID_VALUE, std::move(why)};
}
[[noreturn]] void not_offered(std::string why) {
  throw Refusal{CUDA_ERROR_NOT_SUPPORTED, "the emulator does not offer " + std::move(why)};
}

std::uint8_t element_bytes(CUtensorMapDataType type) {
  switch (type) {
    case CU_TENSOR_MAP_DATA_TYPE_UINT8:
      return 1;
    case CU_TENSOR_MAP_DATA_TYPE_UINT16:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
      return 2;
    case CU_TENSOR_MAP_DATA_TYPE_UINT32:
    case CU_TENSOR_MAP_DATA_TYPE_INT32:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ:
    case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32:
    case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ:
      return 4;
    case CU_TENSOR_MAP_DATA_TYPE_UINT64:
    case CU_TENSOR_MAP_DATA_TYPE_INT64:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
      return 8;
    default:
      not_offered("elements of less than a byte");
  }
}

std::string in(const char* what, cuuint32_t dimension) {
  return std::string(what) + " of dimension " + std::to_string(dimension);
}

// The rules of the driver's manual.
TensorMap encode(CUtensorMapDataType type, cuuint32_t rank, const void* base,
                 const cuuint64_t* size, const cuuint64_t* strides, const cuuint32_t* box,
                 const cuuint32_t* element_strides) {
  TensorMap map = {};
  map.mark = TensorMap::kMark;
  map.element_bytes = element_bytes(type);
  if (rank < 1 || rank > run::kMaxTensorRank) {
    refuse("the rank is " + std::to_string(rank) + ", and must be 1 to 5");
  }
  map.rank = static_cast<std::uint8_t>(rank);
  map.base = reinterpret_cast<std::uintptr_t>(base);
  if (map.base == 0 || map.base % 16 != 0) {
    refuse("the address of the tensor must be a multiple of 16 bytes, and not null");
  }
  if (size == nullptr || box == nullptr || element_strides == nullptr ||
      (rank > 1 && strides == nullptr)) {
    refuse("an array of sizes or strides is null");
  }
  for (cuuint32_t i = 0; i < rank; ++i) {
    map.size[i] = size[i];
    map.stride[i] = i == 0 ? map.element_bytes : strides[i - 1];
    map.box[i] = static_cast<std::uint16_t>(std::min(box[i], run::kMaxBoxElements + 1));
    if (size[i] == 0 || size[i] > std::uint64_t{1} << 32) {
      refuse(in("the size", i) + " is " + std::to_string(size[i]) + ", and must be 1 to 2^32");
    }
    if (box[i] == 0 || box[i] > run::kMaxBoxElements) {
      refuse(in("the box", i) + " has " + std::to_string(box[i]) +
             " elements; 1 to 256 are possible");
    }
    if (i > 0 && (map.stride[i] % 16 != 0 || map.stride[i] >= std::uint64_t{1} << 40)) {
      refuse(in("the stride", i) + " is " + std::to_string(map.stride[i]) +
             " bytes, and must be a multiple of 16 below 2^40");
    }
    if (element_strides[i] == 0 || element_strides[i] > 8) {
      refuse(in("the element stride", i) + " is " + std::to_string(element_strides[i]) +
             ", and must be 1 to 8");
    }
    if (i > 0 && element_strides[i] != 1) not_offered("element strides other than 1");
  }
  return map;
}

void set_swizzle(TensorMap& map, CUtensorMapSwizzle swizzle) {
  const std::uint32_t row_bytes = std::uint32_t{map.box[0]} * map.element_bytes;
  if (row_bytes % 16 != 0) {
    refuse("a row of the box is " + std::to_string(row_bytes) +
           " bytes, and must be a multiple of 16");
  }
  if (swizzle == CU_TENSOR_MAP_SWIZZLE_NONE) return;
  if (swizzle > CU_TENSOR_MAP_SWIZZLE_128B) not_offered("this swizzle");
  map.swizzle_bytes = static_cast<std::uint8_t>(16u << swizzle);
  const std::string bytes =
      std::to_string(row_bytes) + " bytes, and the swizzle " + std::to_string(map.swizzle_bytes);
  if (row_bytes > map.swizzle_bytes) {
    refuse("a row of the box is " + bytes + ": a row may not be longer than its swizzle");
  }
  if (row_bytes < map.swizzle_bytes)
    not_offered("rows shorter than their swizzle: a row is " + bytes);
}

}  // namespace

extern "C" CUresult cuTensorMapEncodeTiled(CUtensorMap* to, CUtensorMapDataType type,
                                           cuuint32_t rank, void* base, const cuuint64_t* size,
                                           const cuuint64_t* strides, const cuuint32_t* box,
                                           const cuuint32_t* element_strides,
                                           CUtensorMapInterleave interleave,
                                           CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                                           CUtensorMapFloatOOBfill fill) {
  RUNTIME_CALL;
  try {
    if (to == nullptr || reinterpret_cast<std::uintptr_t>(to) % alignof(CUtensorMap) != 0) {
      refuse("the CUtensorMap must lie at a multiple of 64 bytes");
    }
    if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE) not_offered("interleaved layouts");
    if (fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) not_offered("a fill with NaN");
    TensorMap map = encode(type, rank, base, size, strides, box, element_strides);
    set_swizzle(map, swizzle);
    *to = {};
    std::memcpy(to->opaque, &map, sizeof map);
    return CUDA_SUCCESS;
  } catch (const Refusal& refusal) {
    runtime::report_launch_error({runtime::caller_place(), "", ""},
                                 "cuTensorMapEncodeTiled fails: " + refusal.why);
    return refusal.error;
  }
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned int,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
  RUNTIME_CALL;
  if (symbol == nullptr || function == nullptr) {
    return runtime::set_last_error(cudaErrorInvalidValue);
  }
  const bool is_known = std::string_view(symbol) == "cuTensorMapEncodeTiled";
  *function = is_known ? reinterpret_cast<void*>(&cuTensorMapEncodeTiled) : nullptr;
  if (result != nullptr) {
    *result = is_known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  }
  return runtime::set_last_error(cudaSuccess);
}

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* result) {
  RUNTIME_CALL;
  return cudaGetDriverEntryPointByVersion(symbol, function, CUDA_VERSION, flags, result);
}
