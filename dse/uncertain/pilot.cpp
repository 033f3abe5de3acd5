#include "dse/uncertain/pilot.hpp"

#include <tbb/parallel_for.h>
#include <algorithm>
#include <map>
#include <utility>

namespace pimdse::dse::uncertain {
namespace {

constexpr std::size_t draws_checked = 4;
constexpr std::size_t max_pairs = 2000;

/// Results of the designs under one setting.
using Results = std::vector<MaybeObjectives>;

class PilotStudy {
  public:
    PilotStudy(space::Space const& space, std::size_t machine, Uncertainty const& uncertainty, Draws const& draws,
               std::vector<std::vector<models::Value>> const& designs, std::size_t to_draw, KnownResults& known)
        : space_(space),
          at_(machine),
          constants_(uncertainty.constants),
          draws_(draws),
          designs_(designs),
          to_draw_(to_draw),
          known_(known) {}

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
        if (!find_terms()) return std::move(pilot_);
        for (std::size_t k = 0; k < pilot_.effective().size(); ++k) kinds_.push_back(kind_of(k));
        FormPlan plan(constants_, pilot_.seen, terms_, kinds_);
        pilot_.predicted = share_predicted(plan);
        if (pilot_.predicted > 0.0) pilot_.plan = std::move(plan);
        return std::move(pilot_);
    }

  private:
    void evaluate(std::vector<Settings> const& settings, std::vector<Results>& results) const {
        results.resize(settings.size());
        // A rule may refuse settings: two ends may contradict each other.
        tbb::parallel_for(std::size_t{0}, settings.size(), [&](std::size_t s) {
            results[s] = known_.of(at_, settings[s], designs_).value_or(Results(designs_.size()));
        });
    }

    [[nodiscard]] Results const& nominal() const { return results_[0]; }
    [[nodiscard]] Results const& lower(std::size_t i) const { return results_[1 + 2 * i]; }
    [[nodiscard]] Results const& upper(std::size_t i) const { return results_[2 + 2 * i]; }
    [[nodiscard]] Results const& draw(std::size_t n) const { return results_[1 + 2 * read_.size() + n]; }

    void add_if_effective(std::size_t i) {
        if (lower(i) == nominal() && upper(i) == nominal()) return;
        pilot_.seen.constants.push_back(read_[i]);
        auto& movements = pilot_.seen.of_constant.emplace_back(space_.objectives().size() + 1, Slope::flat);
        for (std::size_t d = 0; d < designs_.size(); ++d) {
            step(movements, lower(i)[d], nominal()[d]);
            step(movements, nominal()[d], upper(i)[d]);
        }
    }

    /// Joins what is known with a step from a smaller value of the constant to a larger one.
    static void step(std::vector<ConstantSlope>& known, MaybeObjectives const& before, MaybeObjectives const& after) {
        join(known.back(), before.has_value() ? 0.0 : 1.0, after.has_value() ? 0.0 : 1.0);
        if (!before || !after) return;
        for (std::size_t o = 0; o < before->size(); ++o) join(known[o], (*before)[o], (*after)[o]);
    }

    static void join(ConstantSlope& known, double before, double after) {
        if (before != after) known = models::joined(known, after > before ? Slope::up : Slope::down);
    }

    using Term = std::vector<std::size_t>;  ///< positions in `effective`

    /// Pairs, and then triples of constants that interact in pairs, whose joint effect is not that of fewer of them.
    /// False if no polynomial pays.
    [[nodiscard]] bool find_terms() {
        auto const count = pilot_.effective().size();
        MultilinearForm::Terms pairs, triples;
        for (std::size_t a = 0; a < count; ++a)
            for (std::size_t b = a + 1; b < count; ++b)
                if (move_one_objective(a, b)) pairs.push_back({a, b});
        if (!can_pay(count, pairs.size())) return false;
        if (pairs.size() > max_pairs) return true;
        keep_interacting(pairs);
        auto const interact = [&](std::size_t a, std::size_t b) { return joint_.contains({a, b}); };
        for (std::size_t a = 0; a < count; ++a)
            for (std::size_t b = a + 1; b < count; ++b)
                for (std::size_t c = b + 1; c < count; ++c)
                    if (interact(a, b) && interact(a, c) && interact(b, c)) triples.push_back({a, b, c});
        keep_interacting(triples);
        return true;
    }

    /// Whether a polynomial of `count` constants, which takes an evaluation for each, may take fewer than a design in
    /// all draws, so many fewer that this is worth the evaluations that find out which pairs interact.
    [[nodiscard]] bool can_pay(std::size_t count, std::size_t pairs) const {
        auto const draws = draws_.values.size();
        return count < draws && pairs * designs_.size() < (draws - count) * to_draw_;
    }

    /// Whether there is an objective that both move.
    [[nodiscard]] bool move_one_objective(std::size_t a, std::size_t b) const {
        auto const& of_a = pilot_.seen.of_constant[a];
        auto const& of_b = pilot_.seen.of_constant[b];
        for (std::size_t o = 0; o + 1 < of_a.size(); ++o)
            if (of_a[o] != Slope::flat && of_b[o] != Slope::flat) return true;
        return false;
    }

    void keep_interacting(MultilinearForm::Terms const& terms) {
        std::vector<Settings> settings;
        for (auto const& term : terms) {
            auto& together = settings.emplace_back();
            for (auto const k : term) {
                auto const c = pilot_.effective()[k];
                together.push_back({c, far_end(constants_[c])});
            }
        }
        std::vector<Results> results;
        evaluate(settings, results);
        for (std::size_t i = 0; i < terms.size(); ++i) {
            if (!interacts(terms[i], results[i])) continue;
            terms_.push_back(terms[i]);
            joint_.emplace(terms[i], std::move(results[i]));
        }
    }

