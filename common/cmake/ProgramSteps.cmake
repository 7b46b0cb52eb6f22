# SPDX-License-Identifier: MIT
# How `./lab run` builds a program with a main() of its own for the device: the commands, which
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

if(LAB_BACKEND STREQUAL "cpu")
  # Of a .cu file: PTX, as compiled (to be counted, or with comparisons) or as written (for the debugger), into
  # {object}.ptx, and at the same time the host's object. `embed` gives that a section with {object}.image, which the
  # grader makes: the PTX with a NUL behind it. The linker puts these sections one behind another: a program is one
  # file, as nvcc's are, and the device links its PTX. {unit} marks the names that one file alone knows.
  set(program_step_names device checked written compile embed compile_host compile_c gather isolate link)
  foreach(step device written host)
    set(program_${step}_flags ${clang_program_${step}_flags})
    list(TRANSFORM program_${step}_flags REPLACE "^-std=.*" "-std=c++{std}")
    list(APPEND program_${step}_flags -cuid={unit} ${cccl_program_flags} -I${common_dir}/cuda {source})
  endforeach()
  foreach(step device written)
    set(program_step_${step} $<TARGET_FILE:lockstep_front> {object}.ptx ${clang_lower_${step}} --
      ${clang_command} ${program_${step}_flags})
  endforeach()
  set(program_step_checked ${program_step_device} ${clang_checked_flags})
  set(program_step_compile ${clang_command} ${program_host_flags} -o {object})
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
    -Wl,--whole-archive $<TARGET_FILE:lockstep_program> -Wl,--no-whole-archive {work}/isolated.o $<TARGET_FILE:lockstep_random> ${runtime} ${shared_library} ${quick_linker} -pthread
    # Of OpenMP, which a program may include through any header.
    -Wl,--push-state,--as-needed -lgomp -Wl,--pop-state
    -o {work}/program)
endif()
