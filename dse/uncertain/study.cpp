#include "dse/uncertain/study.hpp"

#include "dse/search/front.hpp"
#include "dse/space/evaluation.hpp"
#include "dse/space/input_hashes.hpp"
#include "dse/space/search_settings.hpp"
#include "dse/uncertain/ends.hpp"
#include "dse/uncertain/machine_flips.hpp"
#include "dse/uncertain/pilot.hpp"
#include "dse/uncertain/polynomials.hpp"
#include "sim/base/check.hpp"
#include "sim/base/digest.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstddef>
#include <set>
#include <span>
#include <utility>

namespace pimdse::dse::uncertain {
namespace {

constexpr std::size_t checked_draws = 2;

/// The forms of a machine's designs: which evaluations they take, when a design has one, and what it is in a draw.
class MachineForms {
  public:
    /// `movements`: of the machine; `others`: constants that may move it, although nobody saw that. `is_allowed`:
    /// whether the machine's rules accept settings.
    MachineForms(space::Space const& space, Uncertainty const& uncertainty, Pilot const& pilot,
                 Movements const& movements, std::vector<std::size_t> const& others, Draws const& draws,
                 std::function<bool(Settings const&)> const& is_allowed)
        : constants_(uncertainty.constants), plan_(pilot.plan) {
        if (pilot.effective().empty() || draws.values.size() < checked_draws) return;
        for (std::size_t n = 0; n < checked_draws; ++n) checks_.push_back(settings_of(draws.values[n]));
        for (auto& end : both_ends_of(space, constants_, movements, others))
            if (is_allowed(end)) checks_.push_back(std::move(end));
        if (!plan_) return;
        for (auto const& values : draws.values) differences_.push_back(plan_->differences(values));
        auto const evaluations = static_cast<double>(plan_->settings().size() + checks_.size());
        if (evaluations >= pilot.predicted * static_cast<double>(draws.values.size())) return;
        settings_ = plan_->settings();
        settings_.insert(settings_.end(), checks_.begin(), checks_.end());
    }

    /// Two draws, and both ends of all ranges, at which a form must agree with an evaluation. Empty if no constant
    /// changes a result of the machine, or if there are fewer draws.
    [[nodiscard]] std::vector<Settings> const& checks() const { return checks_; }
    /// Those that determine a form, then the checks. Empty if it takes fewer evaluations to evaluate the draws.
    [[nodiscard]] std::vector<Settings> const& settings() const { return settings_; }

    /// The form of a design with these objectives under nominal constants and under each of settings(); nullopt if it
    /// is infeasible in one of them, or if the form disagrees with a check.
    [[nodiscard]] std::optional<DesignForm> form(std::vector<double> const& nominal,
                                                 std::vector<MaybeObjectives> const& results) const {
        std::vector<std::vector<double>> values;
        for (auto const& result : results) {
            if (!result) return std::nullopt;
            values.push_back(*result);
        }
        auto const determining = plan_->settings().size();
        auto found = plan_->form(nominal, std::span(values).first(determining));
        if (!found) return std::nullopt;
        for (std::size_t n = 0; n < checks_.size(); ++n) {
            auto const differences = plan_->differences(values_with(checks_[n]));
            if (!equal_within(plan_->at(*found, differences), values[determining + n])) return std::nullopt;
        }
        return found;
    }
    /// The form of a design that no constant changes.
    [[nodiscard]] static DesignForm constant(std::vector<double> nominal) {
        return {{std::move(nominal), {}, {}, {}, {}}, {}};
    }
    /// The objectives of a design in a draw.
    [[nodiscard]] std::vector<double> at(DesignForm const& form, std::size_t draw) const {
        return plan_ ? plan_->at(form, differences_[draw]) : form.polynomial.at({}, {});
    }

