# The part of the library for NVIDIA GPUs, src/linn/cuda. It is compiled by nvcc, with options of its own; everything else
# is compiled as without it.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  # Ampere and Hopper, and what the driver can compile for later ones.
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real 90-virtual)
endif()
enable_language(CUDA)
# CMake 3.25 does not know how to ask nvcc for C++20.
foreach(kind STANDARD EXTENSION)
  if(NOT CMAKE_CUDA20_${kind}_COMPILE_OPTION)
    set(CMAKE_CUDA20_${kind}_COMPILE_OPTION -std=c++20)
  endif()
endforeach()
find_package(CUDAToolkit 12 REQUIRED)

file(GLOB linn_cuda_sources CONFIGURE_DEPENDS "src/linn/cuda/*.cu")
add_library(linn_cuda OBJECT ${linn_cuda_sources})
target_include_directories(linn_cuda PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/src" "${linn_generated}")
# Products and sums are fused where the code says so (fmaf), so that a kernel rounds alike wherever it is compiled.
target_compile_options(linn_cuda PRIVATE --fmad=false --expt-relaxed-constexpr -lineinfo)
target_link_libraries(linn_cuda PRIVATE CUDA::cudart_static CUDA::cublas)
if(LINN_CUDA)
  set(linn_cuda_objects $<TARGET_OBJECTS:linn_cuda>)
  list(APPEND linn_dependencies CUDA::cudart_static CUDA::cublas)
endif()
