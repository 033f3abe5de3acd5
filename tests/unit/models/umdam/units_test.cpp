// Who does what, and what a prompt costs: laws at random points.

#include "random_setting.hpp"
#include "requested.hpp"
#include "tests/support/campaign.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

namespace pimdse::models::umdam::units_test {
namespace {

using testing::printed;
using testing::RandomSetting;
using testing::Requested;
using testing::Setting;
using tests::with;

bool has_banks(Requested const& asked) { return asked.exists && asked.system.uses_pim(); }

/// Seconds to the first token, and of decode, on stated units; nothing if the point cannot be built.
struct Times {
    double prefill, decode;
};
std::optional<Times> times_on(Setting const& setting, std::map<std::string, std::string> const& units,
                              Fidelity fidelity) {
    Setting more(units.begin(), units.end());
    Requested const asked(with(setting, more));
    if (!asked.exists) return std::nullopt;
    auto const cost = asked.cost(fidelity);
    return Times{cost.prefill().value, cost.decode().value};
}

/// Turns of NPU and banks: with `exclusive` every phase is on the faster unit, whatever the others are on.
TEST(Units, are_the_faster_ones_of_every_phase_at_cycle_level) {
    RandomSetting settings(5);
    int compared = 0;
    for (int trial = 0; trial < 24; ++trial) {
        auto const setting = with(settings.next(), {{"concurrency", "exclusive"}, {"ignore_capacity", "true"}});
        auto const free = with(
            setting, {{"prefill_unit", "auto"}, {"decode_unit", "auto"}, {"attention", "auto"}, {"lm_head", "auto"}});
        Requested const asked(free);
        if (!has_banks(asked)) continue;
        auto const chosen = asked.cost(Fidelity::cycle);
        for (auto const* prefill : {"npu", "pim"}) {
            auto const forced = times_on(free, {{"prefill_unit", prefill}}, Fidelity::cycle);
            EXPECT_LE(chosen.prefill().value, forced->prefill * (1.0 + 1e-9)) << prefill << printed(free);
        }
        std::string const head = chosen.units.in_banks(Choice::head) ? "pim" : "npu";
        std::string const body = chosen.units.in_banks(Choice::prefill) ? "pim" : "npu";
        for (auto const* decode : {"npu", "pim"}) {
            auto const forced =
                times_on(free, {{"prefill_unit", body}, {"lm_head", head}, {"decode_unit", decode}}, Fidelity::cycle);
            EXPECT_LE(chosen.decode().value, forced->decode * (1.0 + 1e-9)) << decode << printed(free);
        }
        ++compared;
    }
    EXPECT_GT(compared, 3);
}

/// What a closed form leaves open holds what a simulation then chooses.
TEST(Units, that_closed_forms_leave_open_are_those_that_simulations_choose_among) {
    RandomSetting settings(6);
    int compared = 0, undecided = 0;
    for (int trial = 0; trial < tests::draws(24, 6); ++trial) {
        auto const setting = with(settings.next(), {{"prefill_unit", "auto"},
                                                    {"decode_unit", "auto"},
                                                    {"attention", "auto"},
                                                    {"lm_head", "auto"},
                                                    {"ignore_capacity", "true"}});
        Requested const asked(setting);
        if (!has_banks(asked)) continue;
        auto const open = asked.results(Fidelity::analytic);
        undecided += open.size() > 1 ? 1 : 0;
        // all assignments, one by one, each simulated alone; a prompt that both units share is named by nobody
        std::optional<RequestCost> soonest;
        for (auto const* prefill : {"npu", "pim", "auto"}) {
            for (auto const* head : {"npu", "pim"}) {
                Requested const one(with(setting, {{"prefill_unit", prefill}, {"lm_head", head}}));
                auto const cost = one.cost(Fidelity::cycle);
                if (!soonest || cost.prefill().value < soonest->prefill().value) soonest = cost;
            }
        }
        bool const among = std::ranges::any_of(
            open, [&](RequestCost const& result) { return result.units.agree(soonest->units, Choice::head); });
        EXPECT_TRUE(among) << printed(setting);
        ++compared;
    }
    EXPECT_GT(compared, tests::draws(6, 1));
    EXPECT_GT(undecided, 0);
}

TEST(Units, of_a_batch_change_where_the_banks_repeat_too_much) {
    auto const step = [](char const* batch, char const* unit) {
        Requested const asked({{"llm", "llama-3-8b"}, {"channels", "8"}, {"batch", batch}, {"decode_unit", unit}});
        return asked.cost().decode().value / 63.0;
    };
    EXPECT_LT(step("1", "pim"), step("1", "npu") / 5.0);
    EXPECT_LT(step("32", "npu"), step("32", "pim") / 3.0);
    for (auto const* batch : {"1", "4", "8", "16", "32"})
        EXPECT_EQ(step(batch, "auto"), std::min(step(batch, "npu"), step(batch, "pim"))) << batch;
}

TEST(Units, of_a_machine_without_a_layout_for_the_banks_are_the_npu) {
    Requested const asked({{"baseline", "npu_only"}, {"decode_unit", "pim"}, {"attention", "pim"}, {"lm_head", "pim"}});
    auto const cost = asked.cost();
    for (auto const unit : cost.units.of) EXPECT_EQ(unit, PhaseUnit::npu);
    EXPECT_EQ(cost.total().commands.macs, 0.0);
}

TEST(Units, that_read_moved_weights_move_them_first) {
    auto const moved = [](char const* decode, char const* staging) {
        Requested const asked({{"baseline", "relayout"},
                               {"llm", "opt-1.3b"},
                               {"decode_unit", decode},
                               {"staging", staging},
                               {"prefill_unit", "npu"}});
        auto const cost = asked.cost();
        return cost.rest[Part::relayout].seconds.value / cost.first[Part::relayout].seconds.value;
    };
    EXPECT_EQ(moved("pim", "layer"), 0.0);
    EXPECT_EQ(moved("npu", "model"), 0.0);
    EXPECT_NEAR(moved("npu", "layer"), 63.0, 1e-9);
}

/// Keys that a group of queries shares are read once where the hardware can.
TEST(GroupedQueries, cost_as_many_reads_as_there_are_keys) {
    auto const attention = [](char const* llm, char const* unit, char const* vectors, char const* input) {
        Requested const asked(
            {{"llm", llm}, {"channels", "8"}, {"attention", unit}, {"pim_vectors", vectors}, {"input", input}});
        auto const cost = asked.cost().rest[Part::attention];
        return cost;
    };
    // llama-2-7b has 32 heads of keys, llama-3-8b 8; both 32 of queries of 128 elements, and 32 layers
    auto const grown = [&](char const* llm, char const* unit, char const* vectors) {
        return attention(llm, unit, vectors, "3900").seconds.value - attention(llm, unit, vectors, "128").seconds.value;
    };
    EXPECT_NEAR(grown("llama-2-7b", "npu", "1") / grown("llama-3-8b", "npu", "1"), 4.0, 0.25);
    // shares of attention that go into the banks are as many whatever keys are shared
    EXPECT_NEAR(grown("llama-2-7b", "pim", "1") / grown("llama-3-8b", "pim", "1"), 1.0, 0.15);
    EXPECT_GT(grown("llama-2-7b", "pim", "4") / grown("llama-3-8b", "pim", "4"), 3.0);
    EXPECT_EQ(grown("llama-2-7b", "pim", "4"), grown("llama-2-7b", "pim", "1"));
    auto const one = attention("llama-3-8b", "pim", "1", "2048").commands;
    auto const four = attention("llama-3-8b", "pim", "4", "2048").commands;
    EXPECT_EQ(one.macs, four.macs);
    EXPECT_NEAR(one.bank_reads, 4.0 * four.bank_reads, 1e-9 * one.bank_reads);
}

TEST(Vectors, that_share_a_burst_share_its_time_but_not_its_arithmetic) {
    auto const weights = [](char const* vectors, char const* batch) {
        Requested const asked({{"llm", "opt-1.3b"},
                               {"decode_unit", "pim"},
                               {"batch", batch},
                               {"pim_vectors", vectors},
                               {"global_buffer_elements", "16384"}});
        return asked.cost().rest[Part::weights];
    };
    for (auto const* batch : {"1", "3", "8"}) {
        auto const alone = weights("1", batch), shared = weights("8", batch);
        EXPECT_EQ(alone.commands.macs, shared.commands.macs) << batch;
        EXPECT_NEAR(alone.commands.bank_reads, std::stod(batch) * shared.commands.bank_reads,
                    1e-9 * alone.commands.bank_reads);
        EXPECT_LE(shared.seconds.value, alone.seconds.value * 1.01) << batch;
    }
    EXPECT_LT(weights("8", "8").seconds.value, weights("1", "8").seconds.value / 4.0);
}

/// Seconds to the first token, and those of attention with its softmax and of writing keys among them, of prompts from
/// `first` on; nothing if the point cannot be built.
struct FirstToken {
    double all, growing;
};
std::vector<FirstToken> first_tokens(Setting const& setting, int first, int count, Fidelity fidelity) {
    std::vector<FirstToken> seconds;
    for (int i = 0; i < count; ++i) {
        Requested const asked(with(setting, {{"input", std::to_string(first + i)}, {"output", "1"}}));
        if (!asked.exists) return {};
        auto const cost = asked.cost(fidelity);
        seconds.push_back({cost.prefill().value, cost.first[Part::attention].seconds.value +
                                                     cost.first[Part::vector].seconds.value +
                                                     cost.first[Part::kv_write].seconds.value});
    }
    return seconds;
}

/// One more token takes no less, and but for attention, which grows, and the write of keys, whose banks meet again, no
/// more than a prompt of one token, on either unit.
void expect_steady(Fidelity fidelity, std::uint64_t seed, int points, int tokens, std::vector<int> const& starts) {
    RandomSetting settings(seed);
    int compared = 0;
    for (int trial = 0; trial < tests::draws(points, 2); ++trial) {
        auto setting = with(settings.next(), {{"prefill_unit", trial % 2 == 0 ? "npu" : "pim"},
                                              {"global_buffer_elements", "4096"},
                                              {"ignore_capacity", "true"}});
        for (auto& [name, value] : setting) {
            if (name == "lm_head" && value == "auto") value = "npu";
        }
        auto const alone = first_tokens(setting, 1, 1, fidelity);
        if (alone.empty()) continue;
        auto const all =
            first_tokens(setting, starts[static_cast<std::size_t>(trial) % starts.size()], tokens, fidelity);
        for (std::size_t i = 1; i < all.size(); ++i) {
            auto const &now = all[i], &before = all[i - 1];
            EXPECT_GE(now.all, before.all * (1.0 - 1e-9)) << i << " " << printed(setting);
            EXPECT_LE((now.all - now.growing) - (before.all - before.growing), alone.front().all * (1.0 + 1e-9))
                << i << " " << printed(setting);
        }
        ++compared;
    }
    EXPECT_GT(compared, tests::draws(points, 2) / 6);
}
TEST(Prompt, of_one_token_more_takes_no_less_and_does_not_jump) {
    expect_steady(Fidelity::analytic, 21, 60, 18, {1, 8, 60, 250, 1000, 2030});
}
TEST(Prompt, of_one_token_more_takes_no_less_and_does_not_jump_at_cycle_level) {
    expect_steady(Fidelity::cycle, 22, 8, tests::draws(18, 6), {1, 9});
}

/// What the banks multiply of a prompt is attended to on the faster unit, as in decode.
TEST(Prompt, that_the_banks_multiply_attends_where_decode_does) {
    auto const asked = [](char const* attention, Fidelity fidelity) {
        Requested const one({{"llm", "opt-350m"},
                             {"input", "1"},
                             {"output", "2"},
                             {"channels", "16"},
                             {"bank_groups", "16"},
                             {"loop_order", "nat"},
                             {"activation", "four"},
                             {"attention", attention}});
        return one.cost(fidelity);
    };
    for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
        auto const cost = asked("auto", fidelity);
        EXPECT_TRUE(cost.units.in_banks(Choice::prefill));
        EXPECT_FALSE(cost.units.in_banks(Choice::prompt_attention));
        EXPECT_FALSE(cost.units.in_banks(Choice::attention));
        EXPECT_NEAR(cost.prefill().value, cost.decode().value, 0.01 * cost.decode().value);
        EXPECT_GT(asked("pim", fidelity).prefill().value, 1.03 * cost.prefill().value);
    }
}

/// The NPU takes whole blocks of 16 positions, and what is left goes where a decode step goes: a token more is never
/// longer than a step.
TEST(Prompt, is_shared_where_its_last_block_would_be_nearly_empty) {
    Setting const slow{{"llm", "opt-350m"}, {"output", "2"}, {"double_buffer", "false"}, {"attained_share", "0.05"}};
    for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
        Requested const whole(with(slow, {{"input", "16"}})), more(with(slow, {{"input", "17"}}));
        Requested const alone(with(slow, {{"input", "17"}, {"prefill_unit", "npu"}}));
        auto const before = whole.cost(fidelity), now = more.cost(fidelity);
        EXPECT_EQ(before.units[Choice::prefill], PhaseUnit::npu);
        EXPECT_EQ(now.units[Choice::prefill], PhaseUnit::both);
        EXPECT_LE(now.prefill().value, before.prefill().value + now.decode().value);
        EXPECT_LT(now.prefill().value, 0.8 * alone.cost(fidelity).prefill().value);
        EXPECT_EQ(now.first[Part::weights].seconds.value, before.first[Part::weights].seconds.value);
        EXPECT_GT(now.first[Part::rest_weights].commands.macs, 0.0);
        EXPECT_EQ(before.first[Part::rest_weights].seconds.value, 0.0);
    }
}

