#include "dse/space.hpp"
#include "dse/strategy/strategy.hpp"

#include <algorithm>

namespace pimdse::dse {
namespace {

/// Every id from 0 on, as one range: answers do not change what is asked, so there is no reason to stop in between.
class Sweep final : public Strategy {
  public:
    explicit Sweep(Space const& space)
        : count_(space.search().budget == 0 ? space.size() : std::min(space.search().budget, space.size())), fidelity_(space.search().fidelity) {}

    Batch ask() override {
        std::uint64_t const count = asked_ ? 0 : count_;
        asked_ = true;
        return Batch::range(PointId{0}, count, fidelity_);
    }
    void tell(std::span<Answer const>) override {}
    std::uint64_t planned() const override { return count_; }

  private:
    std::uint64_t count_;
    models::Fidelity fidelity_;
    bool asked_ = false;
};

}  // namespace

std::unique_ptr<Strategy> make_sweep(Space const& space) { return std::make_unique<Sweep>(space); }

}  // namespace pimdse::dse
