#include "dse/uncertain/polynomials.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::dse::uncertain {
namespace {

constexpr double equal_share = 1e-9;  // relative difference up to which a value counts as predicted by a form
constexpr double largest_exponent = 16.0;
constexpr int root_halvings = 60;

/// (x^exponent - 1) / exponent, from the logarithm of x: that itself for exponent 0.
double power_difference(double exponent, double logarithm) {
    return exponent == 0.0 ? logarithm : std::expm1(exponent * logarithm) / exponent;
}

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

std::optional<double> exponent_from(double ratio, double lower, double upper) {
    double const down = std::log(lower), up = std::log(upper);
    auto const at = [&](double exponent) { return -power_difference(exponent, up) / power_difference(exponent, down); };
    double below = -largest_exponent, above = largest_exponent;
    if (!(at(below) < ratio && ratio < at(above))) return std::nullopt;
    for (int i = 0; i < root_halvings; ++i) {
        double const middle = 0.5 * (below + above);
        (at(middle) < ratio ? below : above) = middle;
    }
    return 0.5 * (below + above);
}

double far_end(UncertainConstant const& constant) {
    return constant.upper - constant.nominal >= constant.nominal - constant.lower ? constant.upper : constant.lower;
}

FormPlan::FormPlan(std::vector<UncertainConstant> const& constants, Movements moved, MultilinearForm::Terms terms,
                   std::vector<VariableKind> kinds)
    : constants_(std::move(moved.constants)), kinds_(std::move(kinds)), terms_(std::move(terms)) {
    for (std::size_t v = 0; v < constants_.size(); ++v) {
        auto const& movements = moved.of_constant[v];
        sim::expects(movements.size() <= 64, "objectives fit into the bits of a number");
        std::uint64_t bits = 0;
        for (std::size_t o = 0; o + 1 < movements.size(); ++o)
            if (movements[o] != Slope::flat) bits |= std::uint64_t{1} << o;
        objectives_.push_back(bits);
        auto const& constant = constants[constants_[v]];
        nominal_.push_back(constant.nominal);
        far_.push_back(far_end(constant));
        near_.push_back(far_.back() == constant.upper ? constant.lower : constant.upper);
        if (kinds_[v] == VariableKind::power) powers_.push_back(v);
    }
    for (std::size_t v = 0; v < constants_.size(); ++v) add(at_far_, {v}, far_);
    for (auto const v : powers_) add(at_near_, {v}, near_);
    for (auto const& term : terms_) add(of_terms_, term, far_);
}

/// Into the first setting in which nothing moves the same objectives.
void FormPlan::add(std::vector<Probe>& probes, std::vector<std::size_t> variables, std::vector<double> const& values) {
    Probe probe{std::move(variables), 0, 0};
    for (auto const v : probe.variables) probe.objectives |= objectives_[v];
    while (probe.setting < settings_.size() && (used_[probe.setting] & probe.objectives) != 0) ++probe.setting;
    if (probe.setting == settings_.size()) {
        settings_.emplace_back();
        used_.push_back(0);
    }
    used_[probe.setting] |= probe.objectives;
    for (auto const v : probe.variables) settings_[probe.setting].push_back({constants_[v], values[v]});
    probes.push_back(std::move(probe));
}

double FormPlan::difference(std::size_t variable, double value) const {
    switch (kinds_[variable]) {
        case VariableKind::constant:
            return value - nominal_[variable];
        case VariableKind::reciprocal:
            return 1.0 / value - 1.0 / nominal_[variable];
        case VariableKind::power:
            return std::log(value / nominal_[variable]);
    }
    return 0.0;
}

std::vector<double> FormPlan::differences(std::vector<double> const& values) const {
    std::vector<double> list;
    for (std::size_t v = 0; v < constants_.size(); ++v) list.push_back(difference(v, values[constants_[v]]));
    return list;
}

/// From logarithms of powers to their differences.
void FormPlan::raise(std::vector<double>& differences, std::vector<double> const& exponents) const {
    for (std::size_t p = 0; p < powers_.size(); ++p)
        differences[powers_[p]] = power_difference(exponents[p], differences[powers_[p]]);
}

std::vector<double> FormPlan::at(DesignForm const& form, std::vector<double> const& differences) const {
    if (powers_.empty()) return form.polynomial.at(differences, terms_);
    auto raised = differences;
    raise(raised, form.exponents);
    return form.polynomial.at(raised, terms_);
}

/// The objectives with the variables of one probe changed and nothing else.
std::vector<double> FormPlan::seen(Probe const& probe, std::vector<double> const& nominal,
                                   std::span<std::vector<double> const> results) const {
    auto values = nominal;
    for (std::size_t o = 0; o < values.size(); ++o)
        if ((probe.objectives >> o & 1U) != 0) values[o] = results[probe.setting][o];
    return values;
}

/// From the objective that a power changes most. 1 if it changes none.
std::optional<double> FormPlan::exponent(std::size_t power, std::vector<double> const& nominal,
                                         std::span<std::vector<double> const> results) const {
    auto const v = powers_[power];
    auto const far = seen(at_far_[v], nominal, results), near = seen(at_near_[power], nominal, results);
    double largest = 0.0, to_far = 0.0, to_near = 0.0;
    for (std::size_t o = 0; o < nominal.size(); ++o) {
        double const change = std::abs((far[o] - nominal[o]) / nominal[o]);
        if (!(change > largest)) continue;
        largest = change;
        to_far = far[o] - nominal[o];
        to_near = nominal[o] - near[o];
    }
    if (largest == 0.0) return 1.0;
    bool const far_is_upper = far_[v] > near_[v];
    double const ratio = far_is_upper ? to_far / to_near : to_near / to_far;
    return exponent_from(ratio, std::min(far_[v], near_[v]) / nominal_[v], std::max(far_[v], near_[v]) / nominal_[v]);
}

std::optional<DesignForm> FormPlan::form(std::vector<double> const& nominal,
                                         std::span<std::vector<double> const> results) const {
    std::vector<double> exponents;
    for (std::size_t p = 0; p < powers_.size(); ++p) {
        auto const found = exponent(p, nominal, results);
        if (!found) return std::nullopt;
        exponents.push_back(*found);
    }
    std::vector<double> changes;
    for (std::size_t v = 0; v < constants_.size(); ++v) changes.push_back(difference(v, far_[v]));
    raise(changes, exponents);
    std::vector<std::vector<double>> singles, several;
    for (auto const& probe : at_far_) singles.push_back(seen(probe, nominal, results));
    for (auto const& probe : of_terms_) several.push_back(seen(probe, nominal, results));
    return DesignForm{{nominal, singles, several, changes, terms_}, std::move(exponents)};
}

}  // namespace pimdse::dse::uncertain
