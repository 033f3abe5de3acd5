#include "dse/space/batch.hpp"

#include "sim/base/check.hpp"

#include <limits>
#include <utility>

namespace pimdse::dse::space {

Batch Batch::range(PointId first, std::uint64_t count, models::Fidelity fidelity) {
    Batch batch;
    batch.first_ = index_of(first);
    batch.count_ = count;
    batch.fidelity_ = fidelity;
    return batch;
}

Batch Batch::list(std::vector<PointId> points, models::Fidelity fidelity) {
    Batch batch;
    batch.points_ = std::move(points);
    batch.fidelity_ = fidelity;
    return batch;
}

Task Batch::task(std::uint64_t index) const {
    sim::expects(index < size(), "a task's index is below the size of its batch");
    return {is_range() ? PointId{first_ + index} : points_[index], fidelity_};
}

Batch Batch::part(std::uint64_t first, std::uint64_t count) const {
    sim::expects(first <= size() && count <= size() - first, "a part lies inside its batch");
    Batch batch;
    if (is_range()) {
        batch = range(PointId{first_ + first}, count, fidelity_);
    } else {
        auto const begin = points_.begin() + static_cast<std::ptrdiff_t>(first);
        batch = list({begin, begin + static_cast<std::ptrdiff_t>(count)}, fidelity_);
    }
    batch.quarantined_ = quarantined_;
    return batch;
}

Batch Batch::quarantined() const {
    Batch batch = *this;
    batch.quarantined_ = true;
    return batch;
}

void IdSet::add(std::uint64_t first, std::uint64_t last) {
    if (first < last) runs_.add(Interval(first, last));
}

std::uint64_t IdSet::size() const {
    std::uint64_t sum = 0;
    for (auto const& run : runs_) sum += run.upper() - run.lower();
    return sum;
}

IdSet::Stretch IdSet::stretch(std::uint64_t id) const {
    auto const next = runs_.lower_bound(Interval(id, id + 1));  // the run that contains the id, or the next one
    if (next == runs_.end()) return {false, std::numeric_limits<std::uint64_t>::max()};
    return next->lower() <= id ? Stretch{true, next->upper()} : Stretch{false, next->lower()};
}

}  // namespace pimdse::dse::space
