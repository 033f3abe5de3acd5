#include "models/cim_mesh/mesh.hpp"

#include "models/cim_mesh/metrics.hpp"
#include "models/text/operator_cost.hpp"
#include "models/text/text.hpp"
#include "tests/unit/models/cim_mesh/served_designs.hpp"
#include "tests/unit/models/text/folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// A machine file with a part `mesh` against cim_mesh.
namespace pimdse::models::cim_mesh::test::mesh_test {
namespace {

using sim::serving::StepWork;

std::vector<std::string> const asked{"llm", "batch", "input", "output"};

bool is_asked(Setting const& one) { return std::ranges::find(asked, one.first) != asked.end(); }

/// A machine file that has a mesh alone, whose keys are these settings.
std::string file_of(Settings const& settings) {
    static auto const keys = machine_keys();
    std::string text = R"(schema = 1
name = "own_mesh"
summary = "a mesh alone"
[format]
products = ["int8"]
[run]
"*" = "tiles"
[compute.tiles]
kind = "mesh"
)";
    for (auto const& one : settings.list) {
        if (is_asked(one)) continue;
        auto const& key = keys.at(static_cast<std::size_t>(find_parameter(keys, one.first)));
        bool const counts = key.kind == Kind::integer && !key.unit.empty() && key.unit != "1";
        text += one.first + " = \"" + one.second + (counts ? " " + key.unit : "") + "\"\n";
    }
    return text;
}

/// The same design as cim_mesh has it, and from a file.
struct Twice {
    text::test::Folder folder;
    Given built_in;
    Architecture written;
    Parameters table;
    std::vector<Value> point;
    Inputs inputs;

    explicit Twice(Settings const& settings)
        : built_in(settings), written(text::architecture(folder.with("own_mesh.toml", file_of(settings)))) {
        std::vector<Setting> request;
        for (auto const& one : settings.list)
            if (is_asked(one)) request.push_back(one);
        table = written.parameters();
        point = point_with(table, request);
        inputs = prepare(written, table);
    }
    [[nodiscard]] Estimate metric(std::string_view name, Fidelity fidelity) const {
        auto const all = std::get<Metrics>(written.evaluate(inputs, point, fidelity));
        return all.at(static_cast<std::size_t>(find_metric(written.metrics(), name)));
    }
};

Settings drawn(std::uint64_t seed, std::int64_t longest) {
    auto const settings = random_design(seed, {"serial", "tree"});
    Drawing draw(seed + 1000);
    return with_request(settings, {draw.up_to(is_leap_design(settings) ? 2 : 8), draw.up_to(longest), draw.up_to(40)});
}

/// Calls f(twice, fidelity) for random designs that cim_mesh can be.
template <class F>
int each_design(std::uint64_t designs, std::int64_t longest, F const& f) {
    int found = 0;
    for (std::uint64_t seed = 1; seed <= designs; ++seed) {
        auto const settings = drawn(seed, longest);
        Twice const twice(settings);
        SCOPED_TRACE(file_of(settings));
        bool const quick = twice.built_in.parts.tiles < 2000;
        for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
            if (fidelity == Fidelity::cycle && !quick) continue;
            auto const outcome = twice.built_in.outcome(fidelity);
            if (!std::holds_alternative<Metrics>(outcome)) {
                EXPECT_TRUE(
                    std::holds_alternative<Infeasible>(twice.written.evaluate(twice.inputs, twice.point, fidelity)));
                continue;
            }
            ++found;
            f(twice, fidelity);
        }
    }
    return found;
}

void expect_near(double value, double expected) { EXPECT_NEAR(value, expected, 1e-12 * std::abs(expected)); }

StepWork drawn_step(Drawing& draw, std::int64_t most) {
    StepWork work;
    for (auto left = draw.up_to(most) - 1; left > 0; --left) work.contexts.push_back(draw.up_to(200));
    for (auto left = draw.up_to(most) - (work.contexts.empty() ? 0 : 1); left > 0; --left)
        work.chunks.push_back({draw.up_to(100), draw.up_to(2) == 1 ? 0 : draw.up_to(50)});
    work.heads = static_cast<std::int64_t>(work.contexts.size()) + (work.chunks.empty() ? 0 : 1);
    return work;
}