  private:
    /// Values of all constants, those of the settings changed.
    [[nodiscard]] DrawnValues values_with(Settings const& settings) const {
        DrawnValues values;
        for (auto const& constant : constants_) values.push_back(constant.nominal);
        for (auto const& setting : settings) values[setting.constant] = setting.si;
        return values;
    }

    std::vector<UncertainConstant> const& constants_;
    std::optional<FormPlan> const& plan_;
    std::vector<Settings> checks_, settings_;
    std::vector<std::vector<double>> differences_;  ///< of the variables, by draw
};

constexpr std::size_t pilot_designs = 36;

/// A design with a result at the final fidelity.
struct Candidate {
    space::PointId point{};
    std::size_t machine = 0;
    std::optional<std::vector<double>> nominal;  ///< nullopt: infeasible with the nominal constants
    std::optional<DesignForm> form{};
    bool never = false;                    ///< infeasible in every draw
    std::vector<MaybeObjectives> drawn{};  ///< by draw, if it was evaluated in each
};

class UncertainStudy {
  public:
    UncertainStudy(space::Space const& space, search::ResultStore const& store, Uncertainty const& uncertainty,
                   EvaluatePass const& evaluate, StudySettings const& settings)
        : space_(space),
          store_(store),
          uncertainty_(uncertainty),
          evaluate_(evaluate),
          settings_(settings),
          fidelity_(settings.part ? settings.part->fidelity : space::final_fidelity(space.search())),
          known_(space, uncertainty.constants, fidelity_) {}

    std::optional<RobustFront> run() {
        say("draws");
        draws_ = draws_of(space_, uncertainty_);
        collect();
        pilot();
        if (settings_.part) keep(settings_.part->designs);
        if (!exclude() || !make_forms() || !evaluate_draws()) return std::nullopt;
        return assembled();
    }

  private:
    void say(std::string const& step) const {
        if (settings_.progress) settings_.progress(step);
    }

    [[nodiscard]] std::string refusal(std::size_t m, std::vector<Settings> const& settings) const {
        try {
            for (auto const& one : settings) (void)varied_machine(space_.machines()[m], m, uncertainty_.constants, one);
            return "";
        } catch (sim::InputError const& error) {
            return error.sentences().front();
        }
    }

    void collect() {
        for (auto const row : store_.sorted()) {
            auto const task = store_.task(row);
            auto const status = store_.status(row);
            bool const usable = status == search::Status::ok || status == search::Status::infeasible;
            if (task.fidelity != fidelity_ || !usable) continue;
            Candidate candidate{task.point, space_.machine_of(task.point), std::nullopt};
            if (status == search::Status::ok) {
                candidate.nominal.emplace();
                for (auto const& objective : space_.objectives())
                    candidate.nominal->push_back(store_.value(row, objective.metric));
            }
            candidates_.push_back(std::move(candidate));
        }
        considered_ = candidates_.size();
        front_now_ = search::front_of(store_, space_.objectives(), fidelity_).ids();
    }

    /// Drops all other candidates of machines that a constant changes.
    void keep(std::vector<space::PointId> const& designs) {
        std::set<space::PointId> const kept(designs.begin(), designs.end());
        std::erase_if(candidates_, [&](Candidate const& candidate) {
            return !kept.contains(candidate.point) && !movements_[candidate.machine].constants.empty();
        });
    }

    /// Members of the front, and feasible and infeasible designs that are spread over the ids, a third of each.
    [[nodiscard]] std::vector<std::vector<models::Value>> designs_for_pilot(std::size_t machine) const {
        std::vector<space::PointId> on_front, feasible, infeasible;
        for (auto const point : front_now_)
            if (space_.machine_of(point) == machine) on_front.push_back(point);
        for (auto const& candidate : candidates_)
            if (candidate.machine == machine) (candidate.nominal ? feasible : infeasible).push_back(candidate.point);
        std::set<space::PointId> chosen;
        for (auto const* list : {&on_front, &feasible, &infeasible}) {
            auto const count = std::min(list->size(), pilot_designs / 3);
            for (std::size_t i = 0; i < count; ++i) chosen.insert((*list)[i * list->size() / count]);
        }
        std::vector<std::vector<models::Value>> designs;
        for (auto const point : chosen) space_.decode(point, designs.emplace_back());
        return designs;
    }

