#include "../contract/temporary_file.hpp"
#include "models/llm/language_models.hpp"
#include "models/upmem/pass_plan.hpp"
#include "models/upmem/result.hpp"
#include "support.hpp"
#include "tests/support/asked.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

/// Models with several kinds of layers, windows and latent attention, against counts of every layer, token and key.
namespace pimdse::models::upmem::layer_kinds_test {
namespace {

/// A model of the user on the machine, by the text of its file.
class OwnModel {
  public:
    explicit OwnModel(std::string const& text) : file_(text) {}

    [[nodiscard]] Metrics metrics(Settings const& more, Fidelity fidelity = Fidelity::analytic) const {
        return asked(more).metrics(fidelity);
    }
    [[nodiscard]] Estimate estimate(Settings const& more, std::string const& metric,
                                    Fidelity fidelity = Fidelity::analytic) const {
        return asked(more).metric(metric, fidelity);
    }
    [[nodiscard]] double value(Settings const& more, std::string const& metric) const {
        return estimate(more, metric).value;
    }
    [[nodiscard]] LanguageModel model() const { return load_language_model(file_.path().string()); }
    /// Of every pass of a request; of the last one.
    [[nodiscard]] std::vector<Launch> launches(Settings const& more) const { return passes(more, false); }
    [[nodiscard]] std::vector<Launch> last_launches(Settings const& more) const { return passes(more, true); }

  private:
    [[nodiscard]] tests::Asked asked(Settings const& more) const {
        Settings const own{{"llm", file_.path().string()}, {"scope", "end_to_end"}, {"ranks", "8"}, {"dpus", "256"}};
        return {upmem().row(), tests::with(own, more)};
    }
    [[nodiscard]] std::vector<Launch> passes(Settings const& more, bool last) const {
        auto const of = asked(more);
        auto const& p = of.inputs.as<Prepared>();
        auto const d = std::get<Planned>(planned(p, of.point)).design;
        std::int64_t const at_once = std::max<std::int64_t>(1, 64 / d.batch);
        std::vector<Launch> all;
        auto const pass = [&](std::int64_t before, std::int64_t queries, bool head) {
            PassPlan plan(p, d);
            for (auto const& kind : alike_within(*d.model, d.longest_context())) {
                plan.add_products(kind, queries * d.batch);
                plan.add_attention(kind, attention_load(kind, {{{before, queries, d.batch}}}, {}, d.batch, d.dpus));
            }
            if (head) plan.add_head(d.batch);
            auto const made = std::move(plan).plan();
            if (last) all.clear();
            all.insert(all.end(), made.launches.begin(), made.launches.end());
        };
        for (std::int64_t done = 0; done < d.input; done += at_once)
            pass(done, std::min(at_once, d.input - done), done + at_once >= d.input);
        for (std::int64_t token = 1; token < d.output; ++token) pass(d.input + token - 1, 1, true);
        return all;
    }

    testing::TemporaryFile file_;
};

/// A small model; `layers` are its keys, or tables [[layer_kind]].
std::string with_layers(std::string const& layers, std::string const& attention = "") {
    return fmt::format(R"(
name = "own"
source = "a test"
attention = "causal"
hidden = 256
heads = 8
kv_heads = {}
head_dimension = {}
gated = true
vocabulary = 1000
tied_embedding = true
maximum_context = 65536
qkv_bias = false
output_bias = false
ffn_bias = false
norm = "rmsnorm"
positions = "rope"
embedding_projection = 0
{}
{}
)",
                       attention.empty() ? 2 : 8, attention.empty() ? 32 : 48, attention, layers);
}

std::string kind(int layers, int window, bool chunked = false, std::string const& network = "") {
    return fmt::format("[[layer_kind]]\nlayers = {}\nwindow = {}\nchunked = {}\n{}\n", layers, window, chunked,
                       network.empty() ? "ffn = 512\nexperts = 0\nexperts_active = 0\nexpert_ffn = 0" : network);
}

std::string const latent = "kv_rank = 64\nquery_rank = 96\nrope_dimension = 16\nvalue_dimension = 24\n";

Settings request_of(std::string const& input, std::string const& output, std::string const& batch = "1") {
    return {{"input", input}, {"output", output}, {"batch", batch}};
}

/// Everything that launches of this name process in a request: the rows of products in the fullest DPU.
double rows_of(std::vector<Launch> const& launches, std::string const& what) {
    double rows = 0.0;
    for (auto const& launch : launches)
        if (launch.what == what) rows += static_cast<double>(launch.task.work.blocks) * launch.count;
    return rows;
}

double host_of(std::vector<Launch> const& launches) {
    double operations = 0.0;
    for (auto const& launch : launches) operations += launch.host * launch.count;
    return operations;
}

void expect_equal(Metrics const& one, Metrics const& other, double tolerance = 0.0) {
    ASSERT_EQ(one.size(), other.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
        if (std::isnan(one[i].value)) continue;
        EXPECT_NEAR(one[i].lower, other[i].lower, tolerance * one[i].value) << i;
        EXPECT_NEAR(one[i].value, other[i].value, tolerance * one[i].value) << i;
        EXPECT_NEAR(one[i].upper, other[i].upper, tolerance * one[i].value) << i;
    }
}

}  // namespace

