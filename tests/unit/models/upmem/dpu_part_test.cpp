#include "models/upmem/dpu_part.hpp"

#include "models/text/text.hpp"
#include "support.hpp"
#include "tests/support/asked.hpp"
#include "tests/support/drawing.hpp"
#include "tests/unit/models/text/folder.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <variant>

/// A machine file with a part `dpu` against scope = end_to_end of upmem.
namespace pimdse::models::upmem::dpu_part_test {
namespace {

using sim::serving::StepWork;
using tests::Asked;
using tests::Drawing;
using tests::with;

/// Keys of the part as a file has them.
Settings drawn_keys(Drawing& draw) {
    Settings keys{{"dpus", draw.of({"700", "1024", "2048"})}, {"ranks", "40"}};
    auto const sometimes = [&](char const* name, std::vector<std::string> const& values) {
        if (draw.up_to(2) == 1) keys.emplace_back(name, draw.of(values));
    };
    sometimes("preset", {"upimulator-go", "upimulator-cpp"});
    sometimes("transfer", {"table1", "broadcast", "serial", "mapped"});
    sometimes("tasklets", {"1", "4", "11"});
    sometimes("dma_block", {"256 B", "2048 B"});
    sometimes("loading", {"each_launch"});
    sometimes("lock", {"double_bank", "rank_level"});
    sometimes("launch_path", {"synchronous"});
    sometimes("frequency", {"250 MHz", "400 MHz"});
    sometimes("mram_bandwidth", {"500 MB/s"});
    sometimes("offload", {"10 us"});
    sometimes("layer_overhead", {"100 us"});
    sometimes("attained_share", {"0.7"});
    return keys;
}

std::string file_of(Settings const& keys) {
    std::string text = R"(schema = 1
name = "own_dpus"
summary = "DPUs alone"
[format]
products = ["int8"]
[memory.mram]
kind = "rate"
bandwidth = "2048 * 700 MB/s"
capacity = "2048 * mram_size"
installed = "64 * ranks.ranks * mram_size"
type = "ddr4"
[run]
hold = { weights = "mram", kv = "mram" }
"*" = "ranks"
[compute.ranks]
kind = "dpu"
)";
    for (auto const& [name, value] : keys) text += name + " = \"" + value + "\"\n";
    return text;
}

std::string without_memory(std::string text) {
    auto const from = text.find("[memory"), held = text.find("hold"), ends = text.find('\n', held) + 1;
    return text.replace(held, ends - held, "").replace(from, text.find("[run]") - from, "");
}

/// A machine of a file, and a request to it.
struct File {
    text::test::Folder folder;
    Architecture machine;
    explicit File(std::string const& text) : machine(text::architecture(folder.with("own_dpus.toml", text))) {}
};
struct Written : File, Asked {
    explicit Written(std::string const& text, Settings const& request = {}, Assumptions const& assumed = {})
        : File(text), Asked(File::machine, request, {"", assumed}) {}
};

/// The same machine from a file, and the request of both.
struct Twice {
    Settings request, built_in;
    Written own;
    Asked known;

