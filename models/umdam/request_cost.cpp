#include "models/umdam/request_cost.hpp"

namespace pimdse::models::umdam {

using sim::Bounded;

Bounded RequestCost::prefill() const {
    Bounded sum;
    for (std::size_t i = 0; i < static_cast<std::size_t>(Part::decode_weights); ++i) sum += parts[i].seconds;
    return sum;
}

Bounded RequestCost::decode() const {
    Bounded sum;
    for (auto i = static_cast<std::size_t>(Part::decode_weights); i < part_count; ++i) sum += parts[i].seconds;
    return sum;
}

Commands RequestCost::commands(Part first, Part behind) const {
    Commands sum;
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(behind); ++i) sum += parts[i].commands;
    return sum;
}

Commands RequestCost::commands() const { return commands(Part::relayout, Part::end); }

}  // namespace pimdse::models::umdam
