#include "models/catalogue.hpp"
#include "models/contract/constants.hpp"
#include "models/contract/parameter_text.hpp"
#include "random_point.hpp"
#include "sim/base/check.hpp"
#include "tests/support/campaign.hpp"
#include "written_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <cmath>
#include <cstdlib>
#include <optional>

/// With any constants that are accepted, alone or many at once: bounds hold, directions hold, nothing is a defect.
namespace pimdse::laws::own_constants_test {
namespace {

using models::Architecture;
using models::Bound;
using models::Fidelity;
using models::Metrics;
using models::Value;

std::uint64_t rounds() { return tests::draws<std::uint64_t>(3000, 8, 500); }

/// Requests that a simulation finishes in milliseconds.
std::vector<std::pair<std::string, std::string>> small_request(std::string_view architecture) {
    if (architecture == "umdam") return {{"llm", "opt-125m"}, {"input", "16"}, {"output", "2"}};
    if (architecture == "cim_mesh") return {{"llm", "llama-3.2-1b"}, {"input", "32"}, {"output", "8"}};
    if (architecture == "upmem") return {{"elements", "3000"}};
    if (architecture == "dplena") return {{"batch", "1"}, {"block_length", "8"}, {"preload", "1"}};
    return {};
}

/// Another choice, or 1/8 to 8 times the default, a power of two, where the limits of the parameter allow it.
Value wide_value(models::Parameter const& p, Bits& bits) {
    bool const limited = p.lower != 0.0 || p.upper != 0.0;
    double const factor = std::exp2(static_cast<double>(bits.below(7)) - 3.0);
    auto const inside = [&](double v) { return v > 0.0 && (!limited || (v >= p.lower && v <= p.upper)); };
    Value value = p.default_value;
    if (p.kind == models::Kind::integer && p.default_value.as_integer() > 0) {
        double const v = std::ceil(static_cast<double>(p.default_value.as_integer()) * factor);
        if (inside(v)) value = Value::integer(static_cast<std::int64_t>(v));
    } else if (p.kind == models::Kind::quantity && inside(p.default_value.as_quantity() * factor)) {
        value = Value::quantity(p.default_value.as_quantity() * factor);
    } else {
        return another_value(p, bits);
    }
    return built(p, value) ? value : p.default_value;
}

class OwnConstants : public ::testing::TestWithParam<Architecture const*> {
  protected:
    OwnConstants() : constants_(models::constants_of(architecture())) {
        for (auto const& [name, constant] : constants_.all()) names_.push_back(name);
    }

    Architecture const& architecture() const { return *GetParam(); }

    /// 1/8 to 8 times the shipped value, now and then a thousandth to a thousand times; counts stay counts.
    std::string changed(std::string const& name, Bits& bits) {
        auto const& constant = constants_.all().at(name);
        double const unit =
            constant.si == 0.0 ? 1.0 : sim::parse_unit(constant.unit.empty() ? "1" : constant.unit).in_si;
        double const widest = bits.below(8) == 0 ? 10.0 : 3.0;
        double const power = widest * (static_cast<double>(bits.below(2001)) / 1000.0 - 1.0);
        double value = constant.si / unit * std::exp2(power);
        bool const count = constant.si == std::trunc(constant.si) && unit == 1.0;
        if (count) value = std::max(constant.si > 0.0 ? 1.0 : 0.0, std::round(value));
        return fmt::format("[{}]\nvalue = {:.17g}\nunit = \"{}\"\nsource = \"drawn\"\n", name, value, constant.unit);
    }

    /// Every constant alone in turn, then several of them at once.
    std::string drawn_file(std::uint64_t round, Bits& bits) {
        if (bits.below(3) == 0) return changed(names_[round % names_.size()], bits);
        std::string text;
        auto const one_in = std::uint64_t{1} << bits.below(7);
        for (auto const& name : names_)
            if (bits.below(one_in) == 0) text += changed(name, bits);
        return text;
    }

    /// Nothing where the constants are refused, which is counted.
    std::optional<models::Inputs> prepared(std::string const& text) {
        file_.write(text);
        try {
            return models::prepare(architecture(), architecture().parameters(), file_.path());
        } catch (sim::InputError const&) {
            ++refused_;
            return std::nullopt;
        }
    }

    std::vector<Value> small_point(models::Inputs const& inputs, std::uint64_t seed) const {
        auto point = models::default_point(inputs.parameters);
        Bits bits(seed * 7919 + 1);
        for (std::uint64_t i = bits.below(7); i > 0; --i) {
            auto const which = bits.below(point.size());
            point[which] = wide_value(inputs.parameters[which], bits);
        }
        for (auto const& [name, value] : small_request(architecture().name)) {
            auto const at = static_cast<std::size_t>(models::find_parameter(inputs.parameters, name));
            auto parameter = inputs.parameters[at];
            point[at] = models::read_value(parameter, value);
        }
        return point;
    }

