# What a build for WebAssembly (cmake/wasm.cmake) needs besides clang and its libraries:
#   fmt::fmt, doctest::doctest   headers only (with nlohmann's), in a folder without any other headers of this machine
#   slope_wasm_runtime           exceptions, which Debian's libc++abi for WASI lacks: four of LLVM's sources, from the folder SLOPE_LLVM_SOURCES
enable_language(C)
find_program(SLOPE_NODE NAMES node nodejs REQUIRED)
# During a long test Node 20 discards the code of the JavaScript that waits for it, and crashes at its end (--no-flush-bytecode prevents that);
# so does its garbage collector with several threads.
set(CMAKE_CROSSCOMPILING_EMULATOR "${SLOPE_NODE};--no-warnings;--single-threaded-gc;--no-flush-bytecode;${PROJECT_SOURCE_DIR}/tools/explorer/wasm/run.mjs")

set(headers "${PROJECT_BINARY_DIR}/headers")
find_path(SLOPE_FMT fmt/format.h PATHS /usr/include /usr/local/include NO_CMAKE_FIND_ROOT_PATH REQUIRED)
find_path(SLOPE_DOCTEST doctest/doctest.h PATHS /usr/include /usr/local/include NO_CMAKE_FIND_ROOT_PATH REQUIRED)
find_path(SLOPE_JSON nlohmann/json.hpp PATHS /usr/include /usr/local/include NO_CMAKE_FIND_ROOT_PATH REQUIRED)
file(MAKE_DIRECTORY "${headers}/doctest")
file(CREATE_LINK "${SLOPE_FMT}/fmt" "${headers}/fmt" SYMBOLIC)
file(CREATE_LINK "${SLOPE_JSON}/nlohmann" "${headers}/nlohmann" SYMBOLIC)
add_library(fmt::fmt INTERFACE IMPORTED GLOBAL)
target_include_directories(fmt::fmt SYSTEM INTERFACE "${headers}")
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
target_link_libraries(slope_kernels_portable PRIVATE fmt::fmt)

# doctest assumes that WASI has files but no exceptions; here it is the other way round, so the header is patched.
file(READ "${SLOPE_DOCTEST}/doctest/doctest.h" text)
string(REPLACE "|| defined(__wasi__)" "" text "${text}")
foreach(part "std::fstream fstr;" "fstr.open(p->out.c_str(), std::fstream::out);" "if(fstr.is_open())" "fstr.close();")
  string(REPLACE "${part}" "" text "${text}")
endforeach()
string(REPLACE "&fstr" "&std::cout" text "${text}")
file(WRITE "${headers}/doctest.tmp" "${text}")
file(COPY_FILE "${headers}/doctest.tmp" "${headers}/doctest/doctest.h" ONLY_IF_DIFFERENT)
add_library(doctest::doctest INTERFACE IMPORTED GLOBAL)
target_include_directories(doctest::doctest SYSTEM INTERFACE "${headers}")

set(SLOPE_LLVM_SOURCES "${PROJECT_BINARY_DIR}/llvm" CACHE PATH "A folder with LLVM's libcxxabi and libunwind")
set(abi "${SLOPE_LLVM_SOURCES}/libcxxabi")
set(unwind "${SLOPE_LLVM_SOURCES}/libunwind")
if(NOT EXISTS "${unwind}/src/Unwind-wasm.c")
  message(FATAL_ERROR "wasm: ${SLOPE_LLVM_SOURCES} lacks libcxxabi and libunwind; tools/explorer/build fetches them")
endif()
set(of_abi "${abi}/src/cxa_exception.cpp" "${abi}/src/cxa_exception_storage.cpp" "${abi}/src/cxa_personality.cpp")
add_library(slope_wasm_runtime OBJECT ${of_abi} "${unwind}/src/Unwind-wasm.c" "${PROJECT_SOURCE_DIR}/tools/explorer/wasm/runtime.cpp")
target_include_directories(slope_wasm_runtime PRIVATE "${abi}/include" "${abi}/src" "${SLOPE_LLVM_SOURCES}/libcxx/src" "${unwind}/include" "${unwind}/src")
target_compile_options(slope_wasm_runtime PRIVATE -w $<$<COMPILE_LANGUAGE:CXX>:-std=c++20>)
target_compile_definitions(
  slope_wasm_runtime PRIVATE _LIBCXXABI_BUILDING_LIBRARY LIBCXX_BUILDING_LIBCXXABI _LIBCPP_BUILDING_LIBRARY _LIBCXXABI_HAS_NO_THREADS
                             HAVE___CXA_THREAD_ATEXIT_IMPL=0 __WASM_EXCEPTIONS__ _LIBUNWIND_HIDE_SYMBOLS _LIBUNWIND_HAS_NO_THREADS _LIBUNWIND_IS_NATIVE_ONLY)
