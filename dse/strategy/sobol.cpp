#include "dse/strategy/sobol.hpp"

#include "dse/genetic/unseen.hpp"
#include "dse/space/space.hpp"
#include "dse/strategy/shard.hpp"
#include "dse/strategy/sobol_sequence.hpp"
#include "dse/strategy/space_code.hpp"
#include "dse/strategy/suitable.hpp"

#include <algorithm>

namespace pimdse::dse::strategy {
namespace {

constexpr std::uint64_t sobol_batch = 8192;

std::size_t varying(genetic::Genome const& genome) {
    return static_cast<std::size_t>(std::ranges::count_if(genome, [](auto const& gene) { return gene.values > 1; }));
}

/// Where there are several machines, the last one chooses among them.
std::size_t coordinates_of(SpaceCode const& code, space::Space const& space) {
    std::size_t const machines = space.machines().size();
    std::size_t most = 0;
    for (std::size_t machine = 0; machine < machines; ++machine)
        most = std::max(most, varying(code.genomes().of({machine, {}})));
    return std::max<std::size_t>(1, machines > 1 ? most + 1 : most);
}

class Sobol final : public Strategy {
  public:
    explicit Sobol(space::Space const& space)
        : space_(space),
          code_(space),
          sequence_(coordinates_of(code_, space), space.search().seed),
          unseen_(code_.genomes(), space.search().seed),
          dice_(space.search().seed),
          positions_(shard_positions(space)) {}

    task::Batch ask(std::uint64_t most) override {
        std::vector<task::PointId> points;
        while (next_ < positions_.last && points.size() < std::min(most, sobol_batch)) {
            auto const id = code_.id_of(next_point());
            if (next_++ >= positions_.first) points.push_back(id);
        }
        return task::Batch::list(std::move(points), space_.search().fidelity);
    }
    void tell(task::Answer const&) override {}
    std::uint64_t planned() const override { return positions_.last - positions_.first; }

  private:
    /// Random ones once the sequence brings nothing but what was there before.
    genetic::CodedPoint next_point() {
        constexpr int tries = 256;
        for (int i = 0; i < tries && !worn_out_; ++i) {
            auto point = point_at(sequence_.next());
            if (unseen_.take(point)) return point;
        }
        worn_out_ = true;
        return unseen_.take_random(dice_).value();
    }

    [[nodiscard]] genetic::CodedPoint point_at(std::vector<std::uint64_t> const& coordinates) const {
        auto const share = genetic::share_of(coordinates.back(), space_.size());
        genetic::CodedPoint point{space_.machine_of(task::PointId{share}), {}};
        std::size_t next = 0;
        for (auto const& gene : code_.genomes().of(point))
            point.values.push_back(gene.values > 1 ? genetic::share_of(coordinates[next++], gene.values) : 0);
        return point;
    }

    space::Space const& space_;
    SpaceCode code_;
    SobolSequence sequence_;
    genetic::Unseen unseen_;
    genetic::Dice dice_;
    Positions positions_;
    std::uint64_t next_ = 0;
    bool worn_out_ = false;
};

}  // namespace

std::unique_ptr<Strategy> make_sobol(space::Space const& space) {
    refuse_too_many(space);
    return std::make_unique<Sobol>(space);
}

}  // namespace pimdse::dse::strategy