    Twice(Settings const& keys, Settings of, Assumptions const& assumed = {})
        : request(std::move(of)),
          built_in(with(with(request, keys), {{"scope", "end_to_end"}})),
          own(file_of(keys), request, assumed),
          known(upmem().row(), built_in, {"", assumed}) {}
};

StepWork drawn_step(Drawing& draw) {
    StepWork work;
    for (auto left = draw.up_to(12) - 1; left > 0; --left) work.contexts.push_back(draw.up_to(700));
    for (auto left = draw.up_to(4) - (work.contexts.empty() ? 0 : 1); left > 0; --left)
        work.chunks.push_back({draw.up_to(150), draw.up_to(2) == 1 ? 0 : draw.up_to(300)});
    work.heads = static_cast<std::int64_t>(work.contexts.size()) + (work.chunks.empty() ? 0 : 1);
    return work;
}

void expect_near(double value, double expected, double tolerance = 1e-12) {
    EXPECT_NEAR(value, expected, tolerance * std::abs(expected));
}

std::string model_of(Drawing& draw) { return draw.of({"llama-3.2-1b", "opt-125m", "qwen2.5-0.5b", "gemma-2-9b"}); }

TEST(DpuPart, in_a_file_has_the_steps_of_upmem) {
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        Drawing draw(seed);
        auto const keys = drawn_keys(draw);
        Twice const twice(keys, {{"llm", model_of(draw)}});
        SCOPED_TRACE(file_of(keys) + twice.request.front().second);
        auto const fidelity = seed % 8 == 0 ? Fidelity::cycle : Fidelity::analytic;
        auto const known = twice.known.engine(fidelity), own = twice.own.engine(fidelity);
        ASSERT_EQ(std::holds_alternative<ServiceEngine>(own), std::holds_alternative<ServiceEngine>(known));
        if (std::holds_alternative<Infeasible>(known)) continue;
        ++found;
        auto const& [part, built_in] = std::tie(std::get<ServiceEngine>(own), std::get<ServiceEngine>(known));
        expect_near(part.idle_power, built_in.idle_power);
        expect_near(part.waiting_power, built_in.waiting_power);
        for (int i = 0; i < 10; ++i) {
            auto const work = drawn_step(draw);
            auto const cost = part.law.one(work), expected = built_in.law.one(work);
            expect_near(cost.seconds, expected.seconds);
            expect_near(cost.joules, expected.joules);
            EXPECT_LE(part.min_seconds(work), cost.seconds * (1.0 + 1e-12));
        }
    }
    EXPECT_GT(found, 25);
}

/// Passes obey a power limit one by one; one that never binds changes no sum of a step.
TEST(DpuPart, takes_in_a_step_what_its_passes_take) {
    auto const file = file_of({{"dpus", "1024"}, {"ranks", "40"}});
    Settings const request{{"llm", "llama-3.2-1b"}};
    Written const in_sum(file, request), by_pass(file + "[power]\nlimit = \"1 MW\"\n", request);
    auto const sums = std::get<ServiceEngine>(in_sum.engine()), passes = std::get<ServiceEngine>(by_pass.engine());
    Drawing draw(5);
    for (int i = 0; i < 100; ++i) {
        auto const work = drawn_step(draw);
        auto const cost = sums.law.one(work), expected = passes.law.one(work);
        expect_near(cost.seconds, expected.seconds);
        expect_near(cost.joules, expected.joules);
        expect_near(sums.min_seconds(work), passes.min_seconds(work));
    }
}

TEST(DpuPart, in_a_file_has_the_batches_of_upmem) {
    int found = 0;
    for (std::uint64_t seed = 101; seed <= 140; ++seed) {
        Drawing draw(seed);
        auto const keys = drawn_keys(draw);
        auto const output = draw.up_to(40);
        bool const drafts = seed % 4 == 0;
        Twice const twice(keys, {{"llm", model_of(draw)},
                                 {"batch", std::to_string(draw.up_to(20))},
                                 {"input", std::to_string(draw.up_to(60))},
                                 {"output", std::to_string(output)},
                                 {"draft", drafts ? "2" : "0"},
                                 {"draft_llm", drafts ? "opt-125m" : "none"}});
        SCOPED_TRACE(file_of(keys) + std::to_string(seed) + " out " + std::to_string(output));
        ASSERT_EQ(twice.own.rule(), twice.known.rule());
        if (!twice.known.rule().empty()) continue;
        ++found;
        auto const own = twice.own.metrics(), known = twice.known.metrics();
        auto const names = upmem().row().metrics(), own_names = twice.own.File::machine.metrics();
        for (std::size_t i = 0; i < names.size(); ++i) {
            int const at = find_metric(own_names, names[i].name);
            if (at < 0) continue;
            double const value = own[static_cast<std::size_t>(at)].value;
            SCOPED_TRACE(names[i].name);
            ASSERT_EQ(std::isnan(value), std::isnan(known[i].value));
            if (!std::isnan(value)) expect_near(value, known[i].value);
        }
    }
    EXPECT_GT(found, 25);
}

