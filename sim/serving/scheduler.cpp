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

/// A request that was admitted.
struct RunningSequence {
    std::size_t request = 0;
    std::int64_t prompt = 0;     ///< positions to compute before it yields a token
    std::int64_t computed = 0;   ///< positions in the cache
    std::int64_t remaining = 0;  ///< tokens to generate
    std::int64_t blocks = 0;
    std::int64_t tokens = 0;  ///< positions that the current step computes

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

/// How many blocks a stretch of steps takes, step by step: contexts grow by one, so a sequence takes one every
/// `block_tokens` steps.
class BlockNeeds {
  public:
    void begin(std::vector<RunningSequence> const& running, std::int64_t block_tokens) {
        at_.assign(static_cast<std::size_t>(block_tokens), 0);
        for (auto const& sequence : running) ++at_[static_cast<std::size_t>(sequence.computed % block_tokens)];
    }
    /// Blocks that step `step` takes; 0 is the step whose blocks the plan took.
    [[nodiscard]] std::int64_t of(std::int64_t step) const {
        auto const size = static_cast<std::int64_t>(at_.size());
        return at_[static_cast<std::size_t>((size - step % size) % size)];
    }

  private:
    std::vector<std::int64_t> at_;  ///< number of sequences by the positions in their last block
};

class Engine {
  public:
    Engine(ServiceLoad const& load, SchedulerSettings const& settings, StepLaw const& law)
        : load_(load), settings_(settings), law_(law), waiting_(settings.policy), free_(settings.blocks) {
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
        }
        return std::move(result_);
    }

