#include "dse/search/sweep.hpp"

#include "dse/space/result.hpp"
#include "dse/space/space.hpp"

#include <algorithm>
#include <utility>

namespace pimdse::dse::search {
namespace {

constexpr std::uint64_t parts_bits = 6, max_parts = std::uint64_t{1} << parts_bits;
constexpr std::uint64_t smallest_part = 16;

/// Number of ids in a part of the plan: a 64th of it. If only fronts are kept, blocks of ids stay whole.
std::uint64_t ids_of_a_part(std::uint64_t planned, space::Keep keep) {
    std::uint64_t const unit = keep == space::Keep::front ? space::BlockSummary::ids : smallest_part;
    std::uint64_t const units = planned / unit + (planned % unit == 0 ? 0 : 1);
    return unit * ((units + max_parts - 1) / max_parts);
}

/// The number of a part with its bits reversed.
std::uint64_t reversed(std::uint64_t part) {
    std::uint64_t result = 0;
    for (std::uint64_t bit = 0; bit < parts_bits; ++bit) result |= (part >> bit & 1U) << (parts_bits - 1 - bit);
    return result;
}

class Sweep final : public Strategy {
  public:
    explicit Sweep(space::Space const& space)
        : positions_(shard_positions(space)),
          part_ids_(std::max<std::uint64_t>(1, ids_of_a_part(planned(), space.search().keep))),
          fidelity_(space.search().fidelity) {}

    space::Batch ask(std::uint64_t max) override {
        while (turn_ < max_parts && requested_of_part_ == ids_in(reversed(turn_))) {
            ++turn_;
            requested_of_part_ = 0;
        }
        if (turn_ == max_parts) return {};
        std::uint64_t const part = reversed(turn_);
        std::uint64_t const count = std::min(max, ids_in(part) - requested_of_part_);
        space::PointId const first{positions_.first + part * part_ids_ + requested_of_part_};
        requested_of_part_ += count;
        return space::Batch::range(first, count, fidelity_);
    }
    void tell(space::Result const&) override {}
    std::uint64_t planned() const override { return positions_.last - positions_.first; }

  private:
    [[nodiscard]] std::uint64_t ids_in(std::uint64_t part) const {
        std::uint64_t const before = std::min(planned(), part * part_ids_);
        return std::min(part_ids_, planned() - before);
    }

    Positions positions_;
    std::uint64_t part_ids_;
    models::Fidelity fidelity_;
    std::uint64_t turn_ = 0;               ///< turn of the current part; earlier parts were requested
    std::uint64_t requested_of_part_ = 0;  ///< number of ids requested of the current part
};

class Listed final : public Strategy {
  public:
    explicit Listed(std::vector<space::Task> tasks) : tasks_(std::move(tasks)) {}

    space::Batch ask(std::uint64_t max) override {
        if (next_ == tasks_.size()) return {};
        auto const fidelity = tasks_[next_].fidelity;  // a batch has one fidelity
        std::vector<space::PointId> points;
        for (; points.size() < max && next_ < tasks_.size() && tasks_[next_].fidelity == fidelity; ++next_)
            points.push_back(tasks_[next_].point);
        return space::Batch::list(std::move(points), fidelity);
    }
    void tell(space::Result const&) override {}
    std::uint64_t planned() const override { return tasks_.size(); }

  private:
    std::vector<space::Task> tasks_;
    std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_sweep(space::Space const& space) { return std::make_unique<Sweep>(space); }

std::unique_ptr<Strategy> make_listed(std::vector<space::Task> tasks) {
    return std::make_unique<Listed>(std::move(tasks));
}

}  // namespace pimdse::dse::search
