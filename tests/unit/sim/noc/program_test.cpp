#include "sim/noc/program.hpp"
#include "sim/base/check.hpp"

#include "sim/noc/open_loop.hpp"
#include "tests/unit/says.hpp"
#include "tests/unit/sim/noc/links_of.hpp"
#include "tests/unit/sim/noc/random_walk.hpp"

#include <gtest/gtest.h>
#include <sstream>

namespace pimdse::sim::noc::test::program_test {
namespace {

NetworkProgram parsed(std::string const& text) {
    std::istringstream in(text);
    return read_program(in, "layer.txt");
}

std::string written(NetworkProgram const& program) {
    std::ostringstream out;
    write_program(out, program);
    return out.str();
}

std::string mistakes_of(std::string const& text) {
    try {
        (void)parsed(text);
    } catch (InputError const& error) {
        std::string all;
        for (auto const& sentence : error.sentences()) all += sentence + '\n';
        return all;
    }
    return "";
}

std::vector<Node> random_nodes(Mesh mesh, std::uint64_t seed) {
    std::vector<Node> nodes;
    auto const count = 1 + draw(seed, 1000, 2 * static_cast<std::uint64_t>(mesh.nodes()));
    for (std::uint64_t i = 0; i < count; ++i)
        nodes.push_back(static_cast<Node>(draw(seed, 1001 + i, static_cast<std::uint64_t>(mesh.nodes()))));
    return nodes;
}

PhaseMessage random_message(Mesh mesh, std::uint64_t seed) {
    auto const flits = static_cast<std::int32_t>(1 + draw(seed, 500, 40));
    auto const node = static_cast<Node>(draw(seed, 501, static_cast<std::uint64_t>(mesh.nodes())));
    auto const tree = [&]() -> Tree {
        if (draw(seed, 502, 2) == 0) return Tree::xy(mesh, node, random_nodes(mesh, seed));
        auto const path = random_walk(mesh, seed, 1 + draw(seed, 503, 12));
        return Tree::path(mesh, path, draw(seed, 504, path.size()));
    };
    switch (draw(seed, 505, 4)) {
        case 0:
            return Unicast{node, static_cast<Node>(draw(seed, 506, static_cast<std::uint64_t>(mesh.nodes()))), flits};
        case 1:
            return Broadcast{tree(), flits};
        case 2:
            return Reduction{tree(), flits};
        default:
            return Chain{random_walk(mesh, seed, 1 + draw(seed, 507, 12)), flits,
                         2.0 + static_cast<double>(draw(seed, 508, 1000)) / 7.0,
                         static_cast<std::int64_t>(draw(seed, 509, 100))};
    }
}

NetworkProgram random_program(std::uint64_t seed) {
    NetworkProgram program;
    program.mesh = {static_cast<std::int32_t>(1 + draw(seed, 1, 9)), static_cast<std::int32_t>(1 + draw(seed, 2, 9))};
    program.timing = {static_cast<std::int32_t>(1 + draw(seed, 3, 20)), static_cast<std::int32_t>(2 + draw(seed, 4, 2)),
                      static_cast<std::int32_t>(2 + draw(seed, 5, 3)), static_cast<std::int32_t>(draw(seed, 6, 4))};
    for (std::uint64_t stage = 0; stage <= draw(seed, 7, 4); ++stage) {
        ProgramStage next{"stage " + std::to_string(stage), {}};
        next.phase.repeats = static_cast<std::int32_t>(1 + draw(seed, 20 + stage, 3));
        for (std::uint64_t i = 0; i < draw(seed, 40 + stage, 5); ++i)
            next.phase.messages.push_back(random_message(program.mesh, hashed(seed, 100 * stage + i)));
        next.border = static_cast<double>(draw(seed, 60 + stage, 3)) / 3.0;
        for (std::uint64_t i = 0; i < draw(seed, 70 + stage, 3); ++i)
            next.work.push_back({static_cast<double>(draw(seed, 80 + 10 * stage + i, 1000)) / 7.0, "unit of a router"});
        program.stages.push_back(std::move(next));
    }
    return program;
}

/// All output ports that a message uses, in the order of its routers: two messages of one kind with the same flits and
/// the same links are the same message.
std::vector<std::vector<std::int32_t>> links_of_all(NetworkProgram const& program) {
    std::vector<std::vector<std::int32_t>> links;
    for (auto const& stage : program.stages) {
        for (auto const& message : stage.phase.messages) links.push_back(links_of(program.mesh, message));
    }
    return links;
}

TEST(Program, written_and_read_it_is_the_same_program) {
    int messages = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        auto const program = random_program(seed);
        auto const text = written(program);
        auto const again = parsed(text);
        ASSERT_EQ(written(again), text) << "seed " << seed;
        ASSERT_EQ(links_of_all(again), links_of_all(program)) << "seed " << seed << "\n" << text;
        ASSERT_EQ(again.stages.size(), program.stages.size());
        for (std::size_t i = 0; i < program.stages.size(); ++i) {
            auto const &a = again.stages[i], &b = program.stages[i];
            ASSERT_EQ(a.name, b.name);
            ASSERT_EQ(a.phase.repeats, b.phase.repeats);
            ASSERT_EQ(a.border, b.border);
            ASSERT_EQ(a.work.size(), b.work.size());
            for (std::size_t w = 0; w < a.work.size(); ++w) {
                ASSERT_EQ(a.work[w].cycles, b.work[w].cycles) << seed;
                ASSERT_EQ(a.work[w].unit, b.work[w].unit) << seed;
            }
            ASSERT_EQ(a.phase.messages.size(), b.phase.messages.size());
            messages += static_cast<int>(b.phase.messages.size());
            ASSERT_EQ(alone(again.mesh, again.timing, a.phase), alone(program.mesh, program.timing, b.phase)) << seed;
        }
    }
    EXPECT_GT(messages, 1000);
}

TEST(Program, stages_take_what_the_network_takes_for_their_phases) {
    int compared = 0;
    for (std::uint64_t seed = 1000; seed < 1100; ++seed) {
        auto program = random_program(seed);
        std::vector<Cycle> slow;
        bool stuck = false;
        for (auto const& stage : program.stages) {
            auto const result = simulate_unless_stuck(program.mesh, program.timing, stage.phase);
            stuck = stuck || !result;
            slow.push_back(result ? result->cycles : 0);
        }
        auto const again = parsed(written(program));
        if (stuck) {
            EXPECT_THROW((void)run(again), InputError) << seed;
            continue;
        }
        auto const results = run(again);
        for (std::size_t i = 0; i < results.size(); ++i, ++compared) {
            EXPECT_EQ(results[i].result.cycles, slow[i]) << "seed " << seed;
            EXPECT_GE(results[i].result.cycles, results[i].alone) << "seed " << seed;
        }
    }
    EXPECT_GT(compared, 100);
}

// 6 + 4 x 6 hops + 7 further flits; the second message waits for the first one: 8 flits and a cycle on the link.
TEST(Program, two_packets_by_hand) {
    auto const program = parsed(
        "mesh 4x4 # rows x columns\nrouter fifo 16\nstage there\nsend 8 0,0 to 3,3\n\nstage twice\n"
        "repeat 2\nsend 8 0,0 to 3,3\n");
    auto const results = run(program);
    ASSERT_EQ(results.size(), 2U);
    EXPECT_EQ(results[0].name, "there");
    EXPECT_EQ(results[0].result.cycles, 6 + 4 * 6 + 7);
    EXPECT_EQ(results[0].result.flit_hops, 8 * 6);
    EXPECT_EQ(results[1].result.cycles, 6 + 4 * 6 + 7 + 9);
    EXPECT_EQ(results[1].messages, 2);
}

// A stage is over when its messages have arrived, over their borders, and its units have finished.
TEST(Program, units_compute_beside_the_messages_of_their_stage) {
    auto const cycles = [](std::string const& stage) {
        auto const results = run(parsed("mesh 4x4\nstage a\n" + stage));
        EXPECT_EQ(results.size(), 1U);
        return results.at(0).cycles;
    };
    std::string const send = "send 8 0,0 to 3,3\n";
    EXPECT_EQ(cycles(send), 37.0);
    EXPECT_EQ(cycles(send + "compute 36.5 crossbars\n"), 37.0);
    EXPECT_EQ(cycles(send + "compute 38.5 crossbars of q # and more\ncompute 38 routers\n"), 38.5);
    EXPECT_EQ(cycles(send + "border 2.25\ncompute 38.5 crossbars\n"), 39.25);
    EXPECT_EQ(cycles("border 2.25\nrepeat 2\n" + send), 37.0 + 9.0 + 2.25);
    EXPECT_EQ(cycles("compute 5182.464 softmax\n"), 5182.464);
    EXPECT_EQ(cycles("repeat 2\ncompute 20 softmax\n"), 20.0);
    auto const stages = run(parsed("mesh 2x2\nstage a\ncompute 20 softmax\nstage b\ncompute 0 crossbars\n"));
    EXPECT_EQ(stages.at(0).cycles, 20.0);
    EXPECT_EQ(stages.at(1).cycles, 0.0);
}

TEST(Program, ranges_are_sets_in_trees_and_steps_in_paths) {
    auto const program = parsed("mesh 4x4\nstage a\nbroadcast 2 0,0 to 0-3,0-3\nsum 2 3,1 along 0-3,0 3-1,1\n");
    auto const& messages = program.stages[0].phase.messages;
    EXPECT_EQ(std::get<Broadcast>(messages[0]).tree.members(), 16);
    EXPECT_EQ(std::get<Reduction>(messages[1]).tree.members(), 7);
    EXPECT_EQ(std::get<Reduction>(messages[1]).tree.depth(), 4);
}

TEST(Program, every_mistake_of_a_file_is_said_with_its_line) {
    EXPECT_THAT(mistakes_of(""), says("empty"));
    EXPECT_THAT(mistakes_of("stage a\n"), says("no-mesh"));
    EXPECT_THAT(mistakes_of("mesh 4by4\n"), says("no-size"));
    EXPECT_THAT(mistakes_of("mesh 4x4\nmesh 4x4\nrouter fifo 0\nrouter fifos 3\nrouter fifo\nstage\nsend 1 0,0 to 1,1\n"
                            "repeat 2\n"),
                says("before-stages"));
    EXPECT_THAT(
        mistakes_of("mesh 4x4\nstage a\nsend 0 0,0 to 1,1\nsend 1 0,0 to 4,0\nsend 1 0,0 from 1,1\nsend 1 0,0 to "
                    "0-3,0\nsend 1 0,0 to 1,1 2,2\nsend 1 00 to 1,1\nsnd 1 0,0 to 1,1\nrepeat 0\nrouter fifo 3\n"),
        says("sends"));
    EXPECT_THAT(
        mistakes_of("mesh 4x4\nstage a\nbroadcast 1 0,0 from 1,1\nsum 1 0,0 along 0,0 2,0\nsum 1 0,0 along 1-3,0\n"
                    "sum 1 0,0 along 0-1,0 0,0\nchain 1 service 1 after 0 along 0,0\nchain 1 service 2.5 after -1 "
                    "along 0,0\n"),
        says("trees"));
    EXPECT_THAT(
        mistakes_of("mesh 4x4\ncompute 1 softmax\nborder 1\nstage a\ncompute\ncompute softmax 3\ncompute -1 softmax\n"
                    "compute nan softmax\ncompute 1e13 softmax\ncompute 3\nborder\nborder 2 cycles\nborder 3\n"
                    "border -1\ncomput 3 softmax\n"),
        says("units"));
    EXPECT_THAT(mistakes_of("mesh 100000x100000\n"), says("large"));
    EXPECT_THAT(mistakes_of("mesh 4x4 # \xc3\xa4\nst\xff\n"), says("bytes"));
    std::string many = "mesh 4x4\nstage a\n";
    for (int i = 0; i < 1000; ++i) many += "what\n";
    auto const all = mistakes_of(many);
    EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 20);
}

TEST(Program, trees_that_wait_for_each_other_are_refused) {
    // Two broadcasts along one row in opposite directions and two columns: a ring of waits with FIFOs of one flit.
    bool any = false;
    for (std::uint64_t seed = 0; seed < 2000 && !any; ++seed) {
        auto program = random_program(seed);
        program.timing.fifo_flits = 1;
        for (auto const& stage : program.stages) {
            if (simulate_unless_stuck(program.mesh, program.timing, stage.phase)) continue;
            any = true;
            EXPECT_THROW((void)run(program), InputError);
            EXPECT_THROW((void)simulate(program.mesh, program.timing, stage.phase), ContractViolation);
        }
    }
    EXPECT_TRUE(any);
}

}  // namespace
}  // namespace pimdse::sim::noc::test::program_test
