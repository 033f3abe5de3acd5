#include "models/umdam/umdam.hpp"

namespace pimdse::models::umdam {
Architecture architecture() { return {}; }
}  // namespace pimdse::models::umdam
