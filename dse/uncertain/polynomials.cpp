#include "dse/uncertain/polynomials.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::dse::uncertain {
namespace {

constexpr double equal_share = 1e-9;  // relative difference up to which a value counts as predicted by a form

}  // namespace

MultilinearForm::MultilinearForm(std::vector<double> base, std::vector<std::vector<double>> const& singles,
                                 std::vector<std::vector<double>> const& several, std::vector<double> const& changes,
                                 Terms const& terms)
    : base_(std::move(base)), variables_(singles.size()) {
    auto const objectives = base_.size();
    for (std::size_t v = 0; v < variables_; ++v)
        for (std::size_t o = 0; o < objectives; ++o) slopes_.push_back((singles[v][o] - base_[o]) / changes[v]);
    for (std::size_t t = 0; t < terms.size(); ++t) {
        // What is left of the change once that of fewer variables is subtracted.
        std::vector<double> only(variables_, 0.0);
        double product = 1.0;
        for (auto const v : terms[t]) {
            only[v] = changes[v];
            product *= changes[v];
        }
        auto const of_fewer = at(only, {terms.begin(), terms.begin() + static_cast<std::ptrdiff_t>(t)});
        for (std::size_t o = 0; o < objectives; ++o) slopes_.push_back((several[t][o] - of_fewer[o]) / product);
    }
}

std::vector<double> MultilinearForm::at(std::vector<double> const& differences, Terms const& terms) const {
    auto values = base_;
    auto const* slope = slopes_.data();
    for (std::size_t v = 0; v < variables_; ++v)
        for (auto& value : values) value += *slope++ * differences[v];
    for (auto const& term : terms) {
        double product = 1.0;
        for (auto const v : term) product *= differences[v];
        for (auto& value : values) value += *slope++ * product;
    }
    return values;
}

bool equal_within(std::vector<double> const& a, std::vector<double> const& b) {
    return std::ranges::equal(
        a, b, [](double x, double y) { return std::abs(x - y) <= equal_share * std::max(std::abs(x), std::abs(y)); });
}

double far_end(UncertainConstant const& constant) {
    return constant.upper - constant.nominal >= constant.nominal - constant.lower ? constant.upper : constant.lower;
}

FormPlan::FormPlan(std::vector<UncertainConstant> const& constants, Movements moved, MultilinearForm::Terms terms,
                   std::vector<bool> reciprocal)
    : constants_(std::move(moved.constants)), reciprocal_(std::move(reciprocal)), terms_(std::move(terms)) {
    for (std::size_t v = 0; v < constants_.size(); ++v) {
        auto const& movements = moved.of_constant[v];
        sim::expects(movements.size() <= 64, "objectives fit into the bits of a number");
        std::uint64_t bits = 0;
        for (std::size_t o = 0; o + 1 < movements.size(); ++o)
            if (movements[o] != Slope::flat) bits |= std::uint64_t{1} << o;
        objectives_.push_back(bits);
        nominal_.push_back(constants[constants_[v]].nominal);
        far_.push_back(far_end(constants[constants_[v]]));
    }
    for (std::size_t v = 0; v < constants_.size(); ++v) add(probe_of({v}));
    for (auto const& term : terms_) add(probe_of(term));
}

FormPlan::Probe FormPlan::probe_of(std::vector<std::size_t> variables) const {
    Probe probe{std::move(variables), 0, 0};
    for (auto const v : probe.variables) probe.objectives |= objectives_[v];
    return probe;
}

/// Into the first setting in which nothing moves the same objectives.
void FormPlan::add(Probe probe) {
    while (probe.setting < settings_.size() && (used_[probe.setting] & probe.objectives) != 0) ++probe.setting;
    if (probe.setting == settings_.size()) {
        settings_.emplace_back();
        used_.push_back(0);
    }
    used_[probe.setting] |= probe.objectives;
    for (auto const v : probe.variables) settings_[probe.setting].push_back({constants_[v], far_[v]});
    probes_.push_back(std::move(probe));
}

double FormPlan::difference(std::size_t variable, double value) const {
    return reciprocal_[variable] ? 1.0 / value - 1.0 / nominal_[variable] : value - nominal_[variable];
}

std::vector<double> FormPlan::differences(std::vector<double> const& values) const {
    std::vector<double> list;
    for (std::size_t v = 0; v < constants_.size(); ++v) list.push_back(difference(v, values[constants_[v]]));
    return list;
}

/// The objectives with the variables of one probe changed and nothing else.
std::vector<double> FormPlan::seen(Probe const& probe, std::vector<double> const& nominal,
                                   std::span<std::vector<double> const> results) const {
    auto values = nominal;
    for (std::size_t o = 0; o < values.size(); ++o)
        if ((probe.objectives >> o & 1U) != 0) values[o] = results[probe.setting][o];
    return values;
}

MultilinearForm FormPlan::form(std::vector<double> const& nominal, std::span<std::vector<double> const> results) const {
    std::vector<std::vector<double>> singles, several;
    std::vector<double> changes;
    for (std::size_t v = 0; v < constants_.size(); ++v) {
        singles.push_back(seen(probes_[v], nominal, results));
        changes.push_back(difference(v, far_[v]));
    }
    for (std::size_t p = constants_.size(); p < probes_.size(); ++p)
        several.push_back(seen(probes_[p], nominal, results));
    return {nominal, singles, several, changes, terms_};
}

}  // namespace pimdse::dse::uncertain