TEST(LayerKinds, of_equal_layers_change_no_bit) {
    OwnModel const whole(with_layers("layers = 6\nffn = 512\nexperts = 0\nexperts_active = 0\nexpert_ffn = 0"));
    OwnModel const split(with_layers(kind(2, 0) + kind(4, 0)));
    expect_equal(whole.metrics(request_of("70", "5"), Fidelity::analytic),
                 split.metrics(request_of("70", "5"), Fidelity::analytic));
}

TEST(LayerKinds, with_windows_that_the_request_does_not_fill_cost_as_without) {
    OwnModel const whole(with_layers(kind(6, 0)));
    for (bool const chunked : {false, true}) {
        OwnModel const windows(with_layers(kind(2, 75, chunked) + kind(4, 80)));
        expect_equal(whole.metrics(request_of("70", "5")), windows.metrics(request_of("70", "5")), 1e-12);
        EXPECT_LT(windows.value(request_of("72", "5"), "latency"), whole.value(request_of("72", "5"), "latency"));
    }
}

TEST(LayerKinds, attend_to_the_keys_of_their_windows) {
    for (bool const chunked : {false, true}) {
        for (std::string const batch : {"1", "3", "200"}) {
            OwnModel const own(with_layers(kind(2, 40, chunked) + kind(1, 0)));
            std::int64_t const input = 150, output = 30, of_batch = std::stoll(batch);
            std::int64_t const units = std::max<std::int64_t>(1, (of_batch * 2 + 255) / 256);
            std::int64_t const split = std::max<std::int64_t>(1, 256 / (of_batch * 2));
            double rows = 0.0;
            for (std::int64_t query = 1; query < input + output; ++query) {
                std::int64_t const keys = chunked ? (query - 1) % 40 + 1 : std::min<std::int64_t>(query, 40);
                auto const of_kind = [&](std::int64_t n) { return static_cast<double>((n + split - 1) / split); };
                rows += static_cast<double>(units * 4) * (2.0 * of_kind(keys) + of_kind(query));
            }
            auto const launches = own.launches(request_of("150", "30", batch));
            EXPECT_NEAR(rows_of(launches, "scores"), rows, 5e-3 * rows) << batch;
            EXPECT_EQ(rows_of(launches, "scores"), rows_of(launches, "values"));
        }
    }
}

TEST(LayerKinds, deal_windows_and_chunks_as_a_walk_over_all_queries_does) {
    for (std::int64_t const split : {1, 3, 16, 50}) {
        for (std::int64_t const window : {0, 1, 7, 40}) {
            for (bool const chunked : {false, true}) {
                CacheDeal const deal{1, split, window, chunked};
                std::int64_t seen = 0, keys = 0;
                for (std::int64_t query = 11; query <= 120; ++query) {
                    std::int64_t const all = window == 0 ? query
                                             : chunked   ? (query - 1) % window + 1
                                                         : std::min(query, window);
                    seen += (all + split - 1) / split;
                    keys += all;
                }
                EXPECT_EQ(deal.positions_seen(10, 110), seen) << split << " " << window << " " << chunked;
                EXPECT_EQ(deal.whole().positions_seen(10, 110), keys);
            }
        }
    }
}

