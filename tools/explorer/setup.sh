# Sourced by tools/explorer/build and tools/check --explorer: installs what a WebAssembly build needs besides tools/setup.sh's packages; builds the page.
. tools/setup.sh

explorer_clang=22  # also in cmake/wasm.cmake
explorer_wheel='ziglang==0.17.1 --hash=sha256:ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54'
explorer_llvm=build-wasm/llvm

explorer_page=build-wasm/explorer.html

# Installs Debian's clang and WASI libraries. Debian's libc++abi has no exceptions: LLVM's sources for them come from ziglang's wheel.
explorer_install() {
  local v=$explorer_clang
  command -v node >/dev/null || set -- nodejs "$@"
  command -v npm >/dev/null || set -- npm "$@"
  python3 -m pip --version >/dev/null 2>&1 || set -- python3-pip "$@"
  slope_install "clang-$v" "lld-$v" "libc++-$v-dev-wasm32" "libc++abi-$v-dev-wasm32" "libclang-rt-$v-dev-wasm32" wasi-libc unzip "$@"
  [ -e $explorer_llvm/libunwind/src/Unwind-wasm.c ] && return
  say "fetching LLVM's sources for exceptions"
  local fetched=build-wasm/fetched
  mkdir -p $fetched $explorer_llvm
  echo "$explorer_wheel" >$fetched/requirements.txt
  python3 -m pip download -q --disable-pip-version-check --no-deps --require-hashes -r $fetched/requirements.txt -d $fetched ||
    fail "pip could not fetch ${explorer_wheel%% *}"
  unzip -q -o $fetched/ziglang-*.whl 'ziglang/lib/libcxxabi/*' 'ziglang/lib/libcxx/src/include/*' 'ziglang/lib/libunwind/*' -d $fetched
  cp -r $fetched/ziglang/lib/. $explorer_llvm
  rm -r $fetched
}

# Installs the page's libraries, as its lock file names them, outside the source tree, where tests read all files. Node 20 is one of them: Debian 12's
# is too old for the browser's driver, and Node 22 crashes in the tests of core and nn. Debian's Node runs only npm, or everything where the lock file has none for the processor.
explorer_libraries() {
  local at=build-wasm/page newer
  mkdir -p $at
  if ! cmp -s tools/explorer/page/package-lock.json $at/installed.json; then
    cp tools/explorer/page/package.json tools/explorer/page/package-lock.json $at
    (cd $at && npm ci --silent --no-audit --no-fund) || fail "npm could not install the page's libraries"
    cp tools/explorer/page/package-lock.json $at/installed.json
  fi
  for newer in "$PWD/$at"/node_modules/node-linux-*/bin; do
    [ -x "$newer/node" ] && PATH=$newer:$PATH
  done
  return 0
}

# Builds the page: one HTML file with the WebAssembly module inside.
explorer_build_page() {
  explorer_libraries
  slope_build wasm explorer
  build-wasm/page/node_modules/.bin/wasm-opt -O3 --enable-exception-handling --enable-simd --enable-bulk-memory --enable-sign-ext --enable-nontrapping-float-to-int \
    --enable-mutable-globals --enable-multivalue --enable-reference-types build-wasm/explorer.wasm -o build-wasm/explorer.optimised.wasm
  node tools/explorer/page/build.mjs build-wasm/page build-wasm/explorer.optimised.wasm $explorer_page
}
