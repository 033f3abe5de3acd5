#include "models/contract/constant_slopes.hpp"

#include "models/catalogue.hpp"
#include "models/contract/assumptions.hpp"
#include "models/contract/constants.hpp"
#include "models/contract/toml_file.hpp"
#include "models/text/text.hpp"
#include "random_point.hpp"
#include "served_points.hpp"
#include "sim/base/check.hpp"
#include "small_points.hpp"
#include "tests/support/campaign.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// Metrics move with constants as is said of them, on any footing of the other constants: never the other way, and not
/// at all where nothing moves; and no design becomes feasible or infeasible.
namespace pimdse::laws::constant_slopes_test {
namespace {

using models::Architecture;
using models::Constant;
using models::ConstantSlope;
using models::Fidelity;
using models::Metrics;
using models::Outcome;
using models::Slope;
using models::Value;

/// What a number acts as is stated one by one, and the law is all that checks it.
std::uint64_t designs(Constant const& constant) {
    return tests::draws<std::uint64_t>(constant.acts_as.empty() ? 8 : 120, 8, 2);
}

class ConstantSlopes : public ::testing::TestWithParam<Architecture> {
  protected:
    ConstantSlopes() : served_(architecture()), metrics_(architecture().metrics()) {
        auto const own = models::constants_of(architecture());
        for (auto const& [name, constant] : own.all()) constants_[name] = constant;
        add_table("economy", "economy.toml");
        add_table("links", "chips/links.toml");
    }
    Architecture const& architecture() const { return GetParam(); }

    void add_table(std::string const& table, std::string const& file) {
        auto const read = models::Constants::load(models::data_directory() / "models" / file);
        for (auto const& [name, constant] : read.all()) constants_[table + "." + name] = constant;
    }

    /// nullopt where a rule refuses the constants.
    std::optional<models::Inputs> prepared(std::map<std::string, double> const& drawn) const {
        models::ModelOptions options;
        for (auto const& [name, si] : drawn) options.drawn[name] = si;
        if (hardware_) models::set_assumption(options.assumptions, "view", "hardware");
        try {
            return models::prepare(architecture(), architecture().parameters(), options);
        } catch (sim::InputError const&) {
            return std::nullopt;
        }
    }

    /// Some other constants, at half to twice their values.
    std::map<std::string, double> footing(Bits& bits) const {
        std::map<std::string, double> drawn;
        for (auto const& [name, constant] : constants_)
            if (bits.below(8) == 0)
                drawn[name] = constant.si * std::exp2(static_cast<double>(bits.below(2001)) / 1000.0 - 1.0);
        return prepared(drawn) ? drawn : std::map<std::string, double>{};
    }

    std::vector<Value> drawn_design(models::Inputs const& inputs, Bits& bits, std::uint64_t n) const {
        auto point = n % 2 == 0 ? random_point(inputs.parameters, bits.below(1'000'000)) : served_.draw(bits);
        return n % 4 == 1 ? served_.with(point, models::devices_name, 2) : point;
    }

    void expect_slopes(std::string const& name, Outcome const& less, Outcome const& more, std::string const& where) {
        auto const *before = std::get_if<Metrics>(&less), *after = std::get_if<Metrics>(&more);
        auto const& constant = constants_.at(name);
        models::Metric const power{.name = "power", .unit = "W"};
        if (auto const slope = models::slope_of(name, constant, power, excepted_)) {
            // More power than a limit permits, or no more than it.
            bool const may_end = *slope == Slope::up, may_begin = *slope == Slope::down;
            EXPECT_TRUE((before == nullptr) == (after == nullptr) || (after == nullptr ? may_end : may_begin))
                << name << " decides whether it can be built: " << where;
            refused_ += before != nullptr && after == nullptr ? 1 : 0;
        }
        if (before == nullptr || after == nullptr) return;
        for (std::size_t m = 0; m < metrics_.size(); ++m) {
            auto const slope = models::slope_of(name, constant, metrics_[m], excepted_);
            if (!slope) continue;
            double const a = (*before)[m].value, b = (*after)[m].value, slack = 1e-12 * std::abs(a);
            if (std::isnan(a) || std::isnan(b)) continue;
            ++compared_;
            moved_ += a != b ? 1 : 0;
            bool const holds =
                a == b || (*slope == Slope::up ? b >= a - slack : *slope == Slope::down && b <= a + slack);
            EXPECT_TRUE(holds) << name << " moves " << metrics_[m].name << " from " << a << " to " << b << ": "
                               << where;
        }
    }

    ServedMachine served_;
    models::MetricList metrics_;
    std::map<std::string, Constant> constants_;
    std::vector<std::string> excepted_;
    bool hardware_ = false;  ///< the view of the constants
    std::uint64_t compared_ = 0, moved_ = 0, refused_ = 0;
};

TEST_P(ConstantSlopes, are_as_stated) {
    Bits bits(61);
    tests::Turns turns(5);  // odd: hardware_ turns as well
    for (auto const& [name, constant] : constants_) {
        hardware_ = !hardware_;
        if (!turns.next()) continue;
        auto const others = footing(bits);
        auto with = others;
        double const factor = hardware_ ? 32.0 : 2.0;  // far enough to meet limits of power
        auto const [smaller, larger] = std::minmax({0.5 * constant.si, factor * constant.si});
        with[name] = smaller;
        auto const less = prepared(with);
        with[name] = constant.si == 0.0 ? sim::parse_unit(constant.unit).in_si : larger;
        auto const more = prepared(with);
        if (!less || !more) continue;
        excepted_ = architecture().proofs.constants_without_slopes(*less);
        for (std::uint64_t n = 0; n < designs(constant); ++n) {
            auto const point = drawn_design(*less, bits, n);
            expect_slopes(name, architecture().evaluate(*less, point, Fidelity::analytic),
                          architecture().evaluate(*more, point, Fidelity::analytic), shown(less->parameters, point));
        }
    }
    fmt::print("{}: {} comparisons of {} constants, {} moved, {} designs refused, {} constants excepted\n",
               architecture().name, compared_, constants_.size(), moved_, refused_, excepted_.size());
    EXPECT_GT(moved_, 0U);
}

/// The catalogue, and the machines that are text files beside it.
std::vector<Architecture> everyone() {
    std::vector<Architecture> all(models::catalogue().begin(), models::catalogue().end());
    for (auto const* name : {"aim_card", "hbm_pim", "lpddr5x_pim", "tpu_v4i"})
        all.push_back(models::text::architecture(models::data_directory() / "models" / "machines" /
                                                 (std::string(name) + ".toml")));
    return all;
}

INSTANTIATE_TEST_SUITE_P(Every, ConstantSlopes, ::testing::ValuesIn(everyone()),
                         [](auto const& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace pimdse::laws::constant_slopes_test