    /// Whether the point was feasible.
    bool expect_bounds(models::Inputs const& inputs, std::vector<Value> const& point, std::string const& text) {
        auto const table = architecture().metrics();
        auto const coarse = models::evaluate_safely(architecture(), inputs, point, Fidelity::analytic);
        auto const fine = models::evaluate_safely(architecture(), inputs, point, architecture().fidelities.back());
        auto const where = [&] { return shown(inputs.parameters, point) + "with\n" + text; };
        for (auto const& outcome : {coarse, fine}) {
            auto const* defect = std::get_if<models::Defect>(&outcome);
            EXPECT_TRUE(defect == nullptr) << defect->what << " at " << where();
        }
        auto const *lower = std::get_if<Metrics>(&coarse), *exact = std::get_if<Metrics>(&fine);
        if (lower == nullptr || exact == nullptr) return false;
        for (std::size_t i = 0; i < table.size(); ++i) {
            auto const& bound = (*lower)[i];
            double const truth = (*exact)[i].value, slack = 1e-12 * std::abs(truth);
            if (std::isnan(truth) || std::isnan(bound.value)) continue;
            EXPECT_TRUE(std::isfinite(truth)) << table[i].name << " at " << where();
            if (bound.kinds.lower == Bound::proved) {
                EXPECT_LE(bound.lower, truth + slack) << table[i].name << " at " << where();
            }
            if (bound.kinds.upper == Bound::proved) {
                EXPECT_GE(bound.upper, truth - slack) << table[i].name << " at " << where();
            }
        }
        return true;
    }

    void expect_direction(models::Inputs const& inputs, models::MonotoneLowerBound const& law, Bits& bits,
                          std::string const& text) {
        auto const table = architecture().metrics();
        auto const at = static_cast<std::size_t>(models::find_parameter(inputs.parameters, law.parameter));
        auto const metric = static_cast<std::size_t>(models::find_metric(table, law.metric));
        auto less = small_point(inputs, bits.below(1U << 20)), more = less;
        if (law.one_device && !serves_alone(inputs.parameters, less)) return;
        less[at] = wide_value(inputs.parameters[at], bits);
        more[at] = wide_value(inputs.parameters[at], bits);
        auto const number = [&](Value const& v) {
            return v.kind() == models::Kind::integer ? static_cast<double>(v.as_integer()) : v.as_quantity();
        };
        if (number(less[at]) > number(more[at])) std::swap(less, more);
        auto const a = models::evaluate_safely(architecture(), inputs, less, Fidelity::analytic);
        auto const b = models::evaluate_safely(architecture(), inputs, more, Fidelity::analytic);
        if (!std::holds_alternative<Metrics>(a) || !std::holds_alternative<Metrics>(b)) return;
        bool const up = table[metric].better == models::Sense::maximize;
        auto const bound = [&](models::Outcome const& outcome) {
            auto const& e = std::get<Metrics>(outcome)[metric];
            return up ? e.upper : e.lower;
        };
        double const before = bound(a), after = bound(b), slack = 1e-12 * std::abs(before);
        ++directions_;
        if (law.slope != models::Slope::up) {
            EXPECT_LE(after, before + slack)
                << law.parameter << " " << law.metric << " at " << shown(inputs.parameters, less) << "with\n"
                << text;
        }
        if (law.slope != models::Slope::down) {
            EXPECT_GE(after, before - slack)
                << law.parameter << " " << law.metric << " at " << shown(inputs.parameters, less) << "with\n"
                << text;
        }
    }

    models::Constants constants_;
    std::vector<std::string> names_;
    WrittenFile file_{std::string(architecture().name)};
    std::uint64_t refused_ = 0, directions_ = 0;
};

TEST_P(OwnConstants, that_are_accepted_leave_bounds_and_directions_true) {
    std::uint64_t accepted = 0, points = 0, declared = 0;
    auto const* seed = std::getenv("PIMDSE_CONSTANT_SEED");
    Bits bits(seed == nullptr ? 20261125 : std::strtoull(seed, nullptr, 10));
    for (std::uint64_t round = 0; round < rounds() && !HasFailure(); ++round) {
        auto const text = drawn_file(round, bits);
        auto const inputs = prepared(text);
        if (!inputs) continue;
        ++accepted;
        for (int i = 0; i < 3; ++i)
            points += expect_bounds(*inputs, small_point(*inputs, bits.below(1U << 20)), text) ? 1 : 0;
        auto const laws = architecture().proofs.monotone_lower_bounds(*inputs);
        declared += laws.size();
        for (int i = 0; i < 40 && !laws.empty(); ++i)
            expect_direction(*inputs, laws[bits.below(laws.size())], bits, text);
    }
    fmt::print("{}: {} files accepted, {} refused, {} points, {} directions\n", architecture().name, accepted, refused_,
               points, directions_);
    EXPECT_GT(accepted, tests::in_campaign() ? rounds() / 8 : 0);
    EXPECT_GT(points, accepted / 2);
    EXPECT_EQ(directions_ > 0, declared > 0) << "directions are declared and none was compared";
}

std::vector<Architecture const*> everyone() {
    std::vector<Architecture const*> all;
    for (auto const& architecture : models::catalogue()) all.push_back(&architecture);
    return all;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, OwnConstants, ::testing::ValuesIn(everyone()),
                         [](auto const& param) { return std::string(param.param->name); });

}  // namespace
}  // namespace pimdse::laws::own_constants_test
