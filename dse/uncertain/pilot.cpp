#include "dse/uncertain/pilot.hpp"

#include "dse/uncertain/varied_space.hpp"
#include "sim/base/check.hpp"

#include <tbb/parallel_for.h>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace pimdse::dse::uncertain {
namespace {

constexpr std::size_t draws_checked = 4;
constexpr double equal_share = 1e-9;  // relative difference up to which a value counts as predicted by a form
constexpr std::size_t max_constants_in_pairs = 40;

/// Results of the designs under one setting.
using Results = std::vector<MaybeObjectives>;

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
        evaluate(settings, results_);
        for (std::size_t i = 0; i < read_.size(); ++i) add_if_effective(i);
        find_pairs();
        pilot_.multilinear = is_multilinear();
        return std::move(pilot_);
    }

  private:
    void evaluate(std::vector<Settings> const& settings, std::vector<Results>& results) const {
        results.resize(settings.size());
        tbb::parallel_for(std::size_t{0}, settings.size(), [&](std::size_t s) {
            results[s].resize(designs_.size());
            auto const machine = machine_under(settings[s]);
            if (!machine) return;
            tbb::parallel_for(std::size_t{0}, designs_.size(), [&](std::size_t d) {
                results[s][d] = objectives_of(space_, at_, *machine, designs_[d], fidelity_);
            });
        });
    }

    /// nullopt if a rule refuses the settings: two ends may contradict each other.
    [[nodiscard]] std::optional<space::Machine> machine_under(Settings const& settings) const {
        try {
            return varied_machine(space_.machines()[at_], at_, constants_, settings);
        } catch (sim::InputError const&) {
            return std::nullopt;
        }
    }

    [[nodiscard]] Results const& nominal() const { return results_[0]; }
    [[nodiscard]] Results const& lower(std::size_t i) const { return results_[1 + 2 * i]; }
    [[nodiscard]] Results const& upper(std::size_t i) const { return results_[2 + 2 * i]; }
    [[nodiscard]] Results const& draw(std::size_t n) const { return results_[1 + 2 * read_.size() + n]; }

    void add_if_effective(std::size_t i) {
        if (lower(i) == nominal() && upper(i) == nominal()) return;
        pilot_.seen.constants.push_back(read_[i]);
        auto& movements = pilot_.seen.of_constant.emplace_back(space_.objectives().size() + 1, Movement::none);
        for (std::size_t d = 0; d < designs_.size(); ++d) {
            step(movements, lower(i)[d], nominal()[d]);
            step(movements, nominal()[d], upper(i)[d]);
        }
    }

    /// Joins what is known with a step from a smaller value of the constant to a larger one.
    static void step(std::vector<Movement>& known, MaybeObjectives const& before, MaybeObjectives const& after) {
        join(known.back(), before.has_value() ? 0.0 : 1.0, after.has_value() ? 0.0 : 1.0);
        if (!before || !after) return;
        for (std::size_t o = 0; o < before->size(); ++o) join(known[o], (*before)[o], (*after)[o]);
    }

    static void join(Movement& known, double before, double after) {
        if (before == after) return;
        auto const here = after > before ? Movement::up : Movement::down;
        known = known == Movement::none || known == here ? here : Movement::unknown;
    }

    /// Evaluates the designs with two constants at their far ends, for every pair of effective ones, and keeps the
    /// pairs whose joint effect differs from the sum of both.
    void find_pairs() {
        auto const& effective = pilot_.effective();
        if (effective.size() > max_constants_in_pairs) return;
        std::vector<Settings> settings;
        MultilinearForm::Pairs all;
        for (std::size_t a = 0; a < effective.size(); ++a) {
            for (std::size_t b = a + 1; b < effective.size(); ++b) {
                all.emplace_back(a, b);
                settings.push_back({{effective[a], far_end(constants_[effective[a]])},
                                    {effective[b], far_end(constants_[effective[b]])}});
            }
        }
        std::vector<Results> both;
        evaluate(settings, both);
        for (std::size_t i = 0; i < all.size(); ++i) {
            auto const [a, b] = all[i];
            for (std::size_t d = 0; d < designs_.size(); ++d) {
                if (!nominal()[d] || !single(a)[d] || !single(b)[d] || !both[i][d]) continue;
                if (equal_within(sum(*single(a)[d], *single(b)[d], *nominal()[d]), *both[i][d])) continue;
                pilot_.pairs.push_back(all[i]);
                doubles_.push_back(std::move(both[i]));
                break;
            }
        }
    }

    static std::vector<double> sum(std::vector<double> a, std::vector<double> const& b,
                                   std::vector<double> const& without) {
        for (std::size_t o = 0; o < a.size(); ++o) a[o] += b[o] - without[o];
        return a;
    }

    /// Results with the constant at this position of `effective` at its far end.
    [[nodiscard]] Results const& single(std::size_t k) const {
        auto const c = pilot_.effective()[k];
        auto const i = static_cast<std::size_t>(std::ranges::find(read_, c) - read_.begin());
        return far_end(constants_[c]) == constants_[c].upper ? upper(i) : lower(i);
    }

    [[nodiscard]] bool is_multilinear() const {
        for (std::size_t d = 0; d < designs_.size(); ++d)
            if (nominal()[d] && !is_multilinear(d)) return false;
        return true;
    }

    [[nodiscard]] bool is_multilinear(std::size_t d) const {
        std::vector<std::vector<double>> singles, doubles;
        std::vector<double> changes;
        for (std::size_t k = 0; k < pilot_.effective().size(); ++k) {
            if (!single(k)[d]) return false;
            singles.push_back(*single(k)[d]);
            auto const& constant = constants_[pilot_.effective()[k]];
            changes.push_back(far_end(constant) - constant.nominal);
        }
        for (auto const& both : doubles_) {
            if (!both[d]) return false;
            doubles.push_back(*both[d]);
        }
        MultilinearForm const form(*nominal()[d], singles, doubles, changes, pilot_.pairs);
        for (std::size_t n = 0; n < checked_; ++n) {
            std::vector<double> differences;
            for (auto const c : pilot_.effective()) differences.push_back(draws_.values[n][c] - constants_[c].nominal);
            if (!draw(n)[d] || !equal_within(form.at(differences, pilot_.pairs), *draw(n)[d])) return false;
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
    std::vector<Results> doubles_;  ///< by pair
    Pilot pilot_;
};

}  // namespace

