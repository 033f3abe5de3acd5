#include "models/upmem/timeline.hpp"
#include "support.hpp"

#include <cmath>

/// What a program does around its streams: it loads, moves data in other ways, and merges results.
namespace pimdse::models::upmem::programs_test {
namespace {

double of(Settings settings, std::string const& metric, std::string const& name, std::string const& value) {
    settings.emplace_back(name, value);
    return upmem().value(settings, metric);
}

}  // namespace

TEST(Loading, adds_the_executable_once_or_before_every_launch) {
    auto const& p = prepared();
    double const load = (transfer_time(p, Transfer::broadcast, Direction::in, p.machine.program_bytes.si, 64, 1) +
                         transfer_time(p, Transfer::parallel, Direction::in, p.machine.argument_bytes.si, 64, 1))
                            .si;
    EXPECT_GT(load, 2 * p.machine.call.si);
    for (std::string const lock : {"exclusive", "double_bank", "none", "fine"}) {
        Settings const streams{{"dpus", "64"}, {"streams", "4"}, {"lock", lock}};
        double const without = of(streams, "input_time", "loading", "none");
        EXPECT_NEAR(of(streams, "input_time", "loading", "once"), without + load, 1e-12) << lock;
        EXPECT_NEAR(of(streams, "input_time", "loading", "each_launch"), without + 4 * load, 1e-12) << lock;
        EXPECT_NEAR(of(streams, "latency", "loading", "once"), of(streams, "latency", "loading", "none") + load, 1e-12);
        EXPECT_GE(of(streams, "latency", "loading", "each_launch"), of(streams, "latency", "loading", "once"));
        EXPECT_GT(of(streams, "energy", "loading", "once"), of(streams, "energy", "loading", "none"));
    }
    Settings const layers{{"kernel", "mlp"}, {"elements", "1024"}};
    EXPECT_GT(of(layers, "latency", "loading", "each_launch"), of(layers, "latency", "loading", "once"));
}

TEST(LaunchPath, waits_for_polls_in_place_of_the_measured_driver) {
    constexpr double poll = 1000 / 2.4e9;
    Settings const streams{{"kernel", "va"}, {"dpus", "64"}, {"streams", "4"}, {"elements", "1048576"}};
    for (std::string const preset : {"hardware", "upimulator-go"}) {
        auto run = streams;
        run.emplace_back("preset", preset);
        EXPECT_NEAR(of(run, "launch_time", "launch_path", "synchronous"), 4 * poll, 1e-12) << preset;
        EXPECT_NEAR(of(run, "launch_time", "launch_path", "ring"), 2 * poll, 1e-12) << preset;
        double const measured = preset == "hardware" ? 4 * 0.506e-3 : 0.0;
        EXPECT_NEAR(of(run, "launch_time", "launch_path", "measured"), measured, 1e-12) << preset;
        EXPECT_NEAR(of(run, "kernel_time", "launch_path", "ring") - of(run, "launch_time", "launch_path", "ring"),
                    of(run, "kernel_time", "launch_path", "measured") - measured, 1e-12)
            << preset;
    }
    Settings const few{{"kernel", "va"}, {"dpus", "1"}, {"elements", "65536"}};
    EXPECT_NEAR(of(few, "launch_time", "launch_path", "ring"), poll / 2, 1e-12) << "few DPUs are polled as often";
}

TEST(Loading, takes_turns_with_running_dpus) {
    for (std::string const lock : {"exclusive", "double_bank", "none", "fine"}) {
        for (std::string const loading : {"once", "each_launch"}) {
            auto const point = upmem().point(
                {{"elements", "262144"}, {"streams", "4"}, {"lock", lock}, {"loading", loading}, {"offload", "10us"}});
            auto const events = upmem().row().trace(upmem().inputs(), point, Fidelity::analytic);
            int loads = 0;
            for (auto const& load : events) {
                if (load.what != "load") continue;
                ++loads;
                for (auto const& kernel : events) {
                    if (kernel.what != "kernel") continue;
                    bool const before = load.start + load.duration <= kernel.start + 1e-12;
                    EXPECT_TRUE(before || kernel.start + kernel.duration <= load.start + 1e-12) << lock;
                }
            }
            EXPECT_EQ(loads, loading == "once" ? 1 : 4) << lock;
        }
    }
}

/// Every stream leaves results, which the host fetches before the next launch, and before the launch that merges scans.
TEST(Reduction, in_the_host_is_drawn_where_it_happens) {
    for (std::string const kernel : {"red", "hst-s", "scan-ssa", "va"}) {
        for (std::string const lock : {"exclusive", "double_bank", "none", "rank_level", "fine"}) {
            for (std::string const reduction : {"host", "dpu"}) {
                Settings const streams{{"kernel", kernel},   {"elements", "262144"},   {"dpus", "8"},
                                       {"ranks", "4"},       {"streams", "4"},         {"lock", lock},
                                       {"dma_block", "256"}, {"reduction", reduction}, {"offload", "10us"}};
                if (!upmem().refusal(streams).empty()) continue;
                auto const events = upmem().row().trace(upmem().inputs(), upmem().point(streams), Fidelity::analytic);
                double exchanges = 0.0, kernels = 0.0, end = 0.0, last_exchange = 0.0, last_kernel = 0.0;
                int count = 0;
                for (auto const& event : events) {
                    end = std::max(end, event.start + event.duration);
                    if (event.what == "kernel") last_kernel = std::max(last_kernel, event.start);
                    if (event.what == "kernel") kernels += event.duration;
                    if (event.what != "exchange") continue;
                    ++count;
                    exchanges += event.duration;
                    last_exchange = std::max(last_exchange, event.start);
                    for (auto const& other : events) {
                        if (&other == &event) continue;
                        bool const before = other.start + other.duration <= event.start + 1e-9;
                        EXPECT_TRUE(before || event.start + event.duration <= other.start + 1e-9)
                            << kernel << lock << reduction << other.what;
                    }
                }
                EXPECT_NEAR(end, upmem().value(streams, "latency"), 1e-9) << kernel << lock << reduction;
                // What sharing the bank adds to kernels is drawn, but is no part of their sum.
                double const more = lock == "fine" ? kernels - upmem().value(streams, "kernel_time") : 0.0;
                EXPECT_GE(more, 0.0) << kernel << lock;
                EXPECT_NEAR(kernels - more, upmem().value(streams, "kernel_time"), 1e-9) << kernel << lock;
                if (reduction == "dpu" || kernel == "va") continue;
                EXPECT_EQ(count, 4) << kernel << lock;
                EXPECT_GT(exchanges, 0.0) << kernel << lock;
                EXPECT_EQ(last_exchange < last_kernel, kernel == "scan-ssa") << kernel << lock;
            }
        }
    }
}

TEST(Loading, of_a_request_happens_once_before_the_prompt) {
    Settings const request{{"scope", "end_to_end"}, {"llm", "llama-3.2-1b"}, {"input", "64"},
                           {"output", "8"},         {"dpus", "1024"},        {"ranks", "16"}};
    double const first = of(request, "ttft", "loading", "once") - of(request, "ttft", "loading", "none");
    double const all = of(request, "latency", "loading", "once") - of(request, "latency", "loading", "none");
    EXPECT_GT(first, 0.0);
    EXPECT_NEAR(all, first, 1e-9);
}

TEST(Reduction, in_the_dpu_is_one_more_launch_and_one_result) {
    for (std::string const kernel : {"red", "hst-s", "hst-l", "scan-ssa", "scan-rss"}) {
        Settings const streams{
            {"kernel", kernel}, {"elements", "262144"}, {"dpus", "4"}, {"streams", "16"}, {"dma_block", "256"}};
        double const in_dpu = of(streams, "kernel_time", "reduction", "dpu"),
                     in_host = of(streams, "kernel_time", "reduction", "host");
        if (kernel.starts_with("scan")) {
            EXPECT_EQ(in_dpu, in_host) << "whoever adds the sums, every later element is read and written again";
        } else {
            EXPECT_GT(in_dpu, in_host) << kernel;
        }
        EXPECT_LT(of(streams, "host_time", "reduction", "dpu"), of(streams, "host_time", "reduction", "host"));
        Settings one = streams;
        one[3].second = "1";
        EXPECT_EQ(of(one, "latency", "reduction", "dpu"), of(one, "latency", "reduction", "host"));
        for (char const* const where : {"host", "dpu"}) {
            auto reduced = streams;
            reduced.emplace_back("reduction", where);
            auto const bounded = upmem().estimate(reduced, "kernel_cycles", Fidelity::analytic);
            auto const run = upmem().value(reduced, "kernel_cycles", Fidelity::cycle);
            EXPECT_LE(bounded.lower, run) << kernel;
            EXPECT_GE(bounded.upper, run) << kernel;
        }
    }
    Settings const nothing{{"kernel", "va"}, {"streams", "16"}};
    EXPECT_EQ(of(nothing, "latency", "reduction", "dpu"), of(nothing, "latency", "reduction", "host"));
}

TEST(Reduction, of_a_scan_touches_all_elements_of_later_streams) {
    for (std::string const kernel : {"scan-ssa", "scan-rss"}) {
        for (std::string const where : {"host", "dpu"}) {
            Settings const scan{{"kernel", kernel}, {"elements", "262144"}, {"reduction", where}};
            double const two = of(scan, "kernel_cycles", "streams", "2"),
                         four = of(scan, "kernel_cycles", "streams", "4");
            double const one = of(scan, "kernel_cycles", "streams", "1");
            // three quarters of the elements against a half
            EXPECT_NEAR((four - one) / (two - one), 1.5, 0.05) << kernel << " " << where;
        }
    }
}

TEST(Reduction, of_a_scan_adds_the_sums_of_other_ranks_to_every_element) {
    Settings const scan{{"kernel", "scan-ssa"}, {"elements", "262144"}, {"dpus", "4"},
                        {"ranks", "2"},         {"lock", "rank_level"}, {"streams", "2"}};
    auto const& p = prepared();
    auto const made = pieces_plan(p, read_design(upmem().point(scan)));
    ASSERT_TRUE(made.ends_with_merge());
    auto const& w = made.launches.back().task.work;
    EXPECT_NEAR(static_cast<double>(w.blocks) * w.read_bytes, 8.0 * static_cast<double>(made.launches[0].task.elements),
                w.read_bytes);
    EXPECT_EQ(made.launches.back().input, 8.0) << "the sum of the streams before its own";
}

TEST(Reduction, by_the_host_sends_the_sums_back_before_the_elements_are_complete) {
    Settings const scan{
        {"kernel", "scan-ssa"}, {"elements", "262144"}, {"dpus", "4"}, {"streams", "8"}, {"lock", "double_bank"}};
    auto const& p = prepared();
    auto const made = pieces_plan(p, read_design(upmem().point(scan)));
    EXPECT_EQ(made.streams(), 8U);
    EXPECT_EQ(made.launches.back().input, 8.0 * 8.0) << "a sum of int64 for each stream";
    EXPECT_GT(of(scan, "input_time", "reduction", "host"), of(scan, "input_time", "reduction", "dpu"));
    EXPECT_GT(of(scan, "latency", "reduction", "host"), of(scan, "latency", "reduction", "dpu"));
    Settings const one{{"kernel", "scan-ssa"}, {"elements", "262144"}, {"dpus", "4"}};
    EXPECT_EQ(pieces_plan(p, read_design(upmem().point(one))).launches.size(), 1U) << "one stream is complete";
}

TEST(Spline, goes_through_table_1_rises_and_is_smooth) {
    auto const& p = prepared();
    for (auto const direction : {Direction::in, Direction::out}) {
        auto const& rates = direction == Direction::in ? p.table1.in : p.table1.out;
        auto const& spline = p.spline[static_cast<std::size_t>(direction)];
        for (std::size_t i = 0; i < rates.size(); ++i)
            EXPECT_NEAR(spline.at(p.table1.bytes[i]), p.table1.bytes[i] / rates[i],
                        1e-9 * p.table1.bytes[i] / rates[i]);
        double furthest = 0.0, last = 0.0;
        for (double bytes = 4; bytes < 1e9; bytes *= 1.01) {
            double const time = spline.at(bytes);
            EXPECT_GE(time, last * (1 - 1e-12)) << bytes;
            last = time;
            double const line = bytes / interpolate_log(p.table1.bytes, rates, bytes);
            furthest = std::max(furthest, std::abs(line / time - 1.0));
        }
        RecordProperty(direction == Direction::in ? "furthest_in" : "furthest_out", std::to_string(furthest));
        EXPECT_LT(furthest, 0.10) << "as the README states";
        EXPECT_GT(furthest, 0.01);
        for (std::size_t i = 1; i + 1 < rates.size(); ++i) {
            double const x = p.table1.bytes[i], h = 1e-4;
            double const before = std::log(spline.at(x) / spline.at(x * (1 - h))) / -std::log1p(-h);
            double const behind = std::log(spline.at(x * (1 + h)) / spline.at(x)) / std::log1p(h);
            EXPECT_NEAR(before, behind, 2e-3) << x;
        }
    }
}

TEST(Mapped, access_moves_lines_at_their_latency_and_needs_no_call) {
    auto const& p = prepared();
    EXPECT_NEAR(transfer_time(p, Transfer::mapped, Direction::in, 8, 1, 1).si, 24e-9, 1e-15);
    EXPECT_NEAR(transfer_time(p, Transfer::mapped, Direction::in, 8, 8, 1).si, 24e-9, 1e-15);
    EXPECT_NEAR(transfer_time(p, Transfer::mapped, Direction::in, 8, 9, 1).si, 48e-9, 1e-15);
    EXPECT_NEAR(transfer_time(p, Transfer::mapped, Direction::out, 4096, 64, 1).si, 512 * 8 * 73e-9, 1e-12);
    Settings const few{{"elements", "64"}}, many{{"elements", "16777216"}, {"dpus", "64"}};
    EXPECT_LT(of(few, "input_time", "transfer", "mapped"), of(few, "input_time", "transfer", "parallel"));
    EXPECT_GT(of(many, "output_time", "transfer", "mapped"), of(many, "output_time", "transfer", "parallel"));
}

}  // namespace pimdse::models::upmem::programs_test