    /// Whether the results differ from the sum of what fewer of the constants change.
    [[nodiscard]] bool interacts(Term const& term, Results const& all) const {
        for (std::size_t d = 0; d < designs_.size(); ++d) {
            if (!nominal()[d] || !all[d]) continue;
            auto const expected = of_fewer(term, d);
            if (expected && !equal_within(*expected, *all[d])) return true;
        }
        return false;
    }

    [[nodiscard]] MaybeObjectives of_fewer(Term const& term, std::size_t d) const {
        auto values = *nominal()[d];
        for (auto const k : term) {
            if (!single(k)[d]) return std::nullopt;
            for (std::size_t o = 0; o < values.size(); ++o) values[o] += (*single(k)[d])[o] - (*nominal()[d])[o];
        }
        if (term.size() < 3) return values;
        for (auto const& [a, b] : {std::pair{0, 1}, {0, 2}, {1, 2}}) {
            auto const first = term[static_cast<std::size_t>(a)], second = term[static_cast<std::size_t>(b)];
            auto const& both = joint_.at({first, second})[d];
            if (!both) return std::nullopt;
            for (std::size_t o = 0; o < values.size(); ++o)
                values[o] += (*both)[o] - (*single(first)[d])[o] - (*single(second)[d])[o] + (*nominal()[d])[o];
        }
        return values;
    }

    /// Results with the constant at this position of `effective` at its far end.
    [[nodiscard]] Results const& single(std::size_t k) const {
        auto const i = place_of(k);
        return far_end(constants_[read_[i]]) == constants_[read_[i]].upper ? upper(i) : lower(i);
    }

    [[nodiscard]] std::size_t place_of(std::size_t k) const {
        return static_cast<std::size_t>(std::ranges::find(read_, pilot_.effective()[k]) - read_.begin());
    }

    /// Whether the objectives at both ends and at the nominal value lie on a line over the constant, over its
    /// reciprocal, or on neither in most designs that it moves.
    [[nodiscard]] VariableKind kind_of(std::size_t k) const {
        auto const i = place_of(k);
        auto const& constant = constants_[read_[i]];
        if (constant.lower <= 0.0 || constant.nominal <= constant.lower || constant.upper <= constant.nominal)
            return VariableKind::constant;
        auto const share = [&](double a, double nominal, double b) { return (nominal - a) / (b - a); };
        double const of_value = share(constant.lower, constant.nominal, constant.upper),
                     of_reciprocal = share(1.0 / constant.lower, 1.0 / constant.nominal, 1.0 / constant.upper);
        std::size_t as_value = 0, as_reciprocal = 0, as_neither = 0;
        for (std::size_t d = 0; d < designs_.size(); ++d) {
            if (!lower(i)[d] || !nominal()[d] || !upper(i)[d] || lower(i)[d] == upper(i)[d]) continue;
            auto const on_line = [&](double share_below) {
                auto middle = *lower(i)[d];
                for (std::size_t o = 0; o < middle.size(); ++o)
                    middle[o] += share_below * ((*upper(i)[d])[o] - middle[o]);
                return equal_within(middle, *nominal()[d]);
            };
            bool const value = on_line(of_value), reciprocal = on_line(of_reciprocal);
            as_value += value ? 1 : 0;
            as_reciprocal += reciprocal ? 1 : 0;
            as_neither += value || reciprocal ? 0 : 1;
        }
        if (as_neither > std::max(as_value, as_reciprocal)) return VariableKind::power;
        return as_reciprocal > as_value ? VariableKind::reciprocal : VariableKind::constant;
    }

    /// Share of the feasible designs whose forms give their objectives in some draws.
    [[nodiscard]] double share_predicted(FormPlan const& plan) const {
        std::vector<Results> results;
        evaluate(plan.settings(), results);
        std::size_t feasible = 0, predicted = 0;
        for (std::size_t d = 0; d < designs_.size(); ++d) {
            if (!nominal()[d]) continue;
            ++feasible;
            predicted += predicts(plan, results, d) ? 1 : 0;
        }
        return feasible == 0 ? 0.0 : static_cast<double>(predicted) / static_cast<double>(feasible);
    }

    [[nodiscard]] bool predicts(FormPlan const& plan, std::vector<Results> const& results, std::size_t d) const {
        std::vector<std::vector<double>> of_design;
        for (auto const& under : results) {
            if (!under[d]) return false;
            of_design.push_back(*under[d]);
        }
        auto const form = plan.form(*nominal()[d], of_design);
        if (!form) return false;
        for (std::size_t n = 0; n < checked_; ++n)
            if (!draw(n)[d] || !equal_within(plan.at(*form, plan.differences(draws_.values[n])), *draw(n)[d]))
                return false;
        return true;
    }

    space::Space const& space_;
    std::size_t at_;
    std::vector<UncertainConstant> const& constants_;
    Draws const& draws_;
    std::vector<std::vector<models::Value>> const& designs_;
    std::size_t to_draw_;
    KnownResults& known_;
    std::vector<std::size_t> read_;  ///< constants that the machine reads
    std::size_t checked_ = 0;
    std::vector<Results> results_;
    MultilinearForm::Terms terms_;
    std::map<Term, Results> joint_;  ///< by term
    std::vector<VariableKind> kinds_;
    Pilot pilot_;
};

}  // namespace

Pilot pilot_of(space::Space const& space, std::size_t machine, Uncertainty const& uncertainty, Draws const& draws,
               std::vector<std::vector<models::Value>> const& designs, std::size_t to_draw, KnownResults& known) {
    return PilotStudy(space, machine, uncertainty, draws, designs, to_draw, known).run();
}

}  // namespace pimdse::dse::uncertain
