// SPDX-License-Identifier: MIT
// cuSPARSE.
#include <cusparse.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "anchors.cuh"

namespace lab {
namespace {

void check(cusparseStatus_t status) {
  if (status != CUSPARSE_STATUS_SUCCESS) {
    throw std::runtime_error(std::string("cuSPARSE: ") + cusparseGetErrorString(status));
  }
}

cusparseHandle_t cusparse_handle() {
  static const cusparseHandle_t handle = [] {  // for the life of the process
    cusparseHandle_t created = nullptr;
    check(cusparseCreate(&created));
    return created;
  }();
  return handle;
}

struct Destroy {
  void operator()(cusparseSpMatDescr_t matrix) const { cusparseDestroySpMat(matrix); }
  void operator()(cusparseDnVecDescr_t vector) const { cusparseDestroyDnVec(vector); }
};
template <class Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy>;

Owned<cusparseDnVecDescr_t> vector_of(const float* d_items, int size) {
  cusparseDnVecDescr_t created = nullptr;
  check(cusparseCreateDnVec(&created, size, const_cast<float*>(d_items), CUDA_R_32F));
  return Owned<cusparseDnVecDescr_t>(created);
}

void multiply_by(cusparseSpMVAlg_t algorithm, const int* d_offsets, const int* d_columns,
                 const float* d_values, int num_rows, int num_columns, int num_nonzeros,
                 const float* d_x, float* d_y, Scratch& scratch, cudaStream_t stream) {
  const cusparseHandle_t handle = cusparse_handle();
  check(cusparseSetStream(handle, stream));
  cusparseSpMatDescr_t created = nullptr;
  check(cusparseCreateCsr(&created, num_rows, num_columns, num_nonzeros,
                          const_cast<int*>(d_offsets), const_cast<int*>(d_columns),
                          const_cast<float*>(d_values), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
  const Owned<cusparseSpMatDescr_t> matrix(created);
  const auto x = vector_of(d_x, num_columns);
  const auto y = vector_of(d_y, num_rows);
  const float one = 1;
  const float zero = 0;
  const auto call = [&](const auto& function, auto buffer) {
    check(function(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix.get(), x.get(), &zero,
                   y.get(), CUDA_R_32F, algorithm, buffer));
  };
  std::size_t buffer_bytes = 0;
  call(cusparseSpMV_bufferSize, &buffer_bytes);
  call(cusparseSpMV, static_cast<void*>(scratch.allocate<char>(buffer_bytes)));
}

}  // namespace

void cusparse_multiply(const int* d_offsets, const int* d_columns, const float* d_values,
                       int num_rows, int num_columns, int num_nonzeros, const float* d_x,
                       float* d_y, Scratch& scratch, cudaStream_t stream) {
  multiply_by(CUSPARSE_SPMV_CSR_ALG1, d_offsets, d_columns, d_values, num_rows, num_columns,
              num_nonzeros, d_x, d_y, scratch, stream);
}

void cusparse_multiply_balanced(const int* d_offsets, const int* d_columns, const float* d_values,
                                int num_rows, int num_columns, int num_nonzeros, const float* d_x,
                                float* d_y, Scratch& scratch, cudaStream_t stream) {
  multiply_by(CUSPARSE_SPMV_CSR_ALG2, d_offsets, d_columns, d_values, num_rows, num_columns,
              num_nonzeros, d_x, d_y, scratch, stream);
}

}  // namespace lab