/// Its batches, with the energy and the area of its ledger, within the analytic interval at cycle level; and its steps.
TEST(Mesh, in_a_file_is_cim_mesh) {
    int const found = each_design(24, 100, [](Twice const& twice, Fidelity fidelity) {
        auto const& g = twice.built_in;
        for (auto const* name : {"ttft", "latency", "energy", "idle_power", "area"}) {
            SCOPED_TRACE(name);
            double const value = twice.metric(name, fidelity).value;
            expect_near(value, g.metric(name, fidelity).value);
            auto const interval = twice.metric(name, Fidelity::analytic);
            EXPECT_LE(interval.lower, value * (1.0 + 1e-12));
            EXPECT_GE(interval.upper, value * (1.0 - 1e-12));
        }
        auto const explained = twice.written.explain(twice.inputs, twice.point, fidelity);
        expect_near(models::sum_of(explained.energy), twice.metric("energy", fidelity).value);
        expect_near(models::sum_of(explained.area), twice.metric("area", fidelity).value);
        auto const own = std::get<ServiceEngine>(twice.written.engine(twice.inputs, twice.point, fidelity)),
                   known = std::get<ServiceEngine>(g.architecture.engine(g.inputs, g.point, fidelity));
        expect_near(own.idle_power, known.idle_power);
        expect_near(own.waiting_power, known.waiting_power);
        EXPECT_EQ(own.cache_bytes, known.cache_bytes);
        EXPECT_EQ(own.position_bytes, known.position_bytes);
        EXPECT_EQ(own.max_context, known.max_context);
        EXPECT_EQ(own.max_sequences, known.max_sequences);
        Drawing draw(static_cast<std::uint64_t>(g.parts.tiles));
        for (int i = 0; i < 20; ++i) {
            auto const work = drawn_step(draw, g.design.is_leap() ? 2 : 6);
            auto const cost = own.law.one(work), expected = known.law.one(work);
            expect_near(cost.seconds, expected.seconds);
            expect_near(cost.joules, expected.joules);
            EXPECT_LE(own.min_seconds(work), cost.seconds * (1.0 + 1e-12));
        }
    });
    EXPECT_GT(found, 15);
}

std::string refusal(Settings const& settings) {
    Twice const twice(settings);
    auto const outcome = twice.written.evaluate(twice.inputs, twice.point, Fidelity::analytic);
    return std::get<Infeasible>(outcome).reason;
}

TEST(Mesh, in_a_file_says_what_it_cannot_be) {
    Twice const hybrid(Settings{{"llm", "opt-125m"}, {"dynamic_products", "hybrid"}});
    auto const engine = hybrid.written.engine(hybrid.inputs, hybrid.point, Fidelity::analytic);
    EXPECT_EQ(std::get<Infeasible>(engine).reason,
              "arrays and buffers for keys, values and scores are as large as one request needs: dynamic_products = "
              "routers");
    EXPECT_TRUE(
        std::holds_alternative<Metrics>(hybrid.written.evaluate(hybrid.inputs, hybrid.point, Fidelity::analytic)));
    EXPECT_EQ(refusal({{"llm", "opt-125m"}, {"mesh_rows", "2"}, {"mesh_cols", "2"}}).substr(0, 25),
              "a column of matrix down i");
}

/// What is wrong with the file of a mesh in which one text is another.
std::string mistake(std::string const& before, std::string const& after) {
    text::test::Folder const folder;
    auto text = file_of({{"mesh_rows", "16"}, {"schedule", "tree"}}) +
                "[compute.cores]\nkind = \"roof\"\nrate = \"1 TFLOP/s\"\n";
    text.replace(text.find(before), before.size(), after);
    try {
        auto const written = text::architecture(folder.with("own_mesh.toml", text));
        auto const point = default_point(written.parameters());
        auto const outcome = written.evaluate(prepare(written, written.parameters()), point, Fidelity::analytic);
        return std::get<Infeasible>(outcome).reason;
    } catch (sim::InputError const& error) {
        return std::string(error.what()).substr(std::string(error.what()).find("toml:") + 5);
    }
}

