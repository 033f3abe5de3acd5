#include "dse/explain/landscape.hpp"

#include "dse/front/front.hpp"
#include "sim/base/check.hpp"

#include <algorithm>

namespace pimdse::dse::explain {

Landscape::Landscape(answers::ResultStore const& store, std::vector<task::Objective> objectives,
                     models::Fidelity fidelity)
    : objectives_(std::move(objectives)), fidelity_(fidelity) {
    for (auto const row : store.sorted()) {
        if (store.status(row) != answers::Status::ok || store.task(row).fidelity != fidelity_) continue;
        ids_.push_back(store.task(row).point);
        for (std::size_t i = 0; i < objectives_.size(); ++i)
            values_.push_back(as_metric(i, store.value(row, objectives_[i].metric)));
    }
    for (auto const point : front::front_of(store, objectives_, fidelity_).ids()) front_.push_back(*find(point));
}

std::optional<std::size_t> Landscape::find(task::PointId point) const {
    auto const found = std::ranges::lower_bound(ids_, point);
    if (found == ids_.end() || *found != point) return std::nullopt;
    return static_cast<std::size_t>(found - ids_.begin());
}

std::vector<double> Landscape::vector_of(models::Metrics const& metrics) const {
    std::vector<double> vector;
    for (std::size_t i = 0; i < objectives_.size(); ++i)
        vector.push_back(as_metric(i, metrics[objectives_[i].metric].value));
    return vector;
}

double Landscape::as_metric(std::size_t objective, double number) const {
    return objectives_[objective].better == models::Sense::maximize ? -number : number;
}

}  // namespace pimdse::dse::explain
