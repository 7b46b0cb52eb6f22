# SPDX-License-Identifier: MIT
# The device without `./lab`: lockstep-run, and a CMake package that builds programs with it. clang and CCCL go along,
# so the folder needs nothing of this one, and can be moved.

include(CMakePackageConfigHelpers)

# Paths of this folder become words of the script. The precompiled headers stay behind: clang refuses them elsewhere.
foreach(step IN ITEMS device host)
  set(flags ${clang_program_${step}_flags})
  list(TRANSFORM flags REPLACE "^-include-pch$" "-include")
  list(TRANSFORM flags REPLACE "^${prelude_folder}/.*\\.pch$" "cuda_runtime.h")
  if(step STREQUAL "device")
    list(APPEND flags ${clang_checked_flags})
  endif()
  list(FILTER flags EXCLUDE REGEX "^-std=")
  set(installed_${step}_flags "")
  foreach(flag IN LISTS flags cccl_program_flags)
    foreach(known IN ITEMS "${common_dir}/cuda=\$include" "${clang_headers}=\$clang_headers" "${CMAKE_BINARY_DIR}/prelude/cccl=\$include/cccl/adapted"
        "${cccl_folder}=\$include/cccl/rungs" "${prelude_folder}=\$include")
      string(REGEX MATCH "^(.*)=(.*)$" known "${known}")
      string(REPLACE "${CMAKE_MATCH_1}" "${CMAKE_MATCH_2}" flag "${flag}")
    endforeach()
    string(REPLACE "${CMAKE_SOURCE_DIR}/.venv/cccl/programs" "\$include/cccl/programs" flag "${flag}")
    string(APPEND installed_${step}_flags " \"${flag}\"")
  endforeach()
endforeach()
set(lower_flags ${clang_lower_device})
list(REMOVE_ITEM lower_flags ${clang_command})
list(JOIN lower_flags " " installed_lower_flags)
configure_file(${CMAKE_CURRENT_LIST_DIR}/lockstep-run.in lockstep-run @ONLY)

set(installed_run bin/lockstep-run)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/lockstep-config.cmake.in lockstep-config.cmake
  INSTALL_DESTINATION lib/cmake/lockstep PATH_VARS installed_run)

install(PROGRAMS ${CMAKE_CURRENT_BINARY_DIR}/lockstep-run DESTINATION bin)
install(PROGRAMS $<TARGET_FILE:lockstep_device> $<TARGET_FILE:lockstep_front> DESTINATION libexec/lockstep)
install(FILES $<TARGET_FILE:lockstep_program> $<TARGET_FILE:lockstep_random> $<TARGET_FILE:lockstep_runtime>
  DESTINATION lib/lockstep)
install(DIRECTORY ${common_dir}/cuda/ DESTINATION include/lockstep)
install(DIRECTORY ${CMAKE_BINARY_DIR}/prelude/cccl/ DESTINATION include/lockstep/cccl/adapted)
install(DIRECTORY ${cccl_folder}/ DESTINATION include/lockstep/cccl/rungs)
if(cccl_program_flags)
  install(DIRECTORY ${cccl_folder}/../programs/ DESTINATION include/lockstep/cccl/programs)
endif()
if(clang_name STREQUAL "zig")
  install(PROGRAMS ${clang_path} DESTINATION libexec/lockstep/clang)
  install(DIRECTORY ${clang_headers}/ DESTINATION libexec/lockstep/clang/lib/include)
endif()
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/lockstep-config.cmake DESTINATION lib/cmake/lockstep)
# What the licences of the library's parts ask to go with it.
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/common/runtime/random/sobol_numbers.cpp
  DESTINATION share/doc/lockstep)
