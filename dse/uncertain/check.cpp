#include "dse/uncertain/check.hpp"

#include "dse/search/front.hpp"
#include "dse/uncertain/machine_flips.hpp"
#include "dse/uncertain/uncertainty_reader.hpp"
#include "sim/base/check.hpp"
#include "sim/base/random.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

namespace pimdse::dse::uncertain {
namespace {

/// Numbers that are equal if, and only if, the values have the same bits; all NaN are equal.
std::uint64_t bits(double value) { return std::isnan(value) ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(value); }

std::vector<std::uint64_t> bits(std::vector<double> const& values) {
    std::vector<std::uint64_t> list;
    for (double const value : values) list.push_back(bits(value));
    return list;
}

/// What a file has of a row.
auto row_of(UncertainConstant const& c) {
    return std::tuple(c.name, c.unit, c.source, c.distribution, c.whole, bits(c.nominal), bits(c.lower), bits(c.upper),
                      bits(c.mean), bits(c.deviation));
}
auto row_of(MachineStanding const& m) { return std::tuple(m.name, m.draws_on_front, m.draws_best); }
auto row_of(Decision const& d) { return std::tuple(d.machine, d.parameter, d.value); }
auto row_of(MachineFlip const& f) {
    return std::tuple(f.constant, f.objective, f.before, f.after, f.old_best, f.new_best, bits(f.break_even),
                      bits(f.old_value), bits(f.new_value));
}
auto row_of(std::vector<double> const& draw) { return bits(draw); }
auto row_of(RobustDesign const& d) {
    std::vector<std::uint64_t> quantiles;
    for (auto const& objective : d.quantiles)
        for (double const value : objective) quantiles.push_back(bits(value));
    return std::tuple(d.point, d.now, d.draws_on_front, bits(d.regret), std::move(quantiles));
}

template <class Row>
bool same_rows(std::vector<Row> const& a, std::vector<Row> const& b) {
    return std::ranges::equal(a, b, [](Row const& x, Row const& y) { return row_of(x) == row_of(y); });
}

class DrawsCheck {
  public:
    DrawsCheck(RobustFront const& stated, space::Space const& space, search::ResultStore const& store,
               models::Fidelity fidelity, CheckedSample const& sample)
        : stated_(stated), space_(space), store_(store), fidelity_(fidelity), sample_(sample) {
        for (auto const row : store.sorted()) {
            auto const status = store.status(row);
            if (store.task(row).fidelity == fidelity &&
                (status == search::Status::ok || status == search::Status::infeasible))
                designs_.push_back(store.task(row).point);
        }
    }

    CheckedDraws run(std::string const& file) {
        try {
            auto const uncertainty = read_uncertainty(space_, file, {stated_.draws.size(), stated_.seed});
            if (!uncertainty) return {{"/uncertain states no draws"}, 0, false};
            check_lists();
            choose();
            auto const again = study(space_, store_, *uncertainty, evaluate_here(space_, sample_.threads),
                                     {.part = StudySettings::Part{chosen_, stated_.possible, fidelity_}});
            compare(*again);
        } catch (sim::InputError const& error) {
            found_.problems.push_back(
                fmt::format("/uncertain has draws that its space does not allow ({})", error.what()));
        }
        return std::move(found_);
    }

  private:
    void require(bool holds, std::string_view what) {
        if (!holds)
            found_.problems.push_back(
                fmt::format("/uncertain/{} is not what follows from the space, the seed and the results", what));
    }

    /// Lists of designs that the rest relies on.
    void check_lists() {
        auto const known = [&](std::vector<space::PointId> const& points) {
            return std::ranges::adjacent_find(points, std::greater_equal{}) == points.end() &&
                   std::ranges::includes(designs_, points);
        };
        for (auto const& design : stated_.designs) listed_.push_back(design.point);
        require(known(listed_), "designs/point_id");
        require(known(stated_.possible), "possible");
        require(stated_.designs_excluded + stated_.possible.size() == designs_.size(), "excluded");
        std::ranges::sort(listed_);
    }

