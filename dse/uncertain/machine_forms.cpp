#include "dse/uncertain/machine_forms.hpp"

#include "dse/uncertain/ends.hpp"

#include <span>
#include <utility>

namespace pimdse::dse::uncertain {
namespace {

constexpr std::size_t checked_draws = 2;

}  // namespace

MachineForms::MachineForms(space::Space const& space, Uncertainty const& uncertainty, Pilot const& pilot,
                           Movements const& movements, Draws const& draws,
                           std::function<bool(Settings const&)> const& is_allowed)
    : constants_(uncertainty.constants), plan_(pilot.plan) {
    if (pilot.effective().empty() || draws.values.size() < checked_draws) return;
    for (std::size_t n = 0; n < checked_draws; ++n) checks_.push_back(settings_of(draws.values[n]));
    for (auto& end : both_ends_of(space, constants_, movements))
        if (is_allowed(end)) checks_.push_back(std::move(end));
    if (!plan_) return;
    for (auto const& values : draws.values) differences_.push_back(plan_->differences(values));
    auto const evaluations = static_cast<double>(plan_->settings().size() + checks_.size());
    if (evaluations >= pilot.predicted * static_cast<double>(draws.values.size())) return;
    settings_ = plan_->settings();
    settings_.insert(settings_.end(), checks_.begin(), checks_.end());
}

/// Values of all constants, those of the settings changed.
DrawnValues MachineForms::values_with(Settings const& settings) const {
    DrawnValues values;
    for (auto const& constant : constants_) values.push_back(constant.nominal);
    for (auto const& setting : settings) values[setting.constant] = setting.si;
    return values;
}

std::optional<DesignForm> MachineForms::form(std::vector<double> const& nominal,
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

DesignForm MachineForms::constant(std::vector<double> nominal) { return {{std::move(nominal), {}, {}, {}, {}}, {}}; }

std::vector<double> MachineForms::at(DesignForm const& form, std::size_t draw) const {
    return plan_ ? plan_->at(form, differences_[draw]) : form.polynomial.at({}, {});
}

}  // namespace pimdse::dse::uncertain