/// Values of the routers are as wide as constants of one's own, or drawn ones, say.
TEST(Mesh, that_evaluates_for_cim_mesh_stores_weights_as_wide_as_its_values) {
    auto const& machine = shipped_mesh();
    auto table = machine.parameters();
    auto const point = point_with(table, {{"llm", "opt-125m"}, {"input", "8"}, {"output", "3"}});
    for (double const bits : {5.0, 8.0, 12.0, 16.0}) {
        ModelOptions options;
        options.drawn["value_bits"] = bits;
        auto const outcome = machine.evaluate(prepare(machine, table, options), point, Fidelity::analytic);
        ASSERT_TRUE(std::holds_alternative<Metrics>(outcome)) << std::get<Infeasible>(outcome).reason;
        auto const at = static_cast<std::size_t>(find_metric(machine.metrics(), "precision"));
        EXPECT_EQ(std::get<Metrics>(outcome)[at].value, bits);
    }
}

/// What cim_mesh shows of a request, a mesh in a file shows.
TEST(Mesh, in_a_file_shows_its_layers) {
    for (char const* schedule : {"serial", "tree"}) {
        Twice const twice(Settings{{{"llm", "opt-125m"},
                                    {"input", "12"},
                                    {"output", "10"},
                                    {"batch", "3"},
                                    {"schedule", schedule},
                                    {"lora_targets", "q"},
                                    {"weight_load", "once"}}});
        auto const& known = twice.built_in;
        auto const fidelity = Fidelity::analytic;
        auto const own = twice.written.explain(twice.inputs, twice.point, fidelity),
                   expected = known.architecture.explain(known.inputs, known.point, fidelity);
        ASSERT_EQ(own.time.size(), expected.time.size());
        EXPECT_GT(own.time.size(), 8U);
        EXPECT_EQ(own.time.front().what, "load/programming of cells");
        for (std::size_t i = 0; i < own.time.size(); ++i) {
            EXPECT_EQ(own.time[i].what, expected.time[i].what);
            expect_near(own.time[i].amount, expected.time[i].amount);
        }
        EXPECT_EQ(own.limits.front().limiter, expected.limits.front().limiter);
        auto const bars = twice.written.trace(twice.inputs, twice.point, fidelity);
        EXPECT_EQ(bars.size(), known.architecture.trace(known.inputs, known.point, fidelity).size());
        EXPECT_TRUE(std::ranges::any_of(bars, [](TraceEvent const& bar) { return bar.what == "active: token"; }));
        EXPECT_EQ(dot_of(twice.written.flow_graph(twice.inputs, twice.point, fidelity)),
                  dot_of(known.architecture.flow_graph(known.inputs, known.point, fidelity)));
        if (std::string_view(schedule) == "serial") continue;
        EXPECT_EQ(twice.written.network_program(twice.inputs, twice.point),
                  known.architecture.network_program(known.inputs, known.point));
    }
}

/// A mesh whose parameters are `clock`, `height` and `gating`, with more of the file.
struct OwnMesh {
    text::test::Folder folder;
    Architecture machine;
    Inputs inputs;
    explicit OwnMesh(std::string const& more)
        : machine(text::architecture(folder.with(
              "own_mesh.toml", file_of({{"mesh_rows", "16"}, {"mesh_cols", "16"}}) +
                                   "frequency = \"clock\"\nband_height = \"height\"\n"
                                   "parameters = [\"gating\", \"machine\"]\n"
                                   "[parameter.clock]\ndefault = 1\nunit = \"GHz\"\nlimits = [0.25, 2]\n"
                                   "whole = false\nmeaning = \"of the mesh\"\n"
                                   "[parameter.height]\ndefault = 0\nlimits = [0, 256]\nmeaning = \"rows\"\n" +
                                   more))),
          inputs(prepare(machine, machine.parameters())) {}
    [[nodiscard]] CycleKey key(std::vector<Setting> settings) const {
        settings.insert(settings.end(), {{"llm", "opt-125m"}, {"input", "12"}, {"output", "5"}});
        auto table = machine.parameters();
        return machine.proofs.key_parts.key(inputs, point_with(table, settings));
    }
    [[nodiscard]] bool knows(std::string_view parameter, std::string_view metric) const {
        auto const all = machine.proofs.monotone_lower_bounds(inputs);
        return std::ranges::any_of(all, [&](MonotoneLowerBound const& law) {
            return law.parameter == parameter && law.metric == metric && law.slope == Slope::down;
        });
    }
};

