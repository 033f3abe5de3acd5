#include "models/cim_mesh/layer/searched_schedule.hpp"

#include "models/cim_mesh/layer/commands.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <string>
#include <variant>

namespace pimdse::models::cim_mesh::test::searched_schedule_test {
namespace {

/// Requests with short and long contexts, one and many columns at a time, commands that are stored or repeat.
std::vector<Settings> requests() {
    std::vector<Settings> all;
    for (char const* model : {"llama-3.2-1b", "opt-125m", "llada-8b"}) {
        for (char const* columns : {"1", "4096"}) {
            for (char const* controller : {"repeating", "unrolled"}) {
                all.push_back(
                    with(small(model, "serial"), {{"parallel_columns", columns}, {"controller", controller}}));
            }
        }
    }
    all.push_back({{"llm", "llama-3.2-1b"}, {"input", "1"}, {"output", "8"}, {"lm_head", "counted"}});
    all.push_back({{"llm", "llama-3.2-1b"}, {"input", "512"}, {"output", "32"}, {"fifo_bytes", "32"}});
    all.push_back({{"llm", "opt-1.3b"}, {"input", "64"}, {"output", "8"}, {"machine", "leap-d"}, {"batch", "2"}});
    all.push_back({{"llm", "llama-3.2-1b"}, {"input", "30"}, {"output", "8"}, {"dynamic_products", "hybrid"}});
    return all;
}

TEST(SearchedSchedule, is_never_slower_than_either_one) {
    bool mixed = false;
    tests::Turns turns(3);
    for (auto const& request : requests()) {
        if (!turns.next()) continue;
        Given const searched(with(request, "schedule", "searched")), serial(with(request, "schedule", "serial")),
            tree(with(request, "schedule", "tree"));
        for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
            bool const serial_fits = !std::holds_alternative<Infeasible>(serial.outcome(fidelity));
            for (char const* time : {"ttft", "latency"}) {
                auto const found = searched.metric(time, fidelity);
                auto const trees = tree.metric(time, fidelity);
                EXPECT_LE(found.value, trees.value * (1.0 + 1e-12)) << time;
                EXPECT_LE(found.lower, trees.lower * (1.0 + 1e-8)) << time;  // closed forms allow for rounding
                if (!serial_fits) continue;
                auto const chains = serial.metric(time, fidelity);
                EXPECT_LE(found.value, chains.value * (1.0 + 1e-12)) << time;
                mixed = mixed || found.value < std::min(chains.value, trees.value) * (1.0 - 1e-6);
            }
        }
    }
    EXPECT_TRUE(mixed) << "of some requests each schedule is the faster one for a part";
}

TEST(SearchedSchedule, has_the_energy_of_what_it_chose_within_its_bounds) {
    tests::Turns turns(3);
    for (auto const& request : requests()) {
        if (!turns.next()) continue;
        expect_bounds(Given(with(request, "schedule", "searched")), request.list.front().second);
    }
}

TEST(SearchedSchedule, needs_the_hardware_of_trees_and_the_commands_of_both) {
    for (char const* controller : {"repeating", "unrolled"}) {
        Settings const request{{"llm", "llama-3.2-1b"}, {"input", "64"}, {"output", "64"}, {"controller", controller}};
        Given const searched(with(request, "schedule", "searched")), serial(with(request, "schedule", "serial")),
            tree(with(request, "schedule", "tree"));
        EXPECT_GT(searched.metric("area").value, tree.metric("area").value);
        EXPECT_GT(searched.metric("area").value, serial.metric("area").value);
        EXPECT_EQ(searched.metric("command_memory").value,
                  serial.metric("command_memory").value + tree.metric("command_memory").value);
        EXPECT_GE(searched.metric("commands").value,
                  std::max(serial.metric("commands").value, tree.metric("commands").value));
    }
}

TEST(SearchedSchedule, sends_few_keys_to_queries_and_queries_to_many_keys) {
    auto const attention = [](char const* input) {
        Given const given({{"llm", "llama-3.2-1b"}, {"input", input}, {"output", "2"}, {"schedule", "searched"}});
        auto const shares = given.explain(Fidelity::cycle).time;
        std::string all;
        for (auto const& share : shares) all += share.what + ";";
        return all;
    };
    EXPECT_NE(attention("2").find("decode/keys and values, serial"), std::string::npos) << attention("2");
    EXPECT_NE(attention("1024").find("decode/keys and values, trees"), std::string::npos) << attention("1024");
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::searched_schedule_test
