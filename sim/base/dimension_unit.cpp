#include "sim/base/dimension_unit.hpp"

#include <fmt/format.h>

namespace pimdse::sim {

std::string unit_of(Dimension dimension) {
    if (dimension == Dimension{.second = -1}) return "Hz or 1/s";
    if (dimension == Dimension{.second = -1, .joule = 1}) return "W";
    if (dimension == Dimension{.metre = 2}) return "mm2";
    std::string above, below;
    auto const add = [&](int power, std::string_view unit) {
        for (int i = 0; i < power; ++i) above += fmt::format("{}{}", above.empty() ? "" : "*", unit);
        for (int i = 0; i > power; --i) below += fmt::format("/{}", unit);
    };
    add(dimension.operation, "FLOP");
    add(dimension.joule, "J");
    add(dimension.byte, "B");
    add(dimension.metre, "m");
    add(dimension.second, "s");
    return (above.empty() ? "1" : above) + below;
}

}  // namespace pimdse::sim
