#include "models/upmem/timeline.hpp"
#include "models/upmem/work.hpp"
#include "support.hpp"

#include <algorithm>
#include <numeric>
#include <random>

/// Streams held against the recurrences that say who waits for whom.
namespace pimdse::models::upmem::timeline_test {
namespace {

double drawn(std::mt19937& random) { return random() % 4 == 0 ? 0.0 : static_cast<double>(random() % 1000) * 1e-6; }

/// A plan of streams, what its transfers and offloads take, and the cycles of its kernels.
struct Streams {
    Design design;
    Plan plan;
    LinkTimes link;
    std::vector<double> cycles;

    explicit Streams(std::mt19937& random) : design(read_design(upmem().point({}))) {
        design.lock = static_cast<Lock>(random() % 4);
        design.ranks = 1 + static_cast<std::int64_t>(random() % 5);
        design.offload = sim::Time{drawn(random)};
        auto const streams = random() % 9;
        for (std::size_t i = 0; i < streams; ++i) {
            plan.launches.emplace_back();
            link.in.emplace_back(drawn(random));
            link.out.emplace_back(0.0);
            cycles.push_back(static_cast<double>(random() % 400'000));
        }
        link.output = sim::Time{drawn(random)};
    }
    [[nodiscard]] Timeline timeline() const { return make_timeline(prepared(), design, plan, link, cycles); }
    [[nodiscard]] double kernel(std::size_t i) const {
        double const launch = prepared().kernels[design.kernel].launch;
        double const one_dpu = i == 0 ? prepared().machine.small_set.si : 0.0;
        return launch + one_dpu + cycles[i] / design.frequency.si;
    }
};

/// When each stage of each stream ends, one after the other.
struct Ends {
    std::vector<double> in, offload, kernel;

    explicit Ends(Streams const& s) {
        auto const at = [](std::vector<double> const& ends, std::size_t i, std::size_t back) {
            return i < back ? 0.0 : ends[i - back];
        };
        auto const lock = s.design.lock;
        auto const banks = lock == Lock::exclusive     ? std::size_t{1}
                           : lock == Lock::double_bank ? std::size_t{2}
                                                       : static_cast<std::size_t>(s.design.ranks);
        for (std::size_t i = 0; i < s.cycles.size(); ++i) {
            double start = std::max(at(in, i, 1), at(offload, i, 1));
            if (lock != Lock::none) start = std::max(start, at(kernel, i, banks));
            in.push_back(start + s.link.in[i].si);
            offload.push_back(in[i] + s.design.offload.si);
            double const others = lock == Lock::rank_level ? at(kernel, i, banks) : at(kernel, i, 1);
            kernel.push_back(std::max(offload[i], others) + s.kernel(i));
        }
    }
    [[nodiscard]] double last() const {
        double end = 0.0;
        for (auto const* ends : {&in, &offload, &kernel}) {
            for (double const each : *ends) end = std::max(end, each);
        }
        return end;
    }
};

TEST(Timeline, of_streams_ends_when_the_recurrences_end) {
    std::mt19937 random(1);
    for (int i = 0; i < 1000; ++i) {
        Streams const s(random);
        auto const t = s.timeline();
        Ends const ends(s);
        for (std::size_t k = 0; k < s.cycles.size(); ++k) {
            ASSERT_NEAR(t.inputs[k].end.si, ends.in[k], 1e-12) << i;
            ASSERT_NEAR(t.offloads[k].end.si, ends.offload[k], 1e-12) << i;
            ASSERT_NEAR(t.kernels[k].end.si, ends.kernel[k], 1e-12) << i;
        }
        EXPECT_NEAR(t.overlapped.si, ends.last(), 1e-12);
        EXPECT_NEAR(t.total.si, (t.overlapped + t.exchange + t.output).si, 1e-12);
        EXPECT_EQ(t.output, s.link.output);
    }
}

TEST(Timeline, never_gets_shorter_when_something_takes_longer) {
    std::mt19937 random(2);
    for (int i = 0; i < 1000; ++i) {
        Streams s(random);
        if (s.cycles.empty()) continue;
        auto const before = s.timeline();
        auto const which = random() % s.cycles.size();
        if (random() % 2 == 0)
            s.cycles[which] += static_cast<double>(random() % 300'000);
        else
            s.link.in[which] += sim::Time{1e-4};
        auto const after = s.timeline();
        EXPECT_GE(after.total, before.total);
        for (std::size_t k = 0; k < s.cycles.size(); ++k) EXPECT_GE(after.kernels[k].end, before.kernels[k].end);
    }
}

TEST(Timeline, tells_apart_what_streams_hide_instant_by_instant) {
    std::mt19937 random(3);
    for (int i = 0; i < 60; ++i) {
        Streams const s(random);
        auto t = s.timeline();
        set_visible_times(t);
        if (s.cycles.empty()) continue;
        auto const covered = [](std::vector<models::upmem::Interval> const& all, double at) {
            return std::any_of(all.begin(), all.end(),
                               [at](auto const& one) { return one.start.si <= at && at < one.end.si; });
        };
        constexpr int steps = 20'000;
        double const step = t.overlapped.si / steps;
        int computes = 0, offloads = 0;
        for (int k = 0; k < steps; ++k) {
            double const at = (k + 0.5) * step;
            bool const computing = covered(t.kernels, at);
            computes += computing ? 1 : 0;
            offloads += !computing && covered(t.offloads, at) ? 1 : 0;
        }
        double const blur = 60 * step;  // a step for every end of a stage
        EXPECT_NEAR(t.compute_visible.si, computes * step, blur);
        EXPECT_NEAR(t.offload_visible.si, offloads * step, blur);
    }
}

TEST(Timeline, wants_the_cycles_of_every_launch) {
    std::mt19937 random(4);
    Streams s(random);
    s.cycles.push_back(1.0);
    EXPECT_THROW((void)s.timeline(), sim::ContractViolation);
}

TEST(StreamSizes, drop_nothing_and_differ_by_one_piece_and_what_is_loose) {
    std::mt19937_64 random(5);
    for (int i = 0; i < 2000; ++i) {
        auto const streams = static_cast<std::int64_t>(1 + random() % 40),
                   step = static_cast<std::int64_t>(1 + random() % 9);
        auto const elements = static_cast<std::int64_t>(1 + (random() >> (2 + random() % 60)));
        auto const sizes = stream_sizes(elements, streams, step);
        ASSERT_EQ(sizes.size(), static_cast<std::size_t>(streams));
        EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}), elements);
        for (std::size_t k = 0; k + 1 < sizes.size(); ++k) EXPECT_EQ(sizes[k] % step, 0);
        EXPECT_EQ(sizes.back() % step, elements % step);
        auto const [min, max] = std::minmax_element(sizes.begin(), sizes.end());
        EXPECT_LT(*max - *min, 2 * step);
    }
    EXPECT_THROW((void)stream_sizes(0, 1, 1), sim::ContractViolation);
    EXPECT_THROW((void)stream_sizes(1, 0, 1), sim::ContractViolation);
    EXPECT_THROW((void)stream_sizes(1, 1, 0), sim::ContractViolation);
}

}  // namespace
}  // namespace pimdse::models::upmem::timeline_test
