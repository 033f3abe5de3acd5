#include "models/dplena/host_fifo.hpp"

#include "models/dplena/hbm/clocks.hpp"
#include "models/dplena/silicon.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

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

}  // namespace pimdse::models::dplena
