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
if(on_machine)
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
    set(worker_step_${step} ${clang_command} ${clang_${step}_flags} ${quiet_starters} -I${common_dir}/cuda
      -I{include} {source} -o)
  endforeach()
  list(APPEND worker_step_device {work}/rung.ptx)
  list(APPEND worker_step_written {work}/written.ptx)
  list(APPEND worker_step_host {work}/rung.o -Xclang -fcuda-include-gpubinary -Xclang ${rung_image})
  include(${common_dir}/cmake/Linker.cmake)
  set(runtime $<TARGET_FILE:lockstep_runtime> -lbacktrace -Wl,--wrap=dl_iterate_phdr)
  set(device_program $<TARGET_FILE:lockstep_device>)
  set(worker_step_link ${CMAKE_CXX_COMPILER} {work}/isolated.o $<TARGET_FILE:lockstep_worker> {calls}
    $<TARGET_FILE:lockstep_wire> ${runtime} ${shared_library} ${simt_linker} -o {work}/worker)
  set(compiler_json "{\"id\": \"Clang\", \"version\": \"${clang_version}\", \"path\": \"${clang_path}\", \"cccl\": \"${cccl_version}\"}")
elseif(LAB_BACKEND STREQUAL "cpu")
  # Instrumentation announces to the emulator every memory access, every basic block, every index of
  # an array of known size (bounds-strict: also of a struct's last member) and every address with
  # its type. Optimisations are off that would move or
  # copy an access away from its line, or split one float4 access into four (-fno-tree-sra).
  # Findings need only line numbers: full debug information would take a quarter of the compile
  # time. -fno-elide-constructors: else a struct passed or returned by value is an operand of the
  # call, which no hook announces (docs/decisions/0003). -fno-delete-null-pointer-checks: keeps a
  # null access, so that it is reported. -fno-ipa-reference-addressable: keeps a shared array that
  # is only written.
  # g++ 11 threads jumps whatever -fno-thread-jumps says, and copies barriers: hence the parameter.
  set(simt_checks alignment,bounds-strict)
  if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")  # where a division by zero does not trap
    string(APPEND simt_checks ,integer-divide-by-zero)
  endif()
  set(simt_announcing_flags -O1 -fno-reorder-blocks -fno-tree-sra
    -fno-thread-jumps --param=max-jump-thread-duplication-stmts=0
    -fsanitize=thread --param=tsan-distinguish-volatile=1 --param=tsan-instrument-func-entry-exit=0
    -fsanitize-coverage=trace-pc)
  # Calls through a pointer, beginnings and ends of functions are announced, too, where g++ can: see
  # simt/confine.h. Ubuntu's g++ protects them in another way, which excludes this.
  set(simt_call_flags "")
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    set(simt_call_flags -mindirect-branch=thunk-extern -mindirect-branch-register -fcf-protection=none
      -pg -mfentry -mfunction-return=thunk-extern)
  endif()
  set(simt_kernel_flags -std=c++20 ${simt_announcing_flags} ${simt_call_flags} -fdata-sections -g1 -fsanitize=${simt_checks} -fno-gnu-unique -Wall -Wno-unknown-pragmas
    ${quiet_starters}
    -fno-elide-constructors -fno-delete-null-pointer-checks -fno-ipa-reference-addressable
    -fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset -fno-builtin-malloc -U_FORTIFY_SOURCE
    -I${common_dir}/simt/include -I${common_dir}/cuda)
  # A local variable that was never set holds a pattern, not by chance the zero that a sum needs.
  if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
    list(APPEND simt_kernel_flags -ftrivial-auto-var-init=pattern)
  endif()
  # g++ 16 makes the copied struct an operand of the call again, in the pass that this leaves out.
  # Not for an older g++: its counters would change.
  if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 16)
    list(APPEND simt_kernel_flags -fno-tree-forwprop)
  endif()
  # The instrumentation does not see inside library functions. The emulator wraps these: it checks
  # the arguments, then calls the original. So they must remain calls (-fno-builtin) by these names.
  # In a kernel, malloc, new and similar functions allocate device memory. Renaming symbols in the
  # object, instead of replacing the library, redirects only the rung's own calls.
  set(simt_renamed_calls "")
  foreach(call IN ITEMS memcpy memmove memset __memcpy_chk __memmove_chk __memset_chk
      memcmp memchr strlen strcmp strncmp strcpy strncpy
      modf modff modfl frexp frexpf frexpl remquo remquof remquol sincos sincosf sincosl strchr strstr nan nanf nanl
      snprintf vsnprintf sprintf fprintf vfprintf vprintf fputs fputc putc fwrite fflush
      time clock_gettime strtol strtoll strtoul strtoull strtof strtod qsort
      __isoc23_strtol __isoc23_strtoll __isoc23_strtoul __isoc23_strtoull  # their names from glibc 2.38 on
      malloc free calloc realloc aligned_alloc posix_memalign)
    list(APPEND simt_renamed_calls --redefine-sym=${call}=simt_${call})
  endforeach()
  # new and delete, mangled: of one object and of an array, in every form.
  set(new_forms m mRKSt9nothrow_t mSt11align_val_t mSt11align_val_tRKSt9nothrow_t)
  set(delete_forms Pv Pvm PvRKSt9nothrow_t PvSt11align_val_t PvmSt11align_val_t
    PvSt11align_val_tRKSt9nothrow_t)
  list(TRANSFORM new_forms REPLACE "(.+)" "_Znw\\1;_Zna\\1" OUTPUT_VARIABLE operators)
  list(TRANSFORM delete_forms REPLACE "(.+)" "_Zdl\\1;_Zda\\1" OUTPUT_VARIABLE deletes)
  foreach(operator IN LISTS operators deletes)
    list(APPEND simt_renamed_calls --redefine-sym=${operator}=simt${operator})
  endforeach()
  list(APPEND worker_step_isolate ${simt_renamed_calls})
  # The headers that nvcc includes by itself, precompiled: they take more than half of a rung's
  # compile time. If the flags differ from the precompiled form's, g++ reads the header instead.
  set(simt_precompiled ${CMAKE_BINARY_DIR}/common/simt/precompiled20)
  set(simt_precompiled17 ${CMAKE_BINARY_DIR}/common/simt/precompiled17)
  set(simt_prelude_file ${simt_precompiled}/simt/prelude.h.gch)
  set(simt_prelude_flags ${simt_kernel_flags})
  list(PREPEND simt_kernel_flags -I${simt_precompiled} -include simt/prelude.h)
  include(${common_dir}/cmake/Linker.cmake)
  set(simt_libraries -lbacktrace -Wl,--wrap=dl_iterate_phdr ${shared_library})

  set(worker_step_names rewrite compile gather host_calls isolate link)
  list(APPEND worker_step_gather -T ${common_dir}/simt/gather.ld)
  set(worker_step_rewrite $<TARGET_FILE:simt_rewrite> {source} -I {include} -I ${common_dir}/cuda -o {work}/rung.cpp)
  set(worker_step_compile ${CMAKE_CXX_COMPILER} ${simt_kernel_flags} -I{include}
    -c {work}/rung.cpp -o {work}/rung.o
    -fdump-tree-tsan-blocks-lineno-uid-asmname={work}/statements)  # rules/statements.py reads it
  # Functions of the library that exist only on the host end a kernel that calls them.
  set(worker_step_host_calls $<TARGET_FILE:simt_host_calls> {work}/isolated.o {work}/host_calls)
  list(APPEND worker_step_isolate --redefine-syms={work}/host_calls.names)
  set(worker_step_link ${CMAKE_CXX_COMPILER} {work}/isolated.o {work}/host_calls.s
    $<TARGET_FILE:lockstep_worker> {calls} $<TARGET_FILE:lockstep_wire> $<TARGET_FILE:simt> ${simt_libraries}
    ${simt_linker} -o {work}/worker)
  set(compiler_json "{\"id\": \"${CMAKE_CXX_COMPILER_ID}\", \"version\": \"${CMAKE_CXX_COMPILER_VERSION}\", \"path\": \"${CMAKE_CXX_COMPILER}\"}")
else()
  list(JOIN CMAKE_CUDA_ARCHITECTURES "," cuda_arch)
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
  set(emulator "")
  if(on_machine)
    set(emulator clang_prelude lockstep_runtime lockstep_device)
    foreach(mode IN LISTS steps_at_once)
      list(APPEND emulator ${prelude_folder}/${mode}20.pch)
    endforeach()
  elseif(TARGET simt_rewrite)
    set(emulator simt_rewrite simt_host_calls simt simt_prelude ${simt_prelude_file} ${common_dir}/simt/gather.ld)
  endif()
  add_custom_command(OUTPUT ${work}/worker ${commands}
    DEPENDS ${ARG_SOURCE} lockstep_worker lockstep_wire ${emulator} ${ARG_DEPENDS} DEPFILE ${work}/worker.d
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
