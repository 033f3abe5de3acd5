#include "sim/dram/timers.hpp"
#include "models/dram/dram_standard.hpp"
#include "sim/base/check.hpp"
#include "sim/dram/family.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <random>

/// Compared with a list of all issued commands that is searched for every query.
namespace pimdse::sim::dram::timers_test {
namespace {

struct Issued {
    Command command;
    std::size_t rank, bank;
    Tick t;
};

bool of_rank(Command command) { return command == Command::precharge_all || command == Command::refresh_all; }

class SlowTimers {
  public:
    explicit SlowTimers(Standard const& standard)
        : banks_to_a_rank_(static_cast<std::size_t>(standard.organisation.banks_per_rank())),
          banks_to_a_group_(static_cast<std::size_t>(standard.organisation.banks)),
          four_activates_(standard.timing.nFAW),
          constraints_(constraints_of(standard)) {}

    [[nodiscard]] std::size_t rank_of(std::size_t bank) const { return bank / banks_to_a_rank_; }

    void issue(Command command, std::size_t rank, std::size_t bank, Tick t) {
        history_.push_back({command, rank, bank, t});
    }

    [[nodiscard]] Tick at_bank(Command command, std::size_t bank) const {
        Tick earliest = at_rank(command, rank_of(bank));
        for (auto const& before : history_) {
            if (of_rank(before.command)) continue;
            bool const same_group = before.bank / banks_to_a_group_ == bank / banks_to_a_group_;
            if (same_group) raise(earliest, before, command, Level::group);
            if (before.bank == bank) raise(earliest, before, command, Level::bank);
        }
        return earliest;
    }

    [[nodiscard]] Tick at_rank(Command command, std::size_t rank) const {
        Tick earliest = 0;
        std::vector<Tick> activates;
        for (auto const& before : history_) {
            raise(earliest, before, command, Level::channel);
            raise(earliest, before, command, before.rank == rank ? Level::rank : Level::other_rank);
            if (before.command == Command::activate && before.rank == rank) activates.push_back(before.t);
        }
        if (command == Command::activate && activates.size() >= 4)
            earliest = std::max(earliest, activates[activates.size() - 4] + four_activates_);
        return earliest;
    }

  private:
    void raise(Tick& earliest, Issued const& before, Command command, Level level) const {
        for (auto const& c : constraints_) {
            if (c.level == level && c.from == before.command && c.to == command)
                earliest = std::max(earliest, before.t + c.delay);
        }
    }

    std::size_t banks_to_a_rank_, banks_to_a_group_;
    Tick four_activates_;
    std::vector<Constraint> constraints_;
    std::vector<Issued> history_;
};

/// Runs both implementations with the same random commands, each as early as possible or a little later.
class Walk {
  public:
    Walk(Standard const& standard, unsigned seed) : random_(seed), timers(standard), slow(standard) {}

    void go_on() {
        auto const command = static_cast<Command>(random_() % command_count);
        std::size_t const bank = random_() % timers.banks();
        std::size_t const rank = timers.rank_of(bank);
        Tick const ready = of_rank(command) ? timers.at_rank(command, rank) : timers.at_bank(command, bank);
        now = std::max(now, ready) + static_cast<Tick>(random_() % 3);
        if (of_rank(command))
            timers.issue_at_rank(command, rank, now);
        else
            timers.issue_at_bank(command, bank, now);
        slow.issue(command, rank, bank, now);
    }

  private:
    std::mt19937 random_;

