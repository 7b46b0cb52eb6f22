# SPDX-License-Identifier: MIT
# add_lab(): one lab's judge, its call table, and a worker and a test for each rung.
# write_toolchain_file(): describes the same steps, so that the grader can build a worker itself.

include(GoogleTest)
include(${CMAKE_CURRENT_LIST_DIR}/LabFile.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/WorkerSteps.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/ProgramSteps.cmake)

# Which rungs ctest judges.
if(NOT LAB_SUBMISSION)
  if(EXISTS ${CMAKE_SOURCE_DIR}/solutions)
    set(LAB_SUBMISSION ${CMAKE_SOURCE_DIR}/solutions)
  else()
    set(LAB_SUBMISSION ${CMAKE_SOURCE_DIR}/labs)
  endif()
endif()

# lockstep_base    the device and the worker, which every lab needs
# judge_NN-slug    the same and all files that judge one lab (add_lab)
# lockstep         the same for all labs; no submission
# workers_NN-slug  one lab's rungs, as ctest judges them
# lockstep_tests   our own tests and benchmarks
add_custom_target(lockstep_base)
add_custom_target(lockstep)
add_custom_target(lockstep_tests)

# A .cu file of the judge's own is CUDA on cuda and plain C++ on cpu; see common/judge/fixture/device_loop.cuh.
function(compile_for_backend)
  if(LAB_BACKEND STREQUAL "cpu")
    set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CXX)
    if(NOT CMAKE_UNITY_BUILD)  # included by a .cxx file otherwise; an option would keep it out
      set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "-xc++")
    endif()
  endif()
endfunction()

