#pragma once

#include "sim/serving/activity.hpp"
#include "sim/serving/load.hpp"
#include "sim/serving/prefix_tier.hpp"
#include "sim/serving/step.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace pimdse::sim::serving {

inline constexpr std::int64_t max_block_tokens = std::int64_t{1} << 20;

/// Layers that keep the last `positions` of a sequence only, and blocks that each block_tokens of them take.
struct WindowBlocks {
    std::int64_t positions = 1, blocks = 1;
};

/// Order in which requests are admitted. Requests that were preempted come first under both.
enum class AdmissionOrder : std::uint8_t {
    fcfs,            ///< as they arrived
    shortest_prompt  ///< by the length of the prompt; of equal ones, as they arrived
};

/// Units of beginnings of prompts that stay in the cache after their requests (prefix_cache.hpp).
struct PrefixUnits {
    std::int64_t tokens = 0;  ///< whole blocks, unless no layer has keys; 0: nothing stays
    /// Blocks of the cache: those of the positions, and of the state that is needed to continue behind the unit.
    std::int64_t blocks = 1;
};

/// Link that transfers keys and values of prompts that another machine computed (ServiceRequest::has_prompt), one
/// request after the other, except for what the cache has. Empty: they arrive with their request.
struct PromptLink {
    std::function<double(std::int64_t positions)> seconds, joules;
};

struct SchedulerSettings {
    std::int64_t max_sequences = 256;        ///< sequences in a step
    std::int64_t max_batched_tokens = 2048;  ///< new positions in a step; 0: no limit, so that prompts are never cut
    std::int64_t block_tokens = 16;          ///< positions whose keys and values a block of the cache holds
    std::int64_t blocks = 1;                 ///< of the cache
    AdmissionOrder policy = AdmissionOrder::fcfs;
    /// Tokens that a sequence yields in a step: a single one, or a block (ServiceEngine::tokens_per_step).
    std::int64_t tokens_per_step = 1;
    /// Whether a request takes the positions of its whole output when it is admitted: it is never preempted then.
    bool reserves_output = false;
    std::int64_t max_context = 0;  ///< positions of a sequence at most; 0: any number
    /// Blocks that a sequence takes beside those of its positions from its admission on (ServiceEngine::state_bytes).
    std::int64_t state_blocks = 0;
    std::int64_t position_blocks = 1;     ///< that each block_tokens positions take in layers that keep all of them
    std::vector<WindowBlocks> windows{};  ///< of layers that do not
    PrefixUnits prefix_units{};
    PrefixTier tier{};  ///< only with prefix_units
    PromptLink prompt_link{};
};

/// Blocks of the cache that a sequence of so many positions takes.
[[nodiscard]] std::int64_t blocks_for(SchedulerSettings const& settings, std::int64_t positions);

/// Positions of the longest sequence that the cache holds; of a cache of windows alone at most 2^40.
[[nodiscard]] std::int64_t longest_cached(SchedulerSettings const& settings);

/// Whether a request never fits in the cache or the context, so that it is rejected.
[[nodiscard]] bool is_too_long(SchedulerSettings const& settings, ServiceRequest const& request);

/// What a request must meet to be good; a limit that is met exactly is met.
struct ServiceObjectives {
    double ttft = std::numeric_limits<double>::infinity();  ///< s
    double tpot = std::numeric_limits<double>::infinity();  ///< s; requests of one token meet every limit
};

/// Ends a schedule once more than `max_bad` requests are certain to miss their limits. A schedule that was not given up
/// may have more of them, because some are noticed late.
struct GiveUp {
    ServiceObjectives objectives;
    std::int64_t max_bad = 0;
};

/// What happened to a request, in seconds from the start of the load.
struct RequestTimes {
    double arrival = 0.0;
    double scheduled = 0.0;  ///< its first admission: start of the step that computes a part of it, or of a fetch
    double first_token = 0.0, last_token = 0.0;
    std::int64_t preemptions = 0;
    bool rejected = false;  ///< it, or one that it continues, is_too_long; the times above, except arrival, are 0

    friend bool operator==(RequestTimes const&, RequestTimes const&) = default;
};

