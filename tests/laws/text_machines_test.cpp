#include "drawn_machines.hpp"
#include "models/contract/constant_slopes.hpp"
#include "models/contract/constants.hpp"
#include "models/llm/workload.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <functional>

/// Laws of physics, and what is derived from expressions, on random machine files.
namespace pimdse::laws::text_machines_test {
namespace {

using models::Metrics;

constexpr double rounding = 1e-12;

TEST(TextMachines, have_finite_values_within_their_bounds) {
    LawCount law("bounds contain values", "text machines");
    for_machines(12, [&](DrawnMachine const& machine, Values const& point, Metrics const& all, Bits&) {
        law.tried();
        for (std::size_t i = 0; i < all.size(); ++i) {
            auto const& metric = all[i];
            auto const& name = machine.metrics()[i].name;
            if (std::isnan(metric.value)) continue;
            bool const within = metric.lower <= metric.value && metric.value <= metric.upper;
            if (!std::isfinite(metric.value) || metric.value < 0.0 || metric.lower < 0.0 || !within)
                law.violated(fmt::format("{} is {:.17g} in {:.17g} .. {:.17g}: {}", name, metric.value, metric.lower,
                                         metric.upper, machine.shown(point)));
        }
        for (auto const* time : {"ttft", "latency", "energy", "power", "area", "footprint"})
            if (!(machine.metric(all, time).value > 0.0))
                law.violated(fmt::format("{} is not above 0: {}", time, machine.shown(point)));
    });
    EXPECT_TRUE(law.holds());
}

/// Of memories and units in banks that are simulated.
TEST(TextMachines, are_at_cycle_level_what_closed_forms_allow) {
    LawCount law("proved bounds hold at cycle level", "text machines");
    for (std::uint64_t seed = 0; seed < machines_of(); ++seed) {
        DrawnMachine const machine(seed);
        if (!machine.prepared().machine().has_cycle_level()) continue;
        Bits bits(seed + 3);
        for (int i = 0; i < 3; ++i) {
            auto point = machine.with(machine.draw(bits, false), "llm", "opt-125m");
            point = machine.with(std::move(point), "batch", fmt::format("{}", 1 + bits.below(3)));
            auto const closed = machine.result(point);
            auto const outcome = machine.architecture().evaluate(machine.inputs(), point, models::Fidelity::cycle);
            auto const* simulated = std::get_if<Metrics>(&outcome);
            if (closed.has_value() != (simulated != nullptr))
                law.violated("only one is feasible: " + machine.shown(point));
            if (!closed || simulated == nullptr) continue;
            law.tried();
            for (std::size_t m = 0; m < closed->size(); ++m) {
                auto const &bound = (*closed)[m], &value = (*simulated)[m];
                if (std::isnan(bound.value) || std::isnan(value.value)) continue;
                bool const below =
                    bound.kinds.lower == sim::Bound::proved && value.value < bound.lower * (1.0 - rounding);
                bool const above =
                    bound.kinds.upper == sim::Bound::proved && value.value > bound.upper * (1.0 + rounding);
                if (below || above)
                    law.violated(fmt::format("{} is {:.12g} outside {:.12g} .. {:.12g}: {}", machine.metrics()[m].name,
                                             value.value, bound.lower, bound.upper, machine.shown(point)));
            }
        }
    }
    EXPECT_TRUE(law.holds());
}

TEST(TextMachines, account_for_all_time_energy_and_area) {
    LawCount law("breakdowns add up", "text machines");
    for_machines(8, [&](DrawnMachine const& machine, Values const& point, Metrics const& all, Bits&) {
        law.tried();
        auto const explained = machine.architecture().explain(machine.inputs(), point, models::Fidelity::analytic);
        auto const* outcome = std::get_if<Metrics>(&explained.outcome);
        if (outcome == nullptr || !same_bits(*outcome, all))
            law.violated("explain has another result than evaluate: " + machine.shown(point));
        auto const near = [&](std::vector<models::Share> const& shares, char const* name) {
            double const value = machine.metric(all, name).value, sum = sum_of(shares);
            if (std::abs(sum - value) > 1e-9 * value)
                law.violated(
                    fmt::format("the parts of {} are {:.12g} of {:.12g}: {}", name, sum, value, machine.shown(point)));
            for (auto const& share : shares)
                if (!(share.amount >= 0.0))
                    law.violated(
                        fmt::format("{} of {} is {}: {}", share.what, name, share.amount, machine.shown(point)));
        };
        near(explained.time, "latency");
        near(explained.energy, "energy");
        near(explained.area, "area");
        for (auto const& limit : explained.limits)
            if (!(limit.attained <= limit.roof * (1.0 + rounding)))
                law.violated(fmt::format("{} attains {} of {}: {}", limit.limiter, limit.attained, limit.roof,
                                         machine.shown(point)));
    });
    EXPECT_TRUE(law.holds());
}

TEST(TextMachines, draw_their_idle_power_at_least_and_their_limit_at_most) {
    LawCount law("power between idle and limit", "text machines");
    for_machines(12, [&](DrawnMachine const& machine, Values const& point, Metrics const& all, Bits&) {
        law.tried();
        auto const of = [&](char const* name) { return machine.metric(all, name).value; };
        if (of("energy") < of("idle_power") * of("latency") * (1.0 - rounding))
            law.violated("less energy than at idle: " + machine.shown(point));
        if (std::abs(of("power") * of("latency") - of("energy")) > 1e-9 * of("energy"))
            law.violated("power is not energy over latency: " + machine.shown(point));
        double const limit = models::text::read_design(machine.prepared(), point).hardware.limit;
        for (auto const* power : {"power", "prefill_power", "decode_power", "peak_power"})
            if (auto const watts = machine.metric(all, power); limit > 0.0 && watts.upper > limit * (1.0 + 1e-9))
                law.violated(fmt::format("{} up to {} W of {} W: {}", power, watts.upper, limit, machine.shown(point)));
    });
    EXPECT_TRUE(law.holds());
}

/// One sequence, one prompt token, one output token (a block, a step) more.
TEST(TextMachines, are_never_faster_with_more_work) {
    LawCount law("a larger request", "text machines");
    for_machines(12, [&](DrawnMachine const& machine, Values const& point, Metrics const& all, Bits& bits) {
        bool const blocks = point[machine.at("generation")] == models::Value::choice(1);
        auto const which = std::vector<std::string>{"batch", "input", blocks ? "steps" : "output"}[bits.below(3)];
        auto more = point;
        auto const now = point[machine.at(which)].as_integer();
        more[machine.at(which)] = models::Value::integer(bits.below(2) == 0 ? now + 1 : 2 * now);
        auto const after = machine.result(more);
        if (!after) return;
        law.tried();
        for (std::string_view const name : {"latency", "energy", "ttft", "footprint"}) {
            bool const is_energy = name == "energy";
            auto const a = machine.metric(all, name), b = machine.metric(*after, name);
            // Another unit may be chosen, which takes less of what is not measured. A first step is the mean of all.
            bool const is_mean = machine.written().has_sampler() && name == "ttft" && which == "steps";
            bool const may_fall = machine.written().chooses_by(!is_energy) || is_mean;
            if (b.value < a.value * (1.0 - 1e-9) && !may_fall)
                law.violated(fmt::format("{} falls from {:.12g} to {:.12g} with {} = {}: {}", name, a.value, b.value,
                                         which, more[machine.at(which)].as_integer(), machine.shown(point)));
            if (b.lower < a.lower * (1.0 - 1e-9) && !is_mean)
                law.violated(fmt::format("the bound of {} falls with {}: {}", name, which, machine.shown(point)));
        }
    });
    EXPECT_TRUE(law.holds());
}

TEST(TextMachines, are_never_slower_with_a_rate_doubled) {
    LawCount law("a doubled rate", "text machines");
    for (std::uint64_t seed = 0; seed < machines_of(); ++seed) {
        DrawnMachine const machine(seed);
        for (std::size_t rate = 0; rate < machine.written().rates(); ++rate) {
            DrawnMachine const faster(machine.written(), machine.written().with_rate_doubled(rate));
            Bits bits(seed + 17 * rate);
            for (int i = 0; i < 5; ++i) {
                auto const point = machine.draw(bits);
                auto const before = machine.result(point), after = faster.result(point);
                if (!before || !after) continue;
                law.tried();
                for (auto const* time : {"ttft", "itl", "latency"}) {
                    auto const a = machine.metric(*before, time), b = faster.metric(*after, time);
                    bool const may_rise = machine.written().chooses_by(true);  // less energy, more time
                    // A machine with a part has the interval of that part around its value, and claims no directions.
                    bool const bound_may_rise = may_rise && machine.written().has_parts();
                    if ((b.value > a.value * (1.0 + 1e-9) && !may_rise) ||
                        (b.lower > a.lower * (1.0 + 1e-9) && !bound_may_rise))
                        law.violated(fmt::format("{} rises from {:.12g} to {:.12g} with twice {}: {}", time, a.value,
                                                 b.value, machine.written().rate(rate), machine.shown(point)));
                }
            }
        }
    }
    EXPECT_TRUE(law.holds());
}

/// Of all constants of a random machine, alone.
TEST(TextMachines, move_with_constants_as_stated) {
    LawCount law("directions of constants", "text machines");
    std::uint64_t excepted = 0, constants = 0;
    for (std::uint64_t seed = 0; seed < machines_of(); ++seed) {
        DrawnMachine const machine(seed);
        auto const without = machine.architecture().proofs.constants_without_slopes(machine.inputs());
        auto const all = models::constants_of(machine.architecture());
        Bits bits(seed + 71);
        excepted += without.size();
        constants += all.all().size();
        for (auto const& [name, constant] : all.all()) {
            if (machine.written().has_sampler() && bits.below(12) != 0) continue;  // it has hundreds
            auto const more = machine.with_constant(name, 2.0 * constant.si);
            if (!more) continue;
            for (int i = 0; i < 3; ++i) {
                auto const point = machine.draw(bits);
                auto const before = machine.result(point);
                auto const after = machine.architecture().evaluate(*more, point, models::Fidelity::analytic);
                auto const* metrics = std::get_if<Metrics>(&after);
                if (!before || metrics == nullptr) continue;
                for (std::size_t m = 0; m < before->size(); ++m) {
                    auto const slope = models::slope_of(name, constant, machine.metrics()[m], without);
                    double const a = (*before)[m].value, b = (*metrics)[m].value, slack = 1e-12 * std::abs(a);
                    if (!slope || std::isnan(a) || std::isnan(b)) continue;
                    law.tried();
                    bool const holds = a == b || (*slope == models::Slope::up     ? b >= a - slack
                                                  : *slope == models::Slope::down ? b <= a + slack
                                                                                  : false);
                    if (!holds)
                        law.violated(fmt::format("{} moves {} from {:.12g} to {:.12g}: {}", name,
                                                 machine.metrics()[m].name, a, b, machine.shown(point)));
                }
            }
        }
    }
    fmt::print("{} of {} constants excepted\n", excepted, constants);
    EXPECT_LT(excepted, constants);
    EXPECT_TRUE(law.holds());
}

/// A floor that uses nothing of models/text but its figures: every weight of a dense model is read once a pass.
TEST(TextMachines, read_every_weight_in_every_pass) {
    LawCount law("weights over bandwidth", "text machines");
    double nearest = 0.0;
    for_machines(12, [&](DrawnMachine const& machine, Values const& point, Metrics const& all, Bits&) {
        auto const design = models::text::read_design(machine.prepared(), point);
        auto const& r = design.request;
        auto const& written = machine.written().rules();
        bool const free = std::ranges::any_of(written, [](auto const& rule) {
            bool const of_weights = rule.pattern.find("weights") != std::string::npos;
            bool const in_banks = rule.on == "banks" || rule.other == "banks";
            return (of_weights && in_banks) || (rule.on.empty() && (of_weights || rule.pattern == "prefill.*"));
        });
        if (r.diffuses() || free || r.model->experts > 0 || machine.written().takes_passes()) return;
        law.tried();
        auto const& memory = design.hardware.memories[machine.prepared().machine().weights_in()];
        double const bytes = static_cast<double>(r.model->layers * models::layer_weights(*r.model)) * r.weight_bytes *
                             (r.stored_as_file() ? 0.0 : 1.0);
        auto const latency = machine.metric(all, "latency");
        double const passes = static_cast<double>(r.output);
        if (latency.value < passes * bytes / memory.attained * (1.0 - rounding))
            law.violated("faster than its weights: " + machine.shown(point));
        if (latency.lower < passes * bytes / memory.bandwidth * (1.0 - rounding))
            law.violated("a bound below that of its weights: " + machine.shown(point));
        nearest = std::max(nearest, passes * bytes / memory.attained / latency.value);
    });
    EXPECT_GT(nearest, 0.9) << "the floor is never near";
    EXPECT_TRUE(law.holds());
}

/// Directions that were derived from expressions, on pairs of points that differ in this parameter.
TEST(TextMachines, have_bounds_that_move_as_is_said) {
    LawCount law("derived directions", "text machines");
    std::set<std::string> seen;
    for_machines(6, [&](DrawnMachine const& machine, Values const& point, Metrics const& all, Bits& bits) {
        for (auto const& said : machine.architecture().proofs.monotone_lower_bounds(machine.inputs())) {
            auto const at = machine.at(said.parameter);
            if (said.parameter != "batch" && !machine.is_own(at)) continue;
            auto other = point;
            other[at] = said.parameter == "batch"
                            ? models::Value::integer(1 + static_cast<std::int64_t>(bits.below(60)))
                            : machine.any(at, bits);
            auto const after = machine.result(other);
            if (!after) continue;
            auto const number = [&](Values const& of) {
                auto const& value = of[at];
                return value.kind() == models::Kind::integer ? static_cast<double>(value.as_integer())
                                                             : value.as_quantity();
            };
            double a = machine.metric(all, said.metric).lower, b = machine.metric(*after, said.metric).lower;
            if (std::isnan(a) || std::isnan(b)) continue;
            law.tried();
            seen.insert(fmt::format("{} {}", said.parameter, static_cast<int>(said.slope)));
            if (number(other) < number(point)) std::swap(a, b);
            bool const holds = said.slope == models::Slope::up     ? a <= b * (1.0 + rounding)
                               : said.slope == models::Slope::down ? b <= a * (1.0 + rounding)
                                                                   : std::abs(a - b) <= rounding * a;
            if (!holds)
                law.violated(fmt::format("{} against {} is {:.12g} and then {:.12g}: {} and {}", said.metric,
                                         said.parameter, a, b, machine.shown(point), machine.shown(other)));
        }
    });
    EXPECT_GE(seen.size(), 5U) << "directions of both signs and several parameters occur";
    EXPECT_TRUE(law.holds());
}

bool same_estimates(Metrics const& a, Metrics const& b) {
    auto const same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
    return std::ranges::equal(a, b, [&](auto const& x, auto const& y) {
        return same(x.value, y.value) && same(x.lower, y.lower) && same(x.upper, y.upper);
    });
}

/// Points that differ in one or two parameters: equal keys mean equal results, feasibility included.
TEST(TextMachines, have_equal_keys_only_where_results_are_equal) {
    LawCount law("equal keys", "text machines");
    std::uint64_t equal = 0, different = 0;
    for (std::uint64_t seed = 0; seed < machines_of(); ++seed) {
        DrawnMachine const machine(seed);
        Bits bits(seed + 5);
        auto const& architecture = machine.architecture();
        auto const limited = models::find_parameter(machine.parameters(), models::devices_name);
        for (int i = 0; i < 150; ++i) {
            auto const a = machine.draw(bits);
            auto b = a;
            for (auto changes = 1 + bits.below(2); changes > 0; --changes) {
                auto const which = bits.below(static_cast<std::uint64_t>(limited));
                b[which] = another_value(machine.parameters()[which], bits);
                if (machine.is_own(which)) b[which] = machine.any(which, bits);
            }
            law.tried();
            auto const x = machine.result(a), y = machine.result(b);
            if (architecture.proofs.cycle_key(machine.inputs(), a) !=
                architecture.proofs.cycle_key(machine.inputs(), b)) {
                ++different;
                continue;
            }
            if (a != b) ++equal;
            if (x.has_value() != y.has_value() || (x && !same_estimates(*x, *y)))
                law.violated(fmt::format("{} and {}", machine.shown(a), machine.shown(b)));
        }
    }
    EXPECT_GT(equal, 100U);
    EXPECT_GT(different, 1000U);
    EXPECT_TRUE(law.holds());
}

}  // namespace
}  // namespace pimdse::laws::text_machines_test