TEST(Mesh, in_a_file_has_the_keys_and_directions_of_its_parameters) {
    OwnMesh const alone("");
    EXPECT_EQ(alone.key({{"height", "8"}}), alone.key({{"height", "16"}})) << "no genes";
    EXPECT_EQ(alone.key({{"machine", "leap-a"}}), alone.key({{"machine", "leap-a"}, {"gating", "none"}}));
    EXPECT_NE(alone.key({}), alone.key({{"gating", "none"}}));
    EXPECT_NE(alone.key({}), alone.key({{"clock", "2 GHz"}}));
    EXPECT_TRUE(alone.knows("clock", "latency"));
    OwnMesh const read_twice(
        "[area]\ncontrollers = { value = \"height * clock / 1 GHz * 1 mm2\", source = \"mine\" }\n");
    EXPECT_NE(read_twice.key({{"height", "8"}}), read_twice.key({{"height", "16"}})) << "an area reads it, too";
    EXPECT_FALSE(read_twice.knows("clock", "latency"));
}

/// Two blocks of each of some sequences, on a mesh alone with more of its file.
struct Blocks {
    static constexpr std::int64_t input = 12, block = 5;
    text::test::Folder folder;
    Architecture machine;
    Inputs inputs;
    std::vector<Value> point;
    std::int64_t sequences;
    Blocks(std::int64_t count, char const* cache, std::string const& more)
        : machine(text::architecture(
              folder.with("blocks.toml", file_of({{"lm_head", "counted"}, {"schedule", "tree"}}) + more))),
          inputs(prepare(machine, machine.parameters())),
          sequences(count) {
        auto table = machine.parameters();
        point = point_with(table, {{"llm", "llada-8b"},
                                   {"generation", "diffusion"},
                                   {"model_cache", cache},
                                   {"input", "12"},
                                   {"output", "10"},
                                   {"block_length", "5"},
                                   {"steps", "3"},
                                   {"batch", std::to_string(count)}});
    }
    [[nodiscard]] double metric(std::string_view name) const {
        auto const all = std::get<Metrics>(machine.evaluate(inputs, point, Fidelity::analytic));
        return all.at(static_cast<std::size_t>(find_metric(machine.metrics(), name))).value;
    }
    /// The steps of an engine: prompts with their first blocks, and the second blocks.
    [[nodiscard]] sim::serving::StepCost steps() const {
        auto const engine = std::get<ServiceEngine>(machine.engine(inputs, point, Fidelity::analytic));
        StepWork first, second;
        for (std::int64_t i = 0; i < sequences; ++i) {
            first.chunks.push_back({.tokens = input, .cached = 0, .ahead = 2 * block});
            second.contexts.push_back(input + block + 1);
            second.ahead.push_back(block);
        }
        first.heads = second.heads = sequences;
        auto all = engine.law.one(first);
        auto const later = engine.law.one(second);
        all.seconds += later.seconds;
        all.joules += later.joules;
        return all;
    }
};

/// The second blocks follow the first through the layers, which are full; a limit of power slows each pass of a step as
/// it slows that of a batch.
TEST(Mesh, steps_of_blocks_sum_to_a_batch_within_a_limit_of_power_too) {
    for (auto const* cache : {"none", "dual", "prefix"}) {
        for (std::int64_t const count : {1, 3, 40}) {
            SCOPED_TRACE(cache + std::string(", ") + std::to_string(count));
            Blocks const free(count, cache, "");
            double const idle = free.metric("idle_power"), most = free.metric("peak_power");
            auto const limit = fmt::format("[power]\nlimit = \"{:.6g} W\"\n", idle + 0.5 * (most - idle));
            Blocks const limited(count, cache, limit);
            EXPECT_GT(limited.metric("latency"), 1.2 * free.metric("latency"));
            for (auto const* blocks : {&free, &limited}) {
                double const latency = blocks->metric("latency"), energy = blocks->metric("energy");
                auto const steps = blocks->steps();
                EXPECT_NEAR(steps.seconds, latency, 1e-9 * latency);
                EXPECT_NEAR(steps.joules, energy, 1e-9 * energy);
            }
        }
    }
}

