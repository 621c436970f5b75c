/*
 * Stands between a program and the C library, for files below one directory. What it does is said by
 * a small file that both sides map: which call to fail and how, and how far the wall clock is off.
 * With a log it writes down every call that changes something, with its data, in the order they ended.
 *
 *   SHIM_ROOT     the directory
 *   SHIM_CONTROL  the file of numbers below
 *   SHIM_LOG      where to write the calls down; none without it
 *   SHIM_UNWATCHED  set: there are no watches left on this machine
 *   SHIM_FILE_SYSTEM  the number of the file system that everything seems to be on
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/vfs.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct control {
  volatile int64_t clock;   /* milliseconds that the wall clock is ahead */
  volatile int64_t nth;     /* the matching call to fail, from 1; 0 for none */
  volatile int64_t error;   /* errno; 0: only half of a write is written; -1: the process is killed */
  volatile int64_t lasting; /* every later one fails as well */
  volatile int64_t mask;    /* which calls match */
  volatile int64_t seen;    /* matching calls so far */
  volatile int64_t hits;    /* calls that failed for it */
};

enum {
  OPEN_WRITE = 1, WRITE = 2, SYNC = 4, TRUNCATE = 8, RENAME = 16,
  UNLINK = 32, MKDIR = 64, CLOSE = 128, READ = 256, CHMOD = 512, OPEN_READ = 1024,
};

