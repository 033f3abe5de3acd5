#include "dse/search/sobol.hpp"

#include "dse/search/coded_search.hpp"
#include "dse/search/genome.hpp"
#include "dse/space/space.hpp"
#include "sim/base/random.hpp"

#include <algorithm>

namespace pimdse::dse::search {
namespace {

constexpr std::uint64_t sobol_batch = 8192;

std::size_t varying(Genome const& genome) {
    return static_cast<std::size_t>(std::ranges::count_if(genome, [](auto const& gene) { return gene.values > 1; }));
}

/// Number of coordinates: one per varying parameter; with several machines, the last coordinate selects the machine.
std::size_t coordinates_of(SpaceCode const& code, space::Space const& space) {
    std::size_t const machines = space.machines().size();
    std::size_t max = 0;
    for (std::size_t machine = 0; machine < machines; ++machine)
        max = std::max(max, varying(code.genomes().of({machine, {}})));
    return std::max<std::size_t>(1, machines > 1 ? max + 1 : max);
}

class Sobol final : public Strategy {
  public:
    explicit Sobol(space::Space const& space)
        : space_(space),
          code_(space),
          sequence_(coordinates_of(code_, space), space.search().seed),
          duplicates_(code_.genomes(), space.search().seed),
          rng_(space.search().seed),
          positions_(shard_positions(space)) {}

    space::Batch ask(std::uint64_t max) override {
        std::vector<space::PointId> points;
        while (next_ < positions_.last && points.size() < std::min(max, sobol_batch)) {
            auto const id = code_.id_of(next_point());
            if (next_++ >= positions_.first) points.push_back(id);
        }
        return space::Batch::list(std::move(points), space_.search().fidelity);
    }
    void tell(space::Result const&) override {}
    std::uint64_t planned() const override { return positions_.last - positions_.first; }

  private:
    /// The next unused point of the sequence, or a random one once the sequence yields only used points.
    CodedPoint next_point() {
        constexpr int tries = 256;
        for (int i = 0; i < tries && !worn_out_; ++i) {
            auto point = point_at(sequence_.next());
            if (duplicates_.take(point)) return point;
        }
        worn_out_ = true;
        return duplicates_.take_random(rng_).value();
    }

    [[nodiscard]] CodedPoint point_at(std::vector<std::uint64_t> const& coordinates) const {
        auto const share = search::share_of(coordinates.back(), space_.size());
        CodedPoint point{space_.machine_of(space::PointId{share}), {}};
        std::size_t next = 0;
        for (auto const& gene : code_.genomes().of(point))
            point.values.push_back(gene.values > 1 ? search::share_of(coordinates[next++], gene.values) : 0);
        return point;
    }

    space::Space const& space_;
    SpaceCode code_;
    SobolSequence sequence_;
    DuplicateFilter duplicates_;
    Rng rng_;
    Positions positions_;
    std::uint64_t next_ = 0;
    bool worn_out_ = false;
};

constexpr std::uint64_t random_batch = 65'536;

class Random final : public Strategy {
  public:
    explicit Random(space::Space const& space)
        : order_(space.size(), space.search().seed),
          positions_(shard_positions(space)),
          next_(positions_.first),
          fidelity_(space.search().fidelity) {}

    space::Batch ask(std::uint64_t max) override {
        std::vector<space::PointId> points;
        std::uint64_t const end = next_ + std::min({max, random_batch, positions_.last - next_});
        points.reserve(end - next_);
        for (; next_ < end; ++next_) points.push_back(space::PointId{order_.at(next_)});
        return space::Batch::list(std::move(points), fidelity_);
    }
    void tell(space::Result const&) override {}
    std::uint64_t planned() const override { return positions_.last - positions_.first; }

  private:
    sim::Shuffle order_;
    Positions positions_;
    std::uint64_t next_;
    models::Fidelity fidelity_;
};

}  // namespace

std::unique_ptr<Strategy> make_sobol(space::Space const& space) {
    refuse_too_many(space);
    return std::make_unique<Sobol>(space);
}

SobolSequence::SobolSequence(std::size_t dimensions, std::uint64_t seed)
    : engine_(dimensions), seed_(sim::mixed_bits(seed)), point_(dimensions) {}

std::vector<std::uint64_t> const& SobolSequence::next() {
    for (std::size_t d = 0; d < point_.size(); ++d)
        point_[d] = scrambled(begun_ ? engine_() : 0, d);  // the engine omits the origin, without which nets have holes
    begun_ = true;
    return point_;
}

/// Scrambles the first 32 bits one by one, the others together.
std::uint64_t SobolSequence::scrambled(std::uint64_t bits, std::size_t dimension) const {
    std::uint64_t const key = sim::mixed_bits(seed_ ^ sim::mixed_bits(dimension));
    std::uint64_t turned = bits;
    for (unsigned i = 0; i < 32; ++i) {
        std::uint64_t const before = (std::uint64_t{1} << i) | (i == 0 ? 0 : bits >> (64 - i));
        turned ^= sim::mixed_bits(key ^ sim::mixed_bits(before)) >> 63 << (63 - i);
    }
    return turned ^ sim::mixed_bits(key ^ sim::mixed_bits(std::uint64_t{1} << 32 | bits >> 32)) >> 32;
}

std::unique_ptr<Strategy> make_random(space::Space const& space) { return std::make_unique<Random>(space); }

}  // namespace pimdse::dse::search
