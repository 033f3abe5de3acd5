#include "models/upmem/shared_bank.hpp"
#include "support.hpp"

#include <algorithm>
#include <array>
#include <random>

/// Lock fine: requests of the host queue behind those of the DPU.
namespace pimdse::models::upmem {
namespace {

std::vector<SharedStream> random_streams(std::mt19937& random) {
    auto const drawn = [&] { return static_cast<double>(random() % 1000) * 1e-6; };
    std::vector<SharedStream> streams(1 + random() % 6);
    for (auto& s : streams) {
        s.input = sim::Time{drawn()};
        s.offload = sim::Time{random() % 3 == 0 ? drawn() : 0.0};
        s.load = sim::Time{random() % 4 == 0 ? drawn() : 0.0};
        s.kernel = sim::Time{drawn()};
        s.busy = (static_cast<double>(random() % 11) / 10.0) * s.kernel;
        s.requests = static_cast<double>(random() % 2000);
    }
    return streams;
}

double last(SharedBank const& bank) { return bank.kernels.back().end.si; }

/// The same in steps of `step` seconds, each of which does what may be done.
double slow_end(std::vector<SharedStream> const& streams, double turn, double step) {
    std::size_t host = 0, kernel = 0, ready = 0;
    double input = streams[0].input.si, offload = streams[0].offload.si, load = streams[0].load.si, now = 0.0;
    double running = streams[0].kernel.si;
    while (kernel < streams.size()) {
        bool const computes = kernel < ready;
        auto const& of = streams[kernel];
        double r = 1.0, q = 1.0;
        if (computes && host < streams.size() && input > 0.0 && of.kernel.si > 0.0) {
            double const longer = of.kernel.si + of.requests * turn;
            r = (of.kernel.si - of.busy.si) / longer;
            q = of.kernel.si / longer;
            if (r + q <= 1.0) r = 0.0, q = 1.0;
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

/// A kernel whose requests of `service` seconds are `gap` seconds of computation apart, and a host with an access every
/// `interval`, for `until` seconds. The bank serves one access at a time; the DPU goes first; whoever finds the row of
/// the other opens its own again.
struct AccessWalk {
    double requests = 0.0, accesses = 0.0;

    AccessWalk(double service, double gap, double interval, double until) {
        constexpr double access = 33 / 2.4e9, reopen = 64 / 2.4e9;
        double bank = 0.0, dpu = gap, host = 0.0;
        bool dpus_row = false;
        for (;;) {
            double const to_dpu = std::max(dpu, bank), to_host = std::max(host, bank);
            if (std::min(to_dpu, to_host) > until) return;
            if (to_dpu <= to_host) {
                bank = to_dpu + (dpus_row ? 0.0 : reopen) + service;
                dpu = bank + gap;
                dpus_row = true;
                ++requests;
            } else {
                bank = to_host + (dpus_row ? reopen : 0.0) + access;
                host = std::max(to_host + interval, bank);
                dpus_row = false;
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
    constexpr double until = 1e-3, turn = 97 / 2.4e9;
    int shared = 0;
    for (int i = 0; i < 200; ++i) {
        double const share = between(0.0, 0.95), period = between(0.3e-6, 8e-6), interval = between(14e-9, 40e-9);
        AccessWalk const walk(share * period, (1.0 - share) * period, interval, until);
        double const requests = 1000.0;
        SharedStream const computes{{},      {}, sim::Time{requests * period}, {}, sim::Time{share * requests * period},
                                    requests};
        SharedStream const sends{sim::Time{1.0}, {}, {}, {}, {}, 0.0};
        auto const bank = share_bank(std::array{computes, sends}, sim::Time{turn});
        double const passed = bank.kernels[0].duration().si, input = 1.0 - bank.queued.si / passed;
        if (input == 0.0) continue;  // it waits for the kernel
        ++shared;
        EXPECT_NEAR(requests * period / passed, walk.requests * period / until, 0.04) << share << " " << period;
        EXPECT_NEAR(input, walk.accesses * interval / until, 0.10) << share << " " << period << " " << interval;
    }
    EXPECT_GT(shared, 150);
}

TEST(SharedBank, ends_when_a_walk_in_small_steps_ends) {
    std::mt19937 random(1);
    constexpr double turn = 4e-8, step = 1e-8;
    for (int i = 0; i < 150; ++i) {
        auto const streams = random_streams(random);
        auto const bank = share_bank(streams, sim::Time{turn});
        EXPECT_NEAR(last(bank), slow_end(streams, turn, step), 60 * step) << i;
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
        auto const free = share_bank(streams, sim::Time{1e-6});
        EXPECT_NEAR(last(free), kernel, 1e-12);
        EXPECT_NEAR(free.queued.si, 0.0, 1e-15);
        for (auto& s : streams) s.busy = s.kernel;
        for (auto& s : streams) s.requests = 10.0;
        auto const full = share_bank(streams, sim::Time{1e-6});
        EXPECT_GE(last(full), last(free) - 1e-12);
        EXPECT_LE(last(full), turns + 1e-12);
        EXPECT_EQ(full.turns, 0.0) << "the input waits for the kernel";
    }
}

TEST(SharedBank, lies_between_no_lock_and_turns) {
    std::mt19937 random(3);
    for (int i = 0; i < 1000; ++i) {
        auto streams = random_streams(random);
        auto const shared = share_bank(streams, sim::Time{1e-7});
        double all = 0.0, requests = 0.0, kernels = 0.0;
        for (auto& s : streams) {
            all += (s.input + s.offload + s.load + s.kernel).si;
            requests += s.requests;
            kernels += s.kernel.si;
            s.busy = sim::Time{};
            s.requests = 0.0;
        }
        EXPECT_GE(last(shared), last(share_bank(streams, sim::Time{})) - 1e-12);
        EXPECT_LE(last(shared), all + 1e-12);
        EXPECT_LE(shared.turns, requests * (1.0 + 1e-9));
        EXPECT_LE(shared.queued.si, kernels + 1e-12);
    }
}

TEST(SharedBank, of_a_kernel_lies_between_exclusive_and_double_bank_at_every_fidelity) {
    for (std::string const kernel : {"va", "red", "hst-s", "scan-ssa", "sel", "gemv", "bs"}) {
        for (std::string const streams : {"2", "8", "32"}) {
            Settings const base{{"kernel", kernel}, {"elements", "65536"}, {"dma_block", "256"}, {"streams", streams}};
            auto const with = [&](char const* lock) {
                auto settings = base;
                settings.emplace_back("lock", lock);
                return settings;
            };
            for (auto const fidelity : {Fidelity::analytic, Fidelity::hybrid, Fidelity::cycle}) {
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

TEST(SharedBank, makes_a_dpu_reopen_its_row) {
    auto const& p = upmem().inputs().as<Prepared>();
    auto const design = read_design(upmem().point({}));
    EXPECT_NEAR(row_turn(p, design).si, 97 / 2.4e9, 1e-15);  // 32 + 32 + 33 cycles of the memory
    Settings const streams{{"streams", "16"}, {"lock", "fine"}};
    EXPECT_GT(upmem().value(streams, "latency"), upmem().value({{"streams", "16"}, {"lock", "none"}}, "latency"));
    EXPECT_EQ(upmem().refusal({{"kernel", "va-paper"}, {"streams", "2"}, {"lock", "fine"}}).substr(0, 5), "lock:");
}

}  // namespace pimdse::models::upmem
