#include "models/upmem/upmem.hpp"

namespace pimdse::models::upmem {
Architecture architecture() { return {}; }
}  // namespace pimdse::models::upmem