    /// What machines state about their constants; where that is not everything, what was seen in a few designs.
    void pilot() {
        for (std::size_t m = 0; m < space_.machines().size(); ++m) {
            say("which constants matter for " + space_.machines()[m].name);
            auto const of_machine = [m](Candidate const& candidate) { return candidate.machine == m; };
            auto const to_draw = static_cast<std::size_t>(std::ranges::count_if(candidates_, of_machine));
            pilots_.push_back(pilot_of(space_, m, uncertainty_, draws_, designs_for_pilot(m), to_draw, known_));
            auto stated = stated_movements(space_, m, uncertainty_.constants);
            movements_.push_back(stated.unknown.empty() ? std::move(stated.movements) : pilots_[m].seen);
            proved_.push_back(stated.unknown.empty());
            for (auto const c : stated.unknown) result_.not_stated.push_back(uncertainty_.constants[c].name);
        }
        std::ranges::sort(result_.not_stated);
        auto const again = std::ranges::unique(result_.not_stated);
        result_.not_stated.erase(again.begin(), again.end());
    }

    /// A pass with the settings of each machine.
    [[nodiscard]] Pass new_pass(std::string name) const {
        Pass pass{std::move(name), {}, std::vector<std::vector<Settings>>(space_.machines().size())};
        for (auto const& constant : uncertainty_.constants) {
            UncertainConstant bare;
            bare.name = constant.name;
            bare.bindings = constant.bindings;
            pass.constants.push_back(std::move(bare));
        }
        return pass;
    }

    [[nodiscard]] std::vector<space::Task> tasks_of(std::vector<std::size_t> const& which) const {
        std::vector<space::Task> tasks;
        for (auto const i : which) tasks.push_back({candidates_[i].point, fidelity_});
        return tasks;
    }

    /// Evaluates candidates and passes their results to `use`. False if the run was stopped.
    template <class Use>
    bool run_pass(Pass const& pass, std::vector<std::size_t> const& which, Use const& use) {
        if (which.empty()) return true;
        auto const store = evaluate_(pass, tasks_of(which));
        if (!store) return false;
        auto const objectives = space_.objectives().size();
        for (auto const i : which) {
            auto const row = store->find({candidates_[i].point, fidelity_});
            auto const settings = pass.machines[candidates_[i].machine].size();
            models::Metrics metrics;
            for (std::size_t k = 0; row && k < objectives * settings; ++k)
                metrics.push_back(models::Estimate::exact(store->value(*row, k)));
            bool const whole = metrics.size() == objectives * settings && store->status(*row) == search::Status::ok;
            use(i, whole ? by_setting(metrics, objectives, settings) : std::vector<MaybeObjectives>(settings));
        }
        return true;
    }

    /// What the ends tell about each candidate.
    struct Extents {
        explicit Extents(std::size_t candidates) : of(candidates), never(candidates, false) {}
        std::vector<std::optional<Extent>> of;
        std::vector<bool> never;  ///< infeasible under all constants
    };

    /// The passes "best" and "worst": drops candidates that others dominate whatever the constants are. Only designs on
    /// the front as assumed are tried as those that dominate.
    bool exclude() {
        std::vector<std::size_t> changing, on_front;
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            if (movements_[candidates_[i].machine].constants.empty()) continue;
            changing.push_back(i);
            if (std::ranges::binary_search(front_now_, candidates_[i].point)) on_front.push_back(i);
        }
        Extents extents(candidates_.size());
        bool const done = at_ends("best", RangeEnd::best, changing,
                                  [&](std::size_t i, auto const& results, EndSettings const& ends) {
                                      auto best = best_of(results, ends);
                                      extents.never[i] = !best && !candidates_[i].nominal;
                                      if (best) extents.of[i] = Extent{candidates_[i].point, *std::move(best), {}};
                                  }) &&
                          at_ends("worst", RangeEnd::worst, on_front,
                                  [&](std::size_t i, auto const& results, EndSettings const& ends) {
                                      if (extents.of[i]) extents.of[i]->worst = worst_of(results, ends);
                                  });
        if (done) keep_possible(std::move(extents));
        return done;
    }

