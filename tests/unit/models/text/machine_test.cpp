#include "models/text/machine.hpp"

#include "small_machine.hpp"

#include <gmock/gmock.h>
#include <set>

/// Rules of [run], groups of components that work beside each other, limits.
namespace pimdse::models::text::test::machine_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Machine {
  public:
    explicit Machine(std::string const& text) : file_(text), machine_(read_file(file_.path())) {}
    [[nodiscard]] CompiledMachine const& compiled() const { return machine_; }
    /// Pattern of the rule that has an operator.
    [[nodiscard]] std::string pattern(Phase phase, Operator op) const {
        return machine_.rules()[machine_.rule_of(phase, op)].pattern;
    }

  private:
    models::testing::TemporaryFile file_;
    CompiledMachine machine_;
};

TEST(MachineRules, have_the_operators_that_they_name_most_exactly) {
    Machine const m{std::string(small_machine)};
    for (auto const op : {Operator::q, Operator::k, Operator::latent, Operator::o, Operator::down})
        for (auto const phase : {Phase::prefill, Phase::decode}) EXPECT_EQ(m.pattern(phase, op), "*.weights");
    EXPECT_EQ(m.pattern(Phase::decode, Operator::scores), "*.attention");
    EXPECT_EQ(m.pattern(Phase::prefill, Operator::scores), "prefill.attention") << "with its phase it is more exact";
    EXPECT_EQ(m.pattern(Phase::prefill, Operator::softmax), "*.softmax");
    EXPECT_EQ(m.pattern(Phase::decode, Operator::norm), "*");
    Machine const more(with("\"*.weights\" = \"cube\"",
                            "\"*.weights\" = \"cube\"\n\"weights.up\" = \"cube\"\n\"prefill.weights\" = \"cube\"\n"
                            "\"*.weights.down\" = \"lanes\"\n\"decode.*\" = \"lanes\""));
    EXPECT_EQ(more.pattern(Phase::prefill, Operator::up), "weights.up") << "a longer name counts for more than a phase";
    EXPECT_EQ(more.pattern(Phase::decode, Operator::up), "weights.up");
    EXPECT_EQ(more.pattern(Phase::prefill, Operator::q), "prefill.weights");
    EXPECT_EQ(more.pattern(Phase::prefill, Operator::down), "*.weights.down");
    EXPECT_EQ(more.pattern(Phase::decode, Operator::norm), "decode.*");
    EXPECT_EQ(more.pattern(Phase::prefill, Operator::norm), "*");
    EXPECT_EQ(more.pattern(Phase::decode, Operator::lm_head), "*.lm_head");
}

TEST(MachineRules, must_have_every_operator) {
    auto const text = with("\"*\" = { free = \"within what the cube attains\" }\n", "");
    auto const said = refusal(text);
    for (auto const* op : {"norm", "rotation", "activation", "residual", "sampling"})
        for (auto const* phase : {"prefill", "decode"})
            EXPECT_THAT(said, HasSubstr(fmt::format("no rule of [run] has {}.{} (write \"*.{}\"", phase, op, op)));
    EXPECT_THAT(said, Not(HasSubstr("has decode.softmax")));
    EXPECT_THAT(refusal(with("\"*.lm_head\" = ", "\"decode.lm_head\" = ", text)),
                AllOf(HasSubstr("has prefill.lm_head"), Not(HasSubstr("has decode.lm_head"))));
}

TEST(MachineRules, that_fit_no_operator_are_refused) {
    for (auto const& [pattern, meant] : std::vector<std::pair<std::string, std::string>>{
             {"*.wieghts", "*.weights"}, {"*.weights.qq", "*.weights.q"}, {"prefil.attention", "*.attention"}}) {
        auto const text =
            with("\"*.weights\" = \"cube\"", fmt::format("\"*.weights\" = \"cube\"\n\"{}\" = \"cube\"", pattern));
        EXPECT_THAT(refusal(text),
                    HasSubstr(fmt::format(".toml:{}: \"{}\" is not an operator", line_of(text, pattern), pattern)));
        EXPECT_THAT(refusal(text), HasSubstr(meant));
    }
}

