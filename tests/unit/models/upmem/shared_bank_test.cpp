#include "models/upmem/shared_bank.hpp"

#include "random_streams.hpp"
#include "support.hpp"
#include "tests/support/campaign.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

/// Lock fine: requests of the host queue behind those of the DPU.
namespace pimdse::models::upmem::shared_bank_test {
namespace {

/// The same in steps of `step` seconds, each of which does what may be done.
double slow_end(std::vector<SharedStream> const& streams, HostAccess const& timing, double step) {
    std::size_t host = 0, kernel = 0, ready = 0;
    double input = streams[0].input.si, offload = streams[0].offload.si, load = streams[0].load.si, now = 0.0;
    double running = streams[0].kernel.si;
    while (kernel < streams.size()) {
        bool const computes = kernel < ready;
        auto const& of = streams[kernel];
        double r = 1.0, q = 1.0;
        if (computes && host < streams.size() && input > 0.0) {
            auto const rates = shared_rates(of, timing);
            r = rates.input;
            q = rates.kernel;
        }
        now += step;
        if (host < streams.size()) {
            if (input > 0.0)
                input -= r * step;
            else if (offload > 0.0)
                offload -= step;
            else if (load > 0.0 && !computes)
                load -= step;
            if (input <= 0.0 && offload <= 0.0 && load <= 0.0) {
                ready = ++host;
                if (host < streams.size()) {
                    input = streams[host].input.si;
                    offload = streams[host].offload.si;
                    load = streams[host].load.si;
                }
            }
        }
        if (!computes) continue;
        running -= q * step;
        if (running > 0.0) continue;
        if (++kernel < streams.size()) running = streams[kernel].kernel.si;
    }
    return now;
}

/// A kernel whose requests of `service` seconds are about `gap` seconds of computation apart, and a host with an access
/// every `interval`, for `until` seconds. The bank serves one access at a time; the DPU goes first; whoever finds the
/// row of the other opens its own again.
struct AccessWalk {
    double requests = 0.0, accesses = 0.0, opened = 0.0;

