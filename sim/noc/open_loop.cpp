#include "sim/noc/open_loop.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace pimdse::sim::noc {
namespace {

constexpr std::int32_t most_side = 1024, most_packet_flits = 65536;
constexpr std::int64_t most_places = 1 << 27;

/// Cycles in which nodes create packets: geometric gaps, each a hash of (seed, node, how many before).
class Creation {
  public:
    explicit Creation(OpenLoop const& request)
        : request_(request),
          log_quiet_(std::log1p(-request.load / request.packet_flits)),
          next_(static_cast<std::size_t>(request.mesh.nodes()), 0),
          made_(next_.size(), 0) {
        for (std::size_t node = 0; node < next_.size(); ++node) next_[node] = gap(node) - 1;
        soonest_ = *std::min_element(next_.begin(), next_.end());
    }

    [[nodiscard]] Cycle soonest() const { return soonest_; }

    template <class Create>
    void at(Cycle now, Create create) {
        if (now < soonest_) return;
        Cycle soonest = std::numeric_limits<Cycle>::max();
        for (std::size_t node = 0; node < next_.size(); ++node) {
            if (next_[node] == now) {
                create(static_cast<Node>(node), hashed(request_.seed ^ 0x5bd1e995ULL, key(node)));
                ++made_[node];
                next_[node] = now + gap(node);
            }
            soonest = std::min(soonest, next_[node]);
        }
        soonest_ = soonest;
    }

  private:
    static constexpr double longest_gap = 0x1p60;  // never, yet added to a cycle it is a cycle
    [[nodiscard]] std::uint64_t key(std::size_t node) const {
        return (static_cast<std::uint64_t>(node) << 40U) + made_[node];
    }
    [[nodiscard]] Cycle gap(std::size_t node) const {
        if (request_.load >= request_.packet_flits) return 1;
        double const uniform = (static_cast<double>(hashed(request_.seed, key(node)) >> 11U) + 0.5) * 0x1p-53;
        return 1 + static_cast<Cycle>(std::min(std::log(uniform) / log_quiet_, longest_gap));
    }

    OpenLoop const& request_;
    double log_quiet_;
    Cycle soonest_ = 0;
    std::vector<Cycle> next_;
    std::vector<std::uint64_t> made_;
};

class Measurement {
  public:
    explicit Measurement(OpenLoop const& request)
        : request_(request), network_(request.mesh, request.timing), creation_(request) {}

    OpenLoopResult result() {
        Cycle const from = request_.warmup, until = request_.warmup + request_.measured;
        run_until(from, from, until);
        auto const before = network_.ejected_flits();
        run_until(until, from, until);
        auto const ejected = network_.ejected_flits() - before;
        Cycle const patience = until + std::min(request_.patience, most_cycles);
        while (waiting_ > 0 && network_.now() < patience) run_until(network_.now() + 1, from, until);
        double const window = static_cast<double>(request_.mesh.nodes()) * static_cast<double>(request_.measured);
        auto const arrived = result_.packets - waiting_;
        result_.latency = mean(latency_sum_, arrived);
        result_.network_latency = mean(network_latency_sum_, arrived);
        result_.hops = mean(hop_sum_, result_.packets);
        if (arrived > 0) result_.longest = longest_;
        result_.accepted = static_cast<double>(ejected) / window;
        result_.offered = static_cast<double>(result_.packets * request_.packet_flits) / window;
        result_.cycles = network_.now();
        result_.deepest_fifo = network_.deepest_fifo();
        result_.drained = waiting_ == 0;
        return result_;
    }

  private:
    static std::optional<double> mean(double sum, std::int64_t count) {
        return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
    }

    void run_until(Cycle end, Cycle from, Cycle until) {
        while (network_.now() < end) {
            Cycle const now = network_.now();
            creation_.at(now,
                         [&](Node node, std::uint64_t random) { create(node, random, now >= from && now < until); });
            network_.advance(std::min(end, creation_.soonest()));
            for (auto const& arrival : network_.arrivals()) count(arrival);
            network_.forget_arrivals();
        }
    }

    void create(Node node, std::uint64_t random, bool counts) {
        Node const to = destination(request_.traffic, request_.mesh, node, random);
        auto const id = static_cast<std::size_t>(network_.unicast(node, to, request_.packet_flits));
        if (created_.size() <= id) created_.resize(id + 1);
        created_[id] = counts ? network_.now() : -1;
        if (!counts) return;
        ++result_.packets;
        ++waiting_;
        hop_sum_ += request_.mesh.distance(node, to);
    }

    void count(Arrival const& arrival) {
        Cycle const created = created_[static_cast<std::size_t>(arrival.message)];
        if (created < 0) return;
        --waiting_;
        latency_sum_ += static_cast<double>(arrival.arrived - created);
        network_latency_sum_ += static_cast<double>(arrival.arrived - arrival.injected);
        longest_ = std::max(longest_, arrival.arrived - created);
    }

    OpenLoop const& request_;
    Network network_;
    Creation creation_;
    OpenLoopResult result_;
    double latency_sum_ = 0.0, network_latency_sum_ = 0.0, hop_sum_ = 0.0;
    Cycle longest_ = 0;
    std::vector<Cycle> created_;  // by message; -1: does not count
    std::int64_t waiting_ = 0;
};

}  // namespace

std::string why_not(Mesh mesh, RouterTiming const& timing) {
    if (timing.fifo_flits < 1 || timing.fifo_flits > lanes::most)
        return fmt::format("FIFOs of {} flits are out of range (1 to {})", timing.fifo_flits, lanes::most);
    if (mesh.rows < 1 || mesh.cols < 1 || mesh.rows > most_side || mesh.cols > most_side)
        return fmt::format("a mesh of {} x {} is out of range (1 to {} each)", mesh.rows, mesh.cols, most_side);
    auto const places =
        std::int64_t{mesh.nodes()} * ports * std::bit_ceil(static_cast<std::uint32_t>(timing.fifo_flits));
    if (places > most_places)
        return fmt::format("a mesh of {} x {} with FIFOs of {} flits has {} places for flits (at most {}, 1 GiB)",
                           mesh.rows, mesh.cols, timing.fifo_flits, places, most_places);
    return "";
}

OpenLoopResult run(OpenLoop const& request) {
    if (request.packet_flits < 1) throw InputError("a packet has no flits (it needs at least one)");
    if (request.packet_flits > most_packet_flits)
        throw InputError(
            fmt::format("a packet of {} flits is out of range (at most {})", request.packet_flits, most_packet_flits));
    if (request.measured < 1 || request.warmup < 0 || std::max(request.measured, request.warmup) > most_cycles)
        throw InputError(fmt::format("{} cycles behind {} of warm-up are out of range (1 to {}, 0 to {})",
                                     request.measured, request.warmup, most_cycles, most_cycles));
    if (auto const why = why_not(request.mesh, request.timing); !why.empty()) throw InputError(why);
    if (!(request.load > 0.0) || request.load > request.packet_flits) {
        throw InputError(
            fmt::format("load {} is out of range (a node creates at most one packet of {} flits per cycle)",
                        request.load, request.packet_flits));
    }
    if (auto const why = why_not(request.traffic, request.mesh); !why.empty()) {
        throw InputError(fmt::format("no {} traffic on a {} x {} mesh ({})", name_of(request.traffic),
                                     request.mesh.rows, request.mesh.cols, why));
    }
    return Measurement(request).result();
}

}  // namespace pimdse::sim::noc