/// Whether or not the file has a memory for them, the DPUs keep keys and values.
TEST(DpuPart, keeps_as_much_as_upmem) {
    Settings const keys{{"dpus", "1024"}, {"ranks", "40"}};
    Twice const twice(keys, {{"llm", "llama-3.2-1b"}});
    Written const alone(without_memory(file_of(keys)), twice.request);
    auto const known = std::get<ServiceEngine>(twice.known.engine());
    for (auto const* machine : {&twice.own, &alone}) {
        auto const own = std::get<ServiceEngine>(machine->engine());
        EXPECT_GT(own.cache_bytes, 0.0);
        EXPECT_EQ(own.cache_bytes, known.cache_bytes);
        EXPECT_EQ(own.position_bytes, known.position_bytes);
    }
}

TEST(DpuPart, has_a_footprint_with_and_without_a_memory_that_holds_it) {
    Settings const keys{{"dpus", "1024"}, {"ranks", "40"}};
    Twice const twice(keys, {{"llm", "llama-3.2-1b"}, {"batch", "3"}});
    Written const alone(without_memory(file_of(keys)), twice.request);
    double const known = twice.known.value("footprint");
    EXPECT_GT(known, 1.2e9);
    for (auto const* machine : {&twice.own, &alone}) EXPECT_EQ(machine->value("footprint"), known);
}

/// Launches and calls take no time without software; an excluded host has no energy, and an included one its own.
TEST(DpuPart, obeys_views_and_hosts_as_upmem_does) {
    Settings const keys{{"dpus", "1024"}, {"ranks", "40"}}, request{{"llm", "llama-3.2-1b"}};
    auto const value = [&](Assumptions const& assumed, std::string_view name) {
        Twice const twice(keys, request, assumed);
        expect_near(twice.own.value(name), twice.known.value(name));
        return twice.own.value(name);
    };
    double const usual = value({}, "latency"), joules = value({}, "energy");
    EXPECT_LT(value({.view = View::hardware}, "latency"), 0.9 * usual);
    EXPECT_EQ(value({.view = View::hardware}, "launch_time"), 0.0);
    EXPECT_EQ(value({.host = Host::excluded}, "latency"), usual);
    EXPECT_LT(value({.host = Host::excluded}, "energy"), joules);
    EXPECT_GT(value({.host = Host::included}, "energy"), joules);
}

TEST(DpuPart, loads_its_executable_once_before_the_first_token) {
    auto const value = [](char const* loading, char const* metric) {
        return Written(file_of({{"dpus", "1024"}, {"ranks", "40"}, {"loading", loading}}), {{"llm", "opt-125m"}})
            .value(metric);
    };
    double const load = value("once", "ttft") - value("none", "ttft");
    EXPECT_GT(load, 0.0);
    EXPECT_NEAR(value("once", "latency") - value("none", "latency"), load, 1e-9);
    EXPECT_NEAR(value("once", "input_time") - value("none", "input_time"), load, 1e-9);
}

/// `first` reads prompts and `later` decodes.
std::string in_phases(Settings const& first, Settings const& later, char const* decodes) {
    auto text = without_memory(file_of(first));
    text.replace(text.find("\"*\" = \"ranks\""), 13,
                 std::string("\"prefill.*\" = \"ranks\"\n\"decode.*\" = \"") + decodes + "\"");
    text += "[compute.later]\nkind = \"dpu\"\n";
    for (auto const& [name, value] : later) text += name + " = \"" + value + "\"\n";
    return text;
}

