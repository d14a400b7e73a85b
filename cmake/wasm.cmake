# Toolchain for WebAssembly: clang and the WASI libraries from Debian's packages (tools/explorer/build installs them).
# Exceptions use the older encoding, clang's default, which Node 18 can run; every browser that supports them has SIMD128 too.
set(SLOPE_CLANG 22)
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang-${SLOPE_CLANG})
set(CMAKE_CXX_COMPILER clang++-${SLOPE_CLANG})
set(CMAKE_AR ar)
set(CMAKE_RANLIB true)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

# The search path is written out: clang would append /usr/include, which holds this machine's headers.
set(target "--target=wasm32-wasi -Wno-deprecated -msimd128 -fwasm-exceptions")
set(paths "-isystem /usr/lib/llvm-${SLOPE_CLANG}/lib/clang/${SLOPE_CLANG}/include -isystem /usr/include/wasm32-wasi")
set(CMAKE_C_FLAGS_INIT "${target} -nostdinc ${paths}")
set(CMAKE_CXX_FLAGS_INIT "${target} -nostdinc -nostdinc++ -isystem /usr/include/wasm32-wasi/c++/v1 ${paths} -D_WASI_EMULATED_SIGNAL")
# --no-wasm-opt: clang would run any wasm-opt that it finds, and Debian's, which is old, fails.
set(CMAKE_EXE_LINKER_FLAGS_INIT "--no-wasm-opt -Wl,-z,stack-size=4194304 -lwasi-emulated-signal")
