#include "models/dplena/host.hpp"

#include "models/dplena/hbm/clocks.hpp"
#include "models/dplena/silicon.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <string>

namespace pimdse::models::dplena {
namespace {

constexpr double bits_of_a_byte = 8;

/// The words of a block, and the cycles that the link needs for each of them and for its way to the host.
struct Words {
    std::int64_t count = 0;
    double interval = 0.0, latency = 0.0;
};

Words words_of(Design const& d, MachineConstants const& machine) {
    auto const clock = unit_clock(d, machine);
    auto const& link = machine.sampling_host;
    double const bits = fifo_tokens(d, machine).si * bits_of_a_byte, width = static_cast<double>(d.host_fifo);
    return {static_cast<std::int64_t>(std::ceil(bits / width)), (sim::Data{width / bits_of_a_byte} / link.link * clock),
            link.link_latency * clock};
}

/// A step on the host, in whole cycles of the NPU's clock.
struct HostStep {
    std::int64_t start = 0;        ///< of a transfer
    std::int64_t transfer = 0;     ///< of the logits of a sequence
    std::int64_t computation = 0;  ///< on the logits of a sequence
    std::int64_t tokens = 0;       ///< of all sequences, on their way back, with the start of that transfer
    std::int64_t sequences = 0;

    /// Cycles of a step, in closed form.
    [[nodiscard]] std::int64_t cycles() const {
        return start + transfer + (sequences - 1) * std::max(transfer, computation) + computation + tokens;
    }
};

std::int64_t cycles_of(sim::Time time, sim::Frequency clock) {
    return static_cast<std::int64_t>(std::ceil(time.si * clock.si));
}

double logits_of_a_sequence(Design const& d) {
    return static_cast<double>(d.block_length) * static_cast<double>(d.vocab);
}

HostStep host_step(Design const& d, MachineConstants const& machine) {
    auto const& host = machine.sampling_host;
    auto const clock = unit_clock(d, machine);
    auto const logits = logits_of_a_sequence(d);
    auto const bytes = sim::Data{logits * d.element_bytes()};
    auto const tokens = fifo_tokens(d, machine);
    auto const noise = d.is_noisy() ? logits / host.noise_rate : sim::Time{};
    return {.start = cycles_of(host.link_latency, clock),
            .transfer = cycles_of(bytes / host.link, clock),
            .computation = cycles_of(logits / host.logit_rate + noise, clock),
            .tokens = cycles_of(host.link_latency + tokens / host.link, clock),
            .sequences = d.batch};
}

/// Calls on_event(name, index, unit, from, to) for everything that a step does, in order of its end; returns the last
/// cycle.
template <class OnEvent>
std::int64_t walk_steps(Design const& d, HostStep const& step, OnEvent on_event) {
    std::int64_t now = 0;
    for (std::int64_t s = 0; s < d.steps; ++s) {
        auto link = now + step.start, host = link;
        for (std::int64_t sequence = 0; sequence < step.sequences; ++sequence) {
            on_event("logits of sequence ", sequence, "LINK", link, link + step.transfer);
            link += step.transfer;
            auto const from = std::max(link, host);
            host = from + step.computation;
            on_event("sampling of sequence ", sequence, "HOST", from, host);
        }
        now = host + step.tokens;
        on_event("tokens of step ", s, "LINK", host, now);
    }
    return now;
}

SamplingCost cost_of(std::int64_t cycles) {
    return {{}, 0, Estimate::exact(0.0), Estimate::exact(static_cast<double>(cycles))};
}

}  // namespace

sim::Data fifo_size(Design const& d) {
    return sim::Data{static_cast<double>(d.host_fifo) * static_cast<double>(d.host_fifo_depth) / bits_of_a_byte};
}

sim::Data fifo_tokens(Design const& d, MachineConstants const& machine) {
    return machine.silicon.token_element * static_cast<double>(d.batch * d.block_length);
}

sim::Energy fifo_energy(Design const& d, MachineConstants const& machine) {
    if (d.host_fifo == 0) return {};
    auto const tokens = fifo_tokens(d, machine);
    constexpr double write_and_read = 2.0;
    auto const in_fifo = machine.silicon.fifo_access * tokens * write_and_read;
    auto const read = d.memories == Memories::separate
                          ? tokens
                          : memory_row(d, machine.silicon) * static_cast<double>(words_of(d, machine).count);
    return machine.silicon.sram_energy * read + in_fifo;
}

/// With a link that is slower than a word per cycle, a word enters when the one `depth` words before it has left; with
/// one entry this is at a whole cycle, and the link waits for it.
FifoCycles host_fifo(Design const& d, MachineConstants const& machine) {
    if (d.host_fifo == 0) return {};
    auto const words = words_of(d, machine);
    double const n = static_cast<double>(words.count), depth = static_cast<double>(d.host_fifo_depth);
    double const slow = std::max(1.0, words.interval);
    double entered = 0.0, left = 0.0;
    if (d.host_fifo_depth == 1) {
        entered = 1.0 + (n - 1.0) * std::ceil(slow);
        left = entered + words.interval;
    } else {
        entered = n > depth ? std::max(n, std::ceil(1.0 + (n - depth) * words.interval)) : n;
        left = words.interval > 1.0 ? 1.0 + n * words.interval : n + words.interval;
    }
    return {entered, std::ceil(left + words.latency) - entered};
}

FifoCycles host_fifo_timeline(Design const& d, MachineConstants const& machine) {
    if (d.host_fifo == 0) return {};
    auto const words = words_of(d, machine);
    std::deque<double> leaves;  // of the words in the FIFO
    double entered = 0.0, left = 0.0;
    double start = 0.0, in_a_row = 0.0;  // of the words that the link takes without a pause
    for (std::int64_t word = 0; word < words.count; ++word) {
        entered += 1.0;
        if (static_cast<std::int64_t>(leaves.size()) == d.host_fifo_depth) {
            entered = std::max(entered, std::ceil(leaves.front()));
            leaves.pop_front();
        }
        if (entered >= left) {
            start = entered;
            in_a_row = 0.0;
        }
        in_a_row += 1.0;
        left = start + in_a_row * words.interval;
        leaves.push_back(left);
    }
    return {entered, std::ceil(left + words.latency) - entered};
}

double host_bytes(Design const& d, MachineConstants const& machine) {
    auto const logits = logits_of_a_sequence(d) * static_cast<double>(d.batch) * d.element_bytes();
    return static_cast<double>(d.steps) * (logits + fifo_tokens(d, machine).si);
}

double host_seconds(Design const& d, MachineConstants const& machine) {
    auto const cycles = d.steps * d.batch * host_step(d, machine).computation;
    return static_cast<double>(cycles) / unit_clock(d, machine).si;
}

SamplingCost host_sampling(Design const& d, MachineConstants const& machine) {
    return cost_of(d.steps * host_step(d, machine).cycles());
}

SamplingCost host_timeline(Design const& d, MachineConstants const& machine) {
    return cost_of(walk_steps(d, host_step(d, machine), [](auto&&...) {}));
}

Trace host_trace(Design const& d, MachineConstants const& machine, std::size_t max) {
    Trace trace;
    auto const tick = (1.0 / unit_clock(d, machine)).si;
    walk_steps(d, host_step(d, machine),
               [&](char const* name, std::int64_t index, char const* unit, auto from, auto to) {
                   if (trace.size() < max)
                       trace.push_back({name + std::to_string(index), unit, static_cast<double>(from) * tick,
                                        static_cast<double>(to - from) * tick});
               });
    return trace;
}

}  // namespace pimdse::models::dplena
