#include "sim/serving/scheduler.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace pimdse::sim::serving {
namespace {

constexpr std::int64_t max_steps = 1'000'000'000;

/// Positions of a complete request that were in the cache: a single token is never cached if it is the last.
std::int64_t positions_of(SchedulerSettings const& settings, ServiceRequest const& request) {
    auto const tokens = settings.tokens_per_step;
    return request.input + (tokens > 1 ? round_up(request.output, tokens) : request.output - 1);
}

/// A request that was admitted.
struct RunningSequence {
    std::size_t request = 0;
    std::int64_t prompt = 0;     ///< positions to compute before it yields a token
    std::int64_t computed = 0;   ///< positions in the cache
    std::int64_t remaining = 0;  ///< tokens to generate
    std::int64_t blocks = 0;
    std::int64_t tokens = 0;  ///< positions that the current step computes
    bool yields = false;      ///< whether the current step yields tokens

    [[nodiscard]] bool decodes() const { return computed >= prompt; }
};

/// Requests that arrived and are not admitted.
class WaitingQueue {
  public:
    explicit WaitingQueue(AdmissionOrder policy) : policy_(policy) {}
    void arrive(std::size_t request, std::int64_t input) {
        fresh_.emplace(policy_ == AdmissionOrder::fcfs ? 0 : input, request);
    }
    void return_to_front(std::size_t request) { preempted_.push_front(request); }
    [[nodiscard]] bool empty() const { return preempted_.empty() && fresh_.empty(); }
    [[nodiscard]] std::size_t front() const { return preempted_.empty() ? fresh_.top().second : preempted_.front(); }
    void pop() {
        if (preempted_.empty())
            fresh_.pop();
        else
            preempted_.pop_front();
    }
    /// Whether a request that arrives now may come before those that wait.
    [[nodiscard]] bool lets_pass() const {
        return fresh_.empty() ? preempted_.empty() : policy_ != AdmissionOrder::fcfs && preempted_.empty();
    }

  private:
    using Ranked = std::pair<std::int64_t, std::size_t>;
    AdmissionOrder policy_;
    std::deque<std::size_t> preempted_;
    std::priority_queue<Ranked, std::vector<Ranked>, std::greater<>> fresh_;
};

/// How many blocks a stretch of steps takes, step by step. Where contexts grow by one, a sequence takes one every
/// `block_tokens` steps.
class BlockNeeds {
  public:
    void begin(std::vector<RunningSequence> const& running, SchedulerSettings const& settings) {
        settings_ = &settings;
        steady_ = settings.tokens_per_step == 1 && settings.windows.empty();
        computed_.clear();
        for (auto const& sequence : running) computed_.push_back(sequence.computed);
        if (!steady_) return;
        at_.assign(static_cast<std::size_t>(settings.block_tokens), 0);
        for (auto const computed : computed_) ++at_[static_cast<std::size_t>(computed % settings.block_tokens)];
    }
    /// Blocks that step `step` takes; 0 is the step whose blocks the plan took.
    [[nodiscard]] std::int64_t of(std::int64_t step) const {
        auto const size = settings_->block_tokens, growth = settings_->tokens_per_step;
        if (steady_) return settings_->position_blocks * at_[static_cast<std::size_t>((size - step % size) % size)];
        std::int64_t blocks = 0;
        for (auto const computed : computed_) {
            auto const before = computed + step * growth;
            blocks += blocks_for(*settings_, before + growth) - blocks_for(*settings_, before);
        }
        return blocks;
    }

  private:
    SchedulerSettings const* settings_ = nullptr;
    bool steady_ = true;                  ///< contexts grow by one, and all of their positions are kept
    std::vector<std::int64_t> computed_;  ///< positions in the cache, by sequence
    std::vector<std::int64_t> at_;        ///< if steady: number of sequences by positions in the last block
};

class Engine {
  public:
    Engine(ServiceLoad const& load, SchedulerSettings const& settings, StepLaw const& law, GiveUp const* give_up,
           Observer const& observe)
        : load_(load),
          settings_(settings),
          law_(law),
          give_up_(give_up),
          observe_(observe),
          waiting_(settings.policy),
          free_(settings.blocks) {
        result_.requests.resize(load.requests.size());
        generated_.resize(load.requests.size());
    }

    Schedule run() {
        while (complete_ < load_.requests.size()) {
            receive();
            if (complete_ == load_.requests.size()) break;
            if (running_.empty() && waiting_.empty()) {
                now_ = next_arrival();
                continue;
            }
            plan();
            advance();
            if (give_up_ != nullptr && misses_too_much()) {
                result_.given_up = true;
                break;
            }
        }
        return std::move(result_);
    }

