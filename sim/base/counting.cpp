#include "sim/base/counting.hpp"

#include <fmt/format.h>

namespace pimdse::sim {

std::int64_t whole_part(double value) {
    auto const whole = exact_whole(std::trunc(value));
    if (!whole) throw InputError(fmt::format("a count of {:.3g} arises (counts end at 2^63). Smaller numbers?", value));
    return *whole;
}

}  // namespace pimdse::sim
