#include <dlfcn.h>
#include <pthread.h>
#include <spawn.h>
#include <atomic>
#include <cerrno>
#include <cstdlib>

/// Loaded before the C library: a host that allows a process THREADS_ALLOWED threads and CHILDREN_ALLOWED children.
namespace {

bool refused(std::atomic<int>& used, char const* variable) {
    char const* const allowed = std::getenv(variable);
    return allowed != nullptr && ++used > std::atoi(allowed);
}

std::atomic<int> threads{0};
std::atomic<int> children{0};

}  // namespace

extern "C" {

int pthread_create(pthread_t* thread, pthread_attr_t const* attributes, void* (*run)(void*), void* argument) {
    if (refused(threads, "THREADS_ALLOWED")) return EAGAIN;
    return reinterpret_cast<decltype(&pthread_create)>(::dlsym(RTLD_NEXT, "pthread_create"))(thread, attributes, run,
                                                                                             argument);
}

int posix_spawn(pid_t* process, char const* path, posix_spawn_file_actions_t const* files,
                posix_spawnattr_t const* attributes, char* const* words, char* const* environment) {
    if (refused(children, "CHILDREN_ALLOWED")) return EAGAIN;
    return reinterpret_cast<decltype(&posix_spawn)>(::dlsym(RTLD_NEXT, "posix_spawn"))(process, path, files, attributes,
                                                                                       words, environment);
}
}
