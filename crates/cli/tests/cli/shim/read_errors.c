/* Loaded before the C library: reads of ordinary files below a folder fail now and then.
 *
 *   COREVAR_SHIM_UNDER   the folder, as an absolute path
 *   COREVAR_SHIM_RATE    percent of the reads that fail
 *   COREVAR_SHIM_SEED    decides which
 *
 * or, instead of the last two,
 *
 *   COREVAR_SHIM_NTH     the one read that fails, counted from 0
 *   COREVAR_SHIM_HIT     a file that is made when it does */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static uint64_t count;

/* A number from 0 to 99 for the n-th read: splitmix64. */
static unsigned draw(uint64_t seed, uint64_t n) {
    uint64_t z = seed * 0x9E3779B97F4A7C15u + (n + 1) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (unsigned)((z ^ (z >> 31)) % 100);
}

static int fails(int fd) {
    const char *under = getenv("COREVAR_SHIM_UNDER");
    struct stat kind;
    char link[64], path[4096];
    if (!under || fstat(fd, &kind) != 0 || !S_ISREG(kind.st_mode))
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    if (strncmp(path, under, strlen(under)) != 0)
        return 0;
    const char *rate = getenv("COREVAR_SHIM_RATE"), *seed = getenv("COREVAR_SHIM_SEED");
    const char *nth = getenv("COREVAR_SHIM_NTH"), *hit = getenv("COREVAR_SHIM_HIT");
    uint64_t n = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
    if (nth) {
        if (n != strtoull(nth, 0, 10))
            return 0;
        if (hit)
            close(open(hit, O_CREAT | O_WRONLY, 0600));
        return 1;
    }
    return draw(seed ? strtoull(seed, 0, 10) : 0, n) < (rate ? (unsigned)atoi(rate) : 0);
}

#define OR_FAIL(fd)      \
    if (fails(fd)) {     \
        errno = EIO;     \
        return -1;       \
    }

ssize_t read(int fd, void *to, size_t length) {
    static ssize_t (*real)(int, void *, size_t);
    if (!real)
        real = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
    OR_FAIL(fd)
    return real(fd, to, length);
}

ssize_t readv(int fd, const struct iovec *to, int parts) {
    static ssize_t (*real)(int, const struct iovec *, int);
    if (!real)
        real = (ssize_t(*)(int, const struct iovec *, int))dlsym(RTLD_NEXT, "readv");
    OR_FAIL(fd)
    return real(fd, to, parts);
}

ssize_t pread(int fd, void *to, size_t length, off_t at) {
    static ssize_t (*real)(int, void *, size_t, off_t);
    if (!real)
        real = (ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread");
    OR_FAIL(fd)
    return real(fd, to, length, at);
}

ssize_t pread64(int fd, void *to, size_t length, off64_t at) {
    static ssize_t (*real)(int, void *, size_t, off64_t);
    if (!real)
        real = (ssize_t(*)(int, void *, size_t, off64_t))dlsym(RTLD_NEXT, "pread64");
    OR_FAIL(fd)
    return real(fd, to, length, at);
}