/// What happened to a load.
struct Schedule {
    std::vector<RequestTimes> requests;  ///< in the order of the load
    double end = 0.0;                    ///< s: end of the last step
    double busy = 0.0;                   ///< s: sum of all steps
    double joules = 0.0;                 ///< of all steps; between steps the machine is idle
    std::int64_t steps = 0, preemptions = 0, rejected = 0;
    std::int64_t never_sent = 0;   ///< of those rejected: requests that continue a rejected one
    std::int64_t peak_blocks = 0;  ///< of the cache of an engine, in use at the same time
    /// Largest number of sequences, and of new positions, in a step of an engine. Limits of the scheduler above both
    /// give the same schedule.
    std::int64_t peak_sequences = 0, peak_tokens = 0;
    std::int64_t computed = 0;     ///< positions of prompts, also those that are computed again
    std::int64_t reused = 0;       ///< positions of prompts that were in the cache when their request was admitted
    std::int64_t fetched = 0;      ///< positions of prompts that came from the tier
    std::int64_t received = 0;     ///< positions of prompts that came over the prompt_link
    std::int64_t evictions = 0;    ///< prefix units that were evicted from the cache
    std::int64_t moved_units = 0;  ///< prefix units over the link of the tier, both ways
    std::int64_t engines = 1;      ///< whose steps these are
    bool given_up = false;         ///< ended by GiveUp: the other members describe a part of the load

    friend bool operator==(Schedule const&, Schedule const&) = default;
};

/// Serves a load by continuous batching, as vLLM's engine of 2025 does (V1: chunked prefill, preemption by
/// recomputation). A step:
/// 1. Running sequences, in the order of their admission, get what is left of their prompt, at most what is left of
///    `max_batched_tokens`; or one token if the prompt is complete. A sequence that needs a block when none is free
///    preempts the sequence that was admitted last, which may be itself: its cache is dropped, it goes to the front of
///    the queue, and later its prompt and the tokens that it had are computed again.
/// 2. If nothing was preempted in this step, requests are admitted in the order of `policy` while sequences, tokens and
///    blocks last; blocks for the whole prompt must be free, and those for its part in this step are taken.
/// 3. `law` says what the step costs. 4. Sequences whose prompt is complete yield a token; complete requests free
///    their blocks. The last token of a request is never in the cache.
///
/// With `tokens_per_step` = T above 1, tokens come in blocks of T. A sequence whose prompt is complete takes T
/// positions in a step and yields T tokens, or what is left of its output; where fewer than T of `max_batched_tokens`
/// are left, it waits. The step that completes a prompt also takes and yields the first block if tokens are left for
/// it; blocks of the cache for both must be free when the request is admitted. All positions of the last block are in
/// the cache.
///
/// With `reserves_output`, the blocks for a whole request must be free when it is admitted, and are taken then.
///
/// A request that has its prompt is admitted as others, but computes nothing of it unless it is preempted; its
/// `first_token` is its arrival.
///
/// A request that continues another one arrives `after` its last token. One that continues a rejected request never
/// arrives, and is rejected, too.
///
/// With `prefix_units`, whole units of a request's path (Prefixes) stay in the cache when it is complete or preempted,
/// until their blocks are needed. A request begins after the units that it finds, but computes the last position of its
/// prompt in any case; it finds also what is computed in the same step before it. Units that several sequences use take
/// their blocks once. A unit that takes more blocks than its positions is kept when its sequence ends, as far as blocks
/// are free; a request whose units would leave it too little of the cache reuses none.
///
/// With a `tier`, evicted units are stored there, and a request may fetch those of its prompt that follow what it finds
/// in the cache. It is admitted with blocks for them, and takes part in steps when they have arrived. Of requests that
/// have their prompt, the same holds for what comes over a `prompt_link`.
///
/// Steps between which only lengths change are costed together where the law can (StepLaw::many); the schedule has the
/// same bits either way. Requests that exceed the whole cache or max_context are rejected. Preconditions: arrivals are
/// ordered, finite and not negative, lengths and settings are positive, a block of the cache has at most
/// max_block_tokens positions, and a step may have tokens_per_step. `observe` is called after each step, or after
/// several that were costed together; the schedule is the same without it.
[[nodiscard]] Schedule schedule(ServiceLoad const& load, SchedulerSettings const& settings, StepLaw const& law,
                                GiveUp const* give_up = nullptr, Observer const& observe = {});

}  // namespace pimdse::sim::serving
