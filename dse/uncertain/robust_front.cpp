#include "dse/uncertain/robust_front.hpp"

#include "dse/search/archive.hpp"
#include "dse/space/columns.hpp"
#include "models/contract/parameter_text.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <optional>
#include <set>

namespace pimdse::dse::uncertain {
namespace {

/// The factor, minus 1, by which every objective must improve for no member of the front to dominate the values: the
/// largest, over the members, of the smallest ratio of their objectives.
double behind(std::vector<double> const& values, std::vector<search::Archive::Member> const& front,
              std::vector<models::Sense> const& senses) {
    double largest_factor = 1.0;
    for (auto const& member : front) {
        double nearest = std::numeric_limits<double>::infinity();
        for (std::size_t o = 0; o < values.size(); ++o) {
            double const ratio =
                senses[o] == models::Sense::maximize ? member.values[o] / values[o] : values[o] / member.values[o];
            nearest = std::min(nearest, ratio);
        }
        largest_factor = std::max(largest_factor, nearest);
    }
    return largest_factor - 1.0;
}

class Fronts {
  public:
    Fronts(RobustFront& result, space::Space const& space, DrawnDesigns const& drawn)
        : result_(result),
          space_(space),
          drawn_(drawn),
          senses_(space::senses_of(space.objectives())),
          fronts_(drawn.draws),
          best_(drawn.draws),
          feasible_(drawn.draws),
          counts_(drawn.points.size()) {
        for (auto const point : drawn_.points) machine_of_.push_back(space_.machine_of(point));
    }

    void run(std::span<space::PointId const> now) {
        tbb::parallel_for(std::size_t{0}, drawn_.draws, [&](std::size_t n) { draw(n); });
        for (auto const& front : fronts_) result_.front_sizes.push_back(front.size());
        add_designs(now);
        add_machines();
        add_decisions();
    }

  private:
    void draw(std::size_t n) {
        search::Archive archive(senses_);
        auto& best = best_[n];
        best.resize(senses_.size());
        feasible_[n].assign(space_.machines().size(), false);
        for (std::size_t d = 0; d < drawn_.points.size(); ++d) {
            auto const values = drawn_.values(d, n);
            if (!values) continue;
            feasible_[n][machine_of_[d]] = true;
            (void)archive.insert(drawn_.points[d], *values);
        }
        fronts_[n] = archive.members();
        for (auto const& member : fronts_[n]) {
            auto const d = place_of(member.point);
            counts_[d].fetch_add(1, std::memory_order_relaxed);
            for (std::size_t o = 0; o < senses_.size(); ++o) {
                auto const value = member.values[o];
                if (!best[o] ||
                    (senses_[o] == models::Sense::maximize ? value > best[o]->second : value < best[o]->second))
                    best[o] = {d, value};
            }
        }
    }

    [[nodiscard]] std::size_t place_of(space::PointId point) const {
        return static_cast<std::size_t>(std::ranges::lower_bound(drawn_.points, point) - drawn_.points.begin());
    }

    void add_designs(std::span<space::PointId const> now) {
        std::set<space::PointId> const on_front(now.begin(), now.end());
        std::map<space::PointId, RobustDesign const*> known;
        for (auto const& design : result_.designs) known.emplace(design.point, &design);
        std::vector<RobustDesign> rows;
        for (std::size_t d = 0; d < drawn_.points.size(); ++d) {
            RobustDesign row;
            if (auto const found = known.find(drawn_.points[d]); found != known.end()) row = *found->second;
            row.point = drawn_.points[d];
            row.now = on_front.contains(row.point);
            row.draws_on_front = counts_[d].load();
            if (row.now || row.draws_on_front > 0 || row.certain) rows.push_back(std::move(row));
        }
        tbb::parallel_for(std::size_t{0}, rows.size(), [&](std::size_t i) { describe(rows[i]); });
        result_.designs = std::move(rows);
    }

    void describe(RobustDesign& row) const {
        auto const d = place_of(row.point);
        std::vector<std::vector<double>> by_objective(senses_.size());
        for (std::size_t n = 0; n < drawn_.draws; ++n) {
            auto const values = drawn_.values(d, n);
            if (!values) {
                row.regret = std::numeric_limits<double>::infinity();
                continue;
            }
            row.regret = std::max(row.regret, behind(*values, fronts_[n], senses_));
            for (std::size_t o = 0; o < values->size(); ++o) by_objective[o].push_back((*values)[o]);
        }
        for (auto& values : by_objective) row.quantiles.push_back(quantiles_of(std::move(values)));
    }

    static Quantiles quantiles_of(std::vector<double> values) {
        Quantiles quantiles{};
        quantiles.fill(std::numeric_limits<double>::quiet_NaN());
        if (values.empty()) return quantiles;
        std::ranges::sort(values);
        for (std::size_t q = 0; q < quantiles.size(); ++q) {
            auto const last = static_cast<double>(values.size() - 1);
            auto const at = quantile_probabilities[q] * last;
            auto const before = static_cast<std::size_t>(at);
            auto const after = std::min(before + 1, values.size() - 1);
            quantiles[q] = values[before] + (at - static_cast<double>(before)) * (values[after] - values[before]);
        }
        return quantiles;
    }

    void add_machines() {
        for (auto const& machine : space_.machines())
            result_.machines.push_back({machine.name, 0, std::vector<std::uint64_t>(senses_.size(), 0)});
        std::set<std::size_t> const with_designs(machine_of_.begin(), machine_of_.end());
        for (std::size_t n = 0; n < drawn_.draws; ++n) {
            std::set<std::size_t> present;
            for (auto const& member : fronts_[n]) present.insert(machine_of_[place_of(member.point)]);
            for (auto const machine : present) ++result_.machines[machine].draws_on_front;
            for (std::size_t o = 0; o < senses_.size(); ++o)
                if (best_[n][o]) ++result_.machines[machine_of_[best_[n][o]->first]].draws_best[o];
            for (auto const machine : with_designs)
                if (!feasible_[n][machine]) ++result_.machines[machine].draws_infeasible;
        }
    }

