#pragma once

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/serving/incoming.hpp"
#include "sim/serving/prefix_cache.hpp"
#include "sim/serving/running_sequence.hpp"
#include "sim/serving/waiting_queue.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace pimdse::sim::serving {

/// Positions of a complete request that were in the cache: a single token is never cached if it is the last.
inline std::int64_t positions_of(SchedulerSettings const& settings, ServiceRequest const& request) {
    auto const tokens = settings.tokens_per_step;
    return request.input + (tokens > 1 ? round_up(request.output, tokens) : request.output - 1);
}

/// Checks preconditions of schedule().
void expect_to_serve(ServiceLoad const& load, SchedulerSettings const& settings, StepLaw const& law);

/// Is told of a request that is complete; returns whether it goes on elsewhere (Engine::end).
using EndOfRequest = std::function<bool(std::size_t request, RequestTimes const&)>;

/// An engine that serves a load as schedule() says, step by step. `load` may grow at its end, and what it knows of
/// other engines may send or end requests, as long as all of that happens no later than next_time()
/// (schedule_in_turn.cpp).
class Engine {
  public:
    /// All that it is given outlives it; `ended` may be empty.
    Engine(ServiceLoad const& load, SchedulerSettings const& settings, StepLaw const& law, GiveUp const* give_up,
           Observer observe, EndOfRequest ended = {})
        : load_(load),
          settings_(settings),
          law_(law),
          give_up_(give_up),
          observe_(std::move(observe)),
          ended_(std::move(ended)),
          incoming_(load),
          waiting_(settings.policy),
          free_(settings.blocks) {
        expect_to_serve(load, settings, law);
        if (settings.prefix_units.tokens > 0 && load.prefixes != nullptr)
            prefixes_.emplace(*load.prefixes, settings.prefix_units.tokens, settings.tier);
    }

    /// s: the time of its next step, or at which a request may arrive before one; infinite if nothing is left to do.
    [[nodiscard]] double next_time() const {
        if (!sleeps_ && !(running_.empty() && waiting_.empty())) return now_;
        auto const next = incoming_.next_time();
        return std::max(now_, sleeps_ ? std::min(next, next_ready()) : next);
    }
    /// Does what is to do at next_time(): a step, or several up to the one during which `until` [s] comes, before which
    /// nothing happens but what the load says.
    void step(double until) {
        now_ = next_time();
        sleeps_ = false;
        result_.requests.resize(load_.requests.size());
        generated_.resize(load_.requests.size());
        receive();
        if (running_.empty() && waiting_.empty()) return;
        plan();
        sleeps_ = fetching_ > 0 && work_.chunks.empty() && work_.contexts.empty();
        if (!sleeps_) advance(until);
        result_.given_up = give_up_ != nullptr && misses_too_much();
    }
    /// A request that went on elsewhere is complete or rejected there at `time` [s], which is at most
    /// next_time().
    void end(std::size_t request, double time, bool rejected) {
        if (rejected)
            reject(request, time);
        else
            incoming_.complete(request, time);
    }
    [[nodiscard]] bool gave_up() const { return result_.given_up; }
    [[nodiscard]] bool over() const { return incoming_.over() || gave_up(); }
    /// What happened, when it is over.
    [[nodiscard]] Schedule finished() {
        result_.requests.resize(load_.requests.size());
        if (prefixes_) add_transfers();
        return std::move(result_);
    }

  private:
    /// Counts requests whose first token is late, in the order of their arrival, when that is sure. Those whose other
    /// tokens are late, or that are rejected, are counted elsewhere.
    [[nodiscard]] bool misses_too_much() {
        for (; late_ < incoming_.arrived(); ++late_) {
            auto const request = incoming_.at(late_);
            auto const& times = result_.requests[request];
            bool const complete = generated_[request] > 0 || times.rejected;
            if (!complete && now_ - times.arrival <= give_up_->objectives.ttft) break;
            bool const late = generated_[request] == 0 || times.first_token - times.arrival > give_up_->objectives.ttft;
            if (times.rejected || late) ++bad_;
        }
        return bad_ + result_.never_sent + slow_ + surely_slow() > give_up_->max_bad;
    }
    /// Whether the first token of a request came in time and its others are late even if the last of them comes at
    /// `end` [s].
    [[nodiscard]] bool is_slow(std::size_t request, double end) const {
        auto const& times = result_.requests[request];
        auto const others = as_double(load_.requests[request].output - 1);
        bool const in_time = times.first_token - times.arrival <= give_up_->objectives.ttft;
        return in_time && others > 0.0 && (end - times.first_token) / others > give_up_->objectives.tpot;
    }
    /// Incomplete requests that are slow even if all of their tokens come now.
    [[nodiscard]] std::int64_t surely_slow() const {
        return std::ranges::count_if(running_, [this](RunningSequence const& sequence) {
            return generated_[sequence.request] > 0 && is_slow(sequence.request, now_);
        });
    }

