#include "sim/base/counting.hpp"

namespace pimdse::sim {

std::int64_t whole_part(double value) {
    auto const whole = exact_whole(std::trunc(value));
    if (!whole)
        throw InputError("a computed count of {:.3g} is out of range (counts must be below 2^63). Smaller numbers?",
                         value);
    return *whole;
}

}  // namespace pimdse::sim
