#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

/// The controller rules of the HBM model written as plainly as they are stated: every channel, every tick, no skipping,
/// no memory. Slow on purpose; the product is held against it.
namespace lockstep {

struct Rules {
    std::int64_t burst = 4, read_latency = 7, activate_to_read = 7, precharge = 7, activate_to_precharge = 17,
                 row_cycle = 19;
    std::int64_t read_to_precharge = 3, bus = 4, same_group = 2, activate_gap = 2, activate_gap_group = 3, row_bus = 2,
                 four_activates = 15;
    std::int64_t refresh_interval = 0, refresh_duration = 350;  ///< interval 0: never
    std::size_t queue = 33;
};

struct Place {
    int channel = 0, pseudo = 0, group = 0, bank = 0;
    std::int64_t row = 0;
};

inline Place decode(std::uint64_t address, int channels) {
    int bits = 0;
    while ((1 << bits) < channels) ++bits;
    auto rest = address >> 4;
    auto take = [&](int count) {
        auto const field = rest & ((1ULL << count) - 1);
        rest >>= count;
        return static_cast<int>(field);
    };
    int const lower = take(2);
    Place p;
    p.channel = take(bits);
    p.pseudo = take(1);
    p.group = take(2);
    p.bank = take(2);
    int const upper = take(3);
    p.row = static_cast<std::int64_t>(rest);
    unsigned column = static_cast<unsigned>(upper << 2 | lower);
    auto fold = [&](int count) {
        auto const field = column & ((1U << count) - 1);
        column >>= count;
        return static_cast<int>(field);
    };
    p.channel ^= fold(bits);
    p.pseudo ^= fold(1);
    p.group ^= fold(2);
    p.bank ^= fold(2);
    return p;
}

class Controller {
  public:
    Controller(int channels, Rules rules)
        : rules_(rules), channels_(static_cast<std::size_t>(channels)), decode_channels_(channels) {}

    /// Presents the reads at `start`; returns the tick in which the last one retires. Starts never go back.
    std::int64_t run(std::vector<std::uint64_t> const& reads, std::int64_t start) {
        std::deque<Place> waiting;
        for (auto address : reads) waiting.push_back(decode(address, decode_channels_));
        std::size_t left = reads.size();
        offer(waiting);
        for (auto t = start;; ++t) {
            left -= tick(t);
            if (left == 0) return t;
            offer(waiting);
        }
    }

    /// Lets time pass with nothing in flight (matters for refresh only).
    void idle(std::int64_t from, std::int64_t to) {
        for (auto t = from; t < to; ++t) (void)tick(t);
    }

  private:
    static constexpr std::int64_t never = -1'000'000;
    struct Bank {
        bool open = false;
        std::int64_t row = 0, activated = never, precharged = never, read = never;
    };
    struct Request {
        Place place;
        std::int64_t age = 0;
    };
    struct Channel {
        std::vector<Request> queue, active;
        std::deque<std::int64_t> finishing;
        Bank banks[2][4][4];
        std::int64_t last_activate = never, blocked_until = never;
        std::int64_t pseudo_activates[2][4] = {{never, never, never, never}, {never, never, never, never}};
        std::int64_t group_activate[2][4], pseudo_read[2] = {never, never}, group_read[2][4];
        Channel() {
            for (auto& p : group_activate) std::fill(p, p + 4, never);
            for (auto& p : group_read) std::fill(p, p + 4, never);
        }
    };
    enum class Command { read, activate, precharge };

    void offer(std::deque<Place>& waiting) {
        while (!waiting.empty()) {
            auto& queue = channels_[static_cast<std::size_t>(waiting.front().channel)].queue;
            if (queue.size() >= rules_.queue) return;
            queue.push_back({waiting.front(), age_++});
            waiting.pop_front();
        }
    }

    static Bank& bank_of(Channel& c, Place const& p) { return c.banks[p.pseudo][p.group][p.bank]; }

