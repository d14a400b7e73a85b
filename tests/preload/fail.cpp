// Loaded into a program with LD_PRELOAD, makes calls fail that a system may refuse:
//   FAIL_MALLOC=n        the n-th allocation of memory, from 1
//   FAIL_MANY=k          and those after it, k in all
//   FAIL_THREADS=n       the start of a thread while n others run, as under a limit on processes
//   FAIL_COUNT=FILE      the number of allocations, written there at the end
//   FAIL_CHAINS=FILE     the numbers of those that are the first of their chain of callers
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <new>

extern "C" {

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

static long allocations;  // so far

static long number(const char* variable) {
  const char* text = getenv(variable);
  return text ? atol(text) : 0;
}

static int chains = -1;  // the file, while they are written

[[gnu::constructor]] static void open_chains() {
  void* frame;
  backtrace(&frame, 1);  // loads what it needs
  if (const char* file = getenv("FAIL_CHAINS"))
    chains = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
}

// Writes n if no earlier allocation had the same callers.
static void note_chain(long n) {
  static bool seen[1 << 24];
  [[gnu::tls_model("initial-exec")]] static thread_local bool inside;
  if (chains < 0 || inside) return;
  inside = true;
  void* frames[64];
  unsigned long hash = 0;
  for (int i = backtrace(frames, 64); i-- > 0;)
    hash = (hash + reinterpret_cast<unsigned long>(frames[i])) * 0x9E3779B97F4A7C15;
  bool& known = seen[hash >> 40];
  if (!known) dprintf(chains, "%ld\n", n);
  known = true;
  inside = false;
}

static bool fails() {
  static long n = -1, many = 1;
  if (n < 0 && environ) {
    n = number("FAIL_MALLOC");
    if (getenv("FAIL_MANY")) many = number("FAIL_MANY");
  }
  const long made = __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
  note_chain(made);
  const bool failing = n > 0 && made >= n && made < n + many;
  if (failing) errno = ENOMEM;
  return failing;
}

void* malloc(size_t bytes) { return fails() ? nullptr : __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) { return fails() ? nullptr : __libc_calloc(count, bytes); }
void* realloc(void* block, size_t bytes) {
  return fails() ? nullptr : __libc_realloc(block, bytes);
}
void* memalign(size_t line, size_t bytes) {
  return fails() ? nullptr : __libc_memalign(line, bytes);
}
void* aligned_alloc(size_t line, size_t bytes) { return memalign(line, bytes); }
int posix_memalign(void** block, size_t line, size_t bytes) {
  *block = memalign(line, bytes);
  return *block ? 0 : ENOMEM;
}

static long running;  // threads other than the first

struct Start {
  void* (*run)(void*);
  void* argument;
};

static void* run_counted(void* start) {
  const Start s = *static_cast<Start*>(start);
  free(start);
  void* result = s.run(s.argument);
  __atomic_sub_fetch(&running, 1, __ATOMIC_RELAXED);
  return result;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument) {
  static const auto create =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  static const char* limit = getenv("FAIL_THREADS");
  int error = EAGAIN;
  if (__atomic_add_fetch(&running, 1, __ATOMIC_RELAXED) <= (limit ? atol(limit) : 1L << 30))
    error = create(thread, attributes, run_counted,
                   new (__libc_malloc(sizeof(Start))) Start{run, argument});
  if (error) __atomic_sub_fetch(&running, 1, __ATOMIC_RELAXED);
  return error;
}

[[gnu::destructor]] static void write_count() {
  const char* file = getenv("FAIL_COUNT");
  const int fd = file ? open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
  if (fd >= 0) dprintf(fd, "%ld\n", allocations);
}
}
