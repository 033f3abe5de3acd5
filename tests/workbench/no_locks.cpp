#include <dlfcn.h>
#include <fcntl.h>
#include <cerrno>
#include <cstdarg>

/// Loaded before the C library: a file system that has no locks of any sort.
extern "C" {

int flock(int, int) {
    errno = ENOSYS;
    return -1;
}

static int without_locks(char const* name, int descriptor, int command, void* argument) {
    using Function = int (*)(int, int, void*);
    if (command == F_OFD_SETLK || command == F_SETLK) {
        errno = ENOSYS;
        return -1;
    }
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name))(descriptor, command, argument);
}

int fcntl(int descriptor, int command, ...) {
    va_list list;
    va_start(list, command);
    void* const argument = va_arg(list, void*);
    va_end(list);
    return without_locks("fcntl", descriptor, command, argument);
}

int fcntl64(int descriptor, int command, ...) {
    va_list list;
    va_start(list, command);
    void* const argument = va_arg(list, void*);
    va_end(list);
    return without_locks("fcntl64", descriptor, command, argument);
}
}