/// Joules of another unit are none of a mesh, and what is particular to its metrics is not so of both together.
TEST(Mesh, beside_another_unit_has_no_metrics_of_its_own) {
    text::test::Folder const folder;
    auto text = file_of({}) +
                "[compute.cores]\nkind = \"roof\"\nrate = \"1 TFLOP/s\"\n"
                "[memory.hbm]\nkind = \"rate\"\nbandwidth = \"1 TB/s\"\ncapacity = \"1 TB\"\n";
    auto const alone = text::architecture(folder.with("own_mesh.toml", file_of({}))).metrics();
    EXPECT_GE(find_metric(alone, "activity_energy"), 0);
    std::string const all = "\"*\" = \"tiles\"";
    text.replace(text.find(all), all.size(),
                 "hold = { weights = \"hbm\", kv = \"hbm\" }\n\"prefill.*\" = \"tiles\"\n\"decode.*\" = \"cores\"");
    auto const beside = text::architecture(folder.with("beside.toml", text)).metrics();
    EXPECT_EQ(find_metric(beside, "activity_energy"), -1);
    EXPECT_GE(find_metric(beside, "energy"), 0);
    auto const meaning = [](MetricList const& metrics, std::string_view name) {
        return metrics.at(static_cast<std::size_t>(find_metric(metrics, name))).meaning;
    };
    for (auto const& note : metric_notes()) {
        EXPECT_NE(meaning(alone, note.metric).find(note.text), std::string::npos);
        EXPECT_EQ(meaning(beside, note.metric).find(note.text), std::string::npos) << meaning(beside, note.metric);
    }
}

TEST(Mesh, in_a_file_is_told_its_mistakes) {
    std::string const held =
        "\nhold = { weights = \"hbm\", kv = \"hbm\" }\n[memory.hbm]\nkind = \"rate\"\n"
        "bandwidth = \"1 TB/s\"\ncapacity = \"1 TB\"";
    EXPECT_EQ(mistake("mesh_rows = \"16\"", "mesh_rows = 257"),
              "10: tiles.mesh_rows is 257 (it must be a whole number from 1 to 256)");
    EXPECT_EQ(mistake("mesh_rows = \"16\"", "mesh_rows = 2.5"),
              "10: tiles.mesh_rows is 2.5 (it must be a whole number from 1 to 256)");
    EXPECT_EQ(mistake("\"tree\"", "3"), "11: 'schedule' is not a text in quotes");
    EXPECT_EQ(mistake("mesh_rows", "mesh_row"), "10: unknown key 'mesh_row'. Did you mean 'mesh_rows'?");
    EXPECT_EQ(mistake("\"tree\"", "\"trees\""),
              "11: 'schedule' is 'trees', which is not accepted. Did you mean 'tree'?");
    for (auto const* key : {"share = 0.5", "waiting_power = \"1 W\"", "energy = { sram = \"1 pJ/FLOP\" }"}) {
        auto const said = mistake("mesh_rows", std::string(key) + "\nmesh_rows");
        EXPECT_TRUE(said.starts_with("10: '")) << said;
        EXPECT_NE(said.find("has no effect on a mesh, whose own laws say"), std::string::npos) << said;
    }
    EXPECT_EQ(mistake("\"int8\"", "\"fp16\""), "the routers of a mesh compute with values of 8 bit, not of 16");
    EXPECT_NE(mistake("\"*\" = \"tiles\"", "\"*\" = \"tiles\"\n\"decode.norm\" = \"cores\"" + held)
                  .find("takes whole passes"),
              std::string::npos);
    auto const rule = [](std::string const& rules) { return mistake("\"*\" = \"tiles\"", rules); };
    for (auto const* list : {"[{ wait = \"1 us\" }, \"tiles\"]", "[\"tiles\", { wait = \"1 us\" }]",
                             "[\"tiles\", { on = \"cores\", work = 5 }]"})
        EXPECT_NE(rule(std::string("\"*\" = ") + list + held).find("tiles (a mesh) takes whole passes"),
                  std::string::npos);
    EXPECT_EQ(rule("\"*\" = { on = \"tiles\", wait = \"1 us\" }"),
              "7: \"*\" has wait, which the laws of a mesh do not read");
    EXPECT_EQ(mistake("kind = \"mesh\"", "kind = \"mesh\"\nparameters = [\"mesh_rows\"]"),
              "11: 'mesh_rows' has a value and is one of 'parameters', which set it");
    EXPECT_NE(rule("\"prefill.*\" = \"tiles\"\n\"decode.*\" = \"ranks\"\n[compute.ranks]\nkind = \"dpu\"")
                  .find("a dpu and a mesh stand in no file together: both have a constant"),
              std::string::npos);
    EXPECT_NE(rule("\"prefill.*\" = \"cores\"\n\"decode.*\" = \"tiles\"").find("'hold' names no memory of weights"),
              std::string::npos);
}

