#include "models/dplena/npu.hpp"

#include "models/contract/validation.hpp"
#include "models/dplena/dplena.hpp"
#include "models/text/text.hpp"
#include "tests/unit/models/contract/temporary_file.hpp"
#include "tests/unit/models/dplena/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <cmath>
#include <map>
#include <string>

/// The passes of a model on the NPU: tile by tile, and as a machine file has them.
namespace pimdse::models::dplena::npu_test {
namespace {

using support::Settings;

Settings with(Settings settings, Settings const& more) {
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
}

void expect_close(double found, double expected, std::string const& what) {
    EXPECT_NEAR(found, expected, 1e-12 * std::abs(expected)) << what;
}

/// A pass of a decoder with full attention and no experts, counted tile by tile.
struct SlowPass {
    double cycles = 0.0, multiplications = 0.0, bytes = 0.0;
    double in_lanes = 0.0;  ///< operations of a lane of the vector unit

    SlowPass(Design const& d, PassShape const& shape) : d_(d) {
        auto const& m = *d.model;
        auto const heads = static_cast<std::int64_t>(m.heads);
        for (std::int64_t layer = 0; layer < m.layers; ++layer) {
            for (auto const& matrix : layer_matrices(m)) product(shape.queries, matrix.inputs, matrix.outputs);
            for (std::int64_t sequence = 0; sequence < d.batch; ++sequence) attend(shape, heads, m.head_dimension);
            double const rows = static_cast<double>(d.batch) * shape.queries;
            for (int part = 0; part < 2; ++part) in_lanes += (5.0 + 1.0) * rows * static_cast<double>(m.hidden);
            in_lanes += 3.0 * rows * static_cast<double>((m.heads + m.kv_heads) * m.head_dimension);
            auto const exponential = static_cast<double>(d.vlen) / static_cast<double>(d.exp_lanes);
            in_lanes += (3.0 + exponential) * rows * static_cast<double>(m.ffn);
            bytes +=
                static_cast<double>(d.batch) * (shape.cached + shape.queries) * 2.0 * static_cast<double>(m.kv_width());
        }
        product(shape.heads, m.hidden, m.vocabulary);
        bytes += static_cast<double>(d.batch) * shape.heads * static_cast<double>(m.vocabulary) * logit_bytes(d);
    }