TEST(LayerKinds, keep_the_positions_of_a_window_and_of_the_pass_that_slides_it) {
    OwnModel const own(with_layers(kind(2, 100) + kind(1, 0)));
    auto const held = [&](std::string const& input) { return own.value(request_of(input, "2"), "mram_per_dpu"); };
    // 2 heads of keys and values on 256 DPUs: 128 DPUs share the positions of a head, 64 B a position and layer. The
    // windows hold 100 positions and the 63 that a pass of 64 adds; only whole attention needs more for more tokens.
    auto const positions = [](double n) { return std::ceil(n / 128.0); };
    double const more = held("6401") - held("1281");
    double const added = (positions(6402) - positions(1282)) * 64;
    EXPECT_GE(more, added);
    EXPECT_LE(more, added + (positions(6402) - positions(1282)) * 4 * 64 * 8);  // buffers of the scores
    EXPECT_EQ((CacheDeal{1, 1, 100}.held(6402, 64)), 163);
    EXPECT_EQ((CacheDeal{1, 1, 100}.held(90, 64)), 90);
    EXPECT_EQ((CacheDeal{1, 1, 0}.held(6402, 64)), 6402);
}

TEST(LayerKinds, of_one_expert_of_one_cost_as_dense_ones) {
    OwnModel const dense(with_layers(kind(3, 0)));
    OwnModel const expert(with_layers(kind(3, 0, false, "ffn = 0\nexperts = 1\nexperts_active = 1\nexpert_ffn = 512")));
    expect_equal(dense.metrics(request_of("70", "5")), expert.metrics(request_of("70", "5")));
}

/// Products of a position in the fullest DPU, and results that the host processes, by layer and matrix.
TEST(LayerKinds, compute_the_shared_expert_and_those_that_a_token_chooses) {
    OwnModel const own(
        with_layers(kind(1, 0) + kind(2, 0, false, "ffn = 300\nexperts = 16\nexperts_active = 3\nexpert_ffn = 100")));
    auto const launches = own.launches(request_of("1", "2"));
    double const passes = 2.0;
    auto const share = [](double rows) { return std::ceil(rows / 256.0); };
    // Blocks of 1024 B: one for each row.
    EXPECT_EQ(rows_of(launches, "gate+up"), passes * (share(1024) + 2 * (share(600) + share(3 * 200))));
    EXPECT_EQ(rows_of(launches, "down"), passes * (share(256) + 2 * (share(256) + share(3 * 256))));
    EXPECT_EQ(rows_of(launches, "q+k+v"), passes * 3 * share(256 + 2 * 64));
    // Host: scaling of all results; rotation of queries and keys; the residual stream after every sum and its norm,
    // three operations; activations; softmax of three; sums of the DPUs of a head; the LM head.
    double const attention = 384 + 320 + 256 + 256 * 3;
    double const dense = attention + 2 * 1024 + 256 + 256 * 3;
    double const experts = attention + 2 * (2 * 600 + 256 * 3) + 256 + 3 * 256;
    double const softmax = 8 * 3 * 3, parts_of_heads = 8 * 32 * 3;  // one key, in one of the DPUs, then two
    EXPECT_EQ(host_of(launches), passes * (dense + 2 * experts) + 3 * (softmax + parts_of_heads) + passes * 1000);
}