  private:
    /// Counts requests whose first token is late, in the order of their arrival, when that is sure. Those whose other
    /// tokens are late, or that are rejected, are counted elsewhere.
    [[nodiscard]] bool misses_too_much() {
        for (; late_ < received_; ++late_) {
            auto const& times = result_.requests[late_];
            bool const complete = generated_[late_] > 0 || times.rejected;
            if (!complete && now_ - times.arrival <= give_up_->objectives.ttft) break;
            bool const late = generated_[late_] == 0 || times.first_token - times.arrival > give_up_->objectives.ttft;
            if (times.rejected || late) ++bad_;
        }
        return bad_ + slow_ + surely_slow() > give_up_->max_bad;
    }
    /// Counts incomplete requests whose first token came in time and whose others are late even if all come now.
    [[nodiscard]] std::int64_t surely_slow() const {
        auto const is_slow = [this](RunningSequence const& sequence) {
            auto const& times = result_.requests[sequence.request];
            auto const others = as_double(load_.requests[sequence.request].output - 1);
            return generated_[sequence.request] > 0 && times.first_token - times.arrival <= give_up_->objectives.ttft &&
                   (now_ - times.first_token) / others > give_up_->objectives.tpot;
        };
        return std::ranges::count_if(running_, is_slow);
    }
    /// Counts a complete request whose first token came in time and whose others did not.
    void note_tokens(std::size_t request) {
        if (give_up_ == nullptr) return;
        auto const& times = result_.requests[request];
        auto const others = as_double(load_.requests[request].output - 1);
        bool const in_time = times.first_token - times.arrival <= give_up_->objectives.ttft;
        if (others > 0.0 && in_time && (times.last_token - times.first_token) / others > give_up_->objectives.tpot)
            ++slow_;
    }

    /// Time at which a request arrives by itself; infinite if none does.
    [[nodiscard]] double next_arrival() const {
        bool const none = load_.concurrency > 0 || received_ == load_.requests.size();
        return none ? std::numeric_limits<double>::infinity() : load_.requests[received_].arrival;
    }
    [[nodiscard]] bool arrived() const {
        if (received_ == load_.requests.size()) return false;
        if (load_.concurrency == 0) return load_.requests[received_].arrival <= now_;
        return received_ - complete_ < static_cast<std::size_t>(load_.concurrency);
    }

    void receive() {
        for (; arrived(); ++received_) {
            auto const& request = load_.requests[received_];
            auto& times = result_.requests[received_];
            times.arrival = load_.concurrency == 0 ? request.arrival : now_;
            if (is_too_long(settings_, request)) {
                times.rejected = true;
                ++result_.rejected;
                ++complete_;
            } else {
                waiting_.arrive(received_, request.input);
                if (!request.has_prompt) continue;
                generated_[received_] = 1;
                times.first_token = times.arrival;
            }
        }
    }

    [[nodiscard]] bool by_blocks() const { return settings_.tokens_per_step > 1; }
    [[nodiscard]] std::int64_t whole_blocks(std::int64_t tokens) const {
        return round_up(tokens, settings_.tokens_per_step);
    }

    void preempt_last() {
        auto const& last = running_.back();
        free_ += last.blocks;
        ++result_.requests[last.request].preemptions;
        ++result_.preemptions;
        waiting_.return_to_front(last.request);
        running_.pop_back();
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
        budget_ =
            settings_.max_batched_tokens > 0 ? settings_.max_batched_tokens : std::numeric_limits<std::int64_t>::max();
        auto const before = result_.preemptions;
        for (auto& sequence : running_) {
            sequence.tokens = 0;
            sequence.yields = false;
        }
        for (std::size_t i = 0; i < running_.size() && budget_ > 0; ++i) {
            auto const& next = running_[i];
            auto const tokens = next_positions(std::max<std::int64_t>(next.prompt - next.computed, 0));
            if (tokens == 0) continue;
            if (!reserve(i, tokens)) break;
            include(running_[i], tokens);
        }
        preempted_ = result_.preemptions > before;
        if (!preempted_) admit();
        note_peak();
    }

