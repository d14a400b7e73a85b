# Compiler settings shared by every target, and the include farm: <build>/include/slope/<folder> links to the source folders, so that
# <slope/core/tensor/tensor.h> is the include path both in the tree and after installation.
set(SLOPE_INCLUDE_FARM "${PROJECT_BINARY_DIR}/include")
file(MAKE_DIRECTORY "${SLOPE_INCLUDE_FARM}/slope")
foreach(folder core autograd nn optim models tools tests)
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${folder}" "${SLOPE_INCLUDE_FARM}/slope/${folder}" SYMBOLIC)
endforeach()

if(PROJECT_IS_TOP_LEVEL)
  find_program(SLOPE_CCACHE ccache)
  if(SLOPE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # ccache requires this sloppiness for precompiled headers. CCACHE_DEPEND compares headers as they are written, not after preprocessing:
    # otherwise, if only a comment of a header changed, ccache would return the old precompiled header, and #pragma once would take the old
    # and the new header for different files. The namespace keeps out results that were stored without CCACHE_DEPEND.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime CCACHE_DEPEND=1
        CCACHE_NAMESPACE=slope "${SLOPE_CCACHE}")
  endif()
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
endif()

# -ffp-contract=off: a loop's vector body and its scalar tail must round alike (docs/design.md: bits depend on values, never on positions).
# -fno-math-errno -fno-trapping-math: nothing reads errno or floating-point traps; the flags enable vectorisation.
function(slope_compile target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-missing-field-initializers -ffp-contract=off -fno-math-errno
                                           -fno-trapping-math "$<$<CONFIG:Release>:-O2;-ffunction-sections>"
                                           $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>)
  target_compile_definitions(
    ${target} PUBLIC $<$<BOOL:${SLOPE_PLAIN}>:SLOPE_PLAIN> PRIVATE $<$<BOOL:${SLOPE_BLAS}>:SLOPE_BLAS> $<$<BOOL:${SLOPE_OPENMP}>:SLOPE_OPENMP>)
  if(SLOPE_SANITIZE)
    # These checks are left out: they take a third of the compile time. AddressSanitizer stops at every access through a bad pointer, null included; unaligned access works on x86, and the vector kernels use it.
    set(without pointer-overflow,null,nonnull-attribute,returns-nonnull-attribute,vptr,object-size,alignment)
    target_compile_options(${target} PUBLIC -fsanitize=${SLOPE_SANITIZE} -fno-sanitize=${without} -fno-omit-frame-pointer -fno-sanitize-recover=all
                           $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>  # false alarms of GCC, with sanitizers
                           # accesses are checked by calls, which compiles faster than inline checks; but see slope_kernels
                           $<$<CXX_COMPILER_ID:GNU>:--param=asan-instrumentation-with-call-threshold=0>)
    target_link_options(${target} PUBLIC -fsanitize=${SLOPE_SANITIZE})
    target_compile_definitions(${target} PRIVATE SLOPE_SANITIZED)
  endif()
endfunction()

# Most files spend a third of their compile time on headers that all of them include: those are precompiled. Sources still include what
# they use: with SLOPE_PRECOMPILE=STANDARD, in the preset plain, the headers of others alone are precompiled, so that a missing include of
# one of slope's fails there; the preset debug precompiles nothing.
#   slope_precompile(target [<header>…])      further headers to precompile; other targets may REUSE_FROM this one
function(slope_precompile target)
  set(headers <algorithm> <cmath> <functional> <map> <memory> <string> <vector>)
  if(SLOPE_PRECOMPILE STREQUAL STANDARD)
    list(APPEND headers <fmt/format.h>)
  else()
    list(PREPEND headers <slope/autograd/ops.h>)
  endif()
  if(SLOPE_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${ARGN} ${headers})
  endif()
endfunction()

# Most of a file's compile time goes into what its neighbours use too (fmt, std::vector, lambdas of the same loops): up to eight files of a
# folder are compiled as one, which takes half the time. Their unnamed namespaces become one: names in them must differ within a folder.
#   slope_unite(target [<folder or file to leave out>…])      paths relative to the project
function(slope_unite target)
  if(SLOPE_UNITY)
    get_target_property(files ${target} SOURCES)
    foreach(file IN LISTS files)
      cmake_path(GET file PARENT_PATH folder)
      cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
      cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE name)
      if(NOT folder IN_LIST ARGN AND NOT name IN_LIST ARGN)
        math(EXPR count_${folder} "0${count_${folder}} + 1")
        math(EXPR part "${count_${folder}} / 8")
        string(MAKE_C_IDENTIFIER "${folder}_${part}" group)
        set_source_files_properties("${file}" PROPERTIES UNITY_GROUP ${group})
      endif()
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    # GCC warns of an unnamed namespace in an included file, as if the file were a header
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()
