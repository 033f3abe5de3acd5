#include "dse/strategy/listed.hpp"

#include <algorithm>
#include <utility>

namespace pimdse::dse::strategy {
namespace {

class Listed final : public Strategy {
  public:
    Listed(std::vector<task::PointId> points, models::Fidelity fidelity)
        : points_(std::move(points)), fidelity_(fidelity) {}

    task::Batch ask(std::uint64_t most) override {
        auto const count = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(most, points_.size() - next_));
        auto const first = points_.begin() + static_cast<std::ptrdiff_t>(next_);
        next_ += static_cast<std::size_t>(count);
        return task::Batch::list({first, first + count}, fidelity_);
    }
    void tell(task::Answer const&) override {}
    std::uint64_t planned() const override { return points_.size(); }

  private:
    std::vector<task::PointId> points_;
    std::size_t next_ = 0;
    models::Fidelity fidelity_;
};

}  // namespace

std::unique_ptr<Strategy> make_listed(std::vector<task::PointId> points, models::Fidelity fidelity) {
    return std::make_unique<Listed>(std::move(points), fidelity);
}

}  // namespace pimdse::dse::strategy