/// A prompt of one token is served as a step of decode at its end is, on either unit: the same products, and keys of
/// one position less.
TEST(Prompt, of_one_token_costs_what_a_step_of_decode_costs) {
    RandomSetting settings(23);
    int compared = 0;
    for (int trial = 0; trial < tests::draws(120); ++trial) {
        std::string const unit = trial % 2 == 0 ? "npu" : "pim";
        auto setting = with(settings.next(), {{"prefill_unit", unit},
                                              {"decode_unit", unit},
                                              {"attention", trial % 3 == 0 ? "auto" : unit},
                                              {"concurrency", "exclusive"},
                                              {"weight_load", "none"},
                                              {"baseline", "umdam"},
                                              {"count_first", "true"},
                                              {"input", "1"},
                                              {"output", "2"},
                                              {"ignore_capacity", "true"}});
        for (auto& [name, value] : setting) {
            if (name == "lm_head" && value != "skip") value = unit;
        }
        Requested const asked(setting);
        if (!asked.exists) continue;
        auto const cost = asked.cost();
        double const first = cost.prefill().value, next = cost.decode().value;
        // the step reads two positions' keys, and the NPU those from memory; a prompt's states are computed in chunks
        double const keys = cost.rest[Part::attention].seconds.value + cost.rest[Part::kv_write].seconds.value +
                            cost.first[Part::state].seconds.value + cost.rest[Part::state].seconds.value;
        EXPECT_NEAR(first, next, keys + 0.002 * next) << printed(setting);
        ++compared;
    }
    EXPECT_GE(compared, tests::draws(15, 1));
}

}  // namespace
}  // namespace pimdse::models::umdam::units_test