    AccessWalk(double service, double gap, double interval, double until) {
        std::mt19937 random(7);
        std::uniform_real_distribution<double> around(0.5, 1.5);
        double bank = 0.0, dpu = gap, host = 0.0;
        bool dpus_row = false;
        for (;;) {
            double const to_dpu = std::max(dpu, bank), to_host = std::max(host, bank);
            if (std::min(to_dpu, to_host) > until) return;
            bool const serves_dpu = to_dpu <= to_host;
            double const reopens = serves_dpu == dpus_row ? 0.0 : bank_cycles(64);
            opened += reopens > 0.0 ? 1.0 : 0.0;
            dpus_row = serves_dpu;
            if (serves_dpu) {
                bank = to_dpu + reopens + service;
                dpu = bank + around(random) * gap;
                ++requests;
            } else {
                bank = to_host + reopens + bank_cycles(33);
                host = std::max(to_host + interval, bank);
                ++accesses;
            }
        }
    }
};

}  // namespace

TEST(SharedBank, progresses_as_a_walk_over_single_accesses) {
    std::mt19937 random(4);
    auto const between = [&](double min, double max) {
        return std::uniform_real_distribution<double>(min, max)(random);
    };
    constexpr double until = 4e-3, requests = 1000.0;
    int shared = 0;
    double sum = 0.0, opened = 0.0;
    for (int i = 0; i < 200; ++i) {
        bool const dense = i % 2 == 0;
        double const interval = dense ? between(14e-9, 100e-9) : between(100e-9, 300e-9);
        double const share = between(0.0, 0.95), period = between(std::max(0.3e-6, 4.0 * interval), 8e-6);
        AccessWalk const walk(share * period, (1.0 - share) * period, interval, until);
        SharedStream const computes{{},      {}, sim::Time{requests * period}, {}, sim::Time{share * requests * period},
                                    requests};
        SharedStream const sends{sim::Time{1.0}, {}, {}, {}, {}, 0.0};
        auto const bank = share_bank(std::array{computes, sends}, timing_of(interval));
        double const passed = bank.kernels[0].duration().si, input = 1.0 - bank.queued.si / passed;
        if (input == 0.0) continue;  // it waits for the kernel
        ++shared;
        double const counted = walk.accesses * interval / until;
        EXPECT_NEAR(requests * period / passed, walk.requests * period / until, 0.025) << share << " " << period;
        EXPECT_NEAR(input, counted, dense ? 0.025 : 0.09) << share << " " << period << " " << interval;
        EXPECT_NEAR(bank.rows / passed * period, walk.opened / until * period, 0.15) << share << " " << interval;
        sum += input - counted;
        opened += bank.rows / passed * period - walk.opened / until * period;
    }
    EXPECT_GT(shared, 180);
    EXPECT_NEAR(sum / shared, 0.0, 0.003) << "errors in both directions";
    EXPECT_NEAR(opened / shared, 0.0, 0.01);
}

TEST(SharedBank, opens_a_row_for_the_host_as_often_as_for_the_dpu) {
    SharedStream const computes{{}, {}, sim::Time{1e-3}, {}, sim::Time{1e-4}, 100.0};
    SharedStream const sends{sim::Time{1.0}, {}, {}, {}, {}, 0.0};
    auto const streams = std::array{computes, sends};
    EXPECT_NEAR(share_bank(streams, timing_of(20e-9)).rows, 200.0, 1e-9);
    EXPECT_NEAR(share_bank(streams, timing_of(20e-6)).rows, 100.0, 1e-9) << "half of the requests meet the host";
    auto at_once = timing_of(20e-9);
    at_once.reopen = sim::Time{};
    auto const input = [&](HostAccess const& timing) { return shared_rates(computes, timing).input; };
    EXPECT_GT(input(at_once), input(timing_of(20e-9))) << "rows take time";
}

TEST(SharedBank, ends_when_a_walk_in_small_steps_ends) {
    std::mt19937 random(1);
    constexpr double step = 1e-8;
    auto const timing = timing_of(20e-9);
    for (int i = 0; i < 150; ++i) {
        auto const streams = random_streams(random);
        auto const bank = share_bank(streams, timing);
        EXPECT_NEAR(last(bank), slow_end(streams, timing, step), 60 * step) << i;
    }
}

TEST(SharedBank, is_as_fast_as_no_lock_if_the_dpu_leaves_the_bank_alone_and_as_slow_as_turns_if_it_does_not) {
    std::mt19937 random(2);
    for (int i = 0; i < 300; ++i) {
        auto streams = random_streams(random);
        double turns = 0.0, in = 0.0, kernel = 0.0;
        for (auto& s : streams) {
            s.busy = sim::Time{};
            s.requests = 0.0;
            in += (s.input + s.offload).si;
            double const loaded = std::max(in, s.load.si > 0.0 ? kernel : 0.0) + s.load.si;
            in = loaded;
            kernel = std::max(in, kernel) + s.kernel.si;
            turns += (s.input + s.offload + s.load + s.kernel).si;
        }
        auto const free = share_bank(streams, timing_of(3e-8));
        EXPECT_NEAR(last(free), kernel, 1e-12);
        EXPECT_NEAR(free.queued.si, 0.0, 1e-15);
        for (auto& s : streams) s.busy = s.kernel;
        for (auto& s : streams) s.requests = 10.0;
        auto const full = share_bank(streams, timing_of(3e-8));
        EXPECT_GE(last(full), last(free) - 1e-12);
        EXPECT_LE(last(full), turns + 1e-12);
        EXPECT_EQ(full.rows, 0.0) << "the input waits for the kernel";
    }
}

TEST(SharedBank, lies_between_no_lock_and_turns) {
    std::mt19937 random(3);
    for (int i = 0; i < 1000; ++i) {
        auto streams = random_streams(random);
        auto const shared = share_bank(streams, timing_of(3e-8));
        double all = 0.0, requests = 0.0, kernels = 0.0;
        for (auto& s : streams) {
            all += (s.input + s.offload + s.load + s.kernel).si;
            requests += s.requests;
            kernels += s.kernel.si;
            s.busy = sim::Time{};
            s.requests = 0.0;
        }
        EXPECT_GE(last(shared), last(share_bank(streams, timing_of(3e-8))) - 1e-12);
        EXPECT_LE(last(shared), all + 1e-12);
        EXPECT_LE(shared.rows, 2.0 * requests * (1.0 + 1e-9));
        EXPECT_LE(shared.queued.si, kernels + 1e-12);
    }
}

TEST(SharedBank, of_a_kernel_lies_between_exclusive_and_double_bank_at_every_fidelity) {
    tests::Turns turns(4);
    for (std::string const kernel : {"va", "red", "hst-s", "scan-ssa", "sel", "gemv", "bs"}) {
        for (std::string const streams : {"2", "8", "32"}) {
            if (!turns.next()) continue;
            Settings const base{{"kernel", kernel}, {"elements", "65536"}, {"dma_block", "256"}, {"streams", streams}};
            auto const with = [&](char const* lock) {
                auto settings = base;
                settings.emplace_back("lock", lock);
                return settings;
            };
            for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
                auto const fine = upmem().estimate(with("fine"), "latency", fidelity);
                EXPECT_LE(fine.value, upmem().value(with("exclusive"), "latency", fidelity) * (1 + 1e-9)) << kernel;
                EXPECT_GE(fine.value, upmem().value(with("double_bank"), "latency", fidelity) * (1 - 1e-9)) << kernel;
                if (fidelity != Fidelity::cycle) {
                    auto const run = upmem().value(with("fine"), "latency", Fidelity::cycle);
                    EXPECT_LE(fine.lower, run);
                    EXPECT_GE(fine.upper, run);
                }
            }
            EXPECT_GT(upmem().value(with("fine"), "memory_area"), upmem().value(with("exclusive"), "memory_area"));
        }
    }
}

TEST(SharedBank, knows_its_timing) {
    auto const& p = prepared();
    auto const design = read_design(upmem().point({{"streams", "4"}}));
    auto const made = pieces_plan(p, design);
    auto const link = link_times(p, design, made);
    auto const timing = host_access(p, design, made, link);
    EXPECT_NEAR(timing.access.si, 33 / 2.4e9, 1e-15);
    EXPECT_NEAR(timing.reopen.si, 64 / 2.4e9, 1e-15);
    EXPECT_NEAR(timing.interval.si, 8.0 * link.in[1].si / made.launches[1].input, 1e-15) << "a word an access";
    Settings const streams{{"streams", "16"}, {"lock", "fine"}};
    EXPECT_GT(upmem().value(streams, "latency"), upmem().value({{"streams", "16"}, {"lock", "none"}}, "latency"));
    EXPECT_EQ(upmem().refusal({{"kernel", "va-paper"}, {"streams", "2"}, {"lock", "fine"}}).substr(0, 5), "lock:");
}

}  // namespace pimdse::models::upmem::shared_bank_test