    void receive() {
        while (auto const next = incoming_.next(now_)) {
            auto const& request = load_.requests[next->request];
            auto& times = result_.requests[next->request];
            times.arrival = next->time;
            if (is_too_long(settings_, request)) {
                reject(next->request, now_);
                continue;
            }
            waiting_.arrive(next->request, request.input);
            if (!request.has_prompt) continue;
            generated_[next->request] = 1;
            times.first_token = times.arrival;
        }
    }
    /// Those that continue it are not sent.
    void reject(std::size_t request, double time) {
        double const arrival = result_.requests[request].arrival;
        auto const note = [&](std::size_t one) {
            result_.requests[one] = {.arrival = arrival, .rejected = true};
            ++result_.rejected;
        };
        note(request);
        incoming_.reject(request, time, [&](std::size_t never) {
            note(never);
            ++result_.never_sent;
        });
    }

    [[nodiscard]] bool by_blocks() const { return settings_.tokens_per_step > 1; }
    [[nodiscard]] std::int64_t whole_blocks(std::int64_t tokens) const {
        return round_up(tokens, settings_.tokens_per_step);
    }

    void preempt_last() {
        auto& last = running_.back();
        release(last);
        ++result_.requests[last.request].preemptions;
        ++result_.preemptions;
        waiting_.return_to_front(last.request);
        running_.pop_back();
    }

    /// Blocks of the cache that so many units of a path hold of a sequence's own ones.
    [[nodiscard]] std::int64_t blocks_of_units(std::int64_t units) const {
        return settings_.position_blocks * (units * settings_.prefix_units.tokens / settings_.block_tokens);
    }
    /// Whether a unit takes the blocks of its positions only, so that others find it as soon as it is computed.
    [[nodiscard]] bool units_are_blocks() const { return settings_.prefix_units.blocks == blocks_of_units(1); }

    /// Frees the blocks of a sequence that ends; what it computed of its path stays in the cache.
    void release(RunningSequence& sequence) {
        if (sequence.path == ServiceRequest::none) {
            shrink_prefixes();
            free_ += sequence.blocks;
            return;
        }
        auto const unit = settings_.prefix_units.blocks;
        if (units_are_blocks()) keep_units(sequence, sequence.computed);
        shrink_prefixes();
        free_ += sequence.blocks - sequence.shared;
        if (!units_are_blocks()) {
            free_ -= unit * prefixes_->keep(sequence.path, sequence.step, sequence.computed, free_ / unit);
            shrink_prefixes();
        }
        free_ += unit * prefixes_->unpin(sequence.path);
    }
    /// Gives blocks of a sequence up to a position to the cache of prefixes.
    void keep_units(RunningSequence& sequence, std::int64_t positions) {
        constexpr auto all = std::numeric_limits<std::int64_t>::max();
        sequence.shared += blocks_of_units(prefixes_->keep(sequence.path, sequence.step, positions, all));
    }
    /// Evicts what has no room any more.
    void shrink_prefixes() {
        if (prefixes_) prefixes_->shrink(free_ / settings_.prefix_units.blocks, now_);
    }
    void add_transfers() {
        auto const& tier = settings_.tier;
        result_.evictions = prefixes_->evictions();
        result_.moved_units = prefixes_->fetched() + prefixes_->stored();
        result_.joules +=
            as_double(prefixes_->fetched()) * tier.fetch_joules + as_double(prefixes_->stored()) * tier.store_joules;
    }

