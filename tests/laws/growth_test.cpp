#include "law_count.hpp"
#include "served_points.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>

/// What a longer request costs: a prompt of one token is a decode step, a further token costs no more than one, and
/// nothing gets cheaper when more is asked for.
namespace pimdse::laws::growth_test {
namespace {

using models::Architecture;

class Growth : public ::testing::TestWithParam<Architecture const*> {};

/// Why an architecture's first token may take longer or shorter than a decode step at the same context, by name.
struct NamedOverhead {
    std::string_view architecture, name;
    /// Whether it is in this design.
    bool (*applies)(ServedMachine const&, Values const&);
    double min_share = 1.0, max_share = 1.0;  ///< ttft of one token over a decode step lies between both
};

bool has_states(ServedMachine const& machine, Values const& point) {
    auto const model = machine.model(point);
    return std::ranges::any_of(models::alike_layers(model), [](auto const& alike) { return models::has_state(alike); });
}

NamedOverhead const* overhead_of(ServedMachine const& machine, Values const& point) {
    constexpr double unlimited = std::numeric_limits<double>::infinity();
    if (has_states(machine, point)) {
        static NamedOverhead const chunks{"", "states of a prompt are computed in chunks of positions", nullptr, 0.0,
                                          unlimited};
        return &chunks;
    }
    static std::vector<NamedOverhead> const named{
        {"umdam", "prompt and decode steps are given to different units by name",
         [](ServedMachine const& m, Values const& p) {
             bool const by_name = m.text(p, "prefill_unit") != "auto";  // the head of decode goes with its weights
             return m.text(p, "prefill_unit") != m.text(p, "decode_unit") || m.text(p, "attention") != "auto" ||
                    (by_name && m.text(p, "lm_head") != m.text(p, "prefill_unit")) ||
                    m.text(p, "concurrency") != "exclusive";
         },
         0.0, unlimited},
        {"umdam", "one unit is faster for the head alone, because of a balanced placement; weights are moved",
         [](ServedMachine const& m, Values const& p) {
             return m.text(p, "baseline") == "pimnast" && m.text(p, "lm_head") == "auto";
         },
         0.95, unlimited},
        {"umdam", "weights are loaded, or moved, before the first token",
         [](ServedMachine const& m, Values const& p) {
             auto const baseline = m.text(p, "baseline");
             return baseline == "relayout" || baseline == "pimnast" || m.text(p, "weight_load") == "once";
         },
         1.0, unlimited},
        // The head of a prompt takes the faster unit, that of decode the unit of its weights, or the weights that of
        // the head (0.771).
        {"umdam", "one unit is faster for the head alone, because of tiles in another order or narrower than the banks",
         [](ServedMachine const& m, Values const& p) {
             bool const narrow = m.text(p, "split_k") == "true" && m.whole(p, "tile_width") > 0;
             return m.text(p, "lm_head") == "auto" && (narrow || m.text(p, "tile_order") != "column");
         },
         0.75, 1.0},
        {"umdam", "keys of a prompt are on chip when it attends; a decode step reads them back for each sequence",
         [](ServedMachine const& m, Values const& p) { return m.whole(p, "batch") > 1; }, 0.95, 1.0},
        {"dplena", "all tokens reach the host as much later as the first",
         [](ServedMachine const& m, Values const& p) { return m.whole(p, "host_fifo") > 0; }, 1.0, unlimited},
        {"upmem", "the executable is loaded once, before the prompt",
         [](ServedMachine const& m, Values const& p) { return m.text(p, "loading") == "once"; }, 1.0, unlimited},
        {"cim_mesh", "cells are programmed before the first token",
         [](ServedMachine const& m, Values const& p) { return m.text(p, "weight_load") == "once"; }, 1.0, unlimited},
        {"cim_mesh", "prompts of a batch fill the pipeline of layers, later passes find it full",
         [](ServedMachine const& m, Values const& p) { return m.whole(p, "batch") > 1; }, 1.0, 2.0},
    };
    auto const found = std::ranges::find_if(
        named, [&](auto const& row) { return row.architecture == machine.name() && row.applies(machine, point); });
    return found == named.end() ? nullptr : &*found;
}

/// How many decode steps a further token of the prompt may take, with the reason; the largest factor that was found on
/// half a million tokens is in parentheses.
double max_of_a_token(ServedMachine const& machine, Values const& point) {
    auto const* named = overhead_of(machine, point);
    double fill = named != nullptr && std::isfinite(named->max_share) ? named->max_share : 1.0;
    // The largest share of a DPU grows in whole rows of keys, for many tokens of a prompt at once (1.07).
    constexpr double whole_rows = 1.1;
    if (machine.name() == "upmem") return fill * whole_rows;
    if (machine.name() != "cim_mesh") return fill;
    // Cells are programmed once, before the first token; prompts of a batch also then fill the pipeline of layers.
    constexpr double pipeline = 2.0;
    if (machine.whole(point, "batch") > 1) fill = std::max(fill, pipeline);
    // Keys of a prompt are in its own region; only decoded tokens read them in the decode region (2.67).
    constexpr double own_region = 3.0;
    if (machine.text(point, "machine") == "leap-d") return fill * own_region;
    // Trees reach keys on every router of the pool, as if the cache were full (1.27). Either way tokens of a prompt
    // load the busiest link to 85 % of its saturation at most (1.17).
    constexpr double full_cache = 1.3, busiest_link = 1.0 / 0.85;
    return fill * (machine.text(point, "schedule") == "tree" ? full_cache : busiest_link);
}

/// The share by which the step at one key may differ from the line through those at two and three: a tree gets a level
/// with the second router that holds keys.
double curved(ServedMachine const& machine, Values const& point) {
    constexpr double chains = 0.02, trees = 0.05;
    return machine.name() == "cim_mesh" && machine.text(point, "schedule") == "tree" ? trees : chains;
}

/// The decode step at context n + 1 of the request with a prompt of n tokens.
std::optional<double> decode_step(ServedMachine const& machine, Values const& point, std::int64_t input) {
    auto const metrics = machine.result(machine.with(machine.with(point, "input", input), "output", 2));
    if (!metrics) return std::nullopt;
    return machine.value(*metrics, "itl");
}

/// The decode step at context 1, which no request has: as far below the one at 2 as that is below the one at 3. Where
/// the latter is infeasible (the busiest link of a mesh is saturated), nothing is known, and only an upper limit is
/// left.
std::optional<double> decode_step_at_one(ServedMachine const& machine, Values const& point) {
    auto const at_two = decode_step(machine, point, 1), at_three = decode_step(machine, point, 2);
    if (!at_two || !at_three) return at_two ? std::optional(0.0) : std::nullopt;
    return *at_two - std::max(0.0, *at_three - *at_two);
}

std::optional<double> first_token(ServedMachine const& machine, Values const& point, std::int64_t input) {
    auto const metrics = machine.result(machine.with(machine.with(point, "input", input), "output", 2));
    if (!metrics) return std::nullopt;
    return machine.value(*metrics, "ttft");
}

TEST_P(Growth, a_prompt_of_one_token_costs_what_a_decode_step_costs) {
    auto const machines = on_every_footing(*GetParam());
    LawCount count("one prompt token", GetParam()->name);
    Bits bits(11);
    for (std::uint64_t n = 0; n < designs_of(6000, 600); ++n) {
        auto const& machine = machines[n % machines.size()];
        auto const point = machine.draw(bits);
        auto const first = first_token(machine, point, 1), step = decode_step(machine, point, 1),
                   min_step = decode_step_at_one(machine, point);
        if (!first || !step || !min_step) continue;
        count.tried();
        auto const* named = overhead_of(machine, point);
        double const bend = curved(machine, point);
        double const min = (named ? named->min_share : 1.0) * (1.0 - bend) * *min_step,
                     max = (named ? named->max_share : 1.0) * (1.0 + bend) * *step;
        if (*first < min || *first > max) {
            auto const shown = machine.with(machine.with(point, "input", 1), "output", 2);
            count.violated(fmt::format("ttft {:.4g} s of one token, decode step {:.4g} s ({:.3g} times): {}", *first,
                                       *step, *first / *step, machine.command(shown)));
        }
    }
    EXPECT_TRUE(count.holds());
}

/// A machine can always take the last token of a prompt by itself, as a decode step: so one token more costs no more
/// than the larger of that step and of a whole prompt of one token (the fill and one pace). And never less than
/// nothing.
TEST_P(Growth, a_further_prompt_token_costs_no_more_than_a_decode_step_and_not_less_than_nothing) {
    auto const machines = on_every_footing(*GetParam());
    LawCount falls("ttft does not fall", GetParam()->name), jumps("ttft does not jump", GetParam()->name);
    Bits bits(12);
    for (std::uint64_t n = 0; n < designs_of(1200, 600); ++n) {
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
                double const decode = decode_step(machine, point, input).value_or(0.0);
                double const step = std::max(max_of_a_token(machine, point) * decode, *alone);
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
    EXPECT_TRUE(falls.holds());
    EXPECT_TRUE(jumps.holds());
}

TEST_P(Growth, of_a_request_makes_nothing_cheaper) {
    auto const machines = on_every_footing(*GetParam());
    LawCount count("a larger request", GetParam()->name);
    Bits bits(13);
    // Of umdam one request in a thousand is an exception, which pending_laws.hpp lists.
    for (std::uint64_t n = 0; n < designs_of(5000, 400); ++n) {
        auto const& machine = machines[n % machines.size()];
        auto const point = machine.draw(bits);
        auto const less = machine.result(point);
        if (!less) continue;
        for (auto const* axis : {"input", "output", "batch"}) {
            auto const now = machine.whole(point, axis);
            auto const factor = static_cast<std::int64_t>(bits.below(2) == 0 ? 0 : now);
            auto const larger = machine.with(point, axis, now + std::max<std::int64_t>(1, factor));
            auto const more = machine.result(larger);
            if (!more) continue;
            count.tried();
            for (auto const* metric : {"latency", "energy"}) {
                double const a = machine.value(*less, metric), b = machine.value(*more, metric);
                if (b < a * (1.0 - 1e-9)) {
                    count.violated(fmt::format("{} {:.6g} at {} = {}, {:.6g} at {}: {}", metric, a, axis, now, b,
                                               machine.whole(larger, axis), machine.command(larger)));
                }
            }
        }
    }
    EXPECT_TRUE(count.holds());
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Growth, ::testing::ValuesIn(all_architectures()),
                         [](auto const& param) { return std::string(param.param->name); });

}  // namespace
}  // namespace pimdse::laws::growth_test
