#include "sim/serving/schedule_in_turn.hpp"

#include "sim/base/check.hpp"
#include "sim/serving/engine.hpp"
#include "sim/serving/load.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace pimdse::sim::serving {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// Requests of an engine, and their numbers in the whole load.
struct Part {
    ServiceLoad load;
    std::vector<std::size_t> numbers;
};

/// Sessions go to the engines in turn, and users of a closed loop are divided among them.
std::vector<Part> in_turn(ServiceLoad const& load, std::int64_t engines) {
    expects(engines > 0 && (load.concurrency == 0 || load.concurrency >= engines),
            "every engine of a closed loop has a user");
    std::vector<Part> parts(static_cast<std::size_t>(engines));
    std::vector<std::size_t> engine_of;
    std::size_t sessions = 0;
    for (auto const& request : load.requests) {
        bool const begins = request.parent == ServiceRequest::none;
        auto const engine = begins ? sessions++ % parts.size() : engine_of[request.parent];
        parts[engine].numbers.push_back(engine_of.size());
        engine_of.push_back(engine);
    }
    for (std::int64_t engine = 0; engine < engines; ++engine) {
        auto& part = parts[static_cast<std::size_t>(engine)];
        auto const users = load.concurrency > 0 ? (load.concurrency + engines - 1 - engine) / engines : 0;
        part.load = part_of(load, part.numbers, users);
    }
    return parts;
}

Observer numbered(Observer const& observe, std::int64_t engine) {
    if (!observe) return {};
    return [&observe, engine](EngineActivity did) {
        did.engine = engine;
        observe(did);
    };
}

void add(Schedule& all, Schedule const& part) {
    for (auto const sum :
         {&Schedule::steps, &Schedule::preemptions, &Schedule::rejected, &Schedule::never_sent, &Schedule::computed,
          &Schedule::reused, &Schedule::fetched, &Schedule::received, &Schedule::evictions, &Schedule::moved_units})
        all.*sum += part.*sum;
    for (auto const peak : {&Schedule::peak_blocks, &Schedule::peak_sequences, &Schedule::peak_tokens})
        all.*peak = std::max(all.*peak, part.*peak);
    all.end = std::max(all.end, part.end);
    all.busy += part.busy;
    all.joules += part.joules;
    all.given_up = all.given_up || part.given_up;
}

/// Two pools in one order of time: what is earliest happens next, so that no engine is told of anything in its past.
/// Where no request waits for another one, the first pool knows nothing of the second, and each engine is served at
/// once.
class TwoPools {
  public:
    TwoPools(ServiceLoad const& load, EnginePool const& prompts, EnginePool const& decode, PromptLink const& link,
             GiveUp const* give_up, Observer const& observe)
        : load_(load),
          decode_(decode.settings),
          link_(link),
          requests_wait_(load.concurrency > 0 || has_sessions(load)),
          first_pool_(static_cast<std::size_t>(prompts.engines)),
          second_pool_(static_cast<std::size_t>(decode.engines)),
          roots_(roots_of(load)),
          places_(load.requests.size()),
          decoded_by_(load.requests.size(), no_engine),
          links_(first_pool_, 0.0) {
        for (auto& part : in_turn(load, prompts.engines)) {
            for (auto& request : part.load.requests) request.output = 1;
            for (std::size_t i = 0; i < part.numbers.size(); ++i) places_[part.numbers[i]] = {members_.size(), i};
            join(std::move(part), prompts, give_up, observe, [this](std::size_t request, RequestTimes const& times) {
                if (load_.requests[request].output == 1) return false;
                events_.push({times.first_token, What::leaves, request});
                return true;
            });
        }
        for (std::size_t i = 0; i < second_pool_; ++i)
            join({{{}, 0, load.prefixes}, {}}, decode, give_up, observe,
                 [this](std::size_t request, RequestTimes const& times) {
                     events_.push({times.last_token, What::is_complete, request});
                     return false;
                 });
    }

    HandedOver run() {
        for (;;) {
            auto const next = earliest();
            if (!events_.empty() && is_due(next)) {
                auto const event = events_.top();
                events_.pop();
                happens(event);
                continue;
            }
            if (next.time == never) return finished();
            auto& engine = *members_[next.member].engine;
            do engine.step(requests_wait_ ? next.then : never);
            while (!requests_wait_ && !engine.gave_up() && engine.next_time() < never);
            if (engine.gave_up()) return finished();
        }
    }

  private:
    static constexpr auto no_engine = std::numeric_limits<std::size_t>::max();
    struct Member {
        Part part;
        std::optional<Engine> engine{};
    };
    struct Place {
        std::size_t member = 0, request = 0;
    };
    enum class What : std::uint8_t { is_complete, leaves, arrives };
    struct Event {
        double time = 0.0;  ///< s
        What what{};
        std::size_t request = 0;
        auto operator<=>(Event const&) const = default;
    };
    /// The member to be served next, and when another one is, or something else happens.
    struct Next {
        std::size_t member = no_engine;
        double time = never, then = never;
    };

