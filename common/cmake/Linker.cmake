# SPDX-License-Identifier: MIT
# How programs of the cpu backend link with the C++ library.

# Whether the compiler links a program with these options.
function(try_link result said)
  set(probe ${CMAKE_BINARY_DIR}/CMakeFiles/link_probe)
  file(WRITE ${probe}.cpp "int main() { throw 1; }\n")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${probe}.cpp ${ARGN} -o ${probe}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_QUIET)
  if(status EQUAL 0)
    set(${result} TRUE PARENT_SCOPE)
  else()
    set(${result} FALSE PARENT_SCOPE)
  endif()
  set(${said} "${output}" PARENT_SCOPE)
endfunction()

# Where the compiler's own libstdc++.so leads nowhere, it takes the static library, whose functions and
# thread-local variables would lie among a rung's. Then the system's is named.
try_link(links_by_itself linked_files -Wl,--trace)
set(shared_library "")
if(linked_files MATCHES "libstdc\\+\\+\\.a")
  try_link(links_shared ignored -l:libstdc++.so.6)
  if(links_shared)
    set(shared_library -l:libstdc++.so.6)
    link_libraries(${shared_library})
  endif()
endif()

# GNU ld takes two thirds of its time for the names in the C++ library. gold, a part of the binutils of
# Debian 12 and Ubuntu, makes a worker in 30 ms instead of 70. It does not find the libraries of each
# compiler that is not the system's. The grader repeats with GNU ld what fails.
find_program(LAB_GOLD ld.gold PATHS /usr/bin NO_DEFAULT_PATH)  # where a sandbox has it, too
mark_as_advanced(LAB_GOLD)
set(worker_linker "")
if(LAB_GOLD AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  try_link(gold_links ignored -fuse-ld=gold)
  if(gold_links)
    set(worker_linker -fuse-ld=gold)
  endif()
endif()