  private:
    [[nodiscard]] std::int64_t blocks_for(std::int64_t positions) const {
        return divide_up(positions, settings_.block_tokens);
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

    [[nodiscard]] bool exceeds(ServiceRequest const& request) const {
        return blocks_for(request.input + request.output - 1) > settings_.blocks ||
               (settings_.max_context > 0 && request.input + request.output > settings_.max_context);
    }

    void receive() {
        for (; arrived(); ++received_) {
            auto const& request = load_.requests[received_];
            auto& times = result_.requests[received_];
            times.arrival = load_.concurrency == 0 ? request.arrival : now_;
            if (exceeds(request)) {
                times.rejected = true;
                ++result_.rejected;
                ++complete_;
            } else {
                waiting_.arrive(received_, request.input);
            }
        }
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
        std::int64_t const needed = blocks_for(running_[at].computed + tokens) - running_[at].blocks;
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
        if (sequence.decodes())
            work_.contexts.push_back(sequence.computed + 1);
        else
            work_.chunks.push_back({tokens, sequence.computed});
        if (sequence.computed + tokens >= sequence.prompt) ++work_.heads;
    }

    /// Chooses the work of the next step and takes its blocks.
    void plan() {
        work_.chunks.clear();
        work_.contexts.clear();
        work_.heads = 0;
        budget_ =
            settings_.max_batched_tokens > 0 ? settings_.max_batched_tokens : std::numeric_limits<std::int64_t>::max();
        auto const before = result_.preemptions;
        for (auto& sequence : running_) sequence.tokens = 0;
        for (std::size_t i = 0; i < running_.size() && budget_ > 0; ++i) {
            auto const& next = running_[i];
            std::int64_t const tokens = next.decodes() ? 1 : std::min(next.prompt - next.computed, budget_);
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
            std::int64_t const prompt = wanted.input + generated_[request];
            if (blocks_for(prompt) > free_) return;
            waiting_.pop();
            if (generated_[request] == 0 && result_.requests[request].preemptions == 0)
                result_.requests[request].scheduled = now_;
            running_.push_back({request, prompt, 0, wanted.output - generated_[request], 0, 0});
            std::int64_t const tokens = std::min(prompt, budget_);
            take(running_.back(), blocks_for(tokens));
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
        std::int64_t steps = 1;
        if (law_.many && only_lengths_change())
            steps = stretch();
        else
            spend(law_.one(work_));
        yield_tokens(steps);
    }

    /// Whether the next step would be planned like this one unless a block is missing, a request arrives or ends.
    /// Requests that wait were refused in this plan, and cannot be admitted before something ends.
    [[nodiscard]] bool only_lengths_change() const {
        return !preempted_ && work_.chunks.empty() && work_.contexts.size() == running_.size();
    }

    /// Executes as many steps as possible, at least one; returns their number.
    std::int64_t stretch() {
        std::int64_t longest = std::numeric_limits<std::int64_t>::max();
        for (auto const& sequence : running_) longest = std::min(longest, sequence.remaining);
        // A request that arrives matters if it can be admitted.
        double const until =
            may_admit() && waiting_.lets_pass() ? next_arrival() : std::numeric_limits<double>::infinity();
        needs_.begin(running_, settings_.block_tokens);
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
            for (auto& context : work_.contexts) context += static_cast<std::int64_t>(ahead.size());
            asked = std::min(costs.size(), 2 * asked);
        }
    }

    /// Whether step `step` of a stretch can be executed like the one before; takes its blocks.
    bool continues(std::int64_t step, double until) {
        std::int64_t const needed = needs_.of(step);
        if (now_ >= until || needed > free_) return false;
        free_ -= needed;
        note_peak();
        return true;
    }

    void yield_tokens(std::int64_t steps) {
        for (auto& sequence : running_) {
            sequence.computed += sequence.tokens * steps;
            if (steps > 1) sequence.blocks = blocks_for(sequence.computed);
            if (sequence.tokens == 0 || !sequence.decodes()) continue;
            auto& times = result_.requests[sequence.request];
            auto& generated = generated_[sequence.request];
            if (generated == 0) times.first_token = now_;
            generated += steps;
            sequence.remaining -= steps;
            if (sequence.remaining > 0) continue;
            times.last_token = now_;
            free_ += sequence.blocks;
            ++complete_;
        }
        std::erase_if(running_, [](RunningSequence const& sequence) { return sequence.remaining == 0; });
    }

    ServiceLoad const& load_;
    SchedulerSettings const& settings_;
    StepLaw const& law_;
    WaitingQueue waiting_;
    std::vector<RunningSequence> running_;  ///< in the order of admission
    std::vector<std::int64_t> generated_;   ///< tokens, by request
    BlockNeeds needs_;
    StepWork work_;
    std::int64_t free_, budget_ = 0;
    bool preempted_ = false;
    double now_ = 0.0;
    std::size_t received_ = 0, complete_ = 0;
    Schedule result_;
};

void check(ServiceLoad const& load, SchedulerSettings const& settings, StepLaw const& law) {
    expects(settings.max_sequences > 0 && settings.max_batched_tokens >= 0 && settings.block_tokens > 0 &&
                settings.block_tokens <= max_block_tokens && settings.blocks > 0 && settings.max_context >= 0 &&
                load.concurrency >= 0,
            "settings of a scheduler are positive");
    expects(static_cast<bool>(law.one), "a law gives the cost of a step");
    double last = 0.0;
    for (auto const& request : load.requests) {
        expects(request.input > 0 && request.output > 0, "a request has tokens");
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
}

}  // namespace

Schedule schedule_in_turn(ServiceLoad const& load, SchedulerSettings const& settings, StepLaw const& law,
                          std::int64_t engines) {
    expects(engines > 0 && (load.concurrency == 0 || load.concurrency >= engines),
            "every engine of a closed loop has a user");
    if (engines == 1) return schedule(load, settings, law);
    Schedule all;
    all.requests.resize(load.requests.size());
    all.engines = engines;
    auto const every = static_cast<std::size_t>(engines);
    for (std::size_t first = 0; first < every; ++first) {
        auto const part = schedule(part_of(load, first, every), settings, law);
        for (std::size_t i = 0; i < part.requests.size(); ++i) all.requests[first + i * every] = part.requests[i];
        add(all, part);
    }
    return all;
}

Schedule schedule(ServiceLoad const& load, SchedulerSettings const& settings, StepLaw const& law) {
    check(load, settings, law);
    return Engine(load, settings, law).run();
}

}  // namespace pimdse::sim::serving
