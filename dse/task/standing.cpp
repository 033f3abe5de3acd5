#include "dse/task/standing.hpp"

#include <fmt/format.h>
#include <cmath>

namespace pimdse::dse::task {

std::string text_of(Standing const& standing) {
    auto text = fmt::format("closed {}, flying {}, open {}", standing.closed, standing.flying, standing.open);
    if (std::isnan(standing.gap)) return text;
    return text + fmt::format(", gap {}{:.2f} %", standing.gap_is_rough ? "about " : "", 100.0 * standing.gap);
}

}  // namespace pimdse::dse::task
