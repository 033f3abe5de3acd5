#include "sim/base/refusal.hpp"

#include <new>
#include <string_view>
#include <system_error>

namespace pimdse::sim {

bool refused_by_host(std::exception const& error) {
    if (dynamic_cast<std::bad_alloc const*>(&error) != nullptr) return true;
    if (dynamic_cast<std::system_error const*>(&error) != nullptr) return true;
    return std::string_view(error.what()).starts_with("pthread_");  // a thread that TBB could not start
}

}  // namespace pimdse::sim