    /// s: when the next sequence is ready of those that wait for what they did not compute; infinite without any.
    [[nodiscard]] double next_ready() const {
        double next = std::numeric_limits<double>::infinity();
        for (auto const& sequence : running_)
            if (sequence.ready > now_) next = std::min(next, sequence.ready);
        return next;
    }
    /// Whether a sequence still waits for what it did not compute. When that has come, others find it, too.
    bool waits(RunningSequence& sequence) {
        if (sequence.ready > now_) {
            ++fetching_;
            return true;
        }
        if (sequence.ready == 0.0) return false;
        sequence.ready = 0.0;
        if (sequence.path != ServiceRequest::none && units_are_blocks()) keep_units(sequence, sequence.computed);
        return false;
    }

    /// Takes the blocks for `tokens` more positions of running sequence `at`, preempting others and, if it is the last,
    /// itself. Returns whether it still runs.
    bool reserve(std::size_t at, std::int64_t tokens) {
        auto const needed =
            std::max<std::int64_t>(blocks_for(settings_, running_[at].computed + tokens) - running_[at].blocks, 0);
        while (needed > free_) {
            bool const itself = at + 1 == running_.size();
            preempt_last();
            if (itself) return false;
        }
        take(running_[at], needed);
        return true;
    }

    void take(RunningSequence& sequence, std::int64_t blocks) {
        sequence.blocks += blocks;
        free_ -= blocks;
    }

    void include(RunningSequence& sequence, std::int64_t tokens) {
        sequence.tokens = tokens;
        budget_ -= tokens;
        auto const after = sequence.computed + tokens - sequence.prompt;  // positions beyond the prompt
        sequence.yields = by_blocks() ? after > 0 : after >= 0;
        auto const ahead = by_blocks() && sequence.yields ? whole_blocks(sequence.remaining) : 0;
        if (sequence.decodes()) {
            work_.contexts.push_back(sequence.computed + 1);
            if (by_blocks()) work_.ahead.push_back(ahead);
        } else {
            work_.chunks.push_back({tokens - std::max<std::int64_t>(after, 0), sequence.computed, ahead});
            result_.computed += work_.chunks.back().tokens;
            if (sequence.path != ServiceRequest::none && units_are_blocks())
                keep_units(sequence, sequence.computed + tokens);
        }
        if (sequence.yields) ++work_.heads;
    }

    /// Positions that a sequence computes in this step: of what is left of its prompt, if anything, and a token; or,
    /// where tokens come in blocks, a block as well, if the budget has room for all of it. 0: it waits.
    [[nodiscard]] std::int64_t next_positions(std::int64_t left_of_prompt) const {
        if (!by_blocks()) return left_of_prompt > 0 ? std::min(left_of_prompt, budget_) : 1;
        auto const with_block = left_of_prompt + settings_.tokens_per_step;
        return with_block <= budget_ ? with_block : std::min(left_of_prompt, budget_);
    }

    /// Chooses the work of the next step and takes its blocks.
    void plan() {
        work_.chunks.clear();
        work_.contexts.clear();
        work_.ahead.clear();
        work_.heads = 0;
        auto const budget =
            settings_.max_batched_tokens > 0 ? settings_.max_batched_tokens : std::numeric_limits<std::int64_t>::max();
        budget_ = budget;
        auto const before = result_.preemptions;
        fetching_ = 0;
        for (std::size_t i = 0; i < running_.size(); ++i) {
            auto& next = running_[i];
            next.tokens = 0;
            next.yields = false;
            if (budget_ <= 0 || waits(next)) continue;
            auto const tokens = next_positions(std::max<std::int64_t>(next.prompt - next.computed, 0));
            if (tokens == 0) continue;
            if (!reserve(i, tokens)) break;
            include(running_[i], tokens);
        }
        preempted_ = result_.preemptions > before;
        if (!preempted_) admit();
        note_peak();
        result_.peak_sequences = std::max(result_.peak_sequences, static_cast<std::int64_t>(running_.size()));
        result_.peak_tokens = std::max(result_.peak_tokens, budget - budget_);
        if (settings_.tier.units > 0) shrink_prefixes();
    }

