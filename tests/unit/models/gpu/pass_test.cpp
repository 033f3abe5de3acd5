#include "models/gpu/pass.hpp"

#include "models/llm/language_models.hpp"
#include "models/llm/shard.hpp"
#include "tests/unit/models/gpu/given.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <set>

/// Reference that counts layer by layer and token by token.
namespace pimdse::models::gpu::test {
namespace {

std::vector<Settings> requests() {
    return {{},
            {{"batch", "3"}, {"kv_cache", "8bit"}, {"weights", "int8"}},
            {{"llm", "llama-3-8b"}, {"devices", "4"}, {"input", "77"}},
            {{"llm", "llama-2-13b"}, {"devices", "8"}, {"batch", "5"}},
            {{"llm", "qwen2.5-0.5b"}, {"devices", "7"}},  // two heads of keys
            {{"llm", "llada-moe-7b-a1b"}, {"generation", "diffusion"}, {"output", "64"}, {"batch", "2"}}};
}

double element_bytes(Design const& d) { return d.precision == Precision::fp16 ? 2.0 : 1.0; }

/// Heads of keys that the queries of the fullest board read, counted board by board and query head by query head.
std::size_t slow_kv_heads(Design const& d) {
    std::size_t max = 0;
    for (std::int64_t board = 0; board < d.devices; ++board) {
        std::set<std::int64_t> read;
        for (std::int64_t head = 0; head < d.model->heads; ++head)
            if (head * d.devices / d.model->heads == board) read.insert(head * d.model->kv_heads / d.model->heads);
        max = std::max(max, read.size());
    }
    return max;
}

/// Elements of a matrix on the fullest board.
double slow_share(Design const& d, models::WeightMatrix const& m) {
    bool const of_keys = m.name == "k" || m.name == "v";
    if (of_keys) return static_cast<double>(m.inputs * d.model->head_dimension) * static_cast<double>(slow_kv_heads(d));
    std::int64_t const dealt = m.name == "o" || m.name == "down" ? m.inputs : m.outputs;
    return std::ceil(static_cast<double>(dealt) / d.parts()) * static_cast<double>(m.inputs * m.outputs / dealt);
}

/// Operations and bytes of all weight matrices of all layers on the fullest board, for this number of positions.
BoardWork slow_weights(Design const& d, double positions) {
    BoardWork work;
    for (std::int64_t layer = 0; layer < d.model->layers; ++layer) {
        for (auto const& m : models::layer_matrices(*d.model)) {
            double const size = slow_share(d, m);
            work.operations += 2.0 * positions * static_cast<double>(m.active) * size;
            // A copy is not read if no position chooses it.
            double const missed =
                std::pow(1.0 - static_cast<double>(m.active) / static_cast<double>(m.count), positions);
            work.bytes += static_cast<double>(m.count) * (1.0 - missed) * size * element_bytes(d);
        }
    }
    return work;
}

TEST(Pass, multiplies_every_position_with_the_weights_it_uses) {
    for (auto const& settings : requests()) {
        Given const g(settings);
        auto const d = g.design();
        for (double const queries : {1.0, 2.0, 40.0}) {
            auto const work = work_of({queries, {10.0, 10.0}, 10.0, 1.0}, d, g.prepared().machine);
            auto const& found = work[static_cast<std::size_t>(PassGroup::weights)];
            auto const slow = slow_weights(d, d.sequences() * queries);
            EXPECT_NEAR(found.operations, slow.operations, 1e-9 * slow.operations);
            EXPECT_NEAR(found.bytes, slow.bytes, 1e-9 * slow.bytes);
        }
    }
}

TEST(Pass, attends_from_every_head_to_every_key) {
    for (auto const& settings : requests()) {
        Given const g(settings);
        auto const d = g.design();
        auto const work = work_of({3.0, {10.0, 10.0}, 10.0, 1.0}, d, g.prepared().machine);
        auto const& found = work[static_cast<std::size_t>(PassGroup::attention)];
        double operations = 0.0, bytes = 0.0;
        double const cached = d.kv_cache == CacheFormat::fp16 ? 2.0 : 1.0;
        auto const width = static_cast<double>(d.model->head_dimension);
        for (std::int64_t layer = 0; layer < d.model->layers; ++layer) {
            // Scores and the weighted sum of values: one multiplication and one addition each.
            for (std::int64_t head = 0; head < d.model->heads; ++head)
                operations += d.sequences() * 3.0 * 10.0 * width * 2.0 * 2.0;
            // Keys and values of ten positions are read, those of three are written.
            bytes += d.sequences() * 13.0 * 2.0 * width * cached * static_cast<double>(slow_kv_heads(d));
        }
        EXPECT_NEAR(found.operations * d.parts(), operations, 1e-9 * operations);
        EXPECT_NEAR(found.bytes, bytes, 1e-9 * bytes);
    }
}

TEST(Pass, of_the_prompt_attends_to_each_position_before) {
    Given const g({{"input", "37"}});
    auto const prompt = prompt_pass(g.design());
    double keys = 0.0;
    for (int position = 1; position <= 37; ++position) keys += position;
    EXPECT_EQ(prompt.queries * mean_keys(*g.design().model, prompt.contexts), keys);
    EXPECT_EQ(prompt.heads, 1.0);
}

TEST(Pass, of_the_mean_token_attends_as_all_tokens_do) {
    Given const g({{"input", "37"}});
    for (int steps = 1; steps < 20; ++steps) {
        double keys = 0.0;
        for (int token = 1; token <= steps; ++token) keys += 37 + token;
        auto const passes = verification_passes({}, 37, steps);
        EXPECT_NEAR(mean_keys(*g.design().model, token_pass(passes).contexts) * steps, keys, 1e-9);
    }
}

TEST(Pass, sums_over_boards_twice_a_layer_and_over_one_not_at_all) {
    auto const group = static_cast<std::size_t>(PassGroup::allreduce);
    for (char const* devices : {"1", "2", "4", "8"}) {
        for (char const* link : {"nvlink", "pcie"}) {
            Given const g({{"devices", devices}, {"link", link}, {"batch", "3"}});
            auto const d = g.design();
            auto const& machine = g.prepared().machine;
            auto const found = work_of({5.0, {10.0, 10.0}, 10.0, 1.0}, d, machine)[group];
            if (d.devices == 1) {
                EXPECT_EQ(found.exchanged, 0.0);
                EXPECT_EQ(found.waiting, 0.0);
                continue;
            }
            // A ring: every board passes on the parts of all other boards, once to add them and once to distribute the
            // sums.
            double sent = 0.0;
            for (std::int64_t hop = 0; hop < 2 * (d.devices - 1); ++hop)
                sent += 3.0 * 5.0 * static_cast<double>(d.model->hidden) * 2.0 / d.parts();
            sent *= 2.0 * static_cast<double>(d.model->layers);
            EXPECT_NEAR(found.exchanged, sent, 1e-9 * sent);
            auto const& board = machine.boards[d.device];
            double const fastest = std::max(board.nvlink.si, board.pcie.si);
            EXPECT_GT(found.waiting, sent / fastest) << "the latency, and a rate below the data sheet";
            EXPECT_EQ(found.bytes, 0.0);
        }
    }
}

TEST(Pass, samples_the_logits_of_a_block_where_blocks_are_denoised) {
    auto const group = static_cast<std::size_t>(PassGroup::sampling);
    Given const tokens;
    EXPECT_EQ(work_of({1.0, {1.0, 1.0}, 1.0, 1.0}, tokens.design(), tokens.prepared().machine)[group].bytes, 0.0);
    Settings const blocks{{"llm", "llada-8b"}, {"generation", "diffusion"}, {"output", "64"}, {"batch", "2"}};
    auto const bytes = [&](char const* length) {
        Given const g(blocks.with("block_length", length));
        return work_of({1.0, {1.0, 1.0}, 1.0, 1.0}, g.design(), g.prepared().machine)[group].bytes;
    };
    EXPECT_GT(bytes("16"), 0.0);
    EXPECT_NEAR(bytes("64"), 4.0 * bytes("16"), 1e-6);
}

TEST(Pass, needs_room_for_all_weights_and_every_token_of_every_sequence) {
    for (auto const& settings : requests()) {
        Given const g(settings);
        auto const d = g.design();
        double const cached = d.kv_cache == CacheFormat::fp16 ? 2.0 : 1.0;
        double bytes = static_cast<double>(BoardShare(d).parameters()) * element_bytes(d);
        auto const width = static_cast<std::int64_t>(slow_kv_heads(d)) * d.model->head_dimension;
        for (std::int64_t token = 0; token < d.input + d.output; ++token)
            bytes += d.sequences() * static_cast<double>(2 * width * d.model->layers) * cached;
        auto const& machine = g.prepared().machine;
        if (d.generation == Generation::diffusion)
            bytes += d.sequences() * static_cast<double>(d.block_length * d.model->vocabulary) * machine.logit.si;
        EXPECT_NEAR(board_footprint(d, machine).si, bytes, 1e-9 * bytes);
        EXPECT_NEAR(footprint(d, machine).si, d.parts() * bytes, 1e-9 * d.parts() * bytes);
    }
}

TEST(Pass, keeps_the_logits_of_one_denoising_step_whatever_the_steps) {
    Settings const at{{"llm", "llada-8b"}, {"generation", "diffusion"}, {"output", "64"}, {"block_length", "64"}};
    auto const bytes = [&](char const* steps, char const* batch) {
        Given const g(at.with("steps", steps).with("batch", batch));
        return board_footprint(g.design(), g.prepared().machine).si;
    };
    EXPECT_EQ(bytes("1", "2"), bytes("32", "2"));
    EXPECT_GT(bytes("1", "2") - bytes("1", "1"), 64.0 * 126464 * 8);
}

TEST(BoardShare, of_a_single_board_is_the_whole_model) {
    for (auto const& name : language_model_names()) {
        auto const model = load_language_model(name);
        Design d;
        d.model = &model;
        EXPECT_EQ(BoardShare(d).parameters(), models::total_parameters(model)) << name;
        EXPECT_EQ(BoardShare(d).kv_heads(), model.kv_heads) << name;
        EXPECT_EQ(BoardShare(d).lm_head(), models::lm_head_weights(model)) << name;
    }
}

TEST(BoardShare, times_boards_is_the_model_and_the_copies) {
    for (auto const& name : language_model_names()) {
        auto const model = load_language_model(name);
        for (std::int64_t const boards : {2, 4, 8}) {
            if (model.heads % boards != 0) continue;
            Design d;
            d.model = &model;
            d.devices = boards;
            BoardShare const share(d);
            std::int64_t const copies = share.kv_heads() * boards - model.kv_heads;
            auto const all = static_cast<double>(share.parameters() * boards);
            auto const keys = static_cast<double>(copies * model.layers * 2 * model.hidden * model.head_dimension);
            auto const whole = static_cast<double>(models::total_parameters(model));
            // Norms, positions, projections of the embedding and uneven remainders are small compared with the weights
            // and keys.
            EXPECT_GE(all, whole + keys) << name << ", " << boards;
            EXPECT_LE(all, 1.1 * whole + keys) << name << ", " << boards;
        }
    }
}

// What a board of `devices` boards holds is a part of the model with as many parts, where everything divides.
TEST(BoardShare, holds_what_a_part_of_the_model_has) {
    int compared = 0;
    for (auto const& name : language_model_names()) {
        auto const model = load_language_model(name);
        for (std::int64_t const devices : {1, 2, 4, 8}) {
            auto const part = shard_of(model, {devices, 1, 1});
            if (std::holds_alternative<NotDivisible>(part) || model.vocabulary % devices != 0) continue;
            auto const& one = std::get<LanguageModel>(part);
            Design design;
            design.model = &model;
            design.devices = devices;
            BoardShare const share(design);
            EXPECT_EQ(share.parameters(), total_parameters(one)) << name << " " << devices;
            EXPECT_EQ(share.lm_head(), lm_head_weights(one)) << name << " " << devices;
            ++compared;
        }
    }
    EXPECT_GT(compared, 80);
}

}  // namespace
}  // namespace pimdse::models::gpu::test
