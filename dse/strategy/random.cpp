#include "dse/strategy/random.hpp"

#include "dse/space/space.hpp"
#include "dse/strategy/shard.hpp"
#include "sim/base/random.hpp"

#include <algorithm>

namespace pimdse::dse::strategy {
namespace {

constexpr std::uint64_t random_batch = 65'536;

class Random final : public Strategy {
  public:
    explicit Random(space::Space const& space)
        : order_(space.size(), space.search().seed),
          positions_(shard_positions(space)),
          next_(positions_.first),
          fidelity_(space.search().fidelity) {}

    task::Batch ask(std::uint64_t most) override {
        std::vector<task::PointId> points;
        std::uint64_t const end = next_ + std::min({most, random_batch, positions_.last - next_});
        points.reserve(end - next_);
        for (; next_ < end; ++next_) points.push_back(task::PointId{order_.at(next_)});
        return task::Batch::list(std::move(points), fidelity_);
    }
    void tell(task::Answer const&) override {}
    std::uint64_t planned() const override { return positions_.last - positions_.first; }

  private:
    sim::Shuffle order_;
    Positions positions_;
    std::uint64_t next_;
    models::Fidelity fidelity_;
};

}  // namespace

std::unique_ptr<Strategy> make_random(space::Space const& space) { return std::make_unique<Random>(space); }

}  // namespace pimdse::dse::strategy
