# SPDX-License-Identifier: MIT
# read_lab_file(): what CMake takes from lab.toml, so that no other file lists rungs or calls.
#
# CMake has no TOML parser. It reads three keys, which must be spelled like this, each at the start
# of a line (labfile.py refuses any other spelling):
#   id = "01-reduction"   first the lab's, then each rung's
#   slug = "reduction"
#   calls = ["one", "two"]   over several lines if need be

# read_lab_file(file prefix): sets prefix_ID, prefix_SLUG, prefix_RUNGS and prefix_CALLS.
function(read_lab_file file prefix)
  file(READ ${file} text)
  string(PREPEND text "\n")
  string(REGEX MATCHALL "\nid = \"[^\"\n]*\"" ids "${text}")
  string(REGEX MATCHALL "\nslug = \"[^\"\n]*\"" slug "${text}")
  string(REGEX MATCH "\ncalls = \\[[^]]*\\]" calls "${text}")
  string(REGEX MATCHALL "\"[A-Za-z0-9_]+\"" calls "${calls}")
  string(REGEX MATCHALL "\n\\[\\[rung\\]\\]" rungs "${text}")
  list(LENGTH rungs num_rungs)
  list(LENGTH ids num_ids)
  math(EXPR num_expected "${num_rungs} + 1")
  if(NOT num_ids EQUAL num_expected)
    message(FATAL_ERROR "${file}: ${num_rungs} rungs and the lab, but ${num_ids} lines of the form id = \"...\"")
  elseif(NOT slug)
    message(FATAL_ERROR "${file}: no line of the form slug = \"...\"")
  elseif(NOT calls)
    message(FATAL_ERROR "${file}: no calls = [\"...\"]: list the functions that the rungs define")
  endif()
  list(TRANSFORM ids REPLACE "\nid = \"([^\"]*)\"" "\\1")
  list(TRANSFORM slug REPLACE "\nslug = \"([^\"]*)\"" "\\1")
  list(TRANSFORM calls REPLACE "\"" "")
  list(POP_FRONT ids id)
  set(${prefix}_ID ${id} PARENT_SCOPE)
  set(${prefix}_SLUG ${slug} PARENT_SCOPE)
  set(${prefix}_RUNGS ${ids} PARENT_SCOPE)
  set(${prefix}_CALLS ${calls} PARENT_SCOPE)
endfunction()