    /// The listed designs, those on the front as assumed, and some others: half of them possible, if there are enough.
    void choose() {
        std::set<space::PointId> chosen(listed_.begin(), listed_.end());
        for (auto const point : search::front_of(store_, space_.objectives(), fidelity_).ids()) chosen.insert(point);
        std::vector<space::PointId> possible, excluded;
        for (auto const point : designs_)
            if (!chosen.contains(point))
                (std::ranges::binary_search(stated_.possible, point) ? possible : excluded).push_back(point);
        auto const half = std::max(sample_.others / 2, sample_.others - std::min(sample_.others, excluded.size()));
        auto const add = [&](std::vector<space::PointId> const& points, std::size_t count) {
            if (points.empty()) return;
            sim::Shuffle const order(points.size(), sample_.seed);
            for (std::size_t i = 0; i < std::min(count, points.size()); ++i) chosen.insert(points[order.at(i)]);
        };
        add(possible, half);
        add(excluded, sample_.others - std::min(half, possible.size()));
        chosen_.assign(chosen.begin(), chosen.end());
        found_.designs = chosen_.size();
        found_.all = std::ranges::includes(chosen_, designs_);
    }

    void compare(RobustFront const& again) {
        require(stated_.key == again.key, "key");
        require(stated_.objectives == again.objectives, "objectives");
        require(stated_.refused_draws == again.refused_draws, "refused_draws");
        require(stated_.designs_considered == again.designs_considered, "considered");
        require(same_rows(stated_.constants, again.constants) && stated_.effective == again.effective, "constants");
        require(stated_.remarks == again.remarks, "remarks");
        require(stated_.not_stated == again.not_stated, "not_stated");
        require(same_rows(stated_.draws, again.draws), "draws");
        require(stated_.front_sizes == again.front_sizes, "draws/front_size");
        require(same_rows(stated_.machines, again.machines), "machines");
        require(same_rows(stated_.decisions, again.decisions), "decisions");
        require(same_rows(stated_.flips, again.flips), "flips");
        compare_designs(again);
        compare_counts(again);
        require(stated_.statement == statement_of(stated_), "statement");
    }

    void compare_designs(RobustFront const& again) {
        bool const whole = found_.all || std::ranges::includes(chosen_, stated_.possible);
        auto const differs = [&](RobustDesign const& design) {
            auto const same = std::ranges::lower_bound(again.designs, design.point, {}, &RobustDesign::point);
            if (same == again.designs.end() || row_of(*same) != row_of(design)) return true;
            return whole ? same->certain != design.certain : design.certain && !same->certain;
        };
        if (auto const wrong = std::ranges::find_if(stated_.designs, differs); wrong != stated_.designs.end())
            require(false, fmt::format("designs of point {}", index_of(wrong->point)));
        for (auto const& design : again.designs) {
            bool const on_front = design.now || design.draws_on_front > 0;
            if (on_front && !std::ranges::binary_search(listed_, design.point))
                return require(false, fmt::format("designs without point {}", index_of(design.point)));
        }
        for (auto const point : chosen_) {
            if (std::ranges::binary_search(stated_.possible, point) !=
                std::ranges::binary_search(again.possible, point))
                return require(false, fmt::format("possible at point {}", index_of(point)));
        }
    }

    /// Numbers of designs, as far as those that were evaluated again tell.
    void compare_counts(RobustFront const& again) {
        auto const fits = [&](std::uint64_t stated, std::uint64_t counted) {
            return found_.all ? stated == counted : stated >= counted && stated <= designs_.size();
        };
        require(fits(stated_.designs_linear, again.designs_linear), "linear");
        require(fits(stated_.designs_evaluated, again.designs_evaluated), "evaluated");
        for (std::size_t m = 0; m < std::min(stated_.machines.size(), again.machines.size()); ++m) {
            auto const& machine = stated_.machines[m];
            auto const counted = again.machines[m].draws_infeasible;  // 0: perhaps none of its designs was drawn again
            bool const may_be = machine.draws_infeasible + machine.draws_on_front <= stated_.draws.size() &&
                                (counted == 0 || machine.draws_infeasible <= counted);
            require(found_.all ? machine.draws_infeasible == counted : may_be, "machines/draws_infeasible");
        }
    }

    RobustFront const& stated_;
    space::Space const& space_;
    search::ResultStore const& store_;
    models::Fidelity fidelity_;
    CheckedSample sample_;
    std::vector<space::PointId> designs_;  ///< with a result, by id
    std::vector<space::PointId> listed_;   ///< in the file
    std::vector<space::PointId> chosen_;   ///< evaluated again
    CheckedDraws found_;
};

}  // namespace

CheckedDraws check_draws(RobustFront const& stated, space::Space const& space, search::ResultStore const& store,
                         models::Fidelity fidelity, std::string const& file, CheckedSample const& sample) {
    return DrawsCheck(stated, space, store, fidelity, sample).run(file);
}

}  // namespace pimdse::dse::uncertain