  private:
    static double filled(double rows, std::int64_t tile) {
        double full = 0.0;
        while (full < rows) full += static_cast<double>(tile);
        return full;
    }
    /// Weights are read once; a tile of BLEN x BLEN takes BLEN cycles for each MLEN of depth.
    void product(double positions, std::int64_t depth, std::int64_t columns) {
        auto const rows = static_cast<double>(d_.batch) * positions, k = static_cast<double>(depth),
                   n = static_cast<double>(columns);
        auto const block = static_cast<double>(d_.matrix_block), mlen = static_cast<double>(d_.matrix_depth);
        cycles +=
            filled(rows, d_.matrix_block) / block * filled(k, d_.matrix_depth) / mlen * filled(n, d_.matrix_block);
        multiplications += rows * k * n;
        bytes += k * n * (static_cast<double>(d_.weight_bits) / 8 + 1.0 / 32);
    }
    /// Queries of a sequence fill tiles; heads lie beside each other in the depth of a tile.
    void attend(PassShape const& shape, std::int64_t heads, std::int64_t width) {
        double const keys = (shape.contexts.first + shape.contexts.last) / 2.0;
        double const of_row = keys * 2.0 * static_cast<double>(heads * width);
        multiplications += shape.queries * of_row;
        auto const exponential = static_cast<double>(d_.vlen) / static_cast<double>(d_.exp_lanes);
        in_lanes += (4.0 + exponential) * shape.queries * keys * static_cast<double>(heads);
        cycles +=
            filled(shape.queries, d_.matrix_block) * of_row / static_cast<double>(d_.matrix_depth * d_.matrix_block);
    }
    Design const& d_;
};

std::vector<Settings> machines() {
    return {{},
            {{"matrix_depth", "96"}, {"matrix_block", "48"}, {"channels", "32"}},
            {{"weight_bits", "4"}, {"attained_share", "0.6"}, {"layer_overhead", "3 us"}, {"batch", "5"}},
            {{"vlen", "64"}, {"exp_lanes", "16"}, {"matrix_depth", "4096"}},
            {{"overlap", "fused_head"}, {"refresh", "on"}, {"model_bandwidth", "100 GB/s"}}};
}

std::vector<Settings> requests() {
    Settings const tokens{{"scope", "end_to_end"}, {"generation", "autoregressive"}};
    return {{{"scope", "end_to_end"}, {"steps", "4"}, {"input", "77"}},
            {{"scope", "end_to_end"}, {"steps", "2"}, {"model_cache", "none"}, {"llm", "dream-7b"}},
            with(tokens, {{"llm", "llama-3-8b"}, {"generation_length", "9"}}),
            with(tokens, {{"llm", "llama-3.2-1b"}, {"generation_length", "2"}, {"input", "1"}})};
}

TEST(Npu, takes_what_counting_its_tiles_gives) {
    for (auto const& machine : machines()) {
        for (auto const& request : requests()) {
            auto const d = support::design(with(request, machine));
            Npu const npu(d, support::machine());
            text::ModelPasses const passes(npu.law(), npu.request(), npu.logit());
            for (auto const& equal : {passes_of(d).first.front(), passes_of(d).round.front()}) {
                SlowPass const slow(d, equal.shape);
                auto const pass = passes.of(equal.shape, text::Phase::decode);
                double const clock = 1e9, block = static_cast<double>(d.matrix_block);
                expect_close(pass.operations[Npu::matrix], 2.0 * slow.multiplications, "operations");
                expect_close(npu.operand_bytes(pass), 2.0 * static_cast<double>(d.matrix_depth) * slow.cycles,
                             "operands");
                expect_close(pass.bytes(Npu::hbm), slow.bytes, "bytes");
                expect_close(npu.computing(pass), slow.cycles / d.attained_share / clock, "cycles");
                expect_close(npu.multiplying(pass),
                             slow.multiplications / block / static_cast<double>(d.matrix_depth) / clock, "waiting");
                double const launches = d.layer_overhead * static_cast<double>(d.model->layers);
                expect_close(npu.elementwise(pass), slow.in_lanes / static_cast<double>(d.vlen) / clock, "lanes");
                double const longest = std::max({npu.computing(pass), npu.elementwise(pass), npu.transferring(pass)});
                expect_close(pass.total(), longest + launches, "time");
            }
        }
    }
}

/// The matrix unit, the vector unit and the HBM of a design as a machine file has them. Formats of files have no
/// scales.
std::string file_of(Design const& d, MachineConstants const& machine) {
    auto const& stack = machine.stack;
    double const refresh = d.refresh == Refresh::on ? 1.0 - 350.0 / 3900.0 : 1.0;
    return fmt::format(
        R"toml(schema = 1
name = "parts"
summary = "the matrix unit and the HBM of dplena"
[format]
products = ["int8"]
cache = ["8bit"]
logit = "0 B"
[memory.hbm]
kind = "rate"
bandwidth = "{:.17g} B/s"
share = "{:.17g}"
capacity = "1000 GiB"
[memory.hbm.energy]
dram_array = "{:.17g} J/B"
dram_interface = "{:.17g} J/B"
[compute.matrix]
kind = "array"
rows = {}
columns = {}
tile = {}
packed = 1
frequency = "1 GHz"
share = "{:.17g}"
[compute.matrix.energy]
arithmetic = "{:.17g} J/op"
[compute.vectors]
kind = "vector"
lanes = {}
frequency = "1 GHz"
[run]
overlap = [["hbm", "matrix", "vectors"]]
hold = {{ weights = "hbm", kv = "hbm" }}
"*.*" = {{ on = "matrix", together = true }}
"*.norm" = {{ on = "vectors", work = 5, beside = "*.*" }}
"*.softmax" = {{ on = "vectors", work = {}, beside = "*.*" }}
"*.rotation" = {{ on = "vectors", work = 3, beside = "*.*" }}
"*.activation" = {{ on = "vectors", work = {}, beside = "*.*" }}
"*.residual" = {{ on = "vectors", work = 1, beside = "*.*" }}
"*.overhead" = {{ wait = "{:.17g} s" }}
)toml",
        channel_bandwidth(d, machine).si, refresh, stack.array.si + stack.row_activation.si / stack.row.si,
        stack.interface.si, d.matrix_depth, d.matrix_block, d.matrix_block, d.attained_share,
        matrix_unit(d, machine).operation.si / 2.0, d.vlen, 4 + d.vlen / d.exp_lanes, 3 + d.vlen / d.exp_lanes,
        d.layer_overhead);
}

struct Told {
    std::map<std::string, double> metrics;
    std::map<std::string, double> joules;
};

Told told_of(Architecture const& of, Inputs const& inputs, std::vector<Value> const& point) {
    auto const explained = of.explain(inputs, point, Fidelity::analytic);
    Told told;
    auto const outcome = of.evaluate(inputs, point, Fidelity::analytic);
    auto const names = of.metrics();
    for (std::size_t i = 0; i < names.size(); ++i) told.metrics[names[i].name] = std::get<Metrics>(outcome)[i].value;
    for (auto const& share : explained.energy) told.joules[share.what] += share.amount;
    return told;
}

/// The same parts cost the same in dplena and in a machine file: seconds of a pass, joules by row of the ledger.
TEST(Npu, costs_what_a_machine_file_with_its_parts_costs) {
    auto const one = dplena::architecture();
    ModelOptions options;
    options.drawn = {{"weight_scale", 0.0}};
    auto const inputs = prepare(one, one.parameters(), options);
    for (auto const* llm : {"llama-3-8b", "llama-3.2-1b", "llada-8b"}) {
        for (auto const& settings : machines()) {
            bool const tokens = std::string_view(llm) != "llada-8b";
            auto const point = support::point(with(settings, {{"scope", "end_to_end"},
                                                              {"generation", tokens ? "autoregressive" : "diffusion"},
                                                              {"llm", llm},
                                                              {"steps", "3"},
                                                              {"generation_length", "96"},
                                                              {"weight_bits", "8"},
                                                              {"overlap", "fused_head"},
                                                              {"model_bandwidth", "0 GB/s"}}));
            auto const d = read_design(point, inputs.as<Prepared>());
            models::testing::TemporaryFile const file(file_of(d, inputs.as<Prepared>().machine));
            auto const own = text::architecture(file.path());
            auto parameters = own.parameters();
            auto const file_point = point_with(parameters, {{"llm", llm},
                                                            {"generation", tokens ? "autoregressive" : "diffusion"},
                                                            {"batch", std::to_string(d.batch)},
                                                            {"input", std::to_string(d.input)},
                                                            {"output", "96"},
                                                            {"steps", "3"},
                                                            {"block_length", "32"},
                                                            {"model_cache", "dual"}});
            auto const in_file = told_of(own, prepare(own, parameters), file_point);
            auto const here = told_of(one, inputs, point);
            auto const phase = model_phase(Npu(d, inputs.as<Prepared>().machine));
            expect_close(phase.full.total(), in_file.metrics.at("ttft"), "first pass");
            expect_close(phase.per_generation.total(), in_file.metrics.at("latency"), "all passes");
            expect_close(here.joules.at("arithmetic/matrix"), in_file.joules.at("arithmetic"), "arithmetic");
            expect_close(here.joules.at("dram_array/model"), in_file.joules.at("dram_array"), "array");
            expect_close(here.joules.at("dram_interface/model"), in_file.joules.at("dram_interface"), "interface");
        }
    }
}

}  // namespace
}  // namespace pimdse::models::dplena::npu_test