    /// What a request finds when it is admitted.
    struct Found {
        std::uint32_t path = ServiceRequest::none;  ///< that it uses; none: it reuses nothing, and nothing of it stays
        std::int64_t positions = 0;                 ///< that need not be computed
        std::int64_t fetched = 0;                   ///< units of these in the tier
        std::int64_t blocks = 0;                    ///< that its own positions need not take
        std::int64_t idle_blocks = 0;               ///< that are free no more when it uses its path
        double ready = 0.0;                         ///< s: when the last of what is in the cache is there
        bool depends_on_evictions = false;          ///< whether it may fit when others evict what it finds
    };
    /// `prompt`: positions that must be in the cache before it yields a token; `most`: those that may be found.
    [[nodiscard]] Found find(ServiceRequest const& wanted, std::int64_t prompt, std::int64_t most) {
        if (!prefixes_ || wanted.path == ServiceRequest::none) return {};
        shrink_prefixes();
        auto const match = prefixes_->match(wanted.path);
        auto const& unit = settings_.prefix_units;
        auto const all = blocks_for(settings_, positions_of(settings_, wanted));
        auto const limit = most / unit.tokens;
        auto const in_tier = std::min(match.units + match.in_tier, limit) - match.units;
        for (auto fetched = worth_fetching(wanted, prompt, match, in_tier);; fetched = 0) {
            auto const units = match.units + fetched;
            auto const shared = blocks_of_units(std::min(units, prompt / unit.tokens));
            if (units * unit.blocks + all - shared <= settings_.blocks)
                return {wanted.path,
                        std::min(units, limit) * unit.tokens,
                        fetched,
                        shared,
                        match.idle * unit.blocks,
                        match.there,
                        match.units + match.in_tier > 0 && unit.blocks > 1};
            if (fetched == 0) return {.depends_on_evictions = true};
        }
    }
    /// How many of so many units in the tier a request fetches: all or none.
    [[nodiscard]] std::int64_t worth_fetching(ServiceRequest const& wanted, std::int64_t prompt,
                                              PrefixCache::Match const& match, std::int64_t units) const {
        auto const reuse = settings_.tier.reuse;
        if (units <= 0 || wanted.has_prompt || reuse == TierReuse::compute) return 0;
        if (reuse == TierReuse::fetch) return units;
        auto const first_token = [&](double from, std::int64_t found) {
            auto const cached = found * settings_.prefix_units.tokens;
            return std::max({now_, match.there, from}) + law_.one({{{prompt - cached, cached}}, {}, 1}).seconds;
        };
        double const fetched = first_token(prefixes_->fetched_at(wanted.path, units, now_), match.units + units);
        return fetched <= first_token(now_, match.units) ? units : 0;
    }

    void admit() {
        fits_after_evictions_ = false;
        while (!waiting_.empty() && may_admit()) {
            auto const request = waiting_.front();
            auto const& wanted = load_.requests[request];
            bool const is_new = result_.requests[request].preemptions == 0;
            bool const brings_prompt = is_new && wanted.has_prompt;
            bool const receives = brings_prompt && static_cast<bool>(settings_.prompt_link.seconds);
            std::int64_t const prompt = brings_prompt ? wanted.input : wanted.input + generated_[request];
            auto const found =
                brings_prompt && !receives ? Found{} : find(wanted, prompt, receives ? prompt : prompt - 1);
            std::int64_t const cached = brings_prompt ? wanted.input : found.positions;
            auto const first = by_blocks() ? settings_.tokens_per_step : brings_prompt ? 1 : 0;
            auto const needed =
                blocks_for(settings_, settings_.reserves_output ? positions_of(settings_, wanted) : prompt + first) -
                found.blocks + found.fetched * settings_.prefix_units.blocks;
            if (needed > free_ - found.idle_blocks) {
                fits_after_evictions_ = found.depends_on_evictions;
                return;
            }
            waiting_.pop();
            if (is_new) result_.requests[request].scheduled = now_;
            running_.push_back({request, prompt, cached, wanted.output - generated_[request]});
            auto& sequence = running_.back();
            if (found.path != ServiceRequest::none) use(sequence, found);
            if (receives) receive(sequence, prompt - found.positions);
            auto const tokens = waits(sequence) ? 0 : next_positions(prompt - cached);
            auto const now = settings_.reserves_output ? positions_of(settings_, wanted) : cached + tokens;
            take(sequence, std::max<std::int64_t>(blocks_for(settings_, now) - sequence.blocks, 0));
            if (tokens > 0) include(sequence, tokens);
        }
    }
    void use(RunningSequence& sequence, Found const& found) {
        auto const& unit = settings_.prefix_units;
        sequence.path = found.path;
        sequence.blocks = sequence.shared = found.blocks;
        sequence.ready = found.ready;
        free_ -= unit.blocks * prefixes_->pin(found.path);
        result_.reused += found.positions - found.fetched * unit.tokens;
        if (found.fetched == 0) return;
        free_ -= unit.blocks * found.fetched;
        result_.fetched += found.fetched * unit.tokens;
        sequence.ready = std::max(sequence.ready, prefixes_->fetch(found.path, found.fetched, now_));
    }
    /// Positions of a prompt that come over the link of prompts.
    void receive(RunningSequence& sequence, std::int64_t positions) {
        if (positions == 0) return;
        prompt_link_ = std::max(prompt_link_, now_) + settings_.prompt_link.seconds(positions);
        result_.joules += settings_.prompt_link.joules(positions);
        result_.received += positions;
        sequence.ready = std::max(sequence.ready, prompt_link_);
    }

