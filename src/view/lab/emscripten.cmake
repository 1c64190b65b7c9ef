# How the engine of the laboratory is built with emscripten (LITMUS_LAB): included by the CMakeLists.txt of the project, which has the
# lists of sources. There is no Z3 for WebAssembly: the solver is src/solve/sat/cdcl.h.

# Headers of nlohmann_json alone: with all of /usr/include the headers of another C library would come first.
find_path(json_headers nlohmann/json.hpp REQUIRED PATHS /usr/include /usr/local/include NO_CMAKE_FIND_ROOT_PATH)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
file(CREATE_LINK ${json_headers}/nlohmann ${PROJECT_BINARY_DIR}/include/nlohmann SYMBOLIC)
add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
include_directories(SYSTEM ${PROJECT_BINARY_DIR}/include)

set(CMAKE_CXX_FLAGS_RELEASE "-O1")  # the linker goes on optimising: -O2 takes longer, and what it gives is no faster
add_compile_options(-fwasm-exceptions)
add_link_options(-fwasm-exceptions)

# litmus-lab.js and litmus-lab.wasm: a function that makes an instance of the engine from the bytes that it is given.
function(link_laboratory)
  add_executable(litmus-lab src/view/lab/wasm_main.cpp)
  target_link_libraries(litmus-lab PRIVATE litmus_view litmus_counting)
  target_link_options(litmus-lab PRIVATE
    -O2
    -sMODULARIZE -sEXPORT_NAME=litmusLab -sENVIRONMENT=worker
    -sINITIAL_MEMORY=64MB -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=2GB -sTOTAL_STACK=16MB
    -sFILESYSTEM=0
    -sEXPORTED_FUNCTIONS=_free
    -sEXPORTED_RUNTIME_METHODS=UTF8ToString,allocateUTF8)
endfunction()