    void add_decisions() {
        for (std::size_t m = 0; m < space_.machines().size(); ++m) {
            auto const& machine = space_.machines()[m];
            std::vector<std::set<models::Value>> seen(machine.parameters().size());
            std::vector<models::Value> point;
            for (std::size_t d = 0; d < drawn_.points.size(); ++d) {
                if (counts_[d].load() == 0 || machine_of_[d] != m) continue;
                space_.decode(drawn_.points[d], point);
                for (std::size_t p = 0; p < point.size(); ++p) seen[p].insert(point[p]);
            }
            for (std::size_t p = 0; p < seen.size(); ++p) {
                if (seen[p].size() != 1 || machine.axes[p].size() < 2) continue;
                auto const& parameter = machine.parameters()[p];
                result_.decisions.push_back(
                    {machine.name, parameter.name, models::print_value(parameter, *seen[p].begin())});
            }
        }
    }

    RobustFront& result_;
    space::Space const& space_;
    DrawnDesigns const& drawn_;
    std::vector<models::Sense> senses_;
    std::vector<std::size_t> machine_of_;  ///< by design
    std::vector<std::vector<search::Archive::Member>> fronts_;
    /// By draw and objective: the best design of the front and its value; of equal ones that with the smallest id.
    std::vector<std::vector<std::optional<std::pair<std::size_t, double>>>> best_;
    std::vector<std::vector<bool>> feasible_;  ///< by draw and machine: whether it has a feasible design
    std::vector<std::atomic<std::uint64_t>> counts_;
};

/// A share of the draws that counts as nearly all.
constexpr double nearly_all = 0.95;

/// Number of designs that are on the front in this share of the draws at least.
std::uint64_t on_front_in(RobustFront const& front, double share) {
    auto const wanted = share * static_cast<double>(front.draws.size());
    return static_cast<std::uint64_t>(std::ranges::count_if(front.designs, [&](RobustDesign const& design) {
        return static_cast<double>(design.draws_on_front) >= wanted;
    }));
}

/// What the figures for all values within the ranges rest on.
std::string basis_of(RobustFront const& front) {
    if (front.not_stated.empty())
        return "proved, because the machines state in which direction each constant moves each objective";
    constexpr std::size_t named = 3;
    std::string names;
    for (std::size_t i = 0; i < std::min(named, front.not_stated.size()); ++i)
        names += (i == 0 ? "" : ", ") + front.not_stated[i];
    if (front.not_stated.size() > named) names += fmt::format(" and {} more", front.not_stated.size() - named);
    return fmt::format(
        "not proved: the directions in which constants move objectives were seen in a few designs of each machine, and "
        "are not stated for {}",
        names);
}

}  // namespace

void add_fronts(RobustFront& result, space::Space const& space, DrawnDesigns const& drawn,
                std::span<space::PointId const> now) {
    Fronts(result, space, drawn).run(now);
}

std::string statement_of(RobustFront const& front) {
    auto const now = std::ranges::count_if(front.designs, &RobustDesign::now);
    auto const certain = std::ranges::count_if(front.designs, &RobustDesign::certain);
    auto const ever = std::ranges::count_if(front.designs, [](auto const& one) { return one.draws_on_front > 0; });
    auto const matter = std::ranges::count(front.effective, true);
    std::string text = fmt::format(
        "{} draws of uncertain constants. Constants with a range: {}, that change a result: {}. Designs: {}, on the "
        "front as assumed: {}. In the draws, on the front in some: {}, in at least {:.0f} %: {}, in all: {}. ",
        front.draws.size(), front.constants.size(), matter, front.designs_considered, now, ever, 100.0 * nearly_all,
        on_front_in(front, nearly_all), on_front_in(front, 1.0));
    text += fmt::format("For all values within the ranges, on no front: {}, perhaps on one: {}, on every one: {} ({}).",
                        front.designs_excluded, front.possible.size(), certain, basis_of(front));
    if (front.refused_draws > 0)
        text +=
            fmt::format(" Rules of a machine refused {} value{}; others were drawn for the constants of these rules.",
                        front.refused_draws, front.refused_draws == 1 ? "" : "s");
    return text;
}

std::string short_statement(RobustFront const& front) {
    auto const now = std::ranges::count_if(front.designs, &RobustDesign::now);
    auto const certain = std::ranges::count_if(front.designs, &RobustDesign::certain);
    auto const ever = std::ranges::count_if(front.designs, [](auto const& one) { return one.draws_on_front > 0; });
    auto text = fmt::format("{} draws of {} constants, {} of which change a result\n", front.draws.size(),
                            front.constants.size(), std::ranges::count(front.effective, true));
    text += fmt::format(
        "on the front: {} of {} designs as assumed, {} in some draw, {} in {:.0f} % of them, {} in all\n", now,
        front.designs_considered, ever, on_front_in(front, nearly_all), 100.0 * nearly_all, on_front_in(front, 1.0));
    return text + fmt::format("whatever the constants are: {} always, {} perhaps, {} never ({})\n", certain,
                              front.possible.size() - static_cast<std::size_t>(certain), front.designs_excluded,
                              front.not_stated.empty() ? "proved" : "as seen in a few designs, not proved");
}

}  // namespace pimdse::dse::uncertain
