#include "dse/strategy/sobol_sequence.hpp"

#include "sim/base/random.hpp"

namespace pimdse::dse::strategy {

SobolSequence::SobolSequence(std::size_t dimensions, std::uint64_t seed)
    : engine_(dimensions), seed_(sim::mixed_bits(seed)), point_(dimensions) {}

std::vector<std::uint64_t> const& SobolSequence::next() {
    for (std::size_t d = 0; d < point_.size(); ++d)
        point_[d] =
            scrambled(begun_ ? engine_() : 0, d);  // the engine leaves out the origin, without which nets have holes
    begun_ = true;
    return point_;
}

/// The first 32 bits one by one, the others together.
std::uint64_t SobolSequence::scrambled(std::uint64_t bits, std::size_t dimension) const {
    std::uint64_t const key = sim::mixed_bits(seed_ ^ sim::mixed_bits(dimension));
    std::uint64_t turned = bits;
    for (unsigned i = 0; i < 32; ++i) {
        std::uint64_t const before = (std::uint64_t{1} << i) | (i == 0 ? 0 : bits >> (64 - i));
        turned ^= sim::mixed_bits(key ^ sim::mixed_bits(before)) >> 63 << (63 - i);
    }
    return turned ^ sim::mixed_bits(key ^ sim::mixed_bits(std::uint64_t{1} << 32 | bits >> 32)) >> 32;
}

}  // namespace pimdse::dse::strategy