# add_lab(labs/NN-slug/lab.toml): lab.toml lists rungs and calls; the sources in judge/ form the
# judge, with its data, *.bin, linked in. A rung is a file that a submission may hold,
# NN_technique.cu. A call is a function of namespace lab, declared in slug.cuh, that a rung may
# define. A .cu of the judge is compiled for either backend.
# Makes the targets slug_test (judge), slug_calls (call table), judge_NN-slug and slug_RUNG_worker,
# and slug_unit_test where judge/tests has unit tests of the judge's parts.
function(add_lab lab_file)
  read_lab_file(${lab_file} lab)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${lab_file})
  get_filename_component(lab_dir ${lab_file} DIRECTORY)
  get_filename_component(folder ${lab_dir} NAME)
  set(slug ${lab_SLUG})

  set(weak_declarations "")
  set(table_entries "")
  set(kept_symbols "")
  foreach(call IN LISTS lab_CALLS)
    string(LENGTH ${call} length)
    string(APPEND kept_symbols "_ZN3lab${length}${call}[EB]*\n")  # lab::call(any parameters), mangled
    string(APPEND weak_declarations "[[gnu::weak]] decltype(${call}) ${call};\n")
    string(APPEND table_entries "    make_entry(\"${call}\", &lab::${call}),\n")
  endforeach()
  set(calls_source ${CMAKE_BINARY_DIR}/${folder}/${slug}_calls.cpp)
  configure_file(${CMAKE_SOURCE_DIR}/common/judge/worker/calls.cpp.in ${calls_source} @ONLY)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/lib${slug}_calls.a.keep CONTENT "${kept_symbols}" @ONLY)
  add_library(${slug}_calls STATIC ${calls_source})
  target_include_directories(${slug}_calls PRIVATE ${lab_dir})
  target_link_libraries(${slug}_calls PRIVATE lockstep_worker lockstep_warnings)

  file(GLOB judge_sources CONFIGURE_DEPENDS ${lab_dir}/judge/*.cpp)
  file(GLOB judge_device_sources CONFIGURE_DEPENDS ${lab_dir}/judge/*.cu)
  compile_for_backend(${judge_device_sources})
  set(judge_data "")
  file(GLOB data_files CONFIGURE_DEPENDS ${lab_dir}/judge/*.bin)
  foreach(file IN LISTS data_files)  # NAME.bin becomes _binary_NAME_bin_start and _end
    get_filename_component(name ${file} NAME)
    set(object ${CMAKE_BINARY_DIR}/${folder}/${name}.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_LINKER} -r -b binary -z noexecstack ${name} -o ${object}
      WORKING_DIRECTORY ${lab_dir}/judge DEPENDS ${file} VERBATIM)
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON)
    list(APPEND judge_data ${object})
  endforeach()
  add_executable(${slug}_test ${judge_sources} ${judge_device_sources} ${judge_data})
  target_include_directories(${slug}_test PRIVATE ${lab_dir})
  target_link_libraries(${slug}_test PRIVATE lockstep_judge lockstep_warnings)
  add_custom_target(judge_${folder})
  add_dependencies(judge_${folder} ${slug}_test ${slug}_calls lockstep_base)
  add_dependencies(lockstep judge_${folder})

  # A package for one lab does not contain our own tests.
  file(GLOB unit_tests CONFIGURE_DEPENDS ${lab_dir}/judge/tests/*.cpp)
  if(unit_tests AND LAB_BACKEND STREQUAL "cpu" AND PROJECT_IS_TOP_LEVEL)
    list(FILTER judge_sources EXCLUDE REGEX "(_test|/main)\\.cpp$")
    add_executable(${slug}_unit_test
      ${unit_tests} ${judge_sources} ${judge_device_sources} ${judge_data})
    target_include_directories(${slug}_unit_test PRIVATE ${lab_dir} ${lab_dir}/judge)
    target_link_libraries(${slug}_unit_test PRIVATE lockstep_judge lockstep_warnings GTest::gtest_main)
    gtest_discover_tests(${slug}_unit_test DISCOVERY_MODE PRE_TEST)
    add_dependencies(lockstep_tests ${slug}_unit_test)
  endif()

  add_custom_target(workers_${folder})
  foreach(rung IN LISTS lab_RUNGS)
    set(source ${LAB_SUBMISSION}/${folder}/${rung}.cu)
    if(NOT EXISTS ${source})
      continue()
    endif()
    set(judge_device_options "")
    if(LAB_BACKEND STREQUAL "cpu")
      set(work ${CMAKE_BINARY_DIR}/workers/${slug}_${rung}_worker)
      set(judge_device_options --device=${device_program} --ptx=${work}/rung.ptx --written=${work}/written.ptx)
    endif()
    add_worker(${slug}_${rung}_worker SOURCE ${source} INCLUDE ${lab_dir}
      CALLS $<TARGET_FILE:${slug}_calls> DEPENDS ${slug}_calls)
    add_test(NAME ${folder}/${rung}
      COMMAND ${slug}_test --rung=${rung} --worker=$<TARGET_PROPERTY:${slug}_${rung}_worker,WORKER>
        --anchors=${anchors_worker} ${judge_device_options})
    add_dependencies(workers_${folder} ${slug}_${rung}_worker)
    set_tests_properties(${folder}/${rung} PROPERTIES LABELS "rung;${folder}")
    if(LAB_BACKEND STREQUAL "cuda")
      set_tests_properties(${folder}/${rung} PROPERTIES RUN_SERIAL ON)  # one measurement at a time
    endif()
  endforeach()

  string(CONCAT entry "\"${folder}\": {\"judge\": \"$<TARGET_FILE:${slug}_test>\", "
    "\"calls\": \"$<TARGET_FILE:${slug}_calls>\", \"include\": \"${lab_dir}\"}")
  set_property(GLOBAL APPEND PROPERTY lockstep_labs "${entry}")
endfunction()

# Writes BUILD/lockstep.json; grader/README.md describes it.
function(write_toolchain_file)
  worker_steps_json(steps_json)
  program_steps_json(program_json)
  get_property(labs GLOBAL PROPERTY lockstep_labs)
  list(JOIN labs ",\n    " labs_json)
  if(anchors_worker)
    set(anchors_json "\"${anchors_worker}\"")
  else()
    set(anchors_json null)
  endif()
  set(device_json "")
  set(features_json "[]")
  if(LAB_BACKEND STREQUAL "cpu")
    set(device_json "\"device\": \"${device_program}\",\n  ")
    set(features_json "[\"budget\", \"checkers\"]")
  elseif(CMAKE_CUDA_ARCHITECTURES MATCHES "^([0-9]+)([0-9])$")  # one GPU, as usual
    set(device_json "\"gpu\": \"${CMAKE_MATCH_1}.${CMAKE_MATCH_2}\",\n  ")
  endif()
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/lockstep.json CONTENT
"{\"version\": 1, \"backend\": \"${LAB_BACKEND}\", \"features\": ${features_json},
  ${device_json}\"root\": \"${CMAKE_SOURCE_DIR}\",
  \"compiler\": ${compiler_json},
  \"steps\": [
    ${steps_json}],
  \"program\": [
    ${program_json}],
  \"anchors\": ${anchors_json},
  \"labs\": {
    ${labs_json}}}
")
endfunction()
