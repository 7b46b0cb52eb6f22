# SPDX-License-Identifier: MIT
# How `./lab run` builds a program with a main() of its own for the emulator: the commands, which
# write_toolchain_file() hands to the grader. Placeholders: {source} one file, {object} what is made of it,
# {work} a folder for files, {std} 17 or 20. The grader appends options of the user and, to gather, the objects.
# {work}/program is the result.


# The steps as a JSON array's elements.
function(program_steps_json result)
  set(steps "")
  if(LAB_BACKEND STREQUAL "cpu")
    foreach(step IN LISTS program_step_names)
      list(JOIN program_step_${step} "\", \"" argv)
      list(APPEND steps "{\"name\": \"${step}\", \"argv\": [\"${argv}\"]}")
    endforeach()
  endif()
  list(JOIN steps ",\n    " joined)
  set(${result} "${joined}" PARENT_SCOPE)
endfunction()

if(on_machine)
  # Of a .cu file: PTX, as compiled (to be counted, or with comparisons) or as written (for the debugger), into
  # {object}.ptx, and at the same time the host's object. `embed` gives that a section with {object}.image, which the
  # grader makes: the PTX with a NUL behind it. The linker puts these sections one behind another: a program is one
  # file, as nvcc's are, and the device links its PTX. {unit} marks the names that one file alone knows.
  # `lower` makes {object}.ptx from {object}.ll, clang's intermediate code, which the grader has changed.
  set(program_step_names device checked written lower compile embed compile_host compile_c gather isolate link)
  foreach(step device written host)
    set(program_${step}_flags ${clang_program_${step}_flags})
    list(TRANSFORM program_${step}_flags REPLACE "^-std=.*" "-std=c++{std}")
    list(APPEND program_${step}_flags -cuid={unit} ${cccl_program_flags} -I${common_dir}/cuda {source} -o)
  endforeach()
  foreach(step device written)
    set(program_step_${step} ${clang_command} ${program_${step}_flags} {object}.ptx)
  endforeach()
  set(program_step_checked ${program_step_device} ${clang_checked_flags})
  set(program_step_lower ${clang_command} --target=nvptx64-nvidia-cuda -march=sm_90 -Xclang -target-feature
    -Xclang ${clang_ptx} -x ir {object}.ll -S ${clang_optimizer_flags} -o {object}.ptx)
  set(program_step_compile ${clang_command} ${program_host_flags} {object})
  set(program_step_embed ${CMAKE_OBJCOPY} --add-section lockstep_ptx={object}.image
    --set-section-flags lockstep_ptx=alloc,readonly,data {object})
  set(program_headers -isystem ${common_dir}/cuda/toolkit -I${common_dir}/cuda)
  set(program_step_compile_host ${CMAKE_CXX_COMPILER} -std=c++{std} -Og -g1 -fPIC -Wall ${program_headers}
    -c {source} -o {object})
  set(program_step_compile_c ${CMAKE_CXX_COMPILER} -x c -Og -g1 -fPIC -Wall ${program_headers} -c {source} -o {object})
  set(program_step_gather ${CMAKE_LINKER} -r --force-group-allocation -o {work}/gathered.o)
  set(program_step_isolate ${CMAKE_OBJCOPY} --keep-global-symbol=main {work}/gathered.o {work}/isolated.o)
  # What is initialised first is destroyed last: a program's destructors may use the device.
  set(program_step_link ${CMAKE_CXX_COMPILER}
    -Wl,--whole-archive $<TARGET_FILE:lockstep_program> -Wl,--no-whole-archive {work}/isolated.o $<TARGET_FILE:lockstep_random> ${runtime} ${shared_library} ${simt_linker} -pthread
    -o {work}/program)
  return()
endif()

set(program_step_names rewrite compile compile_host compile_c gather isolate link
  unannounced_compile unannounced_compile_host unannounced_compile_c)
