#pragma once

#include <exception>

namespace pimdse::sim {

/// True if the host refused memory, a thread, a process or a descriptor. A point is never to blame for that, so nothing
/// may store it as a result; `main` prints one sentence and exits with 7.
[[nodiscard]] bool refused_by_host(std::exception const& error);

}  // namespace pimdse::sim
