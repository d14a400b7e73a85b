# Tests of the conventions: what includes what, the documents' C++, programs that use slope from outside.
#   ctest -L consumer     only those that build a consumer      ctest -LE consumer     all others

# Every program that the documents show is compiled and run; conventions/snippets.py holds the documents to them.
file(GLOB programs CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/readme/*.cpp")
foreach(program IN LISTS programs)
  get_filename_component(name "${program}" NAME_WE)
  if(SLOPE_PLAIN AND name MATCHES "^(training|model)$")  # need files, and the list of models
    continue()
  endif()
  add_executable(readme_${name} "${program}")
  slope_compile(readme_${name})
  target_link_libraries(readme_${name} PRIVATE slope::slope)
  add_test(NAME readme_${name} COMMAND readme_${name})
endforeach()

find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND AND NOT CMAKE_CROSSCOMPILING)
  set(python "${Python3_EXECUTABLE}" -B)

  # The three edits that CONTRIBUTING.md shows for an elementwise operation, in copies of the edited files that stand before the tree's; the kernels
  # of one instruction set are enough.
  set(edited "${CMAKE_CURRENT_BINARY_DIR}/recipe")
  set(edited_cases "${edited}/slope/autograd/gradcheck/cases/elementwise.cpp")
  add_custom_command(
    OUTPUT "${edited_cases}"
    COMMAND ${python} "${CMAKE_CURRENT_SOURCE_DIR}/conventions/recipe.py" "${PROJECT_SOURCE_DIR}/CONTRIBUTING.md" "${PROJECT_SOURCE_DIR}" "${edited}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${edited_cases}"
    DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/conventions/recipe.py" "${PROJECT_SOURCE_DIR}/CONTRIBUTING.md" "${PROJECT_SOURCE_DIR}/autograd/ops.h"
            "${PROJECT_SOURCE_DIR}/core/kernels/elementwise/unary_rows.h" "${PROJECT_SOURCE_DIR}/autograd/gradcheck/cases/elementwise.cpp")
  add_executable(elementwise_recipe conventions/elementwise_recipe.cpp "${edited_cases}" "${PROJECT_SOURCE_DIR}/autograd/ops/registry.cpp"
                 "${PROJECT_SOURCE_DIR}/autograd/ops/elementwise/unary.cpp" "${PROJECT_SOURCE_DIR}/core/kernels/elementwise/elementwise.cpp")
  slope_compile(elementwise_recipe)
  target_compile_definitions(elementwise_recipe PRIVATE SLOPE_ISA=portable)
  target_compile_options(elementwise_recipe PRIVATE -fopenmp-simd)
  target_include_directories(elementwise_recipe BEFORE PRIVATE "${edited}")
  target_link_libraries(elementwise_recipe PRIVATE slope::slope)
  add_test(NAME elementwise_recipe COMMAND elementwise_recipe)

  add_test(NAME sizes COMMAND ${python} "${CMAKE_CURRENT_SOURCE_DIR}/conventions/sizes.py" "${PROJECT_SOURCE_DIR}")
  add_test(NAME parity COMMAND ${python} "${CMAKE_CURRENT_SOURCE_DIR}/conventions/parity.py" "${PROJECT_SOURCE_DIR}")
  add_test(NAME layers COMMAND ${python} "${CMAKE_CURRENT_SOURCE_DIR}/conventions/layers.py" "${PROJECT_SOURCE_DIR}")
  add_test(NAME snippets COMMAND ${python} "${CMAKE_CURRENT_SOURCE_DIR}/conventions/snippets.py" "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_BINARY_DIR}")
  if(NOT SLOPE_SANITIZE AND NOT SLOPE_PLAIN)  # the compiler alone is asked
    add_test(NAME wrong_modules COMMAND ${python} "${CMAKE_CURRENT_SOURCE_DIR}/conventions/wrong_modules.py" "${CMAKE_CXX_COMPILER}" "${PROJECT_BINARY_DIR}/include")
  endif()
  if(TARGET slope_command)
    add_test(NAME settings COMMAND ${python} "${CMAKE_CURRENT_SOURCE_DIR}/conventions/settings.py" $<TARGET_FILE:slope_command> "${PROJECT_SOURCE_DIR}")
    if(CMAKE_GENERATOR STREQUAL "Ninja" AND NOT SLOPE_SANITIZE)  # three mistakes, planted and noticed
      add_test(NAME mutate COMMAND ${python} "${PROJECT_SOURCE_DIR}/tools/mutate/mutate" --file autograd/ops/reduce/softmax.cpp --sample 3 --quick --again
                                   --build "${PROJECT_BINARY_DIR}" --work "${CMAKE_CURRENT_BINARY_DIR}/mutate")
    endif()
    add_test(NAME models_once COMMAND ${python} "${CMAKE_CURRENT_SOURCE_DIR}/conventions/models.py" $<TARGET_FILE:slope_command> "${PROJECT_SOURCE_DIR}")
  endif()
endif()

# The four ways to use slope from outside. A sanitizer's flags are not the consumer's affair, so those builds leave these tests out.
if(SLOPE_INSTALL AND NOT SLOPE_SANITIZE)
  foreach(how find_package add_subdirectory fetch_content pkg_config)
    if(how STREQUAL "pkg_config" AND NOT PKG_CONFIG_FOUND)
      continue()
    endif()
    add_test(NAME consumer_${how}
             COMMAND "${CMAKE_COMMAND}" -DHOW=${how} -DSLOPE_SOURCE=${PROJECT_SOURCE_DIR} -DSLOPE_BUILD=${PROJECT_BINARY_DIR} -DLIBRARY=$<TARGET_FILE:slope>
                     -DPLAIN=${SLOPE_PLAIN} -DWORK=${PROJECT_BINARY_DIR}/consumers -DCXX=${CMAKE_CXX_COMPILER} "-DLAUNCHER=$<$<BOOL:${SLOPE_CCACHE}>:${SLOPE_CCACHE}>"
                     -P "${CMAKE_CURRENT_SOURCE_DIR}/consumer/run.cmake")
    set_tests_properties(consumer_${how} PROPERTIES LABELS consumer)
  endforeach()
  if(TARGET slope_command AND Python3_FOUND)  # a model of a program outside of the tree: consumer_find_package builds it
    add_test(NAME consumer_own_model COMMAND ${python} "${CMAKE_CURRENT_SOURCE_DIR}/consumer/own_model_test.py")
    set_tests_properties(consumer_find_package PROPERTIES FIXTURES_SETUP own_model)
    set_tests_properties(consumer_own_model PROPERTIES LABELS consumer FIXTURES_REQUIRED own_model
                                                       ENVIRONMENT "SLOPE_COMMAND=${PROJECT_BINARY_DIR}/consumers/find_package/build/own_model")
  endif()
endif()