    [[nodiscard]] bool may_admit() const {
        return budget_ > 0 && static_cast<std::int64_t>(running_.size()) < settings_.max_sequences;
    }

    void note_peak() { result_.peak_blocks = std::max(result_.peak_blocks, settings_.blocks - free_); }

    void spend(StepCost const& cost) {
        expects(cost.seconds >= 0.0 && std::isfinite(cost.seconds) && !std::isinf(cost.joules),
                "the cost of a step is finite (or its energy not stated) and its time is not negative");
        expects(cost.first_tokens >= 0.0 && cost.first_tokens <= cost.seconds, "first tokens come within their step");
        first_tokens_ = now_ + (cost.first_tokens > 0.0 ? cost.first_tokens : cost.seconds);
        now_ += cost.seconds;
        last_step_ = cost.seconds;
        result_.busy += cost.seconds;
        result_.joules += cost.joules;
        if (cost.seconds > 0.0) hottest_ = std::max(hottest_, cost.joules / cost.seconds);
        result_.end = now_;
        constexpr std::int64_t max_steps = 1'000'000'000;
        if (++result_.steps > max_steps)
            throw TooLong(
                fmt::format("serving these requests takes more than {} steps (they generate too many tokens). "
                            "Fewer requests?",
                            max_steps));
    }

    /// Executes the planned step and those that follow it with nothing changed but lengths.
    void advance(double until) {
        double const start = now_;
        std::int64_t steps = 1;
        hottest_ = 0.0;
        bool const begins = by_blocks() && begins_outputs();
        if (law_.many && !begins && only_lengths_change())
            steps = stretch(until);
        else
            spend(law_.one(work_));
        if (observe_) tell(start, steps);
        yield_tokens(steps);
    }

    /// Tells the observer of the steps since `start`.
    void tell(double start, std::int64_t steps) const {
        EngineActivity did{start, now_, steps};
        did.prompts = static_cast<std::int64_t>(work_.chunks.size());
        for (auto const& chunk : work_.chunks) {
            did.prompt_tokens += chunk.tokens;
            did.prompt_cached += chunk.cached;
        }
        did.decoding = static_cast<std::int64_t>(work_.contexts.size());
        for (auto const& sequence : running_) {
            if (sequence.tokens > 0 && sequence.decodes()) did.decode_cached += sequence.computed;
            did.tokens += sequence.yields ? std::min(sequence.remaining, steps * settings_.tokens_per_step) : 0;
        }
        did.running = static_cast<std::int64_t>(running_.size());
        did.waiting = static_cast<std::int64_t>(waiting_.size());
        did.blocks = settings_.blocks - free_;
        did.cache_blocks = settings_.blocks;
        did.watts = hottest_;
        observe_(did);
    }

    /// Whether a sequence whose prompt is complete has no token yet: its first block came too late for the same step.
    [[nodiscard]] bool begins_outputs() const {
        return std::ranges::any_of(running_,
                                   [&](RunningSequence const& sequence) { return generated_[sequence.request] == 0; });
    }

    /// Whether the next step would be planned like this one unless a block is missing, a request arrives or ends.
    /// Requests that wait were refused in this plan, and cannot be admitted before something ends, or is evicted;
    /// sequences that wait for what they did not compute are ready at a known time.
    [[nodiscard]] bool only_lengths_change() const {
        return !preempted_ && !fits_after_evictions_ && work_.chunks.empty() &&
               work_.contexts.size() + fetching_ == running_.size();
    }

