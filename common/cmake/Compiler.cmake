# SPDX-License-Identifier: MIT
# Which compiler builds everything. Included before project(); check_compiler() is called after it.
# Rungs of the cpu backend are clang's (Clang.cmake).

find_program(gxx_path g++)
mark_as_advanced(gxx_path)

# `c++` may be another compiler. An explicit CXX or CMAKE_CXX_COMPILER is used, or refused below.
if(gxx_path AND NOT DEFINED CMAKE_CXX_COMPILER AND NOT DEFINED ENV{CXX})
  set(CMAKE_CXX_COMPILER ${gxx_path} CACHE FILEPATH "g++ 11 or newer")
endif()

# Rejects any other compiler with one line that says what to do next.
function(check_compiler)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 11)
    return()
  endif()
  set(step "install g++ 11 or newer")
  if(gxx_path AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(step "type CXX=g++ before the command")
  endif()
  message(FATAL_ERROR
    "${CMAKE_CXX_COMPILER} is ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}, and Lockstep needs "
    "g++ 11 or newer: ${step}")
endfunction()
