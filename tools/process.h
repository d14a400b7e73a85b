// What the command needs of its process before it starts.
#pragma once

namespace slope::tools {

// Where 0, 1 or 2 are closed, the next file that is opened would take that number, and what is
// printed would go into it.
void occupy_standard_descriptors();

// Some libraries read settings from the environment when they are loaded. Where those are missing,
// the program starts itself once more with them, best before any constructor has run; where that
// fails, all works, only slower beside other programs.
//   GOMP_SPINCOUNT: libgomp's threads spin for milliseconds between parallel loops, which costs
//   much where cores are
//     shared.
//   OPENBLAS_NUM_THREADS: OpenBLAS makes threads that nobody here uses; where addresses are limited
//   (ulimit -v),
//     creating them half-fails and the program's end waits for them for ever.
void set_up_libraries(char** argv, char** environment);

}  // namespace slope::tools