Pilot pilot_of(space::Space const& space, std::size_t machine, Uncertainty const& uncertainty, Draws const& draws,
               std::vector<std::vector<models::Value>> const& designs, models::Fidelity fidelity) {
    return PilotStudy(space, machine, uncertainty, draws, designs, fidelity).run();
}

MultilinearForm::MultilinearForm(std::vector<double> base, std::vector<std::vector<double>> const& singles,
                                 std::vector<std::vector<double>> const& doubles, std::vector<double> const& changes,
                                 Pairs const& pairs)
    : base_(std::move(base)), constants_(singles.size()) {
    for (std::size_t c = 0; c < singles.size(); ++c)
        for (std::size_t o = 0; o < base_.size(); ++o) slopes_.push_back((singles[c][o] - base_[o]) / changes[c]);
    for (std::size_t p = 0; p < pairs.size(); ++p) {
        auto const [a, b] = pairs[p];
        for (std::size_t o = 0; o < base_.size(); ++o)
            slopes_.push_back((doubles[p][o] - singles[a][o] - singles[b][o] + base_[o]) / (changes[a] * changes[b]));
    }
}

std::vector<double> MultilinearForm::at(std::vector<double> const& differences, Pairs const& pairs) const {
    auto values = base_;
    auto const* slope = slopes_.data();
    for (std::size_t c = 0; c < constants_; ++c)
        for (auto& value : values) value += *slope++ * differences[c];
    for (auto const& [a, b] : pairs)
        for (auto& value : values) value += *slope++ * (differences[a] * differences[b]);
    return values;
}

bool equal_within(std::vector<double> const& a, std::vector<double> const& b) {
    return std::ranges::equal(
        a, b, [](double x, double y) { return std::abs(x - y) <= equal_share * std::max(std::abs(x), std::abs(y)); });
}

double far_end(UncertainConstant const& constant) {
    return constant.upper - constant.nominal >= constant.nominal - constant.lower ? constant.upper : constant.lower;
}

}  // namespace pimdse::dse::uncertain
