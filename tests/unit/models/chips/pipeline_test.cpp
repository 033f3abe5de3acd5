#include "models/chips/composition.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

/// The closed form of a pipeline against a schedule that is walked pass by pass.
namespace pimdse::models::chips::pipeline_test {
namespace {

/// One stage of a made-up machine.
struct Stage {
    double first = 0.0, token = 0.0;  ///< s of a micro-batch: its prompt, and each of its tokens
};

StageResult of(Stage const& stage, double output) {
    double const watts = 10.0, idle = 1.0;
    StageResult all{{}, 0.0, {}, {}};
    auto& r = all.device;
    r.ttft = stage.first;
    r.itl = stage.token;
    r.later_tokens = output - 1.0;
    r.rest = r.later_tokens * stage.token;
    r.latency = stage.first + r.rest.value;
    r.energy = watts * r.latency.value;
    r.prefill_power = r.decode_power = r.peak_power = watts;
    r.idle_power = 0.5 * idle;  // without a request
    r.waiting_power = idle;
    return all;
}

/// When each micro-batch leaves the last stage with its first token, and with its last one. A stage serves one pass at
/// a time, in the order of arrival; a pass arrives after the previous stage and the link.
struct Schedule {
    double first = 0.0, last = 0.0;
};
Schedule walk(std::vector<Stage> const& stages, int micro_batches, int output, double send_first, double send_token) {
    std::vector<double> free(stages.size(), 0.0);
    std::vector<double> ready(static_cast<std::size_t>(micro_batches), 0.0);
    Schedule schedule;
    for (int token = 0; token < output; ++token) {
        for (int m = 0; m < micro_batches; ++m) {
            double at = ready[static_cast<std::size_t>(m)];
            for (std::size_t s = 0; s < stages.size(); ++s) {
                double const start = std::max(at, free[s]);
                double const busy = token == 0 ? stages[s].first : stages[s].token;
                free[s] = start + busy;
                at = free[s];
                if (s + 1 < stages.size() || token > 0) at += token == 0 ? send_first : send_token;
            }
            if (token == 0) {
                schedule.first = std::max(schedule.first, at);
                at += send_token;  // the first token returns to the first stage as all others do
            }
            ready[static_cast<std::size_t>(m)] = at;
            schedule.last = std::max(schedule.last, at - (token + 1 == output ? send_token : 0.0));
        }
    }
    return schedule;
}

struct Case {
    int stages = 1, micro_batches = 1, output = 1;
};

/// The stages before the last one are alike, or follow each other in turn.
GroupResult group(Case const& c, std::vector<Stage> const& before, Stage const& last, double send_first,
                  double send_token) {
    GroupResult result;
    result.economy = &economy::Economy::shipped();
    result.group.devices = result.group.pipeline = c.stages;
    result.group.micro_batches = c.micro_batches;
    result.last = of(last, c.output);
    for (std::size_t i = 0; i < before.size(); ++i) {
        auto const stages = (static_cast<std::size_t>(c.stages) - 1 + before.size() - 1 - i) / before.size();
        if (stages > 0) result.before.push_back({of(before[i], c.output), static_cast<double>(stages)});
    }
    result.last.first.between = send_first;
    result.last.rest.between = send_token * (c.output - 1);
    return result;
}

TEST(Pipeline, takes_as_long_as_a_schedule_of_its_passes) {
    std::mt19937 random(27);
    auto const draw = [&](double from, double to) { return std::uniform_real_distribution(from, to)(random); };
    for (int stages : {1, 2, 4, 8}) {
        for (int parts : {1, 2, 4, 16}) {
            if (stages == 1 && parts > 1) continue;
            for (int repeat = 0; repeat < 20; ++repeat) {
                Case const c{stages, parts, 40};
                Stage const before{draw(1.0, 2.0), draw(0.1, 0.2)};
                Stage const last{before.first * draw(1.0, 1.3), before.token * draw(1.0, 1.3)};
                double const send_first = stages > 1 ? draw(0.0, 0.5) : 0.0, send_token = send_first / 10.0;
                Stage const other{before.first * draw(0.8, 1.2), before.token * draw(0.8, 1.2)};
                auto const kinds = repeat % 2 == 0 ? std::vector<Stage>{before} : std::vector<Stage>{before, other};
                std::vector<Stage> all;
                for (int s = 0; s + 1 < stages; ++s) all.push_back(kinds[static_cast<std::size_t>(s) % kinds.size()]);
                all.push_back(last);
                auto const slowest = *std::ranges::max_element(all, {}, &Stage::first);
                auto const slow = walk(all, parts, c.output, send_first, send_token);
                auto const found = compose({}, group(c, kinds, last, send_first, send_token)).request;
                EXPECT_NEAR(found.ttft.value, slow.first, 1e-9 * slow.first) << stages << " " << parts;
                // The last stages are not idle when the first stages begin to decode: the closed form counts both
                // phases one after the other.
                EXPECT_GE(found.latency.value, slow.last * (1.0 - 1e-9)) << stages << " " << parts;
                EXPECT_LE(found.latency.value, slow.last + stages * (slowest.first + send_first))
                    << stages << " " << parts;
                if (parts == 1) {
                    EXPECT_NEAR(found.latency.value, slow.last, 0.01 * slow.last) << stages;
                }
            }
        }
    }
}

TEST(Pipeline, with_as_many_parts_as_stages_is_never_slower_than_one_part) {
    // A micro-batch takes at least its share of the time of the whole batch, and at most all of it.
    for (double const share : {0.25, 0.5, 1.0}) {
        Stage const whole{2.0, 0.4}, part{2.0 * share, 0.4 * share};
        double const one = compose({}, group({4, 1, 20}, {whole}, whole, 0.0, 0.0)).request.latency.value;
        double const four = compose({}, group({4, 4, 20}, {part}, part, 0.0, 0.0)).request.latency.value;
        EXPECT_LE(four, (share < 1.0 ? 1.0 : 1.4) * one) << share;
    }
}

TEST(Pipeline, draws_the_power_of_waiting_in_every_stage_that_waits) {
    Stage const stage{1.0, 0.1};
    auto const found = compose({}, group({4, 1, 11}, {stage}, stage, 0.0, 0.0));
    double const latency = 4.0 * 2.0, working = 2.0;
    EXPECT_NEAR(found.request.latency.value, latency, 1e-12);
    EXPECT_NEAR(found.request.energy.value, 4.0 * (10.0 * working + 1.0 * (latency - working)), 1e-9);
    EXPECT_NEAR(found.waiting, latency - working, 1e-12);
    EXPECT_NEAR(found.request.peak_power.value, 10.0 + 3.0, 1e-12) << "one stage works at a time";
    auto const full = compose({}, group({4, 4, 11}, {stage}, stage, 0.0, 0.0));
    EXPECT_NEAR(full.request.peak_power.value, 40.0, 1e-12);
}

}  // namespace
}  // namespace pimdse::models::chips::pipeline_test