    void admit() {
        while (!waiting_.empty() && may_admit()) {
            auto const request = waiting_.front();
            auto const& wanted = load_.requests[request];
            bool const is_new = result_.requests[request].preemptions == 0;
            std::int64_t const cached = is_new && wanted.has_prompt ? wanted.input : 0;
            std::int64_t const prompt = cached > 0 ? cached : wanted.input + generated_[request];
            auto const first = by_blocks() ? settings_.tokens_per_step : cached > 0 ? 1 : 0;
            auto const needed =
                blocks_for(settings_, settings_.reserves_output ? positions_of(settings_, wanted) : prompt + first);
            if (needed > free_) return;
            waiting_.pop();
            if (is_new) result_.requests[request].scheduled = now_;
            running_.push_back({request, prompt, cached, wanted.output - generated_[request], 0, 0, false});
            auto const tokens = next_positions(prompt - cached);
            take(running_.back(), settings_.reserves_output ? needed : blocks_for(settings_, cached + tokens));
            include(running_.back(), tokens);
        }
    }

    [[nodiscard]] bool may_admit() const {
        return budget_ > 0 && static_cast<std::int64_t>(running_.size()) < settings_.max_sequences;
    }

    void note_peak() { result_.peak_blocks = std::max(result_.peak_blocks, settings_.blocks - free_); }

    void spend(StepCost const& cost) {
        expects(cost.seconds >= 0.0 && std::isfinite(cost.seconds) && std::isfinite(cost.joules),
                "the cost of a step is finite and its time is not negative");
        expects(cost.first_tokens >= 0.0 && cost.first_tokens <= cost.seconds, "first tokens come within their step");
        first_tokens_ = now_ + (cost.first_tokens > 0.0 ? cost.first_tokens : cost.seconds);
        now_ += cost.seconds;
        result_.busy += cost.seconds;
        result_.joules += cost.joules;
        result_.end = now_;
        if (++result_.steps > max_steps)
            throw TooLong(
                fmt::format("serving these requests takes more than {} steps (they generate too many tokens). "
                            "Fewer requests?",
                            max_steps));
    }

    /// Executes the planned step and those that follow it with nothing changed but lengths.
    void advance() {
        double const start = now_;
        std::int64_t steps = 1;
        bool const begins = by_blocks() && begins_outputs();
        if (law_.many && !begins && only_lengths_change())
            steps = stretch();
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
        did.waiting = static_cast<std::int64_t>(received_ - complete_) - did.running;
        did.blocks = settings_.blocks - free_;
        did.cache_blocks = settings_.blocks;
        observe_(did);
    }

    /// Whether a sequence whose prompt is complete has no token yet: its first block came too late for the same step.
    [[nodiscard]] bool begins_outputs() const {
        return std::ranges::any_of(running_,
                                   [&](RunningSequence const& sequence) { return generated_[sequence.request] == 0; });
    }

    /// Whether the next step would be planned like this one unless a block is missing, a request arrives or ends.
    /// Requests that wait were refused in this plan, and cannot be admitted before something ends.
    [[nodiscard]] bool only_lengths_change() const {
        return !preempted_ && work_.chunks.empty() && work_.contexts.size() == running_.size();
    }

    /// Executes as many steps as possible, at least one; returns their number.
    std::int64_t stretch() {
        std::int64_t longest = std::numeric_limits<std::int64_t>::max();
        for (auto const& sequence : running_)
            longest = std::min(longest, divide_up(sequence.remaining, settings_.tokens_per_step));
        // A request that arrives matters if it can be admitted.
        double const until =
            may_admit() && waiting_.lets_pass() ? next_arrival() : std::numeric_limits<double>::infinity();
        needs_.begin(running_, settings_);
        std::array<StepCost, 64> costs{};
        std::size_t asked = std::size_t{4};
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
        return true;
    }

    void yield_tokens(std::int64_t steps) {
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
            note_tokens(sequence.request);
            free_ += sequence.blocks;
            ++complete_;
        }
        std::erase_if(running_, [](RunningSequence const& sequence) { return sequence.remaining == 0; });
    }

    ServiceLoad const& load_;
    SchedulerSettings const& settings_;
    StepLaw const& law_;
    GiveUp const* give_up_;
    Observer const& observe_;
    WaitingQueue waiting_;
    std::vector<RunningSequence> running_;  ///< in the order of admission
    std::vector<std::int64_t> generated_;   ///< tokens, by request
    BlockNeeds needs_;
    StepWork work_;
    std::int64_t free_, budget_ = 0;
    bool preempted_ = false;
    double now_ = 0.0, first_tokens_ = 0.0;
    std::size_t received_ = 0, complete_ = 0;
    std::size_t late_ = 0;             ///< requests before it were seen to get their first token in time, or not
    std::int64_t bad_ = 0, slow_ = 0;  ///< requests whose first token, or whose others, were late
    Schedule result_;
};