TEST(LayerKinds, of_latent_attention_cache_one_vector_per_position) {
    auto const text = kind(2, 0) + kind(1, 0, false, "ffn = 96\nexperts = 8\nexperts_active = 2\nexpert_ffn = 64");
    OwnModel const own(with_layers(text, latent));
    auto const m = own.model();
    auto const shape = attention_shape(m);
    EXPECT_EQ(shape.units * shape.cached, kv_elements_per_token(m));
    EXPECT_EQ(shape.cached, 64 + 16);
    // The multiplications of a key are those of attention in the form that multiplies the cached vectors.
    EXPECT_EQ(static_cast<double>(shape.queries * (shape.key + shape.value)),
              attention_multiplications(m, 1.0, 1.0, 1e9));
    // The matrices are those of the model, in other shapes.
    std::int64_t weights = 0;
    for (auto const& matrix : held_matrices(m)) weights += matrix.inputs * matrix.outputs * matrix.count;
    EXPECT_EQ(weights, layer_weights(m));

    auto const launches = own.launches(request_of("1", "2"));
    auto const share = [](double rows) { return std::ceil(rows / 256.0); };
    double const passes = 2.0 * 3;
    EXPECT_EQ(rows_of(launches, "q_a+kv_a"), passes * share(96 + 64 + 16));
    EXPECT_EQ(rows_of(launches, "q_b"), passes * share(8 * 48));
    EXPECT_EQ(rows_of(launches, "k_up"), passes * share(8 * 64));
    EXPECT_EQ(rows_of(launches, "v_up"), passes * share(8 * 24));
    EXPECT_EQ(rows_of(launches, "o"), passes * share(256));
    // All 256 DPUs share the positions of the sequence; the fullest has one, for 8 heads.
    EXPECT_EQ(rows_of(launches, "scores"), passes * 8);
    EXPECT_EQ(rows_of(launches, "values"), passes * 8);
}

TEST(LayerKinds, of_latent_attention_send_a_vector_of_every_head) {
    OwnModel const own(with_layers(kind(1, 0), latent));
    auto const launches = own.last_launches(request_of("1", "2"));
    std::map<std::string, double> sent;
    for (auto const& launch : launches) {
        sent[launch.what] = launch.input + launch.shared;
        if (launch.what == "values") {
            EXPECT_EQ(launch.output, 4 * 8 * 64);
        }
    }
    EXPECT_EQ(sent["k_up"], 8 * 32);
    EXPECT_EQ(sent["v_up"], 8 * 64);
    EXPECT_EQ(sent["scores"], 8 * 80 + 80) << "queries, and one cached vector";
}

TEST(LayerKinds, of_latent_attention_without_a_rank_of_queries_have_one_launch_less) {
    OwnModel const own(with_layers(kind(1, 0), "kv_rank = 64\nrope_dimension = 16\nvalue_dimension = 24\n"));
    auto const launches = own.launches(request_of("1", "1"));
    std::string names;
    for (auto const& launch : launches) names += launch.what + " ";
    EXPECT_EQ(names, "q+kv_a k_up v_up o gate+up down scores values lm_head ");
}

TEST(LayerKinds, are_within_the_bounds_at_every_fidelity) {
    auto const experts = "ffn = 96\nexperts = 8\nexperts_active = 2\nexpert_ffn = 64";
    for (auto const& own : {with_layers(kind(2, 16) + kind(1, 0, false, experts)),
                            with_layers(kind(1, 24, true) + kind(1, 0)), with_layers(kind(2, 0), latent)}) {
        OwnModel const model(own);
        for (std::string const metric : {"latency", "ttft", "itl", "energy", "tokens_per_second", "power"}) {
            double const exact = model.estimate(request_of("70", "4"), metric, Fidelity::cycle).value;
            auto const e = model.estimate(request_of("70", "4"), metric, Fidelity::analytic);
            EXPECT_LE(e.lower, exact) << metric;
            EXPECT_GE(e.upper, exact) << metric;
        }
    }
}

TEST(LayerKinds, of_shipped_models_are_served_where_they_fit) {
    Settings const machine{{"scope", "end_to_end"}, {"dpus", "2560"}, {"ranks", "40"}, {"input", "6000"}};
    for (std::string const name :
         {"gemma-2-9b", "gemma-3-27b", "gpt-oss-20b", "gpt-oss-120b", "llama-4-scout", "mistral-7b-v0.1"}) {
        auto settings = machine;
        settings.emplace_back("llm", name);
        EXPECT_EQ(upmem().refusal(settings), "") << name;
        settings = {{"llm", name}, {"kernel", "gemv-int8"}, {"dpus", "2560"}, {"ranks", "40"}};
        EXPECT_EQ(upmem().refusal(settings), "") << name;
    }
    auto settings = machine;
    settings.emplace_back("llm", "deepseek-v3");
    EXPECT_EQ(upmem().refusal(settings).substr(0, 6), "mram: ") << "671 GB in 2,560 DPUs of 64 MB";
}

}  // namespace pimdse::models::upmem::layer_kinds_test