/// A rule says what does its operators, that they wait, or why they are free: one of these.
TEST(MachineRules, say_what_an_operator_costs) {
    auto const rule = [](std::string const& keys) {
        return refusal(with("\"*.softmax\" = { on = \"lanes\", work = 5 }", "\"*.softmax\" = " + keys));
    };
    EXPECT_EQ(rule("{ wait = \"1 us\" }"), "");
    EXPECT_EQ(rule("{ on = \"lanes\", wait = \"1 us\", work = 2 }"), "");
    EXPECT_EQ(rule("{ on = \"lanes\", work = 2, sends = \"3 B\" }"), "");
    EXPECT_THAT(rule("{ results = \"2 s\" }"), HasSubstr("results"));
    EXPECT_THAT(rule("{ wait = \"1 us\", at_once = \"3 B\" }"), HasSubstr("at_once"));
    EXPECT_THAT(rule("{ sends = \"3 B\", free = \"why\" }"), HasSubstr("is free and has a component or a time"));
    EXPECT_THAT(rule("{}"),
                HasSubstr("says neither a component (on), nor a time (wait, kernel), nor why it costs nothing"));
    EXPECT_THAT(rule("{ work = 3 }"), HasSubstr("says neither a component (on)"));
    EXPECT_THAT(rule("{ on = \"lanes\", free = \"why\" }"), HasSubstr("is free and has a component or a time"));
    EXPECT_THAT(rule("{ wait = \"1 us\", free = \"why\" }"), HasSubstr("is free and has a component or a time"));
    EXPECT_THAT(rule("{ free = \"\" }"), HasSubstr("says neither a component (on)"));
}

/// A key that no result would read is a mistake, not a decoration.
TEST(MachineRules, refuse_keys_that_do_nothing) {
    auto const rule = [](std::string const& pattern, std::string const& keys) {
        return refusal(with("\"*.softmax\" = ", fmt::format("\"{}\" = {}\n\"*.softmax\" = ", pattern, keys)));
    };
    EXPECT_THAT(rule("decode.norm", "{ on = \"lanes\", at_once = 3 }"),
                HasSubstr("\"decode.norm\" has at_once, which says how many tasks start with a kernel, and no task"));
    EXPECT_EQ(rule("decode.norm", "{ on = \"lanes\", at_once = 3, task = \"1 us\" }"), "");
    for (auto const* pattern : {"decode.norm", "prefill.softmax", "*.sampling"})
        EXPECT_THAT(rule(pattern, "{ results = \"2 B\" }"),
                    HasSubstr(fmt::format("\"{}\" has results, which are values that products make, and no products",
                                          pattern)));
    for (auto const* pattern : {"decode.weights", "decode.attention.values", "prefill.lm_head", "decode.*"})
        EXPECT_EQ(rule(pattern, "{ on = \"lanes\", results = \"2 B\" }"), "") << pattern;
    EXPECT_EQ(rule("decode.norm", "{ on = \"lanes\", at_once = 0, results = 0 }"), "");
}

/// What a file assumes beside no constant is as uncertain as a constant: it has a factor, with the stated range.
TEST(AssumedNumbers, have_factors_that_can_be_drawn) {
    auto const text =
        with("static_power = \"3 W\"",
             "static_power = { value = \"channels * 3 W\", source = \"s\", assumed = true, range = [0.5, 3] }",
             with("idle = \"20 W\"", "idle = { value = \"20 W * attained\", source = \"s\", assumed = true }"));
    Machine const m(text);
    auto const& constants = m.compiled().file().constants;
    auto const factor = constants.find("lanes_static_power");
    ASSERT_NE(factor, constants.end());
    EXPECT_TRUE(factor->second.assumed);
    EXPECT_EQ(factor->second.si, 1.0);
    EXPECT_EQ(factor->second.range_lower, 0.5);
    EXPECT_EQ(factor->second.range_upper, 3.0);
    EXPECT_FALSE(constants.contains("power_idle")) << "attained is a constant that is assumed itself";
    EXPECT_THAT(refusal(with("static_power = \"3 W\"", "static_power = { value = \"3 W\", range = [0.5, 2] }")),
                HasSubstr("'range' is for an assumed number"));
    EXPECT_THAT(
        refusal(with("static_power = \"3 W\"", "static_power = { value = \"3 W\", assumed = true, range = [1.5, 2] }")),
        HasSubstr("'range' is not two factors of the value around 1"));
    EXPECT_THAT(refusal(with("[number.slow_start]\nvalue = \"2 us\"",
                             "[number.slow_start]\nvalue = { value = \"slow_start\", assumed = true }")),
                HasSubstr("depends on itself"));
}

