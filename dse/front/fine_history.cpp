#include "dse/front/fine_history.hpp"

#include "dse/front/archive.hpp"
#include "dse/front/front.hpp"
#include "dse/front/growing_hypervolume.hpp"

#include <algorithm>

namespace pimdse::dse::front {

std::vector<HistoryStep> fine_history(answers::ResultStore const& store, std::span<task::Objective const> objectives,
                                      models::Fidelity fidelity, std::size_t steps) {
    if (objectives.size() > GrowingHypervolume::most_objectives || store.size() == 0) return {};
    auto const box = box_of(store, objectives, fidelity);
    Archive archive(box.senses);
    GrowingHypervolume volume(objectives.size());
    std::vector<double> values(objectives.size()), normal(objectives.size());
    std::vector<HistoryStep> history;
    auto const& rows = store.sorted();
    std::size_t const step = (rows.size() + steps - 1) / std::max<std::size_t>(steps, 1);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (store.status(rows[i]) == answers::Status::ok && store.task(rows[i]).fidelity == fidelity) {
            for (std::size_t o = 0; o < values.size(); ++o) values[o] = store.value(rows[i], objectives[o].metric);
            if (archive.insert(store.task(rows[i]).point, values)) {
                box.normalise(values, normal);
                volume.add(normal);
            }
        }
        if ((i + 1) % step == 0 || i + 1 == rows.size()) history.push_back({i + 1, volume.volume(), archive.size()});
    }
    return history;
}

}  // namespace pimdse::dse::front