    template <class Ended>
    void join(Part part, EnginePool const& pool, GiveUp const* give_up, Observer const& observe, Ended const& ended) {
        auto const number = static_cast<std::int64_t>(members_.size());
        auto& member = members_.emplace_back(Member{std::move(part)});
        member.engine.emplace(member.part.load, pool.settings, pool.law, give_up, numbered(observe, number),
                              [&member, ended](std::size_t request, RequestTimes const& times) {
                                  return ended(member.part.numbers[request], times);
                              });
    }

    [[nodiscard]] Next earliest() const {
        Next next;
        if (requests_wait_ && !events_.empty()) next.then = events_.top().time;
        for (std::size_t i = 0; i < members_.size(); ++i) {
            double const time = members_[i].engine->next_time();
            if (time < next.time) {
                next = {i, time, std::min(next.then, next.time)};
                if (!requests_wait_) break;
            } else {
                next.then = std::min(next.then, time);
            }
        }
        return next;
    }
    [[nodiscard]] bool is_due(Next const& next) const {
        return requests_wait_ ? events_.top().time <= next.time : next.member >= first_pool_;
    }

    void happens(Event const& event) {
        switch (event.what) {
            case What::is_complete:
                return end(event, false);
            case What::leaves:
                return events_.push({moved(event), What::arrives, event.request});
            case What::arrives:
                return arrive(event);
        }
    }
    void end(Event const& event, bool rejected) {
        auto const& [member, place] = places_[event.request];
        members_[member].engine->end(place, event.time, rejected);
    }
    /// s: when a sequence that leaves has arrived.
    double moved(Event const& event) {
        if (decode_.prompt_link.seconds) return event.time;
        auto const positions = load_.requests[event.request].input;
        auto& free = links_[places_[event.request].member];
        joules_ += link_.joules(positions);
        return free = std::max(free, event.time) + link_.seconds(positions);
    }
    void arrive(Event const& event) {
        auto const& request = load_.requests[event.request];
        auto& second = decoded_by_[roots_[event.request]];
        if (second == no_engine) second = first_pool_ + next_++ % second_pool_;
        if (is_too_long(decode_, request)) return end(event, true);
        auto& part = members_[second].part;
        part.load.requests.push_back({event.time, request.input, request.output, true});
        part.load.requests.back().path = request.path;
        part.numbers.push_back(event.request);
    }

    [[nodiscard]] HandedOver finished() {
        HandedOver all;
        all.joules = joules_;
        all.prompts.engines = static_cast<std::int64_t>(first_pool_);
        all.decoded.engines = static_cast<std::int64_t>(second_pool_);
        all.prompts.requests.resize(load_.requests.size());
        for (std::size_t m = 0; m < members_.size(); ++m) {
            auto const schedule = members_[m].engine->finished();
            bool const decoded = m >= first_pool_;
            add(decoded ? all.decoded : all.prompts, schedule);
            for (std::size_t i = 0; i < schedule.requests.size(); ++i) {
                auto& times = all.prompts.requests[members_[m].part.numbers[i]];
                auto const before = times.preemptions;
                if (!decoded) times = schedule.requests[i];
                times.last_token = schedule.requests[i].last_token;
                times.preemptions = before + schedule.requests[i].preemptions;
            }
        }
        all.prompts.given_up = all.prompts.given_up || all.decoded.given_up;
        return all;
    }

    ServiceLoad const& load_;
    SchedulerSettings const& decode_;
    PromptLink const& link_;
    bool requests_wait_;                    ///< for the end of other ones
    std::size_t first_pool_, second_pool_;  ///< engines
    std::vector<std::uint32_t> roots_;
    std::vector<Place> places_;            ///< of each request in the first pool
    std::vector<std::size_t> decoded_by_;  ///< member of the second pool, by root
    std::vector<double> links_;            ///< s: when they are free, by member of the first pool
    std::deque<Member> members_;           ///< the first pool, then the second
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::size_t next_ = 0;  ///< sessions that have arrived at the second pool
    double joules_ = 0.0;
};

}  // namespace

Schedule schedule_in_turn(ServiceLoad const& load, SchedulerSettings const& settings, StepLaw const& law,
                          std::int64_t engines, GiveUp const* give_up, Observer const& observe) {
    if (engines == 1) return schedule(load, settings, law, give_up, observe);
    Schedule all;
    all.requests.resize(load.requests.size());
    all.engines = engines;
    std::int64_t engine = 0;
    for (auto const& own : in_turn(load, engines)) {
        auto const part = schedule(own.load, settings, law, give_up, numbered(observe, engine++));
        for (std::size_t i = 0; i < part.requests.size(); ++i) all.requests[own.numbers[i]] = part.requests[i];
        add(all, part);
        if (part.given_up) break;
    }
    return all;
}

HandedOver schedule_handed_over(ServiceLoad const& load, EnginePool const& prompts, EnginePool const& decode,
                                PromptLink const& link, GiveUp const* give_up, Observer const& observe) {
    return TwoPools(load, prompts, decode, link, give_up, observe).run();
}

}  // namespace pimdse::sim::serving