/// Amounts of its passes are of one kind of DPUs: those of two have no common clock.
TEST(DpuPart, has_its_own_metrics_where_it_takes_all_passes) {
    Settings const first{{"dpus", "1024"}, {"ranks", "16"}},
        later{{"dpus", "640"}, {"ranks", "10"}, {"frequency", "500 MHz"}};
    auto const metric_of = [&](char const* decodes, std::string_view name) {
        return find_metric(File(in_phases(first, later, decodes)).machine.metrics(), name);
    };
    EXPECT_GE(metric_of("ranks", "kernel_time"), 0);
    EXPECT_EQ(metric_of("later", "kernel_time"), -1);
    EXPECT_GE(metric_of("later", "latency"), 0);
}

TEST(DpuPart, that_does_nothing_in_a_phase_has_no_part_in_its_power) {
    Settings const slow{{"dpus", "1024"}, {"ranks", "16"}},
        fast{{"dpus", "1024"}, {"ranks", "16"}, {"frequency", "700 MHz"}};
    auto const package_power = [](std::string const& text) {
        return Written(text, {{"llm", "opt-125m"}, {"output", "1"}}).value("package_power");
    };
    double const alone = package_power(without_memory(file_of(slow)));
    EXPECT_GT(package_power(without_memory(file_of(fast))), 1.1 * alone);
    expect_near(package_power(in_phases(slow, fast, "later")), alone);
}

/// DPUs read prompts, and a roof beside a memory decodes.
std::string beside_roof(Settings const& first) {
    auto text = in_phases(first, {}, "roof");
    text.replace(text.find("[compute.later]"), std::string::npos,
                 "[compute.roof]\nkind = \"roof\"\nrate = \"1 TFLOP/s\"\n"
                 "[memory.m]\nkind = \"rate\"\nbandwidth = \"10 GB/s\"\ncapacity = \"16 GB\"\n");
    return text.replace(text.find("[run]"), 5, "[run]\nhold = { weights = \"m\", kv = \"m\" }");
}

/// Each part keeps what its own law needs, and a memory what it holds for a unit that is none.
TEST(DpuPart, adds_what_it_keeps_to_what_others_keep) {
    auto const footprint = [](std::string const& text) {
        return Written(text, {{"llm", "opt-125m"}}).value("footprint");
    };
    Settings const wide{{"dpus", "1024"}, {"ranks", "16"}}, narrow{{"dpus", "640"}, {"ranks", "10"}};
    double const of_wide = footprint(without_memory(file_of(wide))),
                 of_narrow = footprint(without_memory(file_of(narrow)));
    EXPECT_NE(of_wide, of_narrow);
    expect_near(footprint(in_phases(wide, narrow, "later")), of_wide + of_narrow);
    auto roof_alone = beside_roof(wide);
    auto const ranks = roof_alone.find("\"prefill.*\" = \"ranks\"");
    roof_alone.replace(ranks, 21, "\"prefill.*\" = \"roof\"");
    roof_alone.erase(roof_alone.find("[compute.ranks]"),
                     roof_alone.find("[compute.roof]") - roof_alone.find("[compute.ranks]"));
    double const of_memory = footprint(roof_alone);
    EXPECT_GT(of_memory, 125e6);
    expect_near(footprint(beside_roof(wide)), of_wide + of_memory);
}

TEST(DpuPart, has_a_timeline_of_what_takes_its_time) {
    Written const of(beside_roof({{"dpus", "1024"}, {"ranks", "16"}}), {{"llm", "opt-125m"}});
    auto const all = of.explained();
    double end = 0.0;
    std::size_t at = 0;
    for (auto const& bar : of.File::machine.trace(of.inputs, of.point, Fidelity::analytic)) {
        while (all.time.at(at).amount == 0.0) ++at;
        EXPECT_EQ(bar.what, all.time[at].what);
        EXPECT_EQ(bar.duration, all.time[at++].amount);
        EXPECT_EQ(bar.start, end);
        end += bar.duration;
        EXPECT_EQ(bar.unit, bar.what.starts_with("prefill") ? "ranks"
                            : bar.what == "decode/overhead" ? "waiting"
                                                            : "roof")
            << bar.what;
    }
    expect_near(end, of.value("latency"));
}

