# SPDX-License-Identifier: MIT
# How programs of the cpu backend link with the C++ library.

# The files of which the compiler links a program with these options; empty if it does not.
function(linked_files result)
  set(probe ${CMAKE_BINARY_DIR}/CMakeFiles/link_probe)
  file(WRITE ${probe}.cpp "int main() { throw 1; }\n")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${probe}.cpp -Wl,--trace ${ARGN} -o ${probe}
    RESULT_VARIABLE status OUTPUT_VARIABLE files ERROR_QUIET)
  if(NOT status EQUAL 0)
    set(files "")
  endif()
  set(${result} "${files}" PARENT_SCOPE)
endfunction()

# Where the compiler's own libstdc++.so leads nowhere, it takes the static library, whose functions and
# thread-local variables would lie among a rung's. Then the system's is named.
set(shared_library "")
linked_files(files)
if(files MATCHES "libstdc\\+\\+\\.a")
  linked_files(files -l:libstdc++.so.6)
  if(files)
    set(shared_library -l:libstdc++.so.6)
    link_libraries(${shared_library})
  endif()
endif()

# GNU ld takes two thirds of its time for the names in the C++ library. gold, a part of the binutils of
# Debian 12 and Ubuntu, makes a worker in 30 ms instead of 70. It does not find the libraries of each
# compiler that is not the system's. The grader repeats with GNU ld what fails.
find_program(LAB_GOLD ld.gold PATHS /usr/bin NO_DEFAULT_PATH)  # where a sandbox has it, too
mark_as_advanced(LAB_GOLD)
set(quick_linker "")
if(LAB_GOLD AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  linked_files(files -fuse-ld=gold)
  if(files)
    set(quick_linker -fuse-ld=gold)
  endif()
endif()