    static Command next(Channel& c, Request const& r) {
        auto const& b = bank_of(c, r.place);
        if (!b.open) return Command::activate;
        return b.row == r.place.row ? Command::read : Command::precharge;
    }

    bool ready(Channel& c, Request const& r, std::int64_t t) const {
        auto const& b = bank_of(c, r.place);
        auto const& p = r.place;
        switch (next(c, r)) {
            case Command::read:
                return t >= b.activated + rules_.activate_to_read && t >= c.pseudo_read[p.pseudo] + rules_.bus &&
                       t >= c.group_read[p.pseudo][p.group] + rules_.same_group;
            case Command::activate:
                return t >= b.precharged + rules_.precharge && t >= b.activated + rules_.row_cycle &&
                       t >= c.last_activate + rules_.row_bus &&
                       t >= c.pseudo_activates[p.pseudo][3] + rules_.activate_gap &&
                       t >= c.group_activate[p.pseudo][p.group] + rules_.activate_gap_group &&
                       t >= c.pseudo_activates[p.pseudo][0] + rules_.four_activates;
            case Command::precharge:
                return t >= b.activated + rules_.activate_to_precharge && t >= b.read + rules_.read_to_precharge &&
                       t >= c.last_activate + rules_.row_bus;
        }
        return false;
    }

    std::vector<Request>::iterator oldest_ready(Channel& c, std::vector<Request>& list, std::int64_t t) const {
        auto best = list.end();
        for (auto i = list.begin(); i != list.end(); ++i) {
            if (ready(c, *i, t) && (best == list.end() || i->age < best->age)) best = i;
        }
        return best;
    }

    void issue(Channel& c, std::vector<Request>& from, std::vector<Request>::iterator which, std::int64_t t) {
        auto const request = *which;
        auto const& p = request.place;
        auto& b = bank_of(c, p);
        switch (next(c, request)) {
            case Command::read:
                from.erase(which);
                b.read = c.pseudo_read[p.pseudo] = c.group_read[p.pseudo][p.group] = t;
                c.finishing.push_back(t + rules_.read_latency + rules_.burst);
                return;
            case Command::activate: {
                b.open = true;
                b.row = p.row;
                b.activated = c.last_activate = c.group_activate[p.pseudo][p.group] = t;
                auto* ring = c.pseudo_activates[p.pseudo];
                std::rotate(ring, ring + 1, ring + 4);
                ring[3] = t;
                if (&from == &c.queue) {
                    from.erase(which);
                    c.active.push_back(request);
                }
                return;
            }
            case Command::precharge:
                b.open = false;
                b.precharged = t;
                return;
        }
    }

    std::size_t tick(std::int64_t t) {
        std::size_t retired = 0;
        for (auto& c : channels_) {
            if (!c.finishing.empty() && c.finishing.front() <= t) {
                c.finishing.pop_front();
                ++retired;
            }
            if (rules_.refresh_interval > 0 && t > 0 && t % rules_.refresh_interval == 0) {
                for (auto& pseudo : c.banks) {
                    for (auto& group : pseudo) {
                        for (auto& b : group) b.open = false;
                    }
                }
                c.blocked_until = t + rules_.refresh_duration;
            }
            if (t < c.blocked_until) continue;
            auto which = oldest_ready(c, c.active, t);
            if (which != c.active.end()) {
                issue(c, c.active, which, t);
                continue;
            }
            which = oldest_ready(c, c.queue, t);
            if (which == c.queue.end()) continue;
            bool const suppressed = next(c, *which) == Command::precharge &&
                                    std::any_of(c.active.begin(), c.active.end(), [&](Request const& a) {
                                        return &bank_of(c, a.place) == &bank_of(c, which->place);
                                    });
            if (!suppressed) issue(c, c.queue, which, t);
        }
        return retired;
    }

    Rules rules_;
    std::vector<Channel> channels_;
    int decode_channels_;
    std::int64_t age_ = 0;
};

}  // namespace lockstep
