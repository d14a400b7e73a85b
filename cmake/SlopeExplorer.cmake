# The explorer (tools/explorer) in a plain build: for WebAssembly it is the module inside the page, otherwise a program that answers the same
# requests; tests compare the two. (In other builds the explorer is a part of the command, and makes pages of runs too.)
file(GLOB explorer_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/explorer/*.cpp" "${PROJECT_SOURCE_DIR}/tools/explorer/language/*.cpp"
     "${PROJECT_SOURCE_DIR}/tools/explorer/live/*.cpp" "${PROJECT_SOURCE_DIR}/tools/explorer/source/*.cpp")
list(FILTER explorer_sources EXCLUDE REGEX "/run_page\\.cpp$")
list(APPEND explorer_sources "${PROJECT_SOURCE_DIR}/models/data/two_moons.cpp" "${PROJECT_SOURCE_DIR}/models/config.cpp"
     "${PROJECT_SOURCE_DIR}/models/draw/graph_layout.cpp")
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "wasm32")
  add_executable(explorer ${explorer_sources} tools/explorer/wasm/module.cpp)
  set_target_properties(explorer PROPERTIES SUFFIX .wasm)
  target_link_options(explorer PRIVATE -mexec-model=reactor -Wl,--gc-sections,-s,--max-memory=1073741824)
else()
  add_executable(explorer ${explorer_sources} tests/explorer/ask.cpp)
endif()
slope_compile(explorer)
slope_precompile(explorer)
slope_unite(explorer tools/explorer/live)
target_link_libraries(explorer PRIVATE slope)

# Training steps to time, natively and in WebAssembly (tests/explorer/speed.mjs).
add_executable(explorer_steps EXCLUDE_FROM_ALL tests/explorer/steps.cpp models/data/two_moons.cpp models/config.cpp)
slope_compile(explorer_steps)
target_link_libraries(explorer_steps PRIVATE slope)
