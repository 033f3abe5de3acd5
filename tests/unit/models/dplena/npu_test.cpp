#include "models/text/model_passes.hpp"
#include "tests/unit/models/dplena/support.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

/// The passes of a model on the NPU of its machine file, tile by tile.
namespace pimdse::models::dplena::npu_test {
namespace {

using support::Settings;
using support::with;

void expect_close(double found, double expected, std::string const& what) {
    EXPECT_NEAR(found, expected, 1e-12 * std::abs(expected)) << what;
}

/// What the settings say about the units of passes.
struct Units {
    std::int64_t depth = 2048, block = 128;
    double bits = 8.0, share = 1.0, launch = 0.0;
};

/// A pass of a decoder with full attention and no experts, counted tile by tile.
struct SlowPass {
    double cycles = 0.0, multiplications = 0.0, bytes = 0.0;
    double in_lanes = 0.0;  ///< operations of a lane of the vector unit

    SlowPass(Design const& d, Units const& units, PassShape const& shape) : d_(d), units_(units) {
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
        bytes += static_cast<double>(d.batch) * shape.heads * static_cast<double>(m.vocabulary) * d.logit_bytes();
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
        auto const block = static_cast<double>(units_.block), mlen = static_cast<double>(units_.depth);
        cycles += filled(rows, units_.block) / block * filled(k, units_.depth) / mlen * filled(n, units_.block);
        multiplications += rows * k * n;
        bytes += k * n * (units_.bits / 8 + 1.0 / 32);
    }
    /// Queries of a sequence fill tiles; heads lie beside each other in the depth of a tile.
    void attend(PassShape const& shape, std::int64_t heads, std::int64_t width) {
        double const keys = (shape.contexts.first + shape.contexts.last) / 2.0;
        double const of_row = keys * 2.0 * static_cast<double>(heads * width);
        multiplications += shape.queries * of_row;
        auto const exponential = static_cast<double>(d_.vlen) / static_cast<double>(d_.exp_lanes);
        in_lanes += (4.0 + exponential) * shape.queries * keys * static_cast<double>(heads);
        cycles += filled(shape.queries, units_.block) * of_row / static_cast<double>(units_.depth * units_.block);
    }
    Design const& d_;
    Units units_;
};

std::vector<std::pair<Settings, Units>> machines() {
    return {{{}, {}},
            {{{"matrix_depth", "96"}, {"matrix_block", "48"}, {"channels", "32"}}, {96, 48}},
            {{{"weight_bits", "4"}, {"attained_share", "0.6"}, {"layer_overhead", "3 us"}, {"batch", "5"}},
             {2048, 128, 4.0, 0.6, 3e-6}},
            {{{"vlen", "64"}, {"exp_lanes", "16"}, {"matrix_depth", "4096"}}, {4096}},
            {{{"overlap", "fused_head"}, {"refresh", "on"}, {"model_bandwidth", "100 GB/s"}}, {}}};
}

std::vector<Settings> requests() {
    Settings const tokens{{"scope", "end_to_end"}, {"generation", "autoregressive"}};
    return {{{"scope", "end_to_end"}, {"steps", "4"}, {"input", "77"}},
            {{"scope", "end_to_end"}, {"steps", "2"}, {"model_cache", "none"}, {"llm", "dream-7b"}},
            with(tokens, {{"llm", "llama-3-8b"}, {"generation_length", "9"}}),
            with(tokens, {{"llm", "llama-3.2-1b"}, {"generation_length", "2"}, {"input", "1"}})};
}

TEST(Npu, takes_what_counting_its_tiles_gives) {
    constexpr std::size_t hbm = 0, vectors = 0, matrix = 1;  // positions in the file
    for (auto const& [machine, units] : machines()) {
        for (auto const& request : requests()) {
            auto const d = support::design(with(request, machine));
            auto const f = support::served(with(request, machine));
            auto const& h = f.hardware;
            text::CostLaw const law(f.prepared->machine(), h, Fidelity::analytic);
            text::ModelPasses const passes(law, f.request, f.logit_bytes());
            for (auto const& equal : {passes_of(d).first.front(), passes_of(d).round.front()}) {
                SlowPass const slow(d, units, equal.shape);
                auto const pass = passes.of(equal.shape, text::Phase::decode);
                double const clock = 1e9, macs = static_cast<double>(units.depth * units.block);
                double const computing = pass.busy[matrix] / h.units[matrix].attained,
                             in_lanes = pass.operations[vectors] / h.units[vectors].peak;
                expect_close(pass.operations[matrix], 2.0 * slow.multiplications, "operations");
                expect_close(pass.busy[matrix], 2.0 * macs * slow.cycles, "tiles");
                expect_close(computing, slow.cycles / units.share / clock, "cycles");
                expect_close(in_lanes, slow.in_lanes / static_cast<double>(d.vlen) / clock, "lanes");
                double const launches = units.launch * static_cast<double>(d.model->layers);
                text::OperatorWork sampled;
                sampled.tasks = f.request.sequences();
                sampled.query_positions = f.request.sequences() * equal.shape.heads;
                auto const sampling = h.units[vectors].part->cost(text::Operator::sampling, sampled, f.request);
                expect_close(pass.bytes(hbm) - sampling.read, slow.bytes, "bytes");
                double const longest = std::max({computing, in_lanes, slow.bytes / h.memories[hbm].attained});
                expect_close(pass.total() - sampling.seconds.value, longest + launches, "time");
            }
        }
    }
}

}  // namespace
}  // namespace pimdse::models::dplena::npu_test