TEST(MachineRules, let_vector_units_work_beside_products) {
    auto const softmax = [](std::string const& rule, std::string const& products) {
        return refusal(with("\"*.softmax\" = { on = \"lanes\", work = 5 }", "\"*.softmax\" = " + rule,
                            with("\"*.weights\" = \"cube\"", "\"*.weights\" = " + products)));
    };
    std::string const beside = "{ on = \"lanes\", work = 5, beside = \"*.weights\" }",
                      joined = "{ on = \"cube\", together = true }";
    EXPECT_EQ(softmax(beside, joined), "");
    EXPECT_THAT(softmax("{ on = \"lanes\", work = 5, beside = \"*.wieghts\" }", joined),
                HasSubstr("\"*.wieghts\" is not a rule of [run]. Did you mean '*.weights'?"));
    EXPECT_THAT(softmax(beside, "\"cube\""), HasSubstr("is not the rule of one component with together = true"));
    EXPECT_THAT(softmax("{ on = \"cube\", work = 5, beside = \"*.weights\" }", joined),
                HasSubstr("only a vector unit of its own"));
}

/// What a tiling through a buffer moves is not counted by a rule as well.
TEST(MachineRules, leave_activations_to_the_tiles_of_a_buffer) {
    auto const tiled = [](std::string const& products, std::string const& hold) {
        return refusal(with("share = 0.7", "share = 0.7\ntile_buffer = \"8 MiB\"",
                            with("\"*.weights\" = \"cube\"", "\"*.weights\" = " + products,
                                 with("kv = \"dram\" }", "kv = \"dram\"" + hold + " }"))));
    };
    EXPECT_EQ(tiled("\"cube\"", ""), "");
    EXPECT_THAT(tiled("\"cube\"", ", activations = \"dram\""), HasSubstr("tile_buffer: activations that it has no"));
    EXPECT_THAT(tiled("{ on = \"cube\", moves = \"2 B\" }", ""), HasSubstr("moves: the tile_buffer of cube says"));
}

TEST(MachineRules, choose_among_components_that_multiply) {
    auto const rule = [](std::string const& keys) {
        return refusal(with("\"*.weights\" = \"cube\"", "\"*.weights\" = " + keys));
    };
    std::string const units = "on = [\"cube\", \"lanes\"]";
    EXPECT_EQ(rule("{ " + units + ", choose = \"time\" }"), "");
    EXPECT_EQ(rule("{ " + units + ", choose = \"energy\", together = true }"), "");
    EXPECT_THAT(rule("{ " + units + " }"), HasSubstr("'choose' is missing"));
    EXPECT_THAT(rule("{ " + units + ", choose = \"tim\" }"), HasSubstr("time"));
    EXPECT_THAT(rule("{ on = \"cube\", choose = \"time\" }"), HasSubstr("'choose' needs a list of components"));
    for (auto const* list : {"[\"cube\"]", "[\"cube\", \"cube\"]", "[\"cube\", 2]"}) {
        auto const said = rule(fmt::format("{{ on = {}, choose = \"time\" }}", list));
        EXPECT_THAT(said, ::testing::EndsWith(": 'on' is not a list of two or more different components in quotes"));
        EXPECT_EQ(said.find('\n'), std::string::npos) << "one mistake: " << said;
    }
    EXPECT_THAT(rule("{ on = [\"cube\", \"lane\"], choose = \"time\" }"),
                HasSubstr("there is no compute component 'lane'. Did you mean 'lanes'?"));
    EXPECT_THAT(rule("[{ " + units + ", choose = \"time\" }, { on = \"lanes\", work = 2 }]"),
                HasSubstr("a choice is a rule of its own"));
    EXPECT_EQ(refusal(with("\"*.attention\" = { on = \"cube\", together = true }",
                           "\"*.attention\" = { " + units + ", choose = \"time\" }")),
              "");
    EXPECT_THAT(refusal(with("\"*.softmax\" = { on = \"lanes\", work = 5 }",
                             "\"*.softmax\" = { " + units + ", choose = \"time\" }")),
                HasSubstr("\"*.softmax\" is not chosen"));
}

TEST(MachineRules, are_not_too_many) {
    std::string rules;
    for (int i = 0; i < 30; ++i) rules += fmt::format("\"*.norm{}\" = \"cube\"\n", i);
    EXPECT_THAT(refusal(with("\"*.softmax\"", rules + "\"*.softmax\"")),
                HasSubstr("it has 37 rules in [run], and at most 24"));
    std::string memories;
    for (int i = 0; i < 5; ++i) memories += fmt::format("[memory.m{}]\nkind = \"rate\"\nbandwidth = \"1 GB/s\"\n", i);
    EXPECT_THAT(refusal(with("[compute.cube]", memories + "[compute.cube]")), HasSubstr("it has 6 memories"));
}

