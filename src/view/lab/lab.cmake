# The target `lab`: laboratory.html, one file with the engine, the page and its examples.
#
# The engine is built by emscripten (Debian's package of that name) in a build folder of its own, from the same CMakeLists.txt with
# LITMUS_LAB, which takes several minutes of one core. Without emscripten the target is not there, and `litmus report --lab` says so.
find_program(emcmake emcmake)
find_program(node node)
if(NOT emcmake OR NOT node)
  message(STATUS "emscripten is not here: the laboratory is left out")
  return()
endif()

if(NOT CMAKE_BUILD_TYPE STREQUAL Release)
  return()  # it would be the same as that of the default preset: one is enough
endif()

set(lab_build ${PROJECT_BINARY_DIR}/lab)
# Debian's emscripten looks for its parser of JavaScript where Debian's own node does; other builds of node have to be told.
set(in_lab ${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs)
add_custom_command(
  OUTPUT ${lab_build}/build.ninja
  COMMAND ${in_lab} ${emcmake} ${CMAKE_COMMAND} -G Ninja -S ${PROJECT_SOURCE_DIR} -B ${lab_build} -DLITMUS_LAB=ON
          -DCMAKE_UNITY_BUILD_BATCH_SIZE=${CMAKE_UNITY_BUILD_BATCH_SIZE}
  VERBATIM)
add_custom_target(lab_engine
  COMMAND ${in_lab} ${CMAKE_COMMAND} --build ${lab_build}
  DEPENDS ${lab_build}/build.ninja
  BYPRODUCTS ${lab_build}/litmus-lab.js ${lab_build}/litmus-lab.wasm
  USES_TERMINAL VERBATIM)

set(laboratory ${PROJECT_BINARY_DIR}/laboratory.html)
file(GLOB lab_page CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/view/lab/lab.* ${PROJECT_SOURCE_DIR}/src/view/lab/*.js ${PROJECT_SOURCE_DIR}/src/view/lab/*.mjs
  ${PROJECT_SOURCE_DIR}/src/view/lab/examples.txt ${PROJECT_SOURCE_DIR}/litmus/lessons/*)
add_custom_command(
  OUTPUT ${laboratory}
  COMMAND ${node} ${PROJECT_SOURCE_DIR}/src/view/lab/assemble.mjs ${laboratory} ${PROJECT_SOURCE_DIR} ${lab_build}
  DEPENDS ${lab_page} ${PROJECT_SOURCE_DIR}/src/view/page/style.css ${PROJECT_SOURCE_DIR}/src/view/page/litmus.tmLanguage.json ${PROJECT_SOURCE_DIR}/src/view/page/scopes.json
    ${lab_build}/litmus-lab.js ${lab_build}/litmus-lab.wasm
  VERBATIM)
add_custom_target(lab ALL DEPENDS ${laboratory})
add_dependencies(lab lab_engine)
