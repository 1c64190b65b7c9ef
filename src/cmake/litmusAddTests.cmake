# litmus tests as tests of CTest.
#
#   find_package(litmus REQUIRED COMPONENTS tool)  # or include() this file
#   litmus_add_tests(DIR... [PREFIX name] [OPTIONS option...] [BASELINE file])
#
# Each .litmus and .test file below the directories becomes one test, named by its path behind PREFIX (default: litmus/), that
# passes when `litmus check` says that every claim in it holds: a claim that was not decided fails. OPTIONS go to litmus, such as
# `--model ptx-7.5` or `--timeout 60`. With BASELINE there is one test for all of them: it passes when `litmus regress` finds
# nothing changed. A file that is added or removed is noticed when the build is run.
#
# The executable is the target litmus::tool or litmus, where there is one, else what LITMUS_EXECUTABLE names, else found on the path.

function(litmus_add_tests)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "PREFIX;BASELINE" "OPTIONS")
  if(NOT arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "litmus_add_tests: name a directory of tests")
  endif()
  if(NOT DEFINED arg_PREFIX)
    set(arg_PREFIX "litmus/")
  endif()
  if(TARGET litmus::tool)
    set(executable litmus::tool)
  elseif(TARGET litmus)
    set(executable litmus)
  else()
    find_program(LITMUS_EXECUTABLE litmus REQUIRED)
    set(executable ${LITMUS_EXECUTABLE})
  endif()

  set(folders "")
  foreach(folder ${arg_UNPARSED_ARGUMENTS})
    get_filename_component(folder ${folder} ABSOLUTE)
    if(NOT IS_DIRECTORY ${folder})
      message(FATAL_ERROR "litmus_add_tests: there is no directory ${folder}")
    endif()
    list(APPEND folders ${folder})
  endforeach()

  if(DEFINED arg_BASELINE)
    get_filename_component(baseline ${arg_BASELINE} ABSOLUTE)
    add_test(NAME ${arg_PREFIX}regress COMMAND ${executable} regress ${folders} --baseline ${baseline} ${arg_OPTIONS})
    return()
  endif()
  foreach(folder ${folders})
    file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*.litmus ${folder}/*.test)
    foreach(file ${files})
      string(REGEX REPLACE "\\.[^./]*$" "" name ${file})
      add_test(NAME ${arg_PREFIX}${name} COMMAND ${executable} check ${folder}/${file} ${arg_OPTIONS})
    endforeach()
  endforeach()
endfunction()
