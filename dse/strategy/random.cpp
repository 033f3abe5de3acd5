#include "dse/strategy/random.hpp"

#include "dse/space/space.hpp"
#include "dse/strategy/shard.hpp"
#include "sim/base/random.hpp"

#include <algorithm>

namespace pimdse::dse {
namespace {

constexpr std::uint64_t points_per_batch = 65'536;

class Random final : public Strategy {
  public:
    explicit Random(Space const& space)
        : order_(space.size(), space.search().seed),
          positions_(shard_positions(space)),
          next_(positions_.first),
          fidelity_(space.search().fidelity) {}

    Batch ask(std::uint64_t most) override {
        std::vector<PointId> points;
        std::uint64_t const end = next_ + std::min({most, points_per_batch, positions_.last - next_});
        points.reserve(end - next_);
        for (; next_ < end; ++next_) points.push_back(PointId{order_.at(next_)});
        return Batch::list(std::move(points), fidelity_);
    }
    void tell(Answer const&) override {}
    std::uint64_t planned() const override { return positions_.last - positions_.first; }

  private:
    sim::Shuffle order_;
    Positions positions_;
    std::uint64_t next_;
    models::Fidelity fidelity_;
};

}  // namespace

std::unique_ptr<Strategy> make_random(Space const& space) { return std::make_unique<Random>(space); }

}  // namespace pimdse::dse