    /// Evaluates candidates of machines with known ends at these ends.
    template <class Use>
    bool at_ends(std::string const& name, RangeEnd end, std::vector<std::size_t> const& which, Use const& use) {
        auto pass = new_pass(name);
        std::vector<std::optional<EndSettings>> ends;
        for (std::size_t m = 0; m < movements_.size(); ++m) {
            ends.emplace_back();
            if (!movements_[m].has_ends() || movements_[m].constants.empty()) continue;
            ends.back() = ends_of(space_, uncertainty_.constants, movements_[m], end);
            if (refusal(m, ends.back()->settings).empty())
                pass.machines[m] = ends.back()->settings;
            else
                ends.back().reset();  // no draw has these values
        }
        std::vector<std::size_t> known;
        for (auto const i : which)
            if (ends[candidates_[i].machine]) known.push_back(i);
        say(fmt::format("{} designs at the {} ends of all ranges", known.size(), name));
        return run_pass(pass, known, [&](std::size_t i, std::vector<MaybeObjectives> const& results) {
            use(i, results, *ends[candidates_[i].machine]);
        });
    }

    /// Drops what is proved to be on no front. Of the others, some are only seen to be on none: they are drawn.
    void keep_possible(Extents extents) {
        for (std::size_t i = 0; i < candidates_.size(); ++i)
            if (is_constant(i) && candidates_[i].nominal)
                extents.of[i] = Extent{candidates_[i].point, *candidates_[i].nominal, *candidates_[i].nominal};
        auto const seen = standings(extents, [](std::size_t) { return true; });
        auto const proved = standings(extents, [&](std::size_t i) { return proved_[candidates_[i].machine]; });
        std::vector<Candidate> kept;
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            auto& candidate = candidates_[i];
            bool const now = std::ranges::binary_search(front_now_, candidate.point);
            bool const never = extents.never[i] || (is_constant(i) && !candidate.nominal);
            if (now || (!never && seen[i].possible)) result_.possible.push_back(candidate.point);
            if (!now && proved_[candidate.machine] && (never || !proved[i].possible)) continue;
            RobustDesign design;
            design.point = candidate.point;
            design.certain = seen[i].certain;
            result_.designs.push_back(std::move(design));
            kept.push_back(std::move(candidate));
        }
        candidates_ = std::move(kept);
    }

    /// Whether no uncertain constant changes the results of a candidate's machine.
    [[nodiscard]] bool is_constant(std::size_t i) const { return movements_[candidates_[i].machine].constants.empty(); }