TEST(MachineGroups, are_those_that_share_a_component) {
    auto const more = with("[compute.cube]", "[memory.sram]\nkind = \"rate\"\nbandwidth = \"1 TB/s\"\n[compute.cube]");
    std::size_t const dram = 0, sram = 1, cube = max_memories, lanes = max_memories + 1;
    auto const groups = [&](std::string const& overlap) {
        Machine const m(with("overlap = [[\"cube\", \"dram\"]]", "overlap = " + overlap, more));
        std::vector<std::size_t> all;
        for (auto const component : {dram, sram, cube, lanes}) all.push_back(m.compiled().group_of(component));
        return all;
    };
    auto const none = groups("[]");
    EXPECT_EQ(std::set<std::size_t>(none.begin(), none.end()).size(), 4U);
    auto const two = groups("[[\"cube\", \"dram\"]]");
    EXPECT_EQ(two[0], two[2]);
    EXPECT_NE(two[0], two[1]);
    EXPECT_NE(two[1], two[3]);
    auto const joined = groups("[[\"sram\", \"lanes\"], [\"cube\", \"dram\"], [\"dram\", \"lanes\"]]");
    EXPECT_EQ(std::set<std::size_t>(joined.begin(), joined.end()).size(), 1U);
}

TEST(MachineLimits, are_conditions_that_read) {
    auto const limit = [](std::string const& condition) {
        return refusal(with("holds = \"mode == plain or channels >= 2\"", fmt::format("holds = \"{}\"", condition)));
    };
    EXPECT_EQ(limit("dram.bandwidth * 1 s >= 4 GB or clock < 1 GHz"), "");
    EXPECT_THAT(limit("channels"), HasSubstr("limit 'fast': condition \"channels\": it is not a condition"));
    EXPECT_THAT(limit("chanels > 2"), HasSubstr("Did you mean 'channels'?"));
    EXPECT_THAT(limit("latency > 2 s"), HasSubstr("'latency' is neither"));
    EXPECT_THAT(refusal(with("\"attained <= 1\"", "\"attaind <= 1\"")), HasSubstr("rule 'share': condition"));
    EXPECT_THAT(refusal(with("\"attained <= 1\"", "\"channels <= 1\"")), HasSubstr("'channels' is neither"))
        << "rules are about constants alone";
    EXPECT_THAT(refusal(with("holds = [\"attained <= 1\", ", "holds = [4, ")),
                HasSubstr("'holds' is not a condition in quotes"));
}

/// A name in braces that is nothing would have no value to be shown.
TEST(MachineLimits, have_reasons_with_names_that_there_are) {
    EXPECT_EQ(refusal(with("not {channels}", "not {dram.bandwidth} of {mode}")), "");
    EXPECT_THAT(
        refusal(with("not {channels}", "not {chanels}")),
        AllOf(HasSubstr("'chanels' is neither a parameter nor a number"), HasSubstr("Did you mean 'channels'?")));
    EXPECT_THAT(refusal(with("kind = \"link\"", "kind = \"link\"\nlike = \"nvlink{generation}\"")),
                HasSubstr("'generation' is not a number"));
}

/// Devices that are one machine say how many they are; others cannot.
TEST(MachineLinks, carry_what_rules_send) {
    auto const sends = with("wait = \"slow_start\"", "wait = \"slow_start\", sends = \"channels * 1 B\"");
    auto const link = sends.substr(sends.find("[link.cable]"), sends.find("[number.slow_start]") - sends.find("[link"));
    EXPECT_EQ(refusal(sends), "");
    EXPECT_THAT(refusal(with(link, "", sends)), HasSubstr("\"*.overhead\" sends bytes, and the machine has no link"));
    auto const energies = [&](char const* row) {
        return refusal(with(link, link + "[link.cable.energy]\n" + row + " = \"5 pJ/bit\"\n\n"));
    };
    EXPECT_EQ(energies("links"), "");
    EXPECT_THAT(energies("interconnect"), HasSubstr("unknown key 'interconnect'"));
}

TEST(MachineLinks, make_one_machine_of_devices_whose_number_is_read) {
    auto const one = with("kind = \"link\"", "kind = \"link\"\nsharing = \"machine\"");
    EXPECT_THAT(refusal(one), HasSubstr("no number reads group.devices"));
    EXPECT_EQ(refusal(with("\"channels * channel_rate\"", "\"channels * channel_rate * group.devices\"", one)), "");
    EXPECT_THAT(refusal(with("\"channels * channel_rate\"", "\"channels * channel_rate * group.devices\"")),
                HasSubstr("group.devices needs a first link with sharing = \"machine\""));
    EXPECT_THAT(refusal(with("kind = \"link\"", "kind = \"link\"\nsharing = \"machines\"")),
                HasSubstr("Did you mean 'machine'?"));
}

}  // namespace
}  // namespace pimdse::models::text::test::machine_test
