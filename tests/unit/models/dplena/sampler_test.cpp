#include "models/dplena/sampler.hpp"

#include "models/contract/constant_slopes.hpp"
#include "models/contract/constants.hpp"
#include "models/contract/toml_file.hpp"
#include "models/contract/validation.hpp"
#include "models/text/text.hpp"
#include "sim/base/check.hpp"
#include "tests/unit/models/contract/temporary_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <set>
#include <string>
#include <utility>

/// The kind `sampler` in machine files: its keys, its constants and its rows of the ledger.
namespace pimdse::models::dplena::sampler_test {
namespace {

using ::testing::HasSubstr;

std::string file_with(std::string const& keys, std::string const& sampling = "\"sampler\"") {
    return "schema = 1\nname = \"drawn\"\nsummary = \"a roof and a sampler\"\nllm = \"llada-8b\"\n"
           "[parameter.width]\nchoices = [\"performance\", \"edge\"]\nmeaning = \"m\"\n"
           "[parameter.lanes]\ndefault = 512\nlimits = [1, 100000]\nmeaning = \"m\"\n"
           "[memory.hbm]\nkind = \"rate\"\nbandwidth = \"1 TB/s\"\ncapacity = \"40 GB\"\n"
           "[compute.roof]\nkind = \"roof\"\nrate = \"100 TFLOP/s\"\n[compute.sampler]\nkind = \"sampler\"\n" +
           keys +
           "[run]\nhold = { weights = \"hbm\", kv = \"hbm\" }\n\"*\" = \"roof\"\n\"*.overhead\" = { free = \"no\" }\n"
           "\"*.sampling\" = " +
           sampling + "\n";
}

/// The first mistake of a file; "": it has none.
std::string mistake_of(std::string const& text) {
    models::testing::TemporaryFile const file(text);
    try {
        (void)text::architecture(file.path());
    } catch (sim::InputError const& error) {
        return error.sentences().front();
    }
    return "";
}

Outcome outcome_of(std::string const& text, std::vector<std::pair<std::string, std::string>> settings = {},
                   ModelOptions const& options = {}) {
    models::testing::TemporaryFile const file(text);
    auto const machine = text::architecture(file.path());
    auto parameters = machine.parameters();
    settings.insert(settings.end(), {{"generation", "diffusion"}, {"output", "32"}, {"block_length", "32"}});
    auto const point = point_with(parameters, settings);
    return machine.evaluate(prepare(machine, parameters, options), point, Fidelity::cycle);
}

double latency_of(std::string const& text, std::vector<std::pair<std::string, std::string>> settings = {},
                  ModelOptions const& options = {}) {
    models::testing::TemporaryFile const file(text);
    auto const metrics = text::architecture(file.path()).metrics();
    return std::get<Metrics>(outcome_of(text, std::move(settings), options))
        .at(static_cast<std::size_t>(find_metric(metrics, "latency")))
        .value;
}

std::string reason_of(Outcome const& outcome) {
    auto const* no = std::get_if<Infeasible>(&outcome);
    return no == nullptr ? "" : no->rule + ": " + no->reason;
}

TEST(SamplerPart, says_what_is_wrong_with_its_keys) {
    EXPECT_EQ(mistake_of(file_with("")), "");
    EXPECT_THAT(mistake_of(file_with("lanes = 4\n")), HasSubstr("lanes"));
    EXPECT_THAT(mistake_of(file_with("share = 0.5\n")), HasSubstr("'share' has no effect on a sampler"));
    EXPECT_EQ(mistake_of(file_with("waiting_power = \"1 W\"\nenergy = { arithmetic = \"1 pJ/FLOP\" }\n")), "");
    EXPECT_THAT(mistake_of(file_with("mode = \"edgy\"\n")), HasSubstr("Did you mean 'edge'?"));
    EXPECT_THAT(mistake_of(file_with("overlap = \"{width}\"\n")),
                HasSubstr("sampler.overlap may be none, prefetch, dual_issue, fused_head, and 'performance' is none"));
    EXPECT_THAT(mistake_of(file_with("mode = \"{lanes}\"\n")),
                HasSubstr("'lanes' of sampler.mode is not a parameter with choices"));
    EXPECT_THAT(mistake_of(file_with("parameters = [\"vlan\"]\n")), HasSubstr("Did you mean 'vlen'?"));
    EXPECT_THAT(mistake_of(file_with("parameters = \"vlen\"\n")), HasSubstr("is not a list of keys of the part"));
    EXPECT_THAT(mistake_of(file_with("vlen = \"2 GHz\"\n")), HasSubstr("sampler.vlen"));
}

/// Of two parts that a machine may ask alone, one always has passes of a model.
TEST(SamplerPart, is_asked_alone_where_no_other_part_is) {
    auto const two = [](std::string const& scope) {
        return file_with("scope = \"sampling\"\n[compute.other]\nkind = \"sampler\"\n" + scope);
    };
    EXPECT_THAT(mistake_of(two("scope = \"sampling\"\n")),
                HasSubstr("'sampler' and 'other' may both be asked alone. Fix scope = \"end_to_end\" in one of them?"));
    EXPECT_EQ(mistake_of(two("scope = \"end_to_end\"\n")), "");
}

/// The time of sampling has an upper end wherever the latency has one, and cycle level is within both.
TEST(SamplerPart, bounds_the_time_of_sampling) {
    for (auto const* scope : {"sampling", "end_to_end"}) {
        models::testing::TemporaryFile const file(file_with(fmt::format("vlen = 512\nscope = \"{}\"\n", scope)));
        auto const machine = text::architecture(file.path());
        auto parameters = machine.parameters();
        auto const point = point_with(parameters, {{"generation", "diffusion"}, {"output", "64"}, {"steps", "2"}});
        auto const inputs = prepare(machine, parameters);
        auto const at = [&](Fidelity fidelity) {
            auto const metrics = machine.metrics();
            return std::get<Metrics>(machine.evaluate(inputs, point, fidelity))
                .at(static_cast<std::size_t>(find_metric(metrics, "sampling_time")));
        };
        auto const closed = at(Fidelity::analytic), simulated = at(Fidelity::cycle);
        EXPECT_TRUE(simulated.is_exact());
        EXPECT_LE(closed.lower, simulated.value);
        EXPECT_GE(closed.upper, simulated.value);
        EXPECT_EQ(closed.kinds.upper, Bound::calibrated);
    }
}

TEST(SamplerMachine, multiplies_weights_of_the_width_that_it_stores) {
    auto const machine = text::architecture(data_directory() / "models" / "machines" / "dplena.toml");
    for (auto const& [bits, products] : {std::pair{"4", "4-bit x int8"}, std::pair{"8", "int8 x int8"}}) {
        auto parameters = machine.parameters();
        auto const point = point_with(parameters, {{"scope", "end_to_end"}, {"weight_bits", bits}});
        EXPECT_EQ(machine.products(prepare(machine, parameters), point), products);
    }
}

TEST(SamplerPart, does_what_it_can_and_nothing_else) {
    EXPECT_THAT(mistake_of(file_with("", "\"sampler\"\n\"*.lm_head\" = \"sampler\"")),
                HasSubstr("sampler (a sampler) does not compute lm_head"));
    EXPECT_EQ(mistake_of(file_with("", "\"sampler\"\n\"*.norm\" = { on = \"sampler\", work = 4 }")), "");
    EXPECT_THAT(mistake_of(file_with("", "{ on = \"sampler\", together = true }")), HasSubstr("shares a roof"));
}

TEST(SamplerPart, refuses_what_its_laws_do_not_read) {
    for (auto const* key : {"work = 5", "task = \"1 us\"", "moves = \"1 B\"", "reads = 2"})
        EXPECT_THAT(mistake_of(file_with("", fmt::format("{{ on = \"sampler\", {} }}", key))),
                    HasSubstr("which the laws of a sampler do not read"))
            << key;
    EXPECT_EQ(mistake_of(file_with("", "{ on = \"sampler\", wait = \"1 us\", kernel = \"1 us\" }")), "");
}

/// What the others do is a difference of sums, of which the levels have other terms: 1e-16 beside a bound is beside it.
TEST(SamplerPart, states_intervals_that_hold_the_times_of_the_others) {
    int differing = 0;
    auto const* elementwise =
        "\"sampler\"\n\"*.norm\" = { on = \"sampler\", work = 4 }\n\"*.softmax\" = { on = \"sampler\", work = 5 }\n"
        "\"*.activation\" = { on = \"sampler\", work = 4 }";
    for (int channels = 1; channels <= 16; channels *= 2)
        for (int const vlen : {64, 256, 512})
            for (int const input : {64, 128, 500}) {
                models::testing::TemporaryFile const file(
                    file_with(fmt::format("vlen = {}\nchannels = {}\n", vlen, channels), elementwise));
                auto const machine = text::architecture(file.path());
                auto parameters = machine.parameters();
                auto const point = point_with(
                    parameters, {{"llm", "llama-3.2-1b"}, {"input", std::to_string(input)}, {"output", "16"}});
                auto const inputs = prepare(machine, parameters);
                auto const analytic = std::get<Metrics>(machine.evaluate(inputs, point, Fidelity::analytic)),
                           cycle = std::get<Metrics>(machine.evaluate(inputs, point, Fidelity::cycle));
                auto const table = machine.metrics();
                for (std::size_t i = 0; i < table.size(); ++i) {
                    if (!applies(cycle[i]) || analytic[i].kinds.lower != Bound::proved) continue;
                    EXPECT_GE(cycle[i].value, analytic[i].lower) << table[i].name << channels << vlen << input;
                    if (analytic[i].kinds.upper == Bound::proved) {
                        EXPECT_LE(cycle[i].value, analytic[i].upper) << table[i].name << channels << vlen << input;
                    }
                    differing += table[i].name == "model_time" && cycle[i].value != analytic[i].value ? 1 : 0;
                }
            }
    EXPECT_GT(differing, 0) << "no last bit differs";
}

/// A draft model has logits of its own: with a smaller vocabulary, proposals take less.
TEST(SamplerPart, samples_the_logits_of_the_model_that_proposes) {
    auto const sampling = [](char const* proposes) {
        models::testing::TemporaryFile const file(file_with(""));
        auto const machine = text::architecture(file.path());
        auto parameters = machine.parameters();
        auto const point = point_with(
            parameters, {{"llm", "llama-3.2-3b"}, {"draft", "2"}, {"draft_llm", proposes}, {"output", "64"}});
        auto const all = machine.explain(prepare(machine, parameters), point, Fidelity::analytic);
        double seconds = 0.0;
        for (auto const& share : all.time)
            if (share.what == "decode/sampling") seconds += share.amount;
        return seconds;
    };
    EXPECT_GT(sampling("opt-125m"), sampling("none"));
    EXPECT_LT(sampling("opt-125m"), sampling("llama-3.2-1b"));
}

TEST(SamplerPart, has_values_within_its_limits_and_rules_of_its_own) {
    auto const lanes = file_with("vlen = \"lanes\"\n");
    EXPECT_EQ(reason_of(outcome_of(lanes)), "");
    EXPECT_EQ(reason_of(outcome_of(lanes, {{"lanes", "70000"}})),
              "machine: sampler.vlen is 70000 (it must be a whole number from 1 to 65536 elements)");
    EXPECT_THAT(reason_of(outcome_of(file_with("vlen = \"lanes / 3\"\n"))), HasSubstr("it must be a whole number"));
    EXPECT_THAT(reason_of(outcome_of(lanes, {{"lanes", "100"}})), HasSubstr("vlen_line: vlen must be a multiple"));
    EXPECT_THAT(reason_of(outcome_of(file_with("parameters = [\"vlen\"]\n"), {{"vlen", "100"}})),
                HasSubstr("vlen_line"));
}

/// Its metrics follow those of every machine; one of the same name takes the place of that.
TEST(SamplerPart, has_metrics_of_its_own) {
    models::testing::TemporaryFile const file(file_with("vlen = 512\n"));
    auto const machine = text::architecture(file.path());
    auto const metrics = machine.metrics();
    std::set<std::string> names;
    for (auto const& metric : metrics) EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    auto const at = [&](char const* name) { return static_cast<std::size_t>(find_metric(metrics, name)); };
    EXPECT_LT(at("throughput_with_prompt"), at("cycles_vector"));
    EXPECT_THAT(metrics.at(at("sampling_share")).meaning, HasSubstr("in the time of one step"));
    auto parameters = machine.parameters();
    auto const point = point_with(parameters, {{"generation", "diffusion"}, {"output", "64"}, {"steps", "2"}});
    auto const inputs = prepare(machine, parameters);
    for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
        auto const values = std::get<Metrics>(machine.evaluate(inputs, point, fidelity));
        double const block = values.at(at("cycles_total")).value / 1e9, model = values.at(at("model_time")).value;
        auto const share = values.at(at("end_to_end_share"));
        EXPECT_NEAR(share.value, 2.0 * block / values.at(at("latency")).value, 1e-12);
        EXPECT_EQ(share.is_exact(), fidelity == Fidelity::cycle);
        EXPECT_NEAR(values.at(at("sampling_share")).value, block / 2 / (block / 2 + model), 1e-12);
    }
}

/// A vocabulary of its own is that of the model where it is as large.
TEST(SamplerPart, samples_as_many_logits_as_it_is_told) {
    auto const own = latency_of(file_with("vlen = 512\nvocab = 126464\n"));  // 126,464 of llada-8b: 247 vectors
    EXPECT_EQ(own, latency_of(file_with("vlen = 512\n")));
    EXPECT_LT(latency_of(file_with("vlen = 512\nvocab = 51200\n")), own);
    EXPECT_THAT(reason_of(outcome_of(file_with("vlen = 512\nvocab = 511\n"))), HasSubstr("vocab_vlen"));
}

/// Choices follow a parameter, and constants of the part are constants of the machine.
TEST(SamplerPart, follows_parameters_and_constants) {
    auto const modes = file_with("mode = \"{width}\"\nv_chunk = 8192\n");
    EXPECT_EQ(latency_of(modes, {{"width", "edge"}}), latency_of(file_with("mode = \"edge\"\nv_chunk = 8192\n")));
    EXPECT_GT(latency_of(modes, {{"width", "edge"}}), latency_of(modes));
    ModelOptions slower;
    slower.drawn = {{"v_red_sum", 80.0}};
    EXPECT_GT(latency_of(modes, {}, slower), latency_of(modes));
    auto const own = modes + "[constant.v_red_sum]\nvalue = 80\nunit = \"cycles\"\nsource = \"drawn\"\n";
    EXPECT_EQ(latency_of(own), latency_of(modes, {}, slower));
}

/// The power at rest of a part decides which of two units takes less energy: no constant of it has a direction then.
TEST(SamplerPart, may_move_times_by_its_power_where_energy_chooses_a_unit) {
    auto text = file_with("", "\"sampler\"\n\"*.weights\" = { on = [\"roof\", \"fast\"], choose = \"energy\" }");
    text.insert(text.find("[compute.sampler]"),
                "energy = { arithmetic = \"0.1 pJ/FLOP\" }\n[compute.fast]\nkind = \"roof\"\nrate = \"400 TFLOP/s\"\n"
                "energy = { arithmetic = \"0.2 pJ/FLOP\" }\n");
    text.insert(text.find("[memory.hbm]"), "[format]\nproducts = [\"int8\"]\n");
    models::testing::TemporaryFile const file(text);
    auto const machine = text::architecture(file.path());
    auto const all = constants_of(machine).all();
    auto const& standby = all.at("hbm_open_standby");
    ModelOptions more;
    more.drawn = {{"hbm_open_standby", 50.0 * standby.si}};
    std::vector<std::pair<std::string, std::string>> const prompt{{"input", "2000"}};
    ASSERT_EQ(reason_of(outcome_of(text, prompt)) + reason_of(outcome_of(text, prompt, more)), "");
    EXPECT_LT(latency_of(text, prompt, more), latency_of(text, prompt));
    auto const without = machine.proofs.constants_without_slopes(prepare(machine, machine.parameters()));
    auto const metrics = machine.metrics();
    auto const& latency = metrics[static_cast<std::size_t>(find_metric(metrics, "latency"))];
    EXPECT_EQ(slope_of("hbm_open_standby", standby, latency, without), std::nullopt);
}

/// What is asked of the machine is a key like others, fixed or set by a parameter of any name and order of choices.
TEST(SamplerPart, samples_a_block_alone_where_the_file_says_so) {
    auto const keys = std::string("vlen = 512\nvocab = 51200\n");
    models::testing::TemporaryFile const file(file_with(keys + "scope = \"{asked}\"\n[parameter.asked]\n"
                                                               "choices = [\"end_to_end\", \"sampling\"]\n"
                                                               "meaning = \"m\"\n"));
    auto const machine = text::architecture(file.path());
    auto parameters = machine.parameters();
    auto const metrics = machine.metrics();
    auto const inputs = prepare(machine, parameters);
    auto const at = [&](std::vector<std::pair<std::string, std::string>> settings) {
        settings.insert(settings.end(), {{"generation", "diffusion"}, {"steps", "2"}, {"batch", "3"}});
        return point_with(parameters, settings);
    };
    auto const of = [&](std::vector<std::pair<std::string, std::string>> const& settings, char const* name) {
        return std::get<Metrics>(machine.evaluate(inputs, at(settings), Fidelity::cycle))
            .at(static_cast<std::size_t>(find_metric(metrics, name)));
    };
    EXPECT_EQ(machine.workload.implied, (std::vector{std::pair<std::string, std::string>{"asked", "end_to_end"}}));
    EXPECT_EQ(text_of(metrics[static_cast<std::size_t>(find_metric(metrics, "ttft"))].needs.front()),
              "asked = end_to_end");
    std::vector<std::pair<std::string, std::string>> const alone{{"asked", "sampling"}};
    EXPECT_DOUBLE_EQ(of(alone, "latency").value, of(alone, "cycles_total").value / 1e9);
    EXPECT_EQ(of(alone, "cycles_total").value, of({}, "cycles_total").value);
    EXPECT_EQ(of(alone, "footprint").value, 3 * 32 * 51200 * (1.0 + 1.0 / 8));
    EXPECT_FALSE(applies(of(alone, "ttft")));
    auto const explained = machine.explain(inputs, at(alone), Fidelity::cycle);
    EXPECT_EQ(explained.time.front().what, "sampling/vector");
    double seconds = 0.0;
    for (auto const& share : explained.time) seconds += share.amount;
    EXPECT_NEAR(seconds, of(alone, "latency").value, 1e-12);
    EXPECT_EQ(explained.limits.size(), 1U);
    EXPECT_FALSE(machine.trace(inputs, at(alone), Fidelity::analytic).empty());
    EXPECT_EQ(std::get<Infeasible>(machine.engine(inputs, at(alone), Fidelity::analytic)).rule, "traffic");
    auto const key = [&](std::vector<std::pair<std::string, std::string>> settings, char const* asked) {
        settings.emplace_back("asked", asked);
        return machine.proofs.cycle_key(inputs, at(settings));
    };
    EXPECT_EQ(key({{"llm", "dream-7b"}, {"input", "7"}}, "sampling"), key({}, "sampling"));
    EXPECT_NE(key({{"llm", "dream-7b"}}, "end_to_end"), key({}, "end_to_end"));
    EXPECT_NE(key({{"input", "7"}}, "end_to_end"), key({}, "end_to_end"));
}

/// Its memories follow the vocabulary: parts of a model on several devices need less silicon each.
TEST(SamplerPart, claims_no_growth_of_silicon_with_devices) {
    models::testing::TemporaryFile const file(file_with(""));
    auto const machine = text::architecture(file.path());
    auto const inputs = prepare(machine, machine.parameters());
    for (auto const& law : machine.proofs.monotone_lower_bounds(inputs))
        if (law.parameter == devices_name) {
            EXPECT_EQ(law.metric, "memory_area");
        }
}

/// `frequency` is a key and a constant of the part: where it is a parameter, the constant is constant.frequency.
TEST(SamplerPart, has_constants_beside_parameters_of_their_names) {
    auto const at = [](std::string const& number, std::string const& set) {
        auto const text = file_with("parameters = [\"frequency\"]\n") + "[number.shown]\nvalue = \"" + number +
                          "\"\nunit = \"Hz\"\n[metric.clock]\nvalue = \"shown\"\nunit = \"Hz\"\nbetter = "
                          "\"higher\"\nmeaning = \"m\"\n";
        models::testing::TemporaryFile const file(text);
        auto const machine = text::architecture(file.path());
        auto const metrics = std::get<Metrics>(outcome_of(text, {{"frequency", set}}));
        return metrics.at(static_cast<std::size_t>(find_metric(machine.metrics(), "clock"))).value;
    };
    EXPECT_EQ(at("frequency", "500 MHz"), 5e8);
    EXPECT_EQ(at("constant.frequency", "500 MHz"), 1e9);
    EXPECT_THAT(mistake_of(file_with("") + "[number.shown]\nvalue = \"constant.mega\"\nunit = \"Hz\"\n"),
                HasSubstr("constant.mega"));
}

TEST(SamplerPart, states_its_rows_of_the_ledger) {
    models::testing::TemporaryFile const file(file_with(""));
    auto const ledger = text::architecture(file.path()).ledger();
    auto const account = [](std::vector<LedgerEntry> const& rows, std::string_view name) {
        return std::ranges::find(rows, name, &LedgerEntry::row)->account;
    };
    for (auto const* row : {"arithmetic", "sram", "sram_static", "dram_background", "dram_refresh", "idle_units"})
        EXPECT_NE(account(ledger.energy, row), Account::not_stated) << row;
    EXPECT_EQ(account(ledger.energy, "converters"), Account::not_stated);
    EXPECT_EQ(account(ledger.area, "vector_unit"), Account::counted);
}

}  // namespace
}  // namespace pimdse::models::dplena::sampler_test