  public:
    Timers timers;
    SlowTimers slow;
    Tick now = 1;
};

Standard machine(unsigned i) {
    auto standard = models::load_dram_standard(std::array{"L5J", "D4_2400", "HBM2_2000"}[i % 3]);
    if (standard.family != Family::hbm2 && i % 2 == 0) standard.organisation.ranks = 2;
    return standard;
}

TEST(Timers, remember_what_the_whole_history_demands) {
    for (unsigned i = 0; i < 6; ++i) {
        Walk walk(machine(i), i);
        for (int step = 0; step < 120; ++step) {
            walk.go_on();
            for (std::size_t c = 0; c < command_count; ++c) {
                auto const command = static_cast<Command>(c);
                auto const bank = static_cast<std::size_t>(step) % walk.timers.banks();
                if (!of_rank(command)) {
                    ASSERT_EQ(walk.timers.at_bank(command, bank), walk.slow.at_bank(command, bank)) << c;
                }
                ASSERT_EQ(walk.timers.at_rank(command, walk.timers.rank_of(bank)),
                          walk.slow.at_rank(command, walk.timers.rank_of(bank)))
                    << c;
            }
        }
    }
}

TEST(Timers, constrain_nothing_before_the_first_command) {
    for (unsigned i = 0; i < 3; ++i) {
        Timers const fresh(machine(i));
        for (std::size_t bank = 0; bank < fresh.banks(); ++bank) EXPECT_EQ(fresh.at_bank(Command::activate, bank), 0);
        EXPECT_EQ(fresh.floor(Command::read), 0);
    }
}

TEST(Timers, have_a_floor_that_no_bank_is_below) {
    for (unsigned i = 0; i < 6; ++i) {
        Walk walk(machine(i), 100 + i);
        for (int step = 0; step < 300; ++step) {
            walk.go_on();
            for (auto const command : {Command::activate, Command::read, Command::write, Command::precharge}) {
                Tick lowest = never, lowest_rank = never;
                for (std::size_t bank = 0; bank < walk.timers.banks(); ++bank) {
                    lowest = std::min(lowest, walk.timers.at_bank(command, bank));
                    lowest_rank = std::min(lowest_rank, walk.timers.at_rank(command, walk.timers.rank_of(bank)));
                }
                ASSERT_LE(walk.timers.floor(command), lowest);
                ASSERT_EQ(walk.timers.floor(command), lowest_rank);
            }
        }
    }
}

TEST(Timers, visit_the_banks_that_ranks_allow_and_bound_those_left_out) {
    std::mt19937_64 random(3);
    for (unsigned i = 0; i < 6; ++i) {
        Walk walk(machine(i), 200 + i);
        for (int step = 0; step < 300; ++step) {
            walk.go_on();
            auto const command = step % 2 == 0 ? Command::activate : Command::read;
            auto const all = walk.timers.banks() == 64 ? ~0ULL : (1ULL << walk.timers.banks()) - 1;
            std::uint64_t const asked = random() & random() & all;
            Tick const t = walk.now + static_cast<Tick>(random() % 20);
            std::uint64_t visited = 0;
            Tick const left_out = walk.timers.each_allowed(command, asked, t, [&](std::size_t bank, Tick ready) {
                visited |= 1ULL << bank;
                EXPECT_EQ(std::max(t, ready), std::max(t, walk.timers.at_bank(command, bank)));
            });
            Tick earliest = never;
            for (std::size_t bank = 0; bank < walk.timers.banks(); ++bank) {
                bool const wanted = ((asked >> bank) & 1) != 0;
                Tick const above = walk.timers.at_rank(command, walk.timers.rank_of(bank));
                ASSERT_EQ(((visited >> bank) & 1) != 0, wanted && above <= t);
                if (wanted && above > t) earliest = std::min(earliest, above);
            }
            ASSERT_EQ(left_out, earliest);
        }
    }
}

/// Issues the same commands to both at the same distance from their own current cycle: they stay equally early.
void expect_alike(Timers one, Tick one_now, Timers other, Tick other_now, unsigned seed) {
    std::mt19937 random(seed);
    for (int step = 0; step < 60; ++step) {
        auto const command = static_cast<Command>(random() % command_count);
        std::size_t const bank = random() % one.banks(), rank = one.rank_of(bank);
        bool const whole = of_rank(command);
        Tick const t = std::max(one_now + 1, whole ? one.at_rank(command, rank) : one.at_bank(command, bank));
        Tick const u = std::max(other_now + 1, whole ? other.at_rank(command, rank) : other.at_bank(command, bank));
        ASSERT_EQ(t - one_now, u - other_now);
        if (whole)
            one.issue_at_rank(command, rank, t), other.issue_at_rank(command, rank, u);
        else
            one.issue_at_bank(command, bank, t), other.issue_at_bank(command, bank, u);
        one_now = t, other_now = u;
    }
}

TEST(Timers, of_one_signature_behave_alike_wherever_they_come_from) {
    int same = 0;
    for (unsigned i = 0; i < 60; ++i) {
        // One has a long history that the other does not have; the last commands are the same.
        auto const standard = machine(i);
        Walk past(standard, i);
        for (int step = 0; step < 30; ++step) past.go_on();
        Tick const apart = past.now + 5000;
        Walk recent(standard, 1000 + i);
        for (unsigned step = 0; step < i % 20; ++step) recent.go_on();
        Walk again(standard, 1000 + i);
        again.timers = past.timers;
        again.now = apart;
        for (unsigned step = 0; step < i % 20; ++step) again.go_on();
        std::vector<std::uint64_t> one, other;
        recent.timers.append_signature(recent.now, one);
        again.timers.append_signature(again.now, other);
        if (one != other) continue;
        ++same;
        expect_alike(recent.timers, recent.now, again.timers, again.now, i);
    }
    EXPECT_GT(same, 20);
}

TEST(Timers, tell_activates_apart_as_long_as_the_fifth_may_have_to_wait_for_them) {
    auto standard = machine(1);
    standard.timing.nFAW = 500;
    auto const signature = [&](Tick first, Tick now) {
        Timers timers(standard);
        timers.issue_at_bank(Command::activate, 0, first);
        for (std::size_t bank = 4; bank < 12; bank += 4)
            timers.issue_at_bank(Command::activate, bank, 100 + static_cast<Tick>(bank));
        std::vector<std::uint64_t> out;
        timers.append_signature(now, out);
        return out;
    };
    // At this cycle all other constraints of the three commands have expired.
    EXPECT_NE(signature(50, 300), signature(51, 300));
    EXPECT_NE(signature(50, 548), signature(51, 548));
    EXPECT_EQ(signature(50, 549), signature(49, 549));
    EXPECT_EQ(signature(50, 550), signature(51, 550));
}

TEST(Timers, shifted_are_the_same_later) {
    for (unsigned i = 0; i < 12; ++i) {
        Walk walk(machine(i), 300 + i);
        for (int step = 0; step < 40; ++step) walk.go_on();
        auto later = walk.timers;
        later.shift(1'000'000'007);
        std::vector<std::uint64_t> one, other;
        walk.timers.append_signature(walk.now, one);
        later.append_signature(walk.now + 1'000'000'007, other);
        EXPECT_EQ(one, other);
        expect_alike(walk.timers, walk.now, later, walk.now + 1'000'000'007, i);
    }
}

TEST(Timers, are_of_64_banks_in_8_ranks_at_most) {
    auto standard = machine(1);
    standard.organisation.bank_groups = 2, standard.organisation.banks = 4;
    standard.organisation.ranks = 8;
    EXPECT_EQ(Timers(standard).banks(), 64U);
    standard.organisation.ranks = 16, standard.organisation.banks = 1;
    EXPECT_THROW((void)Timers(standard), ContractViolation);
}

}  // namespace
}  // namespace pimdse::sim::dram::timers_test
