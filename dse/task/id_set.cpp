#include "dse/task/id_set.hpp"

#include <limits>

namespace pimdse::dse::task {

void IdSet::add(std::uint64_t first, std::uint64_t last) {
    if (first < last) runs_.add(Interval(first, last));
}

std::uint64_t IdSet::size() const {
    std::uint64_t sum = 0;
    for (auto const& run : runs_) sum += run.upper() - run.lower();
    return sum;
}

IdSet::Stretch IdSet::stretch(std::uint64_t id) const {
    auto const next = runs_.lower_bound(Interval(id, id + 1));  // the run that has the id, or the first one behind it
    if (next == runs_.end()) return {false, std::numeric_limits<std::uint64_t>::max()};
    return next->lower() <= id ? Stretch{true, next->upper()} : Stretch{false, next->lower()};
}

}  // namespace pimdse::dse::task
