#include "dse/uncertain/point_study.hpp"

#include "dse/uncertain/design_set.hpp"
#include "dse/uncertain/known_constants.hpp"
#include "sim/base/check.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace pimdse::dse::uncertain {
namespace {

constexpr int departure_halvings = 12;

bool dominates(std::vector<double> const& a, std::vector<double> const& b,
               std::vector<space::Objective> const& objectives) {
    bool better = false;
    for (std::size_t o = 0; o < a.size(); ++o) {
        bool const more = objectives[o].better == models::Sense::maximize;
        double const mine = more ? -a[o] : a[o], other = more ? -b[o] : b[o];
        if (mine > other) return false;
        better = better || mine < other;
    }
    return better;
}

class DepartureStudy {
  public:
    DepartureStudy(space::Space const& space, std::vector<UncertainConstant> const& constants,
                   std::vector<space::PointId> const& points, models::Fidelity fidelity)
        : objectives_(space.objectives()),
          constants_(constants),
          known_(space, constants, fidelity),
          set_(space, points, known_) {}

    /// The studied design is the first of the set.
    PointStudy run(std::vector<bool> const& effective) {
        PointStudy study;
        if (!set_.nominal()[0]) return study;
        study.nominal = *set_.nominal()[0];
        on_front_ = std::ranges::none_of(set_.nominal(), [&](MaybeObjectives const& rival) {
            return rival && dominates(*rival, study.nominal, objectives_);
        });
        for (std::size_t c = 0; c < constants_.size(); ++c) {
            if (!effective[c]) continue;
            TornadoRow row{c, end(c, constants_[c].lower, study), end(c, constants_[c].upper, study)};
            if (row.at_lower != set_.nominal()[0] || row.at_upper != set_.nominal()[0])
                study.tornado.push_back(std::move(row));
        }
        std::ranges::stable_sort(study.tornado, std::greater{}, [&](auto const& row) { return effect(row, study); });
        std::ranges::stable_sort(study.departures, {}, &Departure::factor);
        return study;
    }

  private:
    /// The objectives of the design at an end; adds where it leaves the front on the way there.
    MaybeObjectives end(std::size_t constant, double value, PointStudy& study) const {
        auto const found = value == constants_[constant].nominal ? std::nullopt : set_.results({{constant, value}});
        if (!found) return set_.nominal()[0];
        auto const& results = *found;
        std::vector<std::size_t> those{0};
        for (std::size_t d = 1; d < results.size(); ++d)
            if (results[0] && results[d] && dominates(*results[d], *results[0], objectives_)) those.push_back(d);
        if (on_front_ && (!results[0] || those.size() > 1))
            study.departures.push_back(departure(constant, value, those));
        return results[0];
    }

    [[nodiscard]] Departure departure(std::size_t constant, double end, std::vector<std::size_t> const& those) const {
        auto const& range = constants_[constant];
        auto const at = [&](double share) { return range.rounded(between(range.nominal, end, share)); };
        auto const left = [&](double share) { return leaves({{constant, at(share)}}, those); };
        Departure found{constant, at(share_that_turns(departure_halvings, left)), 1.0, std::nullopt};
        found.factor = std::max(found.value / range.nominal, range.nominal / found.value);
        (void)leaves({{constant, found.value}}, those, &found.dominated_by);
        return found;
    }

    /// Whether the design is infeasible or dominated by one of those; not where a rule refuses the settings.
    [[nodiscard]] bool leaves(Settings const& settings, std::vector<std::size_t> const& those,
                              std::optional<space::PointId>* by = nullptr) const {
        auto const found = set_.results(settings, those);
        if (!found) return false;
        auto const& results = *found;
        if (!results[0]) return true;
        for (auto const d : those) {
            if (d == 0 || !results[d] || !dominates(*results[d], *results[0], objectives_)) continue;
            if (by != nullptr) *by = set_.designs()[d].point;
            return true;
        }
        return false;
    }

    /// The largest relative change of an objective.
    [[nodiscard]] double effect(TornadoRow const& row, PointStudy const& study) const {
        double largest = 0.0;
        for (auto const* values : {&row.at_lower, &row.at_upper}) {
            if (!*values) return std::numeric_limits<double>::infinity();
            for (std::size_t o = 0; o < study.nominal.size(); ++o)
                largest = std::max(largest, std::abs((**values)[o] / study.nominal[o] - 1.0));
        }
        return largest;
    }

    std::vector<space::Objective> const& objectives_;
    std::vector<UncertainConstant> const& constants_;
    KnownResults known_;
    DesignSet set_;
    bool on_front_ = false;  ///< as assumed
};

}  // namespace

PointStudy study_point(space::Space const& space, std::vector<UncertainConstant> const& constants,
                       std::vector<bool> const& effective, std::vector<space::PointId> rivals, space::PointId point,
                       models::Fidelity fidelity) {
    std::erase(rivals, point);
    rivals.insert(rivals.begin(), point);
    return DepartureStudy(space, constants, rivals, fidelity).run(effective);
}

std::vector<UncertainConstant> bound_again(space::Space const& space, std::vector<UncertainConstant> constants) {
    auto known = known_constants(space);
    auto const take = [&](UncertainConstant& constant, std::string const& name, std::optional<std::size_t> machine) {
        auto const found = std::ranges::find(known, name, [](auto const& one) { return one.constant.name; });
        if (found == known.end()) return;
        auto& bindings = found->constant.bindings;
        for (auto const& binding : bindings)
            if (!machine || binding.machine == *machine) constant.bindings.push_back(binding);
        std::erase_if(bindings, [&](auto const& binding) { return !machine || binding.machine == *machine; });
    };
    for (auto& constant : constants) {  // those of one machine first: the others keep the rest
        auto const dot = constant.name.find('.');
        for (std::size_t m = 0; m < space.machines().size(); ++m) {
            auto const& machine = space.machines()[m];
            if (machine.name == constant.name.substr(0, dot) && machine.name != machine.architecture->name)
                take(constant, std::string(machine.architecture->name) + constant.name.substr(dot), m);
        }
    }
    for (auto& constant : constants) {
        if (constant.bindings.empty()) take(constant, constant.name, std::nullopt);
        if (constant.bindings.empty()) throw sim::InputError("the space has no constant {} any more", constant.name);
    }
    return constants;
}

}  // namespace pimdse::dse::uncertain