# Libraries in source, which rungs do not see: our CUB, and what takes the place of single headers of Thrust.
# The grader adds NVIDIA's own Thrust, where a program uses it.
set(program_libraries ${common_dir}/simt/cccl)
set(program_step_rewrite $<TARGET_FILE:simt_rewrite> {source} -o {object}.cpp --library ${program_libraries}
  -I ${common_dir}/cuda)  # lab/provided_scan.cuh launches kernels, too

set(program_flags ${simt_kernel_flags})
list(TRANSFORM program_flags REPLACE "^-std=.*" "-std=c++{std};-fconcepts")
list(TRANSFORM program_flags REPLACE "precompiled20$" "precompiled{std}")
list(PREPEND program_flags -I${program_libraries})
set(program_step_compile ${CMAKE_CXX_COMPILER} ${program_flags} -c {object}.cpp -o {object})

# A file for the host alone is instrumented, too, or its use of device memory would not be seen. It includes
# what it needs by itself, and not always the emulator's headers.
set(host_flags ${program_flags})
list(FILTER host_flags EXCLUDE REGEX "precompiled{std}$|^-include$|prelude")
set(program_step_compile_host ${CMAKE_CXX_COMPILER} ${host_flags} -c {object}.cpp -o {object})

# A file in C has nothing to rewrite, and options for C++ do not suit it.
set(c_flags ${host_flags})
list(FILTER c_flags EXCLUDE REGEX "^-std=|^-fconcepts$|^-fno-elide-constructors$")
set(program_step_compile_c ${CMAKE_CXX_COMPILER} -x c ${c_flags} -c {source} -o {object})

# Where no access is checked, and no thread of the file waits for plain memory, nothing has to be announced:
# this code runs several times as fast. nvcc's code does not rely on the types of pointers either. g++ 12.2
# crashes over some kernels in the pass that -fno-ipa-cp leaves out. With -O2 alone, a loop without end and
# without effect is left out, and the program hides it. Only traps are found in this code, so comparisons
# for findings and calls of the emulator's own memcpy are left out, too. A device has no errno. Two calls of a
# barrier must not become one, nor a jump at the kernel's end: the place of the call says which barrier it is.
set(unannounced_flags -O2 -fno-finite-loops -fno-strict-aliasing -fno-ipa-cp -fno-math-errno
  -fno-optimize-sibling-calls -fno-crossjumping)
set(unannounced_omits ${simt_announcing_flags} ${simt_call_flags} -fsanitize=${simt_checks} -fno-elide-constructors
  -fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset)
if(simt_checks MATCHES "integer-divide-by-zero")  # it stands for a trap
  list(APPEND unannounced_flags -fsanitize=integer-divide-by-zero)
endif()
foreach(step IN ITEMS compile compile_host compile_c)
  set(command ${program_step_${step}})
  list(REMOVE_ITEM command ${unannounced_omits})
  list(APPEND command ${unannounced_flags})
  if(step STREQUAL "compile")
    list(APPEND command -include simt/unannounced.h)
  endif()
  set(program_step_unannounced_${step} ${command})
endforeach()

# All files become one object, in which they find each other; only main stays visible to the linker. Else
# the program's instances of templates would take the place of the emulator's own, as a rung's would.
set(program_step_gather ${CMAKE_LINKER} -r --force-group-allocation -T ${common_dir}/simt/gather.ld
  -o {work}/gathered.o)
set(program_step_isolate ${CMAKE_OBJCOPY} --keep-global-symbol=main ${simt_renamed_calls}
  {work}/gathered.o {work}/isolated.o)
# What is initialised first is destroyed last: a program's destructors may use the device.
set(program_step_link ${CMAKE_CXX_COMPILER}
  -Wl,--whole-archive $<TARGET_FILE:simt> $<TARGET_FILE:lockstep_program> -Wl,--no-whole-archive
  {work}/isolated.o $<TARGET_FILE:simt_random> $<TARGET_FILE:lockstep_wire> ${simt_libraries} ${simt_linker} -pthread
  -o {work}/program)
