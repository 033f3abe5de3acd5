#include "dse/uncertain/pilot.hpp"

#include "dse/uncertain/varied_space.hpp"
#include "sim/base/check.hpp"

#include <tbb/parallel_for.h>
#include <algorithm>
#include <cmath>
#include <utility>

namespace pimdse::dse::uncertain {
namespace {

constexpr std::size_t draws_checked = 4;

/// Results of the designs under one setting.
using Results = std::vector<ObjectiveValues>;

class PilotStudy {
  public:
    PilotStudy(space::Space const& space, std::size_t machine, Uncertainty const& uncertainty, Draws const& draws,
               std::vector<std::vector<models::Value>> const& designs, models::Fidelity fidelity)
        : space_(space),
          at_(machine),
          constants_(uncertainty.constants),
          draws_(draws),
          designs_(designs),
          fidelity_(fidelity) {}

    Pilot run() {
        for (std::size_t c = 0; c < constants_.size(); ++c)
            if (reads(constants_[c], at_)) read_.push_back(c);
        std::vector<Settings> settings{{}};
        for (auto const c : read_) {
            settings.push_back({{c, constants_[c].lower}});
            settings.push_back({{c, constants_[c].upper}});
        }
        checked_ = std::min(draws_checked, draws_.values.size());
        for (std::size_t n = 0; n < checked_; ++n) settings.push_back(settings_of(draws_.values[n]));
        evaluate(settings);
        for (std::size_t i = 0; i < read_.size(); ++i) add_if_effective(i);
        pilot_.linear = is_linear();
        return std::move(pilot_);
    }

  private:
    void evaluate(std::vector<Settings> const& settings) {
        results_.resize(settings.size());
        tbb::parallel_for(std::size_t{0}, settings.size(), [&](std::size_t s) {
            auto const machine = varied_machine(space_.machines()[at_], at_, constants_, settings[s]);
            results_[s].resize(designs_.size());
            tbb::parallel_for(std::size_t{0}, designs_.size(), [&](std::size_t d) {
                auto point = designs_[d];
                for (std::size_t p = 0; p < point.size(); ++p)
                    if (machine.axes[p].size() == 1) point[p] = machine.axes[p].at(0);
                results_[s][d] = objectives_of(space_, at_, machine, point, fidelity_);
            });
        });
    }

    [[nodiscard]] Results const& nominal() const { return results_[0]; }
    [[nodiscard]] Results const& lower(std::size_t i) const { return results_[1 + 2 * i]; }
    [[nodiscard]] Results const& upper(std::size_t i) const { return results_[2 + 2 * i]; }
    [[nodiscard]] Results const& draw(std::size_t n) const { return results_[1 + 2 * read_.size() + n]; }

    void add_if_effective(std::size_t i) {
        if (lower(i) == nominal() && upper(i) == nominal()) return;
        pilot_.effective.push_back(read_[i]);
        auto& movements = pilot_.movements.emplace_back(space_.objectives().size() + 1, Movement::none);
        for (std::size_t d = 0; d < designs_.size(); ++d) {
            step(movements, lower(i)[d], nominal()[d]);
            step(movements, nominal()[d], upper(i)[d]);
        }
    }

    /// Joins what is known with a step from a smaller value of the constant to a larger one.
    static void step(std::vector<Movement>& known, ObjectiveValues const& before, ObjectiveValues const& after) {
        join(known.back(), before.has_value() ? 0.0 : 1.0, after.has_value() ? 0.0 : 1.0);
        if (!before || !after) return;
        for (std::size_t o = 0; o < before->size(); ++o) join(known[o], (*before)[o], (*after)[o]);
    }

    static void join(Movement& known, double before, double after) {
        if (before == after) return;
        auto const here = after > before ? Movement::up : Movement::down;
        known = known == Movement::none || known == here ? here : Movement::unknown;
    }

    [[nodiscard]] bool is_linear() const {
        for (std::size_t d = 0; d < designs_.size(); ++d)
            if (nominal()[d] && !is_linear(d)) return false;
        return true;
    }

    [[nodiscard]] bool is_linear(std::size_t d) const {
        std::vector<std::vector<double>> singles;
        std::vector<double> changes;
        for (std::size_t i = 0; i < read_.size(); ++i) {
            if (std::ranges::find(pilot_.effective, read_[i]) == pilot_.effective.end()) continue;
            auto const& constant = constants_[read_[i]];
            auto const& single = far_end(constant) == constant.upper ? upper(i)[d] : lower(i)[d];
            if (!single) return false;
            singles.push_back(*single);
            changes.push_back(far_end(constant) - constant.nominal);
        }
        LinearForm const form(*nominal()[d], singles, changes);
        for (std::size_t n = 0; n < checked_; ++n) {
            std::vector<double> differences;
            for (auto const c : pilot_.effective) differences.push_back(draws_.values[n][c] - constants_[c].nominal);
            if (!draw(n)[d] || !equal_within(form.at(differences), *draw(n)[d])) return false;
        }
        return true;
    }

    space::Space const& space_;
    std::size_t at_;
    std::vector<UncertainConstant> const& constants_;
    Draws const& draws_;
    std::vector<std::vector<models::Value>> const& designs_;
    models::Fidelity fidelity_;
    std::vector<std::size_t> read_;  ///< constants that the machine reads
    std::size_t checked_ = 0;
    std::vector<Results> results_;
    Pilot pilot_;
};

}  // namespace

bool Pilot::has_ends() const {
    return std::ranges::none_of(movements, [](auto const& by_objective) {
        return std::ranges::find(by_objective, Movement::unknown) != by_objective.end();
    });
}

Pilot pilot_of(space::Space const& space, std::size_t machine, Uncertainty const& uncertainty, Draws const& draws,
               std::vector<std::vector<models::Value>> const& designs, models::Fidelity fidelity) {
    return PilotStudy(space, machine, uncertainty, draws, designs, fidelity).run();
}

LinearForm::LinearForm(std::vector<double> base, std::vector<std::vector<double>> const& singles,
                       std::vector<double> const& changes)
    : base_(std::move(base)) {
    for (std::size_t c = 0; c < singles.size(); ++c) {
        auto& slopes = slopes_.emplace_back();
        for (std::size_t o = 0; o < base_.size(); ++o) slopes.push_back((singles[c][o] - base_[o]) / changes[c]);
    }
}

std::vector<double> LinearForm::at(std::vector<double> const& differences) const {
    auto values = base_;
    for (std::size_t c = 0; c < slopes_.size(); ++c)
        for (std::size_t o = 0; o < values.size(); ++o) values[o] += slopes_[c][o] * differences[c];
    return values;
}

bool equal_within(std::vector<double> const& a, std::vector<double> const& b) {
    return std::ranges::equal(
        a, b, [](double x, double y) { return std::abs(x - y) <= linear_within * std::max(std::abs(x), std::abs(y)); });
}

double far_end(UncertainConstant const& constant) {
    return constant.upper - constant.nominal >= constant.nominal - constant.lower ? constant.upper : constant.lower;
}

}  // namespace pimdse::dse::uncertain
