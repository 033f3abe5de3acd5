#include "dse/ladder/price.hpp"

#include <array>
#include <set>

namespace pimdse::dse::ladder {

std::vector<task::Certificate::Price> prices_of(Lows const& lows, std::span<Lows::Item const> closed,
                                                Closed const& known) {
    constexpr std::array shares{0.01, 0.02, 0.05, 0.10};
    std::vector<task::Certificate::Price> prices;
    for (double const share : shares) {
        std::set<models::CycleKey> keys;
        for (auto const item : closed) {
            if (known.is_covered(item, lows.looser(item, share))) continue;
            if (auto const key = known.unanswered_key(item)) keys.insert(*key);
        }
        prices.push_back({share, keys.size()});
    }
    return prices;
}

}  // namespace pimdse::dse::ladder
