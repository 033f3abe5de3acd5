#include "dse/space.hpp"
#include "dse/strategy/strategy.hpp"


namespace pimdse::dse {
namespace {

/// Every id from 0 on, as one range: answers do not change what is asked, so there is no reason to stop in between.
class Sweep final : public Strategy {
  public:
    explicit Sweep(Space const& space) : positions_(shard_positions(space)), fidelity_(space.search().fidelity) {}

    Batch ask() override {
        std::uint64_t const count = asked_ ? 0 : planned();
        asked_ = true;
        return Batch::range(PointId{positions_.first}, count, fidelity_);
    }
    void tell(std::span<Answer const>) override {}
    std::uint64_t planned() const override { return positions_.last - positions_.first; }

  private:
    Positions positions_;
    models::Fidelity fidelity_;
    bool asked_ = false;
};

}  // namespace

std::unique_ptr<Strategy> make_sweep(Space const& space) { return std::make_unique<Sweep>(space); }

}  // namespace pimdse::dse