    /// Of the candidates with an extent that the predicate accepts; all others may be anything.
    template <class Predicate>
    [[nodiscard]] std::vector<RangeStanding> standings(Extents const& extents, Predicate const& accepts) const {
        std::vector<Extent> known;
        std::vector<std::size_t> places;
        bool complete = true;
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            bool const never = extents.never[i] || (is_constant(i) && !candidates_[i].nominal);
            bool const is_known = extents.of[i] && accepts(i);
            complete = complete && (is_known || (never && accepts(i)));
            if (!is_known) continue;
            known.push_back(*extents.of[i]);
            places.push_back(i);
        }
        auto const of_known = standings_of(known, space::senses_of(space_.objectives()), complete);
        std::vector<RangeStanding> all(candidates_.size());
        for (std::size_t k = 0; k < places.size(); ++k) all[places[k]] = of_known[k];
        return all;
    }

    /// The passes "feasible" and "forms": designs that are feasible in no draw, and objectives as polynomials of the
    /// constants. Both are checked at a few settings.
    bool make_forms() {
        auto with_forms = new_pass("forms"), feasible = new_pass("feasible");
        for (std::size_t m = 0; m < pilots_.size(); ++m) {
            auto const is_allowed = [&](Settings const& one) { return refusal(m, {one}).empty(); };
            std::vector<std::size_t> others;
            for (std::size_t c = 0; c < uncertainty_.constants.size() && !proved_[m]; ++c)
                if (reads(uncertainty_.constants[c], m) &&
                    std::ranges::find(movements_[m].constants, c) == movements_[m].constants.end())
                    others.push_back(c);
            forms_.emplace_back(space_, uncertainty_, pilots_[m], movements_[m], others, draws_, is_allowed);
            feasible.machines[m] = forms_[m].checks();
            with_forms.machines[m] = forms_[m].settings();
        }
        std::vector<std::size_t> feasible_now, infeasible;
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            auto& candidate = candidates_[i];
            bool const constant = pilots_[candidate.machine].effective().empty();
            if (constant && candidate.nominal) candidate.form = MachineForms::constant(*candidate.nominal);
            candidate.never = constant && !candidate.nominal;
            if (constant) continue;
            if (!candidate.nominal && !forms_[candidate.machine].checks().empty()) infeasible.push_back(i);
            if (candidate.nominal && !forms_[candidate.machine].settings().empty()) feasible_now.push_back(i);
        }
        say(fmt::format("{} infeasible designs with other constants", infeasible.size()));
        if (!run_pass(feasible, infeasible, [&](std::size_t i, std::vector<MaybeObjectives> const& results) {
                candidates_[i].never = std::ranges::none_of(results, [](auto const& one) { return one.has_value(); });
            }))
            return false;
        say(fmt::format("{} designs as polynomials of the constants", feasible_now.size()));
        return run_pass(with_forms, feasible_now, [&](std::size_t i, std::vector<MaybeObjectives> const& results) {
            candidates_[i].form = forms_[candidates_[i].machine].form(*candidates_[i].nominal, results);
        });
    }

    /// The pass "draws": designs without a linear form are evaluated in every draw.
    bool evaluate_draws() {
        auto pass = new_pass("draws");
        std::vector<std::size_t> which;
        std::set<std::size_t> machines;
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            if (candidates_[i].form || candidates_[i].never) continue;
            which.push_back(i);
            machines.insert(candidates_[i].machine);
        }
        for (auto const m : machines)
            for (auto const& values : draws_.values)
                pass.machines[m].push_back(read_by(m, uncertainty_.constants, settings_of(values)));
        evaluated_ = which.size();
        say(fmt::format("{} designs in {} draws", which.size(), draws_.values.size()));
        return run_pass(pass, which, [&](std::size_t i, std::vector<MaybeObjectives> results) {
            candidates_[i].drawn = std::move(results);
        });
    }

    [[nodiscard]] MaybeObjectives values_of(std::size_t i, std::size_t draw) const {
        auto const& candidate = candidates_[i];
        if (candidate.never) return std::nullopt;
        if (!candidate.form) return candidate.drawn[draw];
        return forms_[candidate.machine].at(*candidate.form, draw);
    }

    RobustFront assembled() {
        say("fronts of all draws");
        result_.key = key_of(space_, store_, uncertainty_);
        result_.constants = uncertainty_.constants;
        result_.draws = draws_.values;
        result_.seed = uncertainty_.seed;
        result_.refused_draws = draws_.refused;
        result_.remarks = uncertainty_.remarks;
        result_.effective.assign(uncertainty_.constants.size(), false);
        for (auto const& pilot : pilots_)
            for (auto const c : pilot.effective()) result_.effective[c] = true;
        for (auto const& objective : space_.objectives())
            result_.objectives.push_back(space_.metrics()[objective.metric].name);
        result_.designs_considered = considered_;
        result_.designs_evaluated = evaluated_;
        result_.designs_linear =
            static_cast<std::uint64_t>(std::ranges::count_if(candidates_, [](auto const& one) { return !!one.form; }));
        DrawnDesigns drawn;
        for (auto const& candidate : candidates_) drawn.points.push_back(candidate.point);
        drawn.draws = draws_.values.size();
        drawn.values = [this](std::size_t design, std::size_t draw) { return values_of(design, draw); };
        add_fronts(result_, space_, drawn, front_now_);
        correct_what_was_seen();
        result_.designs_excluded = considered_ - result_.possible.size();
        say("constants that decide which machine is best");
        result_.flips = machine_flips(space_, store_, uncertainty_.constants, result_.effective,
                                      settings_.part ? settings_.part->possible : result_.possible, fidelity_, known_);
        result_.statement = statement_of(result_);
        return std::move(result_);
    }

    /// Draws may contradict directions that are not proved.
    void correct_what_was_seen() {
        for (auto& design : result_.designs) {
            design.certain = design.certain && design.draws_on_front == draws_.values.size();
            if (design.draws_on_front > 0 && !std::ranges::binary_search(result_.possible, design.point))
                result_.possible.insert(std::ranges::lower_bound(result_.possible, design.point), design.point);
        }
    }

    space::Space const& space_;
    search::ResultStore const& store_;
    Uncertainty const& uncertainty_;
    EvaluatePass const& evaluate_;
    StudySettings const& settings_;
    models::Fidelity fidelity_;
    KnownResults known_;
    Draws draws_;
    std::vector<Candidate> candidates_;  ///< by id
    std::vector<space::PointId> front_now_;
    std::vector<Pilot> pilots_;         ///< by machine
    std::vector<Movements> movements_;  ///< by machine: at which ends the extremes are
    std::vector<bool> proved_;          ///< by machine: whether it states these movements
    std::vector<MachineForms> forms_;   ///< by machine
    std::uint64_t considered_ = 0, evaluated_ = 0;
    RobustFront result_;
};

}  // namespace

