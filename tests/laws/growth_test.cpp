#include "law_count.hpp"
#include "served_points.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>

/// What a longer request costs: a prompt of one token is a decode step, a further token costs no more than one, and
/// nothing gets cheaper when more is asked for.
namespace pimdse::laws {
namespace {

using models::Architecture;

class Growth : public ::testing::TestWithParam<Architecture const*> {};

/// umdam takes the faster of two units for every phase, unless they are named.
bool chooses_units(ServedMachine const& machine, Values const& point) {
    for (auto const* unit : {"prefill_unit", "decode_unit", "attention", "lm_head"})
        if (machine.text(point, unit) != "auto") return false;
    return machine.text(point, "concurrency") == "exclusive";
}

/// A matrix unit computes whole blocks of positions: one more takes as long as a block of them. The positions of one.
double block_of_positions(ServedMachine const& machine, Values const& point) {
    constexpr double cube_rows = 16.0;  // of an Ascend 310
    if (machine.name() == "umdam") return cube_rows;
    return machine.name() == "dplena" ? machine.number(point, "matrix_block") : 1.0;
}

/// Why an architecture's first token may take longer or shorter than a decode step at the same context, by name.
struct NamedOverhead {
    std::string_view architecture, name;
    /// Whether it is in this design.
    bool (*applies)(ServedMachine const&, Values const&);
    double least_share = 1.0, most_share = 1.0;  ///< ttft of one token over a decode step lies between both
};

NamedOverhead const* overhead_of(ServedMachine const& machine, Values const& point) {
    constexpr double unlimited = std::numeric_limits<double>::infinity();
    static std::vector<NamedOverhead> const named{
        {"umdam", "relayout: NPU and banks read weights where they lie for them, before and behind the first token",
         [](ServedMachine const& m, Values const& p) { return m.text(p, "baseline") == "relayout"; }, 0.0, unlimited},
        {"umdam", "prompt and decode steps are given to units by name, which may be different ones",
         [](ServedMachine const& m, Values const& p) { return !chooses_units(m, p); }, 0.0, unlimited},
    };
    auto const found = std::ranges::find_if(
        named, [&](auto const& row) { return row.architecture == machine.name() && row.applies(machine, point); });
    return found == named.end() ? nullptr : &*found;
}

/// The decode step at context n + 1 of the request with a prompt of n tokens.
std::optional<double> decode_step(ServedMachine const& machine, Values const& point, std::int64_t input) {
    auto const metrics = machine.answer(machine.with(machine.with(point, "input", input), "output", 2));
    if (!metrics) return std::nullopt;
    return machine.value(*metrics, "itl");
}

std::optional<double> first_token(ServedMachine const& machine, Values const& point, std::int64_t input) {
    auto const metrics = machine.answer(machine.with(machine.with(point, "input", input), "output", 2));
    if (!metrics) return std::nullopt;
    return machine.value(*metrics, "ttft");
}

TEST_P(Growth, a_prompt_of_one_token_costs_what_a_decode_step_costs) {
    auto const machines = on_every_footing(*GetParam());
    LawCount count("one prompt token", GetParam()->name);
    Bits bits(11);
    for (std::uint64_t n = 0; n < designs_of(6000); ++n) {
        auto const& machine = machines[n % machines.size()];
        auto const point = machine.draw(bits);
        auto const first = first_token(machine, point, 1), step = decode_step(machine, point, 1);
        if (!first || !step) continue;
        count.tried();
        auto const* named = overhead_of(machine, point);
        // The decode step sees one position more.
        constexpr double one_position = 0.02;
        double const least = (named ? named->least_share : 1.0) * (1.0 - one_position),
                     most = (named ? named->most_share : 1.0) * (1.0 + one_position);
        if (*first < least * *step || *first > most * *step) {
            auto const shown = machine.with(machine.with(point, "input", 1), "output", 2);
            count.violated(fmt::format("ttft {:.4g} s of one token, decode step {:.4g} s ({:.3g} times): {}", *first,
                                       *step, *first / *step, machine.command(shown)));
        }
    }
}

/// A machine can always take the last token of a prompt by itself, as a decode step: so one token more costs no more
/// than the larger of that step and of a whole prompt of one token (the fill and one pace). And never less than
/// nothing.
TEST_P(Growth, a_further_prompt_token_costs_no_more_than_a_decode_step_and_not_less_than_nothing) {
    auto const machines = on_every_footing(*GetParam());
    LawCount falls("ttft does not fall", GetParam()->name), jumps("ttft does not jump", GetParam()->name);
    Bits bits(12);
    for (std::uint64_t n = 0; n < designs_of(1200); ++n) {
        auto const& machine = machines[n % machines.size()];
        auto const point = machine.draw(bits);
        auto const alone = first_token(machine, point, 1);
        if (!alone) continue;
        falls.tried();
        jumps.tried();
        auto const start = static_cast<std::int64_t>(bits.below(4) == 0 ? 1 : bits.below(600));
        double before = std::nan("");
        for (std::int64_t input = std::max<std::int64_t>(start, 1); input < start + 24; ++input) {
            auto const now = first_token(machine, point, input);
            if (!now) continue;
            auto const shown = machine.with(machine.with(point, "input", input), "output", 2);
            double const rise = *now - before;
            if (rise < -1e-9 * *now) {
                falls.violated(fmt::format("ttft {:.6g} s with {} tokens, {:.6g} s with one less: {}", *now, input,
                                           before, machine.command(shown)));
            }
            if (!std::isnan(rise)) {
                double const block = *now / static_cast<double>(input) * block_of_positions(machine, point);
                double const step = std::max({decode_step(machine, point, input).value_or(0.0), *alone, block});
                if (rise > step * (1.0 + 1e-6)) {
                    jumps.violated(
                        fmt::format("ttft {:.6g} s with {} tokens, {:.6g} s with one less, more than the "
                                    "{:.4g} s of a step: {}",
                                    *now, input, before, step, machine.command(shown)));
                }
            }
            before = *now;
        }
    }
}

/// The faster unit may be the hungrier one, so that a larger request that goes to the other unit may take less energy:
/// energy is compared with units given by name.
Values with_named_units(ServedMachine const& machine, Values point, Bits& bits) {
    for (auto const* unit : {"prefill_unit", "decode_unit", "attention", "lm_head"}) {
        if (machine.text(point, unit) == "auto")
            point = machine.with(std::move(point), unit, std::string(bits.below(2) == 0 ? "npu" : "pim"));
    }
    return point;
}

TEST_P(Growth, of_a_request_makes_nothing_cheaper) {
    auto const machines = on_every_footing(*GetParam());
    LawCount count("a larger request", GetParam()->name);
    Bits bits(13);
    for (std::uint64_t n = 0; n < designs_of(5000); ++n) {
        auto const& machine = machines[n % machines.size()];
        auto point = machine.draw(bits);
        bool const by_name = bits.below(2) == 0;
        if (by_name) point = with_named_units(machine, std::move(point), bits);
        auto const less = machine.answer(point);
        if (!less) continue;
        for (auto const* axis : {"input", "output", "batch"}) {
            auto const now = machine.whole(point, axis);
            auto const factor = static_cast<std::int64_t>(bits.below(2) == 0 ? 0 : now);
            auto const larger = machine.with(point, axis, now + std::max<std::int64_t>(1, factor));
            auto const more = machine.answer(larger);
            if (!more) continue;
            count.tried();
            for (std::string_view const metric : {"latency", "energy"}) {
                if (metric == "energy" && !by_name && machine.find("decode_unit") >= 0) continue;
                double const a = machine.value(*less, metric), b = machine.value(*more, metric);
                if (b < a * (1.0 - 1e-9)) {
                    count.violated(fmt::format("{} {:.6g} at {} = {}, {:.6g} at {}: {}", metric, a, axis, now, b,
                                               machine.whole(larger, axis), machine.command(larger)));
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Growth, ::testing::ValuesIn(all_architectures()),
                         [](auto const& param) { return std::string(param.param->name); });

}  // namespace
}  // namespace pimdse::laws
