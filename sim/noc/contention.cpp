#include "sim/noc/contention.hpp"

#include "sim/noc/closed_form.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::sim::noc {
namespace {

constexpr double busiest = 0.99;
constexpr int iterations = 400;

/// Rates, waits and the fixed point. Edges are (router, input, output); FIFOs are (router, input).
class FixedPoint {
  public:
    explicit FixedPoint(OpenLoop const& request)
        : request_(request),
          mesh_(request.mesh),
          flits_(request.packet_flits),
          service_(flits_ + 1.0),
          rate_(static_cast<std::size_t>(mesh_.nodes()) * ports * ports, 0.0),
          wait_output_(rate_.size(), 0.0),
          hold_(rate_.size(), service_),
          wait_fifo_(static_cast<std::size_t>(mesh_.nodes()) * ports, 0.0) {
        for_each_flow([this](Node source, Node to, double rate) {
            follow(source, to, [&](std::size_t edge) { rate_[edge] += rate; });
        });
    }

    Contention solve() {
        for (int i = 0; i < iterations; ++i) {
            double const moved = step();
            if (saturated_) return {0.0, true};
            if (moved < 1e-9) break;
        }
        double latency = 0.0, total = 0.0;
        for_each_flow([&](Node source, Node to, double rate) {
            double wait = static_cast<double>(
                closed_form::unicast(request_.timing, mesh_.distance(source, to), request_.packet_flits));
            follow(source, to, [&](std::size_t edge) { wait += wait_fifo_[edge / ports] + wait_output_[edge]; });
            latency += rate * wait;
            total += rate;
        });
        return {latency / total, false};
    }

  private:
    template <class Visit>
    void for_each_flow(Visit visit) const {
        for (Node source = 0; source < mesh_.nodes(); ++source) {
            auto const shares = destination_shares(request_.traffic, mesh_, source);
            for (Node to = 0; to < mesh_.nodes(); ++to) {
                double const share = shares[static_cast<std::size_t>(to)];
                if (share > 0.0) visit(source, to, share * request_.load / flits_);
            }
        }
    }

    template <class Visit>
    void follow(Node at, Node to, Visit visit) const {
        for (Port in = Port::local;;) {
            Port const out = mesh_.towards(at, to);
            visit(edge(at, in, out));
            if (out == Port::local) return;
            at = mesh_.neighbour(at, out);
            in = opposite(out);
        }
    }

    [[nodiscard]] static std::size_t edge(Node router, Port in, Port out) {
        return static_cast<std::size_t>(port_index(router, in)) * ports + static_cast<std::size_t>(index(out));
    }

    /// One damped iteration over outputs, then FIFOs; the largest change of a wait.
    double step() {
        double moved = 0.0;
        for (Node router = 0; router < mesh_.nodes(); ++router) {
            for (int out = 0; out < ports; ++out) update_output(router, static_cast<Port>(out), moved);
        }
        for (Node router = 0; router < mesh_.nodes(); ++router) {
            for (int in = 0; in < ports; ++in) update_fifo(router, static_cast<Port>(in), moved);
        }
        return moved;
    }

    void update_output(Node router, Port out, double& moved) {
        double busy = 0.0, residual = 0.0;
        double const behind =
            flits_ > request_.timing.fifo_flits && out != Port::local && mesh_.has_link(router, out)
                ? wait_fifo_[static_cast<std::size_t>(port_index(mesh_.neighbour(router, out), opposite(out)))]
                : 0.0;
        double const hold = service_ + behind * (flits_ - request_.timing.fifo_flits) / flits_;
        for (int in = 0; in < ports; ++in) {
            auto const e = edge(router, static_cast<Port>(in), out);
            hold_[e] = hold;
            busy += rate_[e] * hold;
            residual += rate_[e] * hold * hold / 2.0;
        }
        saturated_ = saturated_ || busy > busiest;
        for (int in = 0; in < ports; ++in) {
            auto const e = edge(router, static_cast<Port>(in), out);
            double const others = busy - rate_[e] * hold;
            double const wait = (residual - rate_[e] * hold * hold / 2.0) / std::max(1.0 - others, 1.0 - busiest);
            settle(wait_output_[e], wait, moved);
        }
    }

    void update_fifo(Node router, Port in, double& moved) {
        auto const fifo = static_cast<std::size_t>(port_index(router, in));
        double rate = 0.0, first = 0.0, second = 0.0;
        for (std::size_t e = fifo * ports; e < (fifo + 1) * ports; ++e) {
            double const time = hold_[e] + wait_output_[e];
            rate += rate_[e];
            first += rate_[e] * time;
            second += rate_[e] * (time * time + hold_[e] * wait_output_[e]);
        }
        if (rate <= 0.0) return;
        saturated_ = saturated_ || first > busiest;
        double wait = second / (2.0 * std::max(1.0 - first, 1.0 - busiest));
        // What came over a link came one packet at a time already.
        if (in != Port::local)
            wait -= rate * service_ * service_ / (2.0 * std::max(1.0 - rate * service_, 1.0 - busiest));
        settle(wait_fifo_[fifo], std::max(0.0, wait), moved);
    }

    static void settle(double& value, double next, double& moved) {
        moved = std::max(moved, std::abs(next - value));
        value = 0.5 * (value + next);
    }

    OpenLoop const& request_;
    Mesh mesh_;
    double flits_;
    double service_;
    std::vector<double> rate_, wait_output_, hold_, wait_fifo_;
    bool saturated_ = false;
};

}  // namespace

Contention contention(OpenLoop const& request) { return FixedPoint(request).solve(); }

double saturation_load(OpenLoop request) {
    double low = 0.0, high = 1.0;
    while (high - low > 0.005 * high) {
        request.load = (low + high) / 2.0;
        (contention(request).saturated ? high : low) = request.load;
    }
    return low;
}

}  // namespace pimdse::sim::noc
