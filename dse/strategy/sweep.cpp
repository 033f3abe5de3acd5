#include "dse/strategy/sweep.hpp"

#include "dse/space/space.hpp"
#include "dse/strategy/shard.hpp"

#include <algorithm>

namespace pimdse::dse::strategy {
namespace {

class Sweep final : public Strategy {
  public:
    explicit Sweep(space::Space const& space)
        : positions_(shard_positions(space)), next_(positions_.first), fidelity_(space.search().fidelity) {}

    task::Batch ask(std::uint64_t most) override {
        std::uint64_t const count = std::min(most, positions_.last - next_);
        task::PointId const first{next_};
        next_ += count;
        return task::Batch::range(first, count, fidelity_);
    }
    void tell(task::Answer const&) override {}
    std::uint64_t planned() const override { return positions_.last - positions_.first; }

  private:
    Positions positions_;
    std::uint64_t next_;
    models::Fidelity fidelity_;
};

}  // namespace

std::unique_ptr<Strategy> make_sweep(space::Space const& space) { return std::make_unique<Sweep>(space); }

}  // namespace pimdse::dse::strategy
