/* Loaded before the C library: a disk, below one folder, that behaves as disks sometimes do.
 *
 *   COREVAR_SHIM_UNDER   the folder, as an absolute path
 *   COREVAR_SHIM_RATE    percent of the reads of ordinary files that fail
 *   COREVAR_SHIM_SEED    decides which
 *   COREVAR_SHIM_NTH     this call alone fails, of all that read, write or sync ordinary files, counted from 0
 *   COREVAR_SHIM_COUNT   file to which the number of such calls is written in the end
 *   COREVAR_SHIM_SYNCS   file to which every sync of a folder writes a line
 *   COREVAR_SHIM_FLOCK   "none": nothing can be locked; "local": a lock of a folder is always granted, as if each process had a
 *                        machine of its own */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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

/* The path of an open file below the folder, which is of this kind (S_IFREG, S_IFDIR). */
static int is_under(int fd, mode_t kind, char *path, size_t room) {
    const char *under = getenv("COREVAR_SHIM_UNDER");
    struct stat found;
    char link[64];
    if (!under || fstat(fd, &found) != 0 || (found.st_mode & S_IFMT) != kind)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, room - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return strncmp(path, under, strlen(under)) == 0;
}

/* Whether this call fails; only reads fail at a rate. */
static int fails(int fd, int is_read) {
    char path[4096];
    if (!is_under(fd, S_IFREG, path, sizeof path))
        return 0;
    const char *nth = getenv("COREVAR_SHIM_NTH"), *rate = getenv("COREVAR_SHIM_RATE");
    if (nth)
        return __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED) == strtoull(nth, 0, 10);
    if (!rate || !is_read)
        return 0;
    const char *seed = getenv("COREVAR_SHIM_SEED");
    uint64_t n = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
    return draw(seed ? strtoull(seed, 0, 10) : 0, n) < (unsigned)atoi(rate);
}

static void append(const char *variable, const char *line) {
    const char *file = getenv(variable);
    FILE *to = file ? fopen(file, "a") : 0;
    if (to) {
        fprintf(to, "%s\n", line);
        fclose(to);
    }
}

__attribute__((destructor)) static void tell_count(void) {
    char line[32];
    snprintf(line, sizeof line, "%llu", (unsigned long long)count);
    append("COREVAR_SHIM_COUNT", line);
}

#define OR_FAIL(fd, is_read)   \
    if (fails(fd, is_read)) {  \
        errno = EIO;           \
        return -1;             \
    }

ssize_t read(int fd, void *to, size_t length) {
    static ssize_t (*real)(int, void *, size_t);
    if (!real)
        real = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
    OR_FAIL(fd, 1)
    return real(fd, to, length);
}

ssize_t readv(int fd, const struct iovec *to, int parts) {
    static ssize_t (*real)(int, const struct iovec *, int);
    if (!real)
        real = (ssize_t(*)(int, const struct iovec *, int))dlsym(RTLD_NEXT, "readv");
    OR_FAIL(fd, 1)
    return real(fd, to, parts);
}

ssize_t pread(int fd, void *to, size_t length, off_t at) {
    static ssize_t (*real)(int, void *, size_t, off_t);
    if (!real)
        real = (ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread");
    OR_FAIL(fd, 1)
    return real(fd, to, length, at);
}

ssize_t pread64(int fd, void *to, size_t length, off64_t at) {
    static ssize_t (*real)(int, void *, size_t, off64_t);
    if (!real)
        real = (ssize_t(*)(int, void *, size_t, off64_t))dlsym(RTLD_NEXT, "pread64");
    OR_FAIL(fd, 1)
    return real(fd, to, length, at);
}

ssize_t write(int fd, const void *from, size_t length) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real)
        real = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    OR_FAIL(fd, 0)
    return real(fd, from, length);
}

/* The last file that was synced: by the time its folder is synced, it has its own name. */
static char last[4096];

int fsync(int fd) {
    static int (*real)(int);
    char path[4096], line[8300];
    if (!real)
        real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    OR_FAIL(fd, 0)
    if (is_under(fd, S_IFREG, path, sizeof path)) {
        strcpy(last, path);
        append("COREVAR_SHIM_SYNCS", "file");
    } else if (is_under(fd, S_IFDIR, path, sizeof path)) {
        snprintf(line, sizeof line, "folder%s", last[0] && access(last, F_OK) == 0 ? " before the name" : "");
        append("COREVAR_SHIM_SYNCS", line);
    }
    return real(fd);
}

int flock(int fd, int operation) {
    static int (*real)(int, int);
    const char *how = getenv("COREVAR_SHIM_FLOCK");
    struct stat found;
    if (!real)
        real = (int (*)(int, int))dlsym(RTLD_NEXT, "flock");
    if (how && strcmp(how, "none") == 0) {
        errno = ENOLCK;
        return -1;
    }
    if (how && strcmp(how, "local") == 0 && fstat(fd, &found) == 0 && S_ISDIR(found.st_mode))
        return 0;
    return real(fd, operation);
}
