# SPDX-License-Identifier: MIT
# The emulator by itself: lockstep-run, and a CMake package that builds programs with it.

include(CMakePackageConfigHelpers)

# The precompiled headers stay behind: g++ refuses them in another folder.
set(installed_flags ${simt_prelude_flags})
list(FILTER installed_flags EXCLUDE REGEX "^-std=|^-I|^-ffile-prefix-map|^-fdebug-prefix-map")
list(PREPEND installed_flags -fconcepts)
set(installed_c_flags ${installed_flags})  # options for C++ do not suit C
list(FILTER installed_c_flags EXCLUDE REGEX "^-fconcepts$|^-fno-elide-constructors$")
foreach(flags IN ITEMS installed_flags installed_c_flags)
  set(unannounced_${flags} ${${flags}})
  list(REMOVE_ITEM unannounced_${flags} ${unannounced_omits})
  list(APPEND unannounced_${flags} ${unannounced_flags})
  list(JOIN unannounced_${flags} " " unannounced_${flags})
  list(JOIN ${flags} " " ${flags})
endforeach()
list(JOIN simt_renamed_calls " " installed_renamed)
list(JOIN simt_libraries " " installed_libraries)
configure_file(lockstep-run.in lockstep-run @ONLY)

set(installed_run bin/lockstep-run)
configure_package_config_file(lockstep-config.cmake.in lockstep-config.cmake
  INSTALL_DESTINATION lib/cmake/lockstep PATH_VARS installed_run)

# pip moves the folders of a wheel's data (pyproject.toml) to those of its environment.
set(prefix "")
if(SKBUILD)
  set(prefix ${SKBUILD_DATA_DIR}/)
endif()
install(PROGRAMS ${CMAKE_CURRENT_BINARY_DIR}/lockstep-run DESTINATION ${prefix}bin COMPONENT emulator)
install(PROGRAMS $<TARGET_FILE:simt_rewrite> DESTINATION ${prefix}libexec/lockstep COMPONENT emulator)
install(FILES ../simt/gather.ld DESTINATION ${prefix}libexec/lockstep COMPONENT emulator)
install(FILES $<TARGET_FILE:simt> $<TARGET_FILE:simt_random> $<TARGET_FILE:lockstep_program>
  $<TARGET_FILE:lockstep_wire>
  DESTINATION ${prefix}lib/lockstep COMPONENT emulator)
install(DIRECTORY ../simt/include/ ../cuda/ DESTINATION ${prefix}include/lockstep COMPONENT emulator)
install(DIRECTORY ../simt/cccl DESTINATION ${prefix}include/lockstep COMPONENT emulator)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/lockstep-config.cmake
  DESTINATION ${prefix}lib/cmake/lockstep COMPONENT emulator)
# What the licences of the library's parts ask to go with it.
install(FILES ../../LICENSE ../simt/src/host/sobol_numbers.cpp DESTINATION ${prefix}share/doc/lockstep
  COMPONENT emulator OPTIONAL)
