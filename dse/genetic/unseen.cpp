#include "dse/genetic/unseen.hpp"

namespace pimdse::dse::genetic {

std::optional<CodedPoint> Unseen::take_random(Dice& dice) {
    constexpr int tries = 64;
    for (int i = 0; i < tries; ++i) {
        auto point = genomes_.random(dice);
        if (take(point)) return point;
    }
    return take_next();
}

std::optional<CodedPoint> Unseen::take_next() {
    if (!genomes_.size()) return std::nullopt;
    sim::Shuffle const order(*genomes_.size(), seed_);
    while (next_ < *genomes_.size()) {
        std::uint64_t const number = order.at(next_++);
        if (taken_.insert(number).second) return genomes_.at(number);
    }
    return std::nullopt;
}

}  // namespace pimdse::dse::genetic
