// Large products by cuBLAS, on matrices whose rows have no gaps.
#pragma once

#include "linn/cuda/runtime.h"

namespace linn::cuda {

class Blas {
 public:
  Blas(const Stream& stream, bool tf32) {
    check(cublasCreate(&handle_));
    check(cublasSetStream(handle_, stream.get()));
    check(cublasSetMathMode(handle_, tf32 ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH));
  }
  ~Blas() { cublasDestroy(handle_); }
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;

  // C = A B (rows x columns, over `inner`), or added to it. A transposed operand is stored as its transpose. cuBLAS has
  // columns where we have rows, so it computes Cᵀ = Bᵀ Aᵀ.
  void multiply(u32 rows, u32 columns, u32 inner, const float* a, bool a_transposed, const float* b, bool b_transposed,
                float* c, bool accumulate = false) const {
    const float one = 1.0F;
    const float rest = accumulate ? 1.0F : 0.0F;
    check(cublasSgemm(handle_, b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N, a_transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
                      static_cast<int>(columns), static_cast<int>(rows), static_cast<int>(inner), &one, b,
                      static_cast<int>(b_transposed ? inner : columns), a,
                      static_cast<int>(a_transposed ? rows : inner), &rest, c, static_cast<int>(columns)));
  }

 private:
  cublasHandle_t handle_ = nullptr;
};

}  // namespace linn::cuda
