# SPDX-License-Identifier: MIT
# The pinned commands that build a worker from a rung, for both CMake and the grader.
# Placeholders: {source} the rung's .cu, {work} a folder for its files, {include} the lab's folder,
# {calls} the lab's call table. {work}/worker is the result.
# The exact counters of the cpu backend depend on these flags.

set(common_dir ${CMAKE_SOURCE_DIR}/common)

# Only the lab's functions stay visible to the linker. Any other symbol of a rung, such as a
# template's instance, would replace the runtime's own code of that name. A GNU unique symbol could
# not be hidden: hence -fno-gnu-unique below.
set(worker_step_gather ${CMAKE_LINKER} -r --force-group-allocation {work}/rung.o -o {work}/isolated.o)
set(worker_step_isolate ${CMAKE_OBJCOPY} --wildcard --keep-global-symbols={calls}.keep)  # goes on below

# A starter declares names for its TODOs to use. Warnings about them would hide those that matter.
set(quiet_starters -Wno-unused-variable -Wno-unused-but-set-variable -Wno-unused-function
  -Wno-unused-local-typedefs)
list(JOIN quiet_starters "," quiet_starters_of_host)

set(steps_at_once "")  # independent steps
if(LAB_BACKEND STREQUAL "cpu")
  include(${common_dir}/cmake/ClangSteps.cmake)
  # The host's object names the image of its kernels. The judge's device reads the PTX from the files that
  # were made here, so this image is no more than a name.
  set(rung_image ${CMAKE_BINARY_DIR}/rung.image)
  file(WRITE ${rung_image} "lockstep rung\n")
  set(worker_step_names device written host gather isolate link)
  set(steps_at_once device written host)
  foreach(step IN LISTS steps_at_once)
    clang_prelude(${step} 20)
    clang_prelude(${step} 20 algorithm)
    clang_prelude(${step} 20 cuda/atomic)
    clang_prelude(${step} 20 cuda/atomic algorithm)
    # For programs with a main() of their own, whose files find each other.
    set(clang_program_${step}_flags ${clang_${step}_flags} -fgpu-rdc)
    clang_prelude(program_${step} 17)
    clang_prelude(program_${step} 20)
    list(TRANSFORM clang_program_${step}_flags REPLACE "^-include$" "-include-pch")
    list(TRANSFORM clang_program_${step}_flags REPLACE "^cuda_runtime\\.h$" ${prelude_folder}/program_${step}{std}.pch)
    list(TRANSFORM clang_${step}_flags REPLACE "^-include$" "-include-pch")
    list(TRANSFORM clang_${step}_flags REPLACE "^cuda_runtime\\.h$" ${prelude_folder}/${step}20.pch)
    set(worker_step_${step} ${clang_command} ${clang_${step}_flags} ${quiet_starters} ${cccl_library_flags} -I${common_dir}/cuda
      -I{include} {source})
  endforeach()
  list(PREPEND worker_step_device $<TARGET_FILE:lockstep_front> {work}/rung.ptx ${clang_lower_device} --)
  list(PREPEND worker_step_written $<TARGET_FILE:lockstep_front> {work}/written.ptx ${clang_lower_written} --)
  list(APPEND worker_step_host -o {work}/rung.o ${clang_rung_host_checks} -Xclang -fcuda-include-gpubinary -Xclang ${rung_image})
  include(${common_dir}/cmake/Linker.cmake)
  set(runtime $<TARGET_FILE:lockstep_runtime> -lbacktrace -Wl,--wrap=dl_iterate_phdr)
  set(device_program $<TARGET_FILE:lockstep_device>)
  set(worker_step_link ${CMAKE_CXX_COMPILER} {work}/isolated.o $<TARGET_FILE:lockstep_worker> {calls}
    $<TARGET_FILE:lockstep_wire> ${runtime} ${shared_library} ${quick_linker} -o {work}/worker)
  set(compiler_json "{\"id\": \"Clang\", \"version\": \"${clang_version}\", \"path\": \"${clang_path}\", \"cccl\": \"${cccl_version}\"}")
