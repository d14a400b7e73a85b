// What the command sets up in its process before it starts.
#pragma once

namespace slope::tools {

// If 0, 1 or 2 are closed, the next file that is opened would get that number, and output would go
// into it.
void occupy_standard_descriptors();

// Some libraries read settings from the environment when they are loaded, before any code of slope
// runs. They call getenv, and process.cpp has one that knows defaults for what is not set:
//   GOMP_SPINCOUNT        libgomp's threads spin for milliseconds between parallel loops, which
//                         costs much on shared cores; 10000 are about 20 µs
//   OPENBLAS_NUM_THREADS  OpenBLAS starts threads that slope does not use; where addresses are
//                         limited (ulimit -v), thread creation half-fails and exit deadlocks

// Destructors may allocate (those of JSON values do), and the process ends if that fails. So the
// first allocations by `new` that fail get memory from a reserve: execution continues, and the
// command reports at its end that memory ran out. Later ones throw std::bad_alloc.
void reserve_memory();
bool memory_ran_out();

// A library's own thread that gets no memory (SentencePiece has some) ends the process, as does a
// destructor: with one line and exit code 4.
void report_failed_allocations_of_libraries();

}  // namespace slope::tools
