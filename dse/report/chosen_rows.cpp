#include "dse/report/chosen_rows.hpp"

#include "dse/search/archive.hpp"
#include "sim/base/random.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>

namespace pimdse::dse::report {
namespace {

using search::ResultStore;
using Row = ResultStore::Row;
using store::ResultFile;

/// In the order of need_names.
enum class Need : std::uint8_t { front, within, failed, other };

/// Compares the best values that a point may have with the worst values that members of the front may have.
class Intervals {
  public:
    explicit Intervals(ResultFile const& file) : file_(file), worst_of_front_(senses_of(file.columns.objectives)) {
        std::vector<double> worst;
        for (auto const id : file.front) {
            auto const row = file.store.find({id, file.front_fidelity});
            if (!row) continue;
            bounds(*row, false, worst);
            worst_of_front_.insert(id, worst);
        }
    }

    /// False if the worst values of a member of the front dominate the best values of the row. `best`: scratch space.
    [[nodiscard]] bool may_be_on_front(Row row, std::vector<double>& best) const {
        bounds(row, true, best);
        return !worst_of_front_.dominates(best);
    }

  private:
    void bounds(Row row, bool better, std::vector<double>& into) const {
        into.clear();
        for (auto const& objective : file_.columns.objectives) {
            auto const estimate = file_.store.estimate(row, objective.metric);
            bool const lower = (objective.better == models::Sense::minimize) == better;
            into.push_back(lower ? estimate.lower : estimate.upper);
        }
    }

    ResultFile const& file_;
    search::Archive worst_of_front_;
};

std::vector<Need> needs_of(ResultFile const& file) {
    auto const& store = file.store;
    std::vector<Need> needs(store.size(), Need::other);
    std::vector<double> best;
    Intervals const intervals(file);
    for (Row row = 0; row < store.size(); ++row) {
        if (store.status(row) != search::Status::ok)
            needs[row] = Need::failed;
        else if (store.task(row).fidelity == file.front_fidelity && intervals.may_be_on_front(row, best))
            needs[row] = Need::within;
    }
    for (auto const id : file.front) {
        if (auto const row = store.find({id, file.front_fidelity})) needs[*row] = Need::front;
    }
    return needs;
}

}  // namespace

RankedRows ranked_rows(ResultFile const& file) {
    auto const needs = needs_of(file);
    RankedRows ranked;
    ranked.rows.resize(needs.size());
    std::iota(ranked.rows.begin(), ranked.rows.end(), Row{0});
    auto const key = [&](Row row) {
        auto const task = file.store.task(row);
        return std::tuple(needs[row], sim::mixed_bits(index_of(task.point)), task.fidelity);
    };
    std::ranges::sort(ranked.rows, {}, key);
    for (auto const need : needs) ++ranked.counts[static_cast<std::size_t>(need)];
    return ranked;
}

std::vector<Row> RankedRows::first(ResultStore const& store, std::size_t count) const {
    std::vector<Row> chosen(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(std::min(count, rows.size())));
    std::ranges::sort(chosen, {}, [&](Row row) { return store.task(row); });
    return chosen;
}

RowsPerNeed RankedRows::counts_in(std::size_t count) const {
    RowsPerNeed in{};
    for (std::size_t need = 0; need < in.size(); ++need) {
        in[need] = std::min(counts[need], count);
        count -= in[need];
    }
    return in;
}

}  // namespace pimdse::dse::report