void check(ServiceLoad const& load, SchedulerSettings const& settings, StepLaw const& law) {
    expects(settings.max_sequences > 0 && settings.max_batched_tokens >= 0 && settings.block_tokens > 0 &&
                settings.block_tokens <= max_block_tokens && settings.blocks > 0 && settings.state_blocks >= 0 &&
                settings.max_context >= 0 && load.concurrency >= 0,
            "settings of a scheduler are positive");
    expects(settings.position_blocks >= 0 && std::ranges::all_of(settings.windows,
                                                                 [](WindowBlocks const& window) {
                                                                     return window.positions > 0 && window.blocks > 0;
                                                                 }),
            "layers take blocks");
    expects(settings.tokens_per_step > 0 &&
                (settings.max_batched_tokens == 0 || settings.max_batched_tokens >= settings.tokens_per_step),
            "a step may have the tokens that a sequence yields");
    expects(static_cast<bool>(law.one), "a law gives the cost of a step");
    double last = 0.0;
    for (auto const& request : load.requests) {
        expects(request.input > 0 && request.output > (request.has_prompt ? 1 : 0), "a request has tokens");
        expects(!request.has_prompt || settings.tokens_per_step == 1,
                "prompts are handed over to decode token by token");
        if (load.concurrency > 0) continue;
        expects(request.arrival >= last && std::isfinite(request.arrival), "requests are in the order of arrival");
        last = request.arrival;
    }
}

/// The requests first, first + every, first + 2 every ...
ServiceLoad part_of(ServiceLoad const& load, std::size_t first, std::size_t every) {
    ServiceLoad part;
    for (auto i = first; i < load.requests.size(); i += every) part.requests.push_back(load.requests[i]);
    auto const users = static_cast<std::size_t>(load.concurrency);
    part.concurrency = static_cast<std::int64_t>((users + every - 1 - first) / every);
    return part;
}

void add(Schedule& all, Schedule const& part) {
    all.end = std::max(all.end, part.end);
    all.busy += part.busy;
    all.joules += part.joules;
    all.steps += part.steps;
    all.preemptions += part.preemptions;
    all.rejected += part.rejected;
    all.peak_blocks = std::max(all.peak_blocks, part.peak_blocks);
    all.given_up = all.given_up || part.given_up;
}

}  // namespace

std::int64_t blocks_for(SchedulerSettings const& settings, std::int64_t positions) {
    auto blocks = settings.state_blocks + settings.position_blocks * divide_up(positions, settings.block_tokens);
    for (auto const& window : settings.windows)
        blocks += window.blocks * divide_up(std::min(positions, window.positions), settings.block_tokens);
    return blocks;
}

std::int64_t longest_cached(SchedulerSettings const& settings) {
    std::int64_t fits = 0, above = std::int64_t{1} << 40;
    while (above - fits > 1) {
        auto const middle = fits + (above - fits) / 2;
        (blocks_for(settings, middle) <= settings.blocks ? fits : above) = middle;
    }
    return fits;
}

bool is_too_long(SchedulerSettings const& settings, ServiceRequest const& request) {
    return blocks_for(settings, positions_of(settings, request)) > settings.blocks ||
           (settings.max_context > 0 && request.input + request.output > settings.max_context);
}

Schedule schedule_in_turn(ServiceLoad const& load, SchedulerSettings const& settings, StepLaw const& law,
                          std::int64_t engines, GiveUp const* give_up, Observer const& observe) {
    expects(engines > 0 && (load.concurrency == 0 || load.concurrency >= engines),
            "every engine of a closed loop has a user");
    if (engines == 1) return schedule(load, settings, law, give_up, observe);
    Schedule all;
    all.requests.resize(load.requests.size());
    all.engines = engines;
    auto const every = static_cast<std::size_t>(engines);
    for (std::size_t first = 0; first < every; ++first) {
        auto const of_engine = [&](EngineActivity did) {
            did.engine = static_cast<std::int64_t>(first);
            observe(did);
        };
        auto const part =
            schedule(part_of(load, first, every), settings, law, give_up, observe ? Observer(of_engine) : Observer());
        for (std::size_t i = 0; i < part.requests.size(); ++i) all.requests[first + i * every] = part.requests[i];
        add(all, part);
        if (part.given_up) break;
    }
    return all;
}

Schedule schedule(ServiceLoad const& load, SchedulerSettings const& settings, StepLaw const& law, GiveUp const* give_up,
                  Observer const& observe) {
    check(load, settings, law);
    return Engine(load, settings, law, give_up, observe).run();
}

}  // namespace pimdse::sim::serving
