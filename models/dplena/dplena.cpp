#include "models/dplena/dplena.hpp"

namespace pimdse::models::dplena {
Architecture architecture() { return {}; }
}  // namespace pimdse::models::dplena