/// Keys that accept more texts than their list has take those of a parameter of the file.
TEST(Mesh, in_a_file_takes_texts_beyond_a_list_of_choices) {
    text::test::Folder const folder;
    auto text = file_of({{"mesh_rows", "16"}, {"mesh_cols", "16"}, {"placement", "genes"}});
    text += "parameters = [\"lora_targets\", \"attention_order\"]\n";
    auto const written = text::architecture(folder.with("own_mesh.toml", text));
    std::vector<Setting> const more{
        {"llm", "opt-125m"}, {"input", "12"}, {"output", "5"}, {"lora_targets", "o+q"}, {"attention_order", "v-o-q-k"}};
    auto table = written.parameters();
    auto const point = point_with(table, more);
    auto settings = more;
    settings.insert(settings.end(), {{"mesh_rows", "16"}, {"mesh_cols", "16"}, {"placement", "genes"}});
    Given const known{Settings(settings)};
    auto const metrics = std::get<Metrics>(written.evaluate(prepare(written, table), point, Fidelity::analytic));
    for (auto const* name : {"latency", "energy", "footprint"})
        expect_near(metrics[static_cast<std::size_t>(find_metric(written.metrics(), name))].value,
                    known.metric(name).value);
}

/// Draws of an uncertain number of bits are draws of the same machine: they refuse no format, and weights follow them.
TEST(Mesh, in_a_file_computes_in_its_format_whatever_is_drawn) {
    Twice const twice(Settings{{{"mesh_rows", "16"}, {"mesh_cols", "16"}, {"llm", "llama-3.2-1b"}}});
    auto const precision = static_cast<std::size_t>(find_metric(twice.written.metrics(), "precision"));
    for (double const bits : {4.0, 5.0, 7.0, 9.0, 12.0, 16.0}) {
        ModelOptions drawn;
        drawn.drawn = {{"value_bits", bits}};
        auto const inputs = prepare(twice.written, twice.table, drawn);
        auto const outcome = twice.written.evaluate(inputs, twice.point, Fidelity::analytic);
        ASSERT_TRUE(std::holds_alternative<Metrics>(outcome)) << std::get<Infeasible>(outcome).reason;
        EXPECT_EQ(std::get<Metrics>(outcome)[precision].value, bits);
    }
}

/// It says what passes take, and of no operator what it takes alone.
TEST(Mesh, in_a_file_is_asked_for_no_operator) {
    Twice const twice(Settings{{{"mesh_rows", "16"}, {"mesh_cols", "16"}, {"llm", "llama-3.2-1b"}}});
    auto const cost = text::operator_cost(twice.inputs.as<text::Prepared>(), twice.point, {.m = 1, .k = 64, .n = 64});
    ASSERT_TRUE(std::holds_alternative<Infeasible>(cost));
    EXPECT_EQ(std::get<Infeasible>(cost).reason, "tiles takes whole passes: no operator has a time of its own");
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::mesh_test