std::string key_of(space::Space const& space, search::ResultStore const& store, Uncertainty const& uncertainty) {
    std::string text = search::digest(space::identity_text(space.canonical_text(), space::input_hashes(space)), store);
    for (auto const& objective : space.objectives()) text += " " + space.metrics()[objective.metric].name;
    for (auto const& constant : uncertainty.constants) {
        text +=
            fmt::format("\n{} {} {} {} {} {} {} {}", constant.name, constant.nominal, constant.lower, constant.upper,
                        name_of(constant.distribution), constant.mean, constant.deviation, constant.whole);
        for (double const choice : constant.choices) text += fmt::format(" {}", choice);
    }
    for (auto const& group : uncertainty.correlated) {
        text += fmt::format("\n{}", group.coefficient);
        for (auto const constant : group.constants) text += fmt::format(" {}", constant);
    }
    return sim::sha256(text + fmt::format("\n{} {}", uncertainty.samples, uncertainty.seed));
}

EvaluatePass evaluate_here(space::Space const& space, int threads) {
    return [&space, threads](Pass const& pass, std::vector<space::Task> const& tasks) {
        PassSpace const pass_space(space, pass);
        search::ResultStore store(pass_space.space().metrics().size());
        store.insert(space::results_of(pass_space.space(), tasks, threads));
        return std::optional(std::move(store));
    };
}

std::optional<RobustFront> study(space::Space const& space, search::ResultStore const& store,
                                 Uncertainty const& uncertainty, EvaluatePass const& evaluate,
                                 StudySettings const& settings) {
    return UncertainStudy(space, store, uncertainty, evaluate, settings).run();
}

}  // namespace pimdse::dse::uncertain
