// What the command sets up in its process before it starts.
#pragma once

namespace slope::tools {

// Opens /dev/null as each of the file descriptors 0, 1 and 2 that is closed. Otherwise the next
// file opened would get that number, and output would go into it.
void occupy_standard_descriptors();

// Some libraries read settings from the environment while they are loaded, before main(). So
// process.cpp replaces the C library's getenv with one that gives these two variables a value where
// the user has not set them:
//   GOMP_SPINCOUNT=10000    By default libgomp's threads spin for milliseconds between parallel
//                           loops, which is expensive on shared cores; 10000 spins take about 20
//                           µs. Left alone if OMP_WAIT_POLICY is set.
//   OPENBLAS_NUM_THREADS=1  Otherwise OpenBLAS starts threads that slope does not use. If address
//                           space is limited (ulimit -v), creating them fails halfway, and exit
//                           hangs.

// A destructor may allocate (those of JSON values do), and the process ends if that fails. So when
// `new` finds no memory, a reserve of 512 KB is released piece by piece and `new` tries again. If
// that is enough, execution continues, and the command reports at its end that memory ran out;
// otherwise std::bad_alloc is thrown.
void reserve_memory();
bool memory_ran_out();

// Memory can run out where no exception can be caught: in a thread that a library started
// (SentencePiece does) or in a destructor. The process then ends, with one line and exit code 4.
void report_failed_allocations_of_libraries();

}  // namespace slope::tools