    /// Executes as many steps as possible, at least one; returns their number.
    std::int64_t stretch(double latest) {
        std::int64_t longest = std::numeric_limits<std::int64_t>::max();
        for (auto const& sequence : running_)
            if (sequence.tokens > 0)
                longest = std::min(longest, divide_up(sequence.remaining, settings_.tokens_per_step));
        // A request that arrives matters if it can be admitted, or if its rejection may let a user begin a session.
        bool const matters = (may_admit() && waiting_.lets_pass()) || load_.concurrency > 0;
        double const arrival =
            matters ? std::min(latest, incoming_.next_time()) : std::numeric_limits<double>::infinity();
        double const until = fetching_ > 0 ? std::min(arrival, next_ready()) : arrival;
        needs_.begin(running_, settings_);
        std::array<StepCost, 64> costs{};
        // As many as there are up to that time if they take as long as the last one.
        constexpr double usual = 4;
        bool const is_known = std::isfinite(until) && last_step_ > 0.0;
        double const expected = is_known ? std::ceil((until - now_) / last_step_) : usual;
        auto asked = static_cast<std::size_t>(std::clamp(expected, 1.0, as_double(std::ssize(costs))));
        for (std::int64_t done = 0;;) {
            auto const ahead = std::span(costs).first(
                static_cast<std::size_t>(std::min(static_cast<std::int64_t>(asked), longest - done)));
            law_.many(work_, ahead);
            for (auto const& cost : ahead) {
                if (done > 0 && !continues(done, until)) return done;
                spend(cost);
                ++done;
            }
            if (done == longest) return done;
            auto const grown = static_cast<std::int64_t>(ahead.size()) * settings_.tokens_per_step;
            for (auto& context : work_.contexts) context += grown;
            for (auto& positions : work_.ahead) positions -= grown;
            asked = std::min(costs.size(), 2 * asked);
        }
    }

    /// Whether step `step` of a stretch can be executed like the one before; takes its blocks.
    bool continues(std::int64_t step, double until) {
        std::int64_t const needed = settings_.reserves_output ? 0 : needs_.of(step);
        if (now_ >= until || needed > free_) return false;
        free_ -= needed;
        note_peak();
        if (settings_.tier.units > 0) shrink_prefixes();
        return true;
    }

    void yield_tokens(std::int64_t steps) {
        bool ended = false;
        for (auto& sequence : running_) {
            sequence.computed += sequence.tokens * steps;
            if (steps > 1) sequence.blocks = std::max(sequence.blocks, blocks_for(settings_, sequence.computed));
            if (!sequence.yields) continue;
            auto& times = result_.requests[sequence.request];
            auto& generated = generated_[sequence.request];
            if (generated == 0) times.first_token = first_tokens_;
            auto const tokens = std::min(sequence.remaining, steps * settings_.tokens_per_step);
            generated += tokens;
            sequence.remaining -= tokens;
            if (sequence.remaining > 0) continue;
            times.last_token = now_;
            if (give_up_ != nullptr && is_slow(sequence.request, now_)) ++slow_;
            release(sequence);
            if (!ended_ || !ended_(sequence.request, times)) incoming_.complete(sequence.request, now_);
            ended = true;
        }
        if (ended) std::erase_if(running_, [](RunningSequence const& sequence) { return sequence.remaining == 0; });
    }

    ServiceLoad const& load_;
    SchedulerSettings const& settings_;
    StepLaw const& law_;
    GiveUp const* give_up_;
    Observer observe_;
    EndOfRequest ended_;
    IncomingRequests incoming_;
    WaitingQueue waiting_;
    std::optional<PrefixCache> prefixes_;
    std::vector<RunningSequence> running_;  ///< in the order of admission
    std::vector<std::int64_t> generated_;   ///< tokens, by request
    BlockNeeds needs_;
    StepWork work_;
    std::int64_t free_, budget_ = 0;
    std::size_t fetching_ = 0;  ///< running sequences that wait for what they did not compute
    double prompt_link_ = 0.0;  ///< s: when it is free
    bool preempted_ = false, fits_after_evictions_ = false;
    bool sleeps_ = false;  ///< nothing runs until next_ready()
    double now_ = 0.0, first_tokens_ = 0.0, last_step_ = 0.0;
    double hottest_ = 0.0;  ///< W: largest mean power of a step that the observer was not told of
    std::size_t late_ = 0;  ///< arrived requests before it were seen to get their first token in time, or not
    std::int64_t bad_ = 0, slow_ = 0;  ///< requests whose first token, or whose others, were late
    Schedule result_;
};

}  // namespace pimdse::sim::serving