#define MOST_HANDLES 4096
static char *paths[MOST_HANDLES];
static struct control none;
static struct control *control = &none;
static char root[4096];
static size_t root_length;
static int log_handle = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(result, name, ...)                                     \
  static result (*real)(__VA_ARGS__);                               \
  if (!real) real = (result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static int real_open(const char *path, int flags, mode_t mode) {
  REAL(int, "open64", const char *, int, ...);
  return real(path, flags, mode);
}

static ssize_t real_write(int handle, const void *data, size_t size) {
  REAL(ssize_t, "write", int, const void *, size_t);
  return real(handle, data, size);
}

__attribute__((constructor)) static void begin(void) {
  const char *where = getenv("SHIM_ROOT");
  const char *numbers = getenv("SHIM_CONTROL");
  const char *log = getenv("SHIM_LOG");
  if (where) root_length = snprintf(root, sizeof root, "%s", where);
  if (numbers) {
    int handle = real_open(numbers, O_RDWR, 0);
    if (handle >= 0) {
      void *map = mmap(NULL, sizeof none, PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0);
      if (map != MAP_FAILED) control = map;
      close(handle);
    }
  }
  if (log) log_handle = real_open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

static const char *below(const char *path) {
  if (!root_length || !path || strncmp(path, root, root_length) != 0) return NULL;
  if (path[root_length] == '/') return path + root_length + 1;
  return path[root_length] == 0 ? "" : NULL;
}

static const char *of_handle(int handle) {
  return handle >= 0 && handle < MOST_HANDLES ? paths[handle] : NULL;
}

static void remember(int handle, const char *name) {
  if (handle < 0 || handle >= MOST_HANDLES) return;
  free(paths[handle]);
  paths[handle] = name ? strdup(name) : NULL;
}

/* Whether this call is to fail; errno is set. */
static int fails(int kind) {
  int64_t now;
  if (!control->nth || !(control->mask & kind)) return 0;
  now = __atomic_add_fetch(&control->seen, 1, __ATOMIC_SEQ_CST);
  if (now != control->nth && !(control->lasting && now > control->nth)) return 0;
  __atomic_add_fetch(&control->hits, 1, __ATOMIC_SEQ_CST);
  if (control->error == -1) raise(SIGKILL);
  errno = (int)control->error;
  return 1;
}

static void note(const char *what, const char *name, const char *other, ino_t inode,
                 int64_t offset, const void *data, size_t size) {
  char head[9000];
  int length, kept = errno;
  char *whole;
  if (log_handle < 0) return;
  length = snprintf(head, sizeof head, "%s\t%s\t%s\t%llu\t%lld\t%zu\n", what, name, other,
                    (unsigned long long)inode, (long long)offset, size);
  whole = malloc(length + size + 1);
  memcpy(whole, head, length);
  if (size) memcpy(whole + length, data, size);
  whole[length + size] = '\n';
  real_write(log_handle, whole, length + size + 1);
  free(whole);
  errno = kept;
}

static ino_t inode_of(int handle) {
  struct stat stats;
  return fstat(handle, &stats) == 0 ? stats.st_ino : 0;
}

#define ENTER() if (log_handle >= 0) pthread_mutex_lock(&lock)
#define LEAVE() if (log_handle >= 0) pthread_mutex_unlock(&lock)

static int opened(const char *path, int flags, mode_t mode) {
  const char *name = below(path);
  int writes = (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) != 0;
  int handle, was_there;
  if (!name) {
    handle = real_open(path, flags, mode);
    remember(handle, NULL);
    return handle;
  }
  if (fails(writes ? OPEN_WRITE : OPEN_READ)) return -1;
  ENTER();
  was_there = access(path, F_OK) == 0;
  handle = real_open(path, flags, mode);
  remember(handle, name);
  if (handle >= 0 && !was_there) note("create", name, "", inode_of(handle), 0, NULL, 0);
  if (handle >= 0 && was_there && (flags & O_TRUNC)) note("truncate", name, "", inode_of(handle), 0, NULL, 0);
  LEAVE();
  return handle;
}

static mode_t mode_of(int flags, va_list rest) {
  return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
}

#define OPENER(name)                                    \
  int name(const char *path, int flags, ...) {          \
    va_list rest;                                       \
    mode_t mode;                                        \
    va_start(rest, flags);                              \
    mode = mode_of(flags, rest);                        \
    va_end(rest);                                       \
    return opened(path, flags, mode);                   \
  }
OPENER(open)
OPENER(open64)

int close(int handle) {
  REAL(int, "close", int);
  const char *name = of_handle(handle);
  int fail = name && fails(CLOSE), error = errno, result;
  remember(handle, NULL);
  result = real(handle);
  if (!fail) return result;
  errno = error;
  return -1;
}

/* How much of a write goes through: all of it, the half of it, or an error. */
static ssize_t allowed(const char *name, size_t size) {
  if (!name || !fails(WRITE)) return (ssize_t)size;
  if (errno) return -1;
  return size > 1 ? (ssize_t)(size / 2) : (ssize_t)size;
}

static void wrote(int handle, const char *name, ssize_t size, int64_t offset, const void *data) {
  if (size > 0) note("write", name, "", inode_of(handle), offset, data, size);
}

ssize_t write(int handle, const void *data, size_t size) {
  const char *name = of_handle(handle);
  ssize_t part = allowed(name, size), result;
  if (part < 0) return -1;
  if (!name && handle == 1 && log_handle >= 0) {
    ENTER();
    result = real_write(handle, data, size);
    if (result > 0) note("say", "", "", 0, 0, data, result);
    LEAVE();
    return result;
  }
  if (!name) return real_write(handle, data, size);
  ENTER();
  result = real_write(handle, data, part);
  if (result > 0) wrote(handle, name, result, lseek(handle, 0, SEEK_CUR) - result, data);
  LEAVE();
  return result;
}

#define PWRITER(called, offset_type)                                            \
  ssize_t called(int handle, const void *data, size_t size, offset_type place) { \
    REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);              \
    const char *name = of_handle(handle);                                       \
    ssize_t part = allowed(name, size), result;                                 \
    if (part < 0) return -1;                                                    \
    if (!name) return real(handle, data, size, place);                          \
    ENTER();                                                                    \
    result = real(handle, data, part, place);                                   \
    wrote(handle, name, result, place, data);                                   \
    LEAVE();                                                                    \
    return result;                                                              \
  }
PWRITER(pwrite, off_t)
PWRITER(pwrite64, off64_t)

/* Only what is below the root is taken apart; one part after the other. */
ssize_t writev(int handle, const struct iovec *parts, int count) {
  REAL(ssize_t, "writev", int, const struct iovec *, int);
  ssize_t total = 0;
  if (!of_handle(handle) && !(handle == 1 && log_handle >= 0)) return real(handle, parts, count);
  for (int n = 0; n < count; n++) {
    ssize_t result = write(handle, parts[n].iov_base, parts[n].iov_len);
    if (result < 0) return total ? total : -1;
    total += result;
    if ((size_t)result < parts[n].iov_len) break;
  }
  return total;
}

#define READER(called, real_name, result_type, declared, passed, types)  \
  result_type called declared {                                          \
    static result_type (*real) types;                                    \
    if (!real) real = (result_type (*) types)dlsym(RTLD_NEXT, real_name); \
    if (of_handle(handle) && fails(READ)) return -1;                     \
    return real passed;                                                  \
  }
READER(read, "read", ssize_t, (int handle, void *data, size_t size), (handle, data, size), (int, void *, size_t))
READER(pread, "pread64", ssize_t, (int handle, void *data, size_t size, off_t place), (handle, data, size, place), (int, void *, size_t, off64_t))
READER(pread64, "pread64", ssize_t, (int handle, void *data, size_t size, off64_t place), (handle, data, size, place), (int, void *, size_t, off64_t))

#define SYNCER(called)                                                        \
  int called(int handle) {                                                    \
    REAL(int, #called, int);                                                  \
    const char *name = of_handle(handle);                                     \
    int result;                                                               \
    if (!name) return real(handle);                                           \
    if (fails(SYNC)) {                                                        \
      note("unsynced", name, "", inode_of(handle), 0, NULL, 0);               \
      return -1;                                                              \
    }                                                                         \
    ENTER();                                                                  \
    result = real(handle);                                                    \
    if (result == 0) note("sync", name, "", inode_of(handle), 0, NULL, 0);    \
    LEAVE();                                                                  \
    return result;                                                            \
  }
SYNCER(fsync)
SYNCER(fdatasync)

#define TRUNCATER(called, offset_type)                                                  \
  int called(int handle, offset_type size) {                                            \
    REAL(int, "ftruncate64", int, off64_t);                                             \
    const char *name = of_handle(handle);                                               \
    int result;                                                                         \
    if (!name) return real(handle, size);                                               \
    if (fails(TRUNCATE)) return -1;                                                     \
    ENTER();                                                                            \
    result = real(handle, size);                                                        \
    if (result == 0) note("truncate", name, "", inode_of(handle), size, NULL, 0);       \
    LEAVE();                                                                            \
    return result;                                                                      \
  }
TRUNCATER(ftruncate, off_t)
TRUNCATER(ftruncate64, off64_t)

#define NAMER(called, word)                                      \
  int called(const char *from, const char *to) {                 \
    REAL(int, #called, const char *, const char *);              \
    const char *old = below(from), *name = below(to);            \
    int result;                                                  \
    if (!old || !name) return real(from, to);                    \
    if (fails(RENAME)) return -1;                                \
    ENTER();                                                     \
    result = real(from, to);                                     \
    if (result == 0) note(word, old, name, 0, 0, NULL, 0);       \
    LEAVE();                                                     \
    return result;                                               \
  }
NAMER(rename, "rename")
NAMER(link, "link")

#define REMOVER(called, word)                               \
  int called(const char *path) {                            \
    REAL(int, #called, const char *);                       \
    const char *name = below(path);                         \
    int result;                                             \
    if (!name) return real(path);                           \
    if (fails(UNLINK)) return -1;                           \
    ENTER();                                                \
    result = real(path);                                    \
    if (result == 0) note(word, name, "", 0, 0, NULL, 0);   \
    LEAVE();                                                \
    return result;                                          \
  }
REMOVER(unlink, "unlink")
REMOVER(rmdir, "rmdir")

int mkdir(const char *path, mode_t mode) {
  REAL(int, "mkdir", const char *, mode_t);
  const char *name = below(path);
  struct stat stats;
  int result;
  if (!name) return real(path, mode);
  if (fails(MKDIR)) return -1;
  ENTER();
  result = real(path, mode);
  if (result == 0 && stat(path, &stats) == 0) note("mkdir", name, "", stats.st_ino, 0, NULL, 0);
  LEAVE();
  return result;
}

int fchmod(int handle, mode_t mode) {
  REAL(int, "fchmod", int, mode_t);
  if (of_handle(handle) && fails(CHMOD)) return -1;
  return real(handle, mode);
}

int inotify_add_watch(int handle, const char *path, uint32_t mask) {
  REAL(int, "inotify_add_watch", int, const char *, uint32_t);
  if (!getenv("SHIM_UNWATCHED")) return real(handle, path, mask);
  errno = ENOSPC;
  return -1;
}

#define FILE_SYSTEM(called, stats_type)                                   \
  int called(const char *path, stats_type *stats) {                       \
    REAL(int, #called, const char *, stats_type *);                       \
    const char *number = getenv("SHIM_FILE_SYSTEM");                      \
    int result = real(path, stats);                                       \
    if (result == 0 && number) stats->f_type = strtoll(number, NULL, 10); \
    return result;                                                        \
  }
FILE_SYSTEM(statfs, struct statfs)
FILE_SYSTEM(statfs64, struct statfs64)

int clock_gettime(clockid_t which, struct timespec *time) {
  REAL(int, "clock_gettime", clockid_t, struct timespec *);
  int result = real(which, time);
  if (result == 0 && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE)) {
    int64_t whole = (int64_t)time->tv_sec * 1000000000 + time->tv_nsec + control->clock * 1000000;
    time->tv_sec = whole / 1000000000;
    time->tv_nsec = whole % 1000000000;
  }
  return result;
}

int gettimeofday(struct timeval *time, void *zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}