TEST(DpuPart, says_what_limits_each_phase_beside_another_unit) {
    auto const limits =
        Written(beside_roof({{"dpus", "1024"}, {"ranks", "16"}}), {{"llm", "opt-125m"}}).explained().limits;
    ASSERT_EQ(limits.size(), 2U);
    EXPECT_EQ(limits[0].phase, "prefill");
    EXPECT_EQ(limits[1].phase, "decode");
    EXPECT_EQ(limits[1].limiter, "m");
}

/// What DPUs have none of is not left out.
TEST(DpuPart, states_all_rows_of_the_ledger) {
    auto const own = File(file_of({{"dpus", "1024"}, {"ranks", "16"}})).machine.ledger(),
               known = upmem().row().ledger();
    for (auto const& [rows, expected] : {std::pair{&own.energy, &known.energy}, {&own.area, &known.area}})
        for (auto const& entry : *expected) {
            auto const found = std::ranges::find(*rows, entry.row, &LedgerEntry::row);
            ASSERT_NE(found, rows->end()) << entry.row;
            EXPECT_NE(found->account, Account::not_stated) << entry.row;
        }
}

TEST(DpuPart, multiplies_in_its_own_format_only) {
    auto text = file_of({{"dpus", "1024"}, {"ranks", "40"}});
    text.replace(text.find("[\"int8\"]"), 8, "[\"int8\", \"fp16\"]");
    auto const refusal = [&](char const* weights) {
        return Written(text, {{"llm", "opt-125m"}, {"weights", weights}}).refusal();
    };
    EXPECT_EQ(refusal("int8"), "");
    EXPECT_EQ(refusal("fp16"), "weights: DPUs multiply values of 1 B, not of 2");
}

TEST(DpuPart, refuses_keys_without_effect) {
    for (auto const* key : {"share", "waiting_power"}) {
        try {
            (void)File(file_of({{key, "1"}}));
            ADD_FAILURE() << key;
        } catch (sim::InputError const& error) {
            EXPECT_NE(std::string(error.what()).find(std::string(key) + "' has no effect on a dpu"), std::string::npos)
                << error.what();
        }
    }
}

/// Keys without limits say what they are, and none.
TEST(DpuPart, says_which_numbers_its_keys_are) {
    for (auto const* number : {"512.5", "1e30"}) {
        try {
            (void)File(file_of({{"dpus", number}}));
            ADD_FAILURE() << number;
        } catch (sim::InputError const& error) {
            EXPECT_TRUE(std::string(error.what()).ends_with("(it must be a whole number)")) << error.what();
        }
    }
}

TEST(DpuPart, that_cannot_be_built_says_why) {
    auto const rule = [](Settings const& keys, Settings const& request) {
        return Written(file_of(keys), request).rule();
    };
    Settings const small{{"llm", "opt-125m"}}, large{{"llm", "llama-2-70b"}};
    EXPECT_EQ(rule({{"dpus", "640"}, {"ranks", "10"}}, small), "");
    EXPECT_EQ(rule({{"dpus", "641"}, {"ranks", "10"}}, small), "ranks");
    EXPECT_EQ(rule({{"dpus", "640"}, {"ranks", "10"}, {"tasklets", "25"}}, small), "tasklets");
    EXPECT_EQ(rule({{"dpus", "640"}, {"ranks", "10"}, {"dma_block", "12 B"}}, small), "dma_block");
    EXPECT_EQ(rule({{"dpus", "64"}}, large), "mram");
    EXPECT_NE(rule({{"dpus", "640"}, {"ranks", "10"}}, {{"llm", "llada-8b"}, {"generation", "diffusion"}}), "");
}

}  // namespace
}  // namespace pimdse::models::upmem::dpu_part_test