else()
  list(JOIN exact_architectures "," cuda_arch)
  set(worker_step_names compile gather isolate link)
  set(worker_step_compile ${CMAKE_CUDA_COMPILER} -std=c++20 -O3 -lineinfo
    -gencode=arch=compute_${cuda_arch},code=sm_${cuda_arch} -Xcompiler=-Wall,-fno-gnu-unique,${quiet_starters_of_host}
    -diag-suppress=177,550
    -I${common_dir}/cuda -I{include} -c {source} -o {work}/rung.o)
  set(worker_step_link ${CMAKE_CXX_COMPILER} {work}/isolated.o
    $<TARGET_FILE:lockstep_worker> {calls} $<TARGET_FILE:lockstep_wire>
    ${CUDAToolkit_LIBRARY_DIR}/libcudart_static.a ${CUDA_cuda_driver_LIBRARY}
    -ldl -lrt -lpthread -o {work}/worker)
  set(compiler_json "{\"id\": \"NVIDIA\", \"version\": \"${CMAKE_CUDA_COMPILER_VERSION}\", \"path\": \"${CMAKE_CUDA_COMPILER}\"}")
endif()
list(APPEND worker_step_isolate {work}/isolated.o)

# add_worker(name SOURCE rung.cu INCLUDE dir CALLS lib DEPENDS target...): builds it in the build tree.
# The target's property WORKER is the program's path.
function(add_worker name)
  cmake_parse_arguments(ARG "" "SOURCE;INCLUDE;CALLS" "DEPENDS" ${ARGN})
  set(work ${CMAKE_BINARY_DIR}/workers/${name})
  file(MAKE_DIRECTORY ${work})
  set(commands "")
  foreach(step IN LISTS worker_step_names)
    set(command "${worker_step_${step}}")
    string(REPLACE "{source}" "${ARG_SOURCE}" command "${command}")
    string(REPLACE "{work}" "${work}" command "${command}")
    string(REPLACE "{include}" "${ARG_INCLUDE}" command "${command}")
    string(REPLACE "{calls}" "${ARG_CALLS}" command "${command}")
    if(step MATCHES "^(compile|host)$")
      list(APPEND command -MD -MT ${work}/worker -MF ${work}/worker.d)
    endif()
    list(APPEND commands COMMAND ${command})
  endforeach()
  set(device "")
  if(LAB_BACKEND STREQUAL "cpu")
    set(device clang_prelude lockstep_runtime lockstep_device lockstep_front)
    foreach(mode IN LISTS steps_at_once)
      list(APPEND device ${prelude_folder}/${mode}20.pch)
    endforeach()
  endif()
  add_custom_command(OUTPUT ${work}/worker ${commands}
    DEPENDS ${ARG_SOURCE} lockstep_worker lockstep_wire ${device} ${ARG_DEPENDS} DEPFILE ${work}/worker.d
    COMMENT "Building worker ${name}" VERBATIM COMMAND_EXPAND_LISTS)
  add_custom_target(${name} ALL DEPENDS ${work}/worker)
  set_target_properties(${name} PROPERTIES WORKER ${work}/worker)
endfunction()

# The steps as a JSON array's elements.
function(worker_steps_json result)
  set(steps "")
  foreach(step IN LISTS worker_step_names)
    list(JOIN worker_step_${step} "\", \"" argv)
    set(at_once "")
    if(step IN_LIST steps_at_once)
      set(at_once "\"at_once\": true, ")
    endif()
    list(APPEND steps "{\"name\": \"${step}\", ${at_once}\"argv\": [\"${argv}\"]}")
  endforeach()
  list(JOIN steps ",\n    " joined)
  set(${result} "${joined}" PARENT_SCOPE)
endfunction()
