// The part pim_npu in machine files against the requests that umdam serves.

#include "models/umdam/pim_npu.hpp"

#include "models/contract/parameter_text.hpp"
#include "models/contract/toml_file.hpp"
#include "models/text/text.hpp"
#include "models/umdam/metrics.hpp"
#include "random_setting.hpp"
#include "requested.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/models/contract/temporary_file.hpp"
#include "tests/unit/models/text/folder.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pimdse::models::umdam::pim_npu_test {
namespace {

using sim::serving::StepWork;
using testing::printed;
using testing::RandomSetting;
using testing::Requested;
using testing::Setting;
using tests::with;
/// Of umdam, or of a machine file.
using Point = tests::Asked;

std::string replaced(std::string text, std::string const& before, std::string const& after) {
    auto const at = text.find(before);
    EXPECT_NE(at, std::string::npos) << before;
    return text.replace(at, before.size(), after);
}
/// The shipped file, but for the bits of weights: points choose their format.
std::string text_of_own() {
    std::ifstream file(data_directory() / "models" / "machines" / "umdam.toml", std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    text = replaced(text, "products = [\"fp16\"]", "products = [\"fp16\", \"int8\", \"int4\"]");
    text = replaced(text, "weights = \"model\"\nkv_cache = \"fp16\"\n", "");
    return replaced(text, "\"weight_bits\",", "");
}

Architecture const& from_file() {
    static text::test::Folder const folder;
    static auto const made = text::architecture(folder.with("own.toml", text_of_own()));
    return made;
}

Setting in_file(Setting const& setting) {
    static auto const table = from_file().parameters();
    static std::map<std::string, std::string> const formats{{"16", "fp16"}, {"8", "int8"}, {"4", "int4"}};
    Setting own;
    for (auto const& [name, value] : setting) {
        if (name == "weight_bits") own.emplace_back("weights", formats.at(value));
        if (find_parameter(table, name) >= 0) own.emplace_back(name, value);
    }
    return own;
}
void expect_equal(Estimate const& a, Estimate const& b, std::string const& name) {
    for (auto const end : {&Estimate::value, &Estimate::lower, &Estimate::upper}) {
        bool const apply = !std::isnan(a.*end) || !std::isnan(b.*end);
        EXPECT_TRUE(!apply || a.*end == b.*end) << name << ": " << a.*end << " and " << b.*end;
    }
}
double apart(double a, double b) { return std::abs(a - b) / std::max({std::abs(a), std::abs(b), 1e-300}); }

/// Calls f(point of umdam, point of the file, setting) for random feasible points.
template <class F>
int each_point(std::uint64_t seed, int draws, F const& f) {
    RandomSetting settings(seed);
    int found = 0;
    for (int trial = 0; trial < draws; ++trial) {
        auto const setting =
            with(settings.next(), {{"output", std::to_string(1 + trial % (trial % 4 == 0 ? 200 : 17))}});
        Point const known(shipped_umdam(), setting), own(from_file(), in_file(setting));
        if (auto const rule = known.rule(); !rule.empty()) {
            EXPECT_EQ(own.rule(), rule) << printed(setting);
            continue;
        }
        SCOPED_TRACE(printed(setting));
        f(known, own, setting);
        ++found;
    }
    return found;
}

/// The same request has the same numbers, whoever asks for it.
TEST(PimNpu, in_a_file_has_the_batches_of_umdam) {
    int const found = each_point(61, tests::draws(200, 30), [](Point const& known, Point const& own, Setting const&) {
        auto const names = own_metrics();
        for (auto const* name : {"ttft", "itl", "latency", "energy", "power", "prefill_power", "decode_power",
                                 "package_power", "precision"})
            expect_equal(known.metric(name), own.metric(name), name);
        for (auto const& metric : names) expect_equal(known.metric(metric.name), own.metric(metric.name), metric.name);
    });
    EXPECT_GT(found, tests::draws(40, 1));
}

/// The shares of time and energy are the whole.
void expect_explained(Point const& point) {
    auto const explained = point.explained();
    EXPECT_LE(apart(sum_of(explained.time), point.value("latency")), 1e-9);
    EXPECT_LE(apart(sum_of(explained.energy), point.value("energy")), 1e-9);
}

/// What the file adds up is what the laws of a request say.
TEST(PimNpu, in_a_file_adds_up_the_parts_of_a_request) {
    int const found = each_point(66, tests::draws(120, 20), [](Point const& known, Point const& own, Setting const&) {
        auto const& prepared = prepared_of(known.inputs);
        auto const system = std::get<System>(make_system(prepared, design_at(known.inputs, known.point)));
        auto const cost = run_request(prepared, system, Fidelity::analytic).front();
        EnergyLaw const law(system, prepared.machine);
        Standby rest;
        law.add_rest(rest);
        auto const total = cost.total();
        double const joules = rest.waiting() * total.seconds.value + law.spending_of(total).all_joules();
        EXPECT_LE(apart(own.value("ttft"), cost.prefill().value), 1e-8);
        EXPECT_LE(apart(own.value("latency"), total.seconds.value), 1e-8);
        EXPECT_LE(apart(own.value("energy"), joules), 1e-8);
        auto const explained = own.explained();
        EXPECT_LE(apart(sum_of(explained.time), total.seconds.value), 1e-8);
    });
    EXPECT_GT(found, tests::draws(20, 1));
}

/// A timeline has the unit of each part of its time.
TEST(PimNpu, is_drawn_on_its_units) {
    auto const bars = [](Setting const& setting) {
        auto const point = asked(setting);
        auto const trace = point.machine->trace(point.inputs, point.point, Fidelity::analytic);
        EXPECT_LE(apart(trace.back().start + trace.back().duration, point.value("latency")), 1e-9);
        std::map<std::string, std::string> units;
        for (auto const& bar : trace) units[bar.what] = bar.unit;
        return units;
    };
    Setting const short_prompt{{"llm", "opt-1.3b"}, {"input", "40"}, {"output", "6"}, {"lm_head", "npu"}};
    auto units = bars(short_prompt);
    EXPECT_EQ(units["prefill/weights"], "npu");
    EXPECT_EQ(units["prefill/lm_head"], "npu");
    EXPECT_EQ(units["decode/weights"], "pim");
    EXPECT_EQ(units["decode/vector"], "npu");
    units = bars(with(short_prompt, {{"draft", "2"}, {"draft_llm", "opt-125m"}, {"decode_unit", "npu"}}));
    EXPECT_EQ(units["decode/draft"], "npu and pim");
    EXPECT_EQ(units["decode/weights"], "npu");
}

/// Blocks and proposals, and what is beside the passes: the load, the step that `count_first = false` adds.
TEST(PimNpu, in_a_file_denoises_and_verifies_as_umdam_does) {
    Setting const blocks{{"llm", "llada-8b"}, {"generation", "diffusion"}, {"steps", "4"}, {"block_length", "16"},
                         {"output", "64"},    {"channels", "16"},          {"input", "50"}};
    Setting const proposals{
        {"llm", "opt-1.3b"}, {"draft", "3"}, {"draft_llm", "opt-125m"}, {"input", "70"}, {"output", "40"}};
    for (auto const& [base, more] : std::vector<std::pair<Setting, Setting>>{
             {blocks, {{"denoising", "pim"}, {"baseline", "relayout"}}},
             {blocks, {{"model_cache", "none"}, {"denoising", "pim"}}},
             {blocks, {{"model_cache", "prefix"}, {"steps", "1"}}},
             {proposals, {{"weight_load", "once"}, {"baseline", "relayout"}, {"staging", "model"}}},
             {proposals, {{"count_first", "false"}}}}) {
        auto const setting = with(base, more);
        Point const known(shipped_umdam(), setting), own(from_file(), in_file(setting));
        for (auto const* name :
             {"ttft", "itl", "latency", "energy", "peak_power", "time_per_token", "relayout_time", "activations"})
            expect_equal(known.metric(name), own.metric(name), name + printed(setting));
    }
    Setting const one{{"llm", "opt-125m"}, {"input", "70"}, {"output", "1"}, {"count_first", "false"}};
    double const seconds = Requested(one).cost().total().seconds.value;
    EXPECT_LE(apart(Point(from_file(), in_file(one)).value("latency"), seconds), 1e-8);
}

/// Another width of keys and values is one of the constants, which a request of 16 bits takes.
TEST(PimNpu, in_a_file_serves_with_constants_of_ones_own) {
    text::test::Folder const folder;
    auto const bytes = folder.with("bytes.toml", "element_bytes = { value = 1, unit = \"B\", source = \"a test\" }\n");
    for (auto const* machine : {&shipped_umdam(), &from_file()}) {
        auto const position = [&](ModelOptions const& options) {
            return std::get<ServiceEngine>(Point(*machine, {{"llm", "opt-125m"}}, options).engine()).position_bytes;
        };
        EXPECT_EQ(2.0 * position(ModelOptions(bytes.string())), position({}));
    }
}

TEST(PimNpu, in_a_file_is_made_of_what_umdam_is) {
    each_point(62, tests::draws(60, 10), [](Point const& known, Point const& own, Setting const&) {
        for (auto const* name :
             {"area", "memory_area", "silicon", "idle_power", "footprint", "cost", "embodied_carbon"})
            EXPECT_LE(apart(own.metric(name).value, known.metric(name).value), 1e-12) << name;
    });
}

/// The analytic interval has the value at cycle level, whichever unit is the fastest there.
TEST(PimNpu, in_a_file_has_bounds) {
    int const found = each_point(63, tests::draws(60, 10), [](Point const&, Point const& own, Setting const&) {
        for (auto const* name : {"ttft", "latency", "energy"}) {
            auto const interval = own.metric(name), exact = own.metric(name, Fidelity::cycle);
            EXPECT_TRUE(exact.is_exact()) << name;
            EXPECT_LE(interval.lower, exact.value * (1.0 + 1e-12)) << name;
            EXPECT_GE(interval.upper, exact.value * (1.0 - 1e-12)) << name;
            EXPECT_LE(interval.lower, interval.value) << name;
            EXPECT_GE(interval.upper, interval.value) << name;
        }
    });
    EXPECT_GT(found, tests::draws(10, 1));
}

TEST(PimNpu, in_a_file_has_the_energy_and_area_of_the_ledger) {
    each_point(64, tests::draws(20, 5), [](Point const&, Point const& own, Setting const&) {
        expect_explained(own);
        auto const explained = own.explained();
        EXPECT_LE(apart(sum_of(explained.area), own.metric("area").value), 1e-12);
    });
}

/// The same without the parameter double_buffer.
std::string with_double_buffer(std::string const& value) {
    auto const text = replaced(text_of_own(), "\"double_buffer\", ", "");
    return replaced(text, "parameters = [", "double_buffer = \"" + value + "\"\nparameters = [");
}

/// The same with other rules, and with these sections.
std::string with_rules(std::string const& prompts, std::string const& tokens, std::string const& sections = "") {
    return replaced(text_of_own(), "[run]\n\"*\" = \"npu\"\n",
                    sections + "[run]\n" + prompts + " = \"npu\"\n" + tokens);
}

/// What is beside its passes is said once, whichever of its rules stands first.
TEST(PimNpu, in_a_file_may_have_a_rule_for_each_phase) {
    text::test::Folder const folder;
    Setting const setting{{"llm", "opt-125m"}, {"output", "6"}, {"count_first", "false"}, {"weight_load", "once"}};
    Point const expected(from_file(), setting);
    std::string const prompts = "\"prefill.*\"", tokens = "\"decode.*\"";
    for (auto const& [first, second] : {std::pair{prompts, tokens}, std::pair{tokens, prompts}}) {
        auto const file = text::architecture(folder.with("rules.toml", with_rules(first, second + " = \"npu\"\n")));
        Point const own(file, setting);
        for (auto const* name : {"ttft", "itl", "latency", "energy", "activations"})
            expect_equal(own.metric(name), expected.metric(name), name);
        expect_explained(own);
    }
}

/// What one of them does beside its passes is not what the other does.
TEST(PimNpu, in_a_file_may_stand_beside_another) {
    text::test::Folder const folder;
    auto const file = text::architecture(
        folder.with("two.toml", with_rules("\"prefill.*\"", "\"decode.*\" = \"other\"\n",
                                           "[compute.other]\nkind = \"pim_npu\"\nweight_load = \"once\"\n\n")));
    Setting const setting{{"llm", "opt-125m"}, {"output", "6"}};
    auto const loading = with(setting, {{"weight_load", "once"}});
    Point const one(file, setting), both(file, loading), alone(from_file(), setting), loaded(from_file(), loading);
    double const load = loaded.value("ttft") - alone.value("ttft");
    EXPECT_LE(apart(one.value("ttft"), alone.value("ttft") + load), 1e-9);
    EXPECT_LE(apart(both.value("ttft"), alone.value("ttft") + 2.0 * load), 1e-9);
    EXPECT_EQ(one.value("footprint"), 2.0 * alone.value("footprint"));
    for (auto const* point : {&one, &both}) expect_explained(*point);
}

/// The step that `count_first = false` adds is one of the unit that decodes.
TEST(PimNpu, in_a_file_decodes_nothing_that_another_unit_decodes) {
    text::test::Folder const folder;
    std::string const sections =
        "[memory.stack]\nkind = \"rate\"\nbandwidth = \"1 TB/s\"\ncapacity = \"16 GiB\"\n\n"
        "[compute.cores]\nkind = \"roof\"\nrate = \"16 TFLOP/s\"\n\n";
    std::string const decode = "\"decode.*\" = \"cores\"\nhold = { weights = \"stack\", kv = \"stack\" }\n";
    auto const file = text::architecture(folder.with("cores.toml", with_rules("\"prefill.*\"", decode, sections)));
    Setting const setting{{"llm", "opt-125m"}, {"output", "6"}};
    Point const own(file, setting), same(file, with(setting, {{"count_first", "false"}}));
    for (auto const* name : {"ttft", "itl", "latency", "energy", "package_power"})
        expect_equal(own.metric(name), same.metric(name), name);
    expect_explained(same);
}

/// Passes obey the power limit of the file, those of an engine as those of a batch.
TEST(PimNpu, in_a_file_obeys_the_power_limit) {
    text::test::Folder const folder;
    auto const limited =
        text::architecture(folder.with("limited.toml", text_of_own() + "[power]\nlimit = \"2.5 W\"\n"));
    Setting const setting{{"llm", "opt-125m"}, {"input", "64"}, {"output", "8"}};
    Point const own(limited, setting), free(from_file(), setting);
    EXPECT_GT(free.metric("prefill_power").value, 2.5);
    EXPECT_LE(own.metric("prefill_power").value, 2.5 * (1.0 + 1e-9));
    auto const engine = std::get<ServiceEngine>(own.engine());
    auto const cost = engine.law.one(StepWork{{{64, 0}}, {}, 1});
    EXPECT_LE(cost.joules, 2.5 * cost.seconds * (1.0 + 1e-9));
    EXPECT_LE(apart(cost.seconds, own.value("ttft")), 1e-9);
}

/// What is wrong with a file, or what it refuses.
std::string mistake(std::string const& text, Setting const& setting = {}) {
    text::test::Folder const folder;
    try {
        auto const written = text::architecture(folder.with("own.toml", text));
        return Point(written, setting).refusal();
    } catch (sim::InputError const& error) {
        return error.what();
    }
}

TEST(PimNpu, in_a_file_says_what_is_wrong) {
    auto const file = text_of_own();
    EXPECT_EQ(mistake(file), "");
    auto const has = [](std::string const& text, std::string const& part) {
        EXPECT_NE(text.find(part), std::string::npos) << text;
    };
    has(mistake(replaced(file, "\"coll_bits\",", "\"col_bits\",")), "coll_bits");
    has(mistake(with_double_buffer("maybe")), "'double_buffer' is 'maybe', which is not accepted. Known: false, true.");
    has(mistake(with_double_buffer("{mapping}")), "is not a parameter that is a flag");
    has(mistake(replaced(file, "kind = \"pim_npu\"", "kind = \"pim_npu\"\nshare = 0.5")), "'share' has no effect");
    has(mistake(file, {{"channels", "3"}}), "power_of_two: channels");
    has(mistake(file, {{"llm", "llada-8b"}}), "generation: ");
    has(mistake(file, {{"draft", "2"}, {"concurrency", "scheduled"}}), "concurrency: ");
    has(mistake(file, {{"llm", "opt-30b"}}), "capacity: weights");
    has(mistake(replaced(file, "cache = [\"fp16\"]", "cache = [\"8bit\"]"), {{"kv_cache", "8bit"}}),
        "kv_cache: keys and values");
}

/// A flag of the part may be stated, or be a parameter.
TEST(PimNpu, in_a_file_may_state_its_flags) {
    text::test::Folder const folder;
    auto const stated = text::architecture(folder.with("stated.toml", with_double_buffer("false")));
    Setting const setting{{"llm", "opt-125m"}, {"loop_order", "nat"}};
    double const expected = Point(from_file(), with(setting, {{"double_buffer", "false"}})).value("latency");
    EXPECT_EQ(Point(stated, setting).value("latency"), expected);
    EXPECT_NE(Point(from_file(), setting).value("latency"), expected);
}

/// The file with another name for the parameter of a key.
std::string renamed(std::string const& text, std::string const& key, std::string const& parameter) {
    auto const own = replaced(text, "\"" + key + "\", ", "");
    return replaced(own, "parameters = [",
                    key + " = \"" + (key == "mapping" ? "{" + parameter + "}" : parameter) + "\"\nparameters = [");
}
std::string const order_of_bits =
    "[parameter.order_of_bits]\nchoices = [\"umdam\", \"channel_msb\"]\nmeaning = \"own\"\n";

/// Mappings fall into the same classes whatever the parameters are called that set a key, and whatever reads them.
TEST(PimNpu, in_a_file_has_the_classes_of_umdam) {
    text::test::Folder const folder;
    auto const lanes =
        "[parameter.lanes]\ndefault = 8\nmeaning = \"twice the channels\"\n"
        "[number.half]\nvalue = \"lanes / 2\"\nunit = \"1\"\n";
    auto text = renamed(renamed(text_of_own(), "mapping", "order_of_bits"), "channels", "half");
    text = replaced(text, "channels * ranks", "half * ranks") + order_of_bits + lanes;
    auto const file = text::architecture(folder.with("own.toml", text));
    auto const asked = [](Architecture const& machine, std::string const& key, Setting const& values,
                          std::string const& family = "row_highest") {
        auto table = machine.parameters();
        AxisValues axes(table.size());
        auto const at = [&](std::string const& name) { return static_cast<std::size_t>(find_parameter(table, name)); };
        for (auto const& [name, value] : values) axes[at(name)].push_back(read_value(table[at(name)], value));
        return machine.classes(table, {at(key), family, {}}, axes);
    };
    auto const of_umdam = asked(shipped_umdam(), "mapping", {{"channels", "1"}, {"llm", "opt-125m"}});
    auto const own = asked(file, "order_of_bits", {{"lanes", "2"}, {"llm", "opt-125m"}});
    EXPECT_EQ(own.texts, of_umdam.texts);
    EXPECT_EQ(own.counts, of_umdam.counts);
    EXPECT_NE(of_umdam.texts, asked(shipped_umdam(), "mapping", {{"llm", "opt-125m"}}).texts);
    EXPECT_THROW((void)asked(file, "lanes", {}), sim::InputError);
    EXPECT_THROW((void)asked(file, "order_of_bits", {{"lanes", "16"}, {"lanes", "32"}}, "bits"), sim::InputError);
    auto const without = replaced(text, "\"coll_bits\", ", "");
    auto const fixed = text::architecture(folder.with("fixed.toml", without));
    EXPECT_THROW((void)asked(fixed, "order_of_bits", {}), sim::InputError);
}

/// Values with the same effect have one key, where a parameter sets one key and nothing else.
TEST(PimNpu, in_a_file_has_the_keys_and_directions_of_umdam) {
    text::test::Folder const folder;
    auto const file =
        text::architecture(folder.with("own.toml", renamed(text_of_own(), "mapping", "order_of_bits") + order_of_bits));
    auto const same = [](Architecture const& machine, Setting a, Setting b) {
        for (auto* setting : {&a, &b}) setting->emplace_back("llm", "opt-125m");
        Point const first(machine, a), second(machine, b);
        return machine.proofs.cycle_key(first.inputs, first.point) ==
               machine.proofs.cycle_key(first.inputs, second.point);
    };
    Setting const interleaved{{"baseline", "no_interleave"}};
    for (auto const& [machine, name] :
         {std::pair{&shipped_umdam(), "mapping"}, std::pair{&std::as_const(file), "order_of_bits"}}) {
        EXPECT_TRUE(same(*machine, {{"baseline", "no_interleave"}, {name, "umdam"}},
                         {{"baseline", "no_interleave"}, {name, "channel_msb"}}));
        EXPECT_FALSE(
            same(*machine, {{name, "umdam"}, {"split_k", "true"}}, {{name, "channel_msb"}, {"split_k", "true"}}));
    }
    Setting const blocks{{"generation", "diffusion"}, {"output", "32"}, {"steps", "1"}};
    EXPECT_TRUE(same(file, blocks, with(blocks, {{"model_cache", "prefix"}})));
    auto const has = [](Architecture const& machine, std::string_view parameter, std::string_view metric) {
        auto table = machine.parameters();
        auto const all = machine.proofs.monotone_lower_bounds(prepare(machine, table));
        return std::ranges::any_of(all,
                                   [&](auto const& one) { return one.parameter == parameter && one.metric == metric; });
    };
    auto const fewer = text::architecture(
        folder.with("fewer.toml", replaced(text_of_own(), "channels * ranks", "1 / channels * ranks")));
    for (auto const* metric : {"area", "cost"}) {
        EXPECT_TRUE(has(file, "channels", metric)) << metric;
        EXPECT_FALSE(has(fewer, "channels", metric)) << metric;
        EXPECT_TRUE(has(fewer, metric == std::string_view("cost") ? "ranks" : "npu_flops", metric)) << metric;
    }
    EXPECT_TRUE(has(file, "input", "footprint"));
}

TEST(PimNpu, in_a_file_shows_where_weights_are_and_their_formats) {
    Setting const setting{{"llm", "opt-125m"}, {"weight_bits", "4"}, {"products", "int8"}};
    Point const known(shipped_umdam(), setting), own(from_file(), in_file(setting));
    EXPECT_EQ(known.machine->products(known.inputs, known.point), "int4 x int8");
    EXPECT_EQ(own.machine->products(own.inputs, own.point), "int4 x int8");
    auto const a = known.machine->weight_layouts(known.inputs, known.point),
               b = own.machine->weight_layouts(own.inputs, own.point);
    ASSERT_EQ(a.matrices.size(), b.matrices.size());
    ASSERT_FALSE(a.matrices.empty());
    for (std::size_t m = 0; m < a.matrices.size(); ++m) {
        EXPECT_EQ(a.matrices[m].matrix, b.matrices[m].matrix);
        EXPECT_EQ(a.matrices[m].place(3, 5).fields, b.matrices[m].place(3, 5).fields);
    }
}

/// Weights have one width: that of the file, of the key, or those of the files of the models.
TEST(PimNpu, in_a_file_has_one_width_of_weights) {
    auto const both = replaced(text_of_own(), "\"products\",", "\"products\", \"weight_bits\",");
    EXPECT_EQ(mistake(both, {{"weight_bits", "8"}}), "");
    EXPECT_EQ(mistake(both, {{"weights", "int8"}}), "");
    EXPECT_NE(mistake(both, {{"weights", "int8"}, {"weight_bits", "8"}}).find("weights = model leaves them"),
              std::string::npos);
    EXPECT_NE(
        mistake(replaced(text_of_own(), "cache = [\"fp16\"]", "cache = [\"fp16\"]\nweights = \"int2\"")).find("int2"),
        std::string::npos);
    models::testing::TemporaryFile const converted(
        R"({"model_type": "llama", "vocab_size": 128256, "hidden_size": 4096, "num_hidden_layers": 32,
            "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "hidden_act": "silu",
            "max_position_embeddings": 8192, "tie_word_embeddings": false,
            "quantization_config":
                {"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": false, "sym": true}})",
        ".json");
    auto const four_bits = converted.path().string();
    // The file of gpt-oss-20b has 4 bits for experts only: banks hold 16.
    for (auto const& [model, bits] :
         std::map<std::string, std::string>{{four_bits, "4"}, {"gpt-oss-20b", "16"}, {"llama-3.2-1b", "16"}}) {
        Setting const setting{{"llm", model}, {"channels", "16"}};
        auto const as_known = asked(with(setting, {{"weight_bits", bits}})).value("footprint");
        EXPECT_EQ(asked(setting).value("footprint"), as_known) << model;
        EXPECT_EQ(Point(from_file(), setting).value("footprint"), as_known) << model;
    }
    // A model that proposes has the bits of its own file.
    Setting const proposing{{"llm", four_bits}, {"draft_llm", "opt-125m"}, {"draft", "2"}, {"channels", "16"}};
    double const apart = Point(shipped_umdam(), proposing).value("footprint") -
                         asked(with(proposing, {{"weight_bits", "4"}})).value("footprint");
    EXPECT_GT(apart, 0.7 * 125e6 * 1.5);
}

}  // namespace
}  // namespace pimdse::models::umdam::pim_npu_test
