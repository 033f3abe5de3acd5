#include "models/umdam/metrics.hpp"

#include "models/contract/metric_table.hpp"

namespace pimdse::models::umdam {
namespace {

using sim::Bounded;

Bounded sum_of(std::array<Bounded, 6> const& parts) {
    Bounded sum;
    for (auto const& part : parts) sum += part;
    return sum;
}

/// What a request costs on a system.
struct Answer {
    Answer(System const& of, Ledger const& costs, EnergyConstants const& constants)
        : system(of), ledger(costs), energy(sum_of(energy_of(costs.commands(), constants, of.standard.organisation))) {}

    System const& system;
    Ledger const& ledger;
    Bounded energy;  ///< J
    [[nodiscard]] Bounded ttft() const { return ledger.prefill(); }
    [[nodiscard]] Bounded ttlt() const { return ttft() + ledger.decode(); }
    [[nodiscard]] double steps() const { return static_cast<double>(system.design.decode_steps()); }
};

Bounded pim_bandwidth(Ledger const& ledger) {
    Bounded const seconds = ledger.at(Part::decode_weights).seconds + ledger.at(Part::decode_head).seconds;
    return ledger.pim_weight_bytes == 0.0 || seconds.value == 0.0 ? Bounded(0.0)
                                                                  : Bounded(ledger.pim_weight_bytes) / seconds;
}

template <auto found>
Estimate calibrated(Answer const& answer) {
    Bounded const bounded = found(answer);
    return bounded.on(Bound::calibrated);
}

MetricTable<Answer> make_table() {
    using enum Sense;
    MetricTable<Answer> table;
    table.row({"ttft", "s", "time to first token: re-layout where the baseline needs one, then prefill", minimize},
              calibrated<([](Answer const& a) -> Bounded { return a.ttft(); })>);
    table.row({"ttlt", "s", "time to last token: ttft and the decode steps", minimize},
              calibrated<([](Answer const& a) -> Bounded { return a.ttlt(); })>);
    table.row({"time_per_token", "s", "mean decode step", minimize}, calibrated<([](Answer const& a) -> Bounded {
                  return a.steps() > 0 ? a.ledger.decode() / Bounded(a.steps()) : Bounded(0.0);
              })>);
    table.row({"relayout_time", "s", "moving weights from the NPU's layout to PIM's, part of ttft", minimize},
              calibrated<([](Answer const& a) -> Bounded { return a.ledger.at(Part::relayout).seconds; })>);
    table.row({"tokens_per_second", "1", "generated tokens of the whole batch over ttlt", maximize},
              calibrated<([](Answer const& a) -> Bounded {
                  return Bounded(static_cast<double>(a.system.design.batch * a.system.design.output)) / a.ttlt();
              })>);
    table.row({"latency", "s", "request to last token: ttlt", minimize},
              calibrated<([](Answer const& a) -> Bounded { return a.ttlt(); })>);
    table.row({"energy", "J", "commands, transfers and arithmetic of the whole request", minimize, true},
              calibrated<([](Answer const& a) -> Bounded { return a.energy; })>);
    table.row({"power", "W", "energy / latency", minimize, true},
              calibrated<([](Answer const& a) -> Bounded { return a.energy / a.ttlt(); })>);
    table.row(
        {"footprint", "B", "DRAM the weights take with copies, padding and staging, without the KV cache", minimize},
        calibrated<([](Answer const& a) -> Bounded { return a.system.footprint; })>);
    table.row({"npu_bandwidth", "B/s", "what the NPU's weight stream gets from the DRAM", maximize},
              calibrated<([](Answer const& a) -> Bounded { return a.ledger.npu_bandwidth; })>);
    table.row({"pim_bandwidth", "B/s", "weight bytes over the time PIM takes for them in decode; 0 if PIM does nothing",
               maximize},
              calibrated<([](Answer const& a) -> Bounded { return pim_bandwidth(a.ledger); })>);
    table.row({"activations", "1", "DRAM rows opened for the whole request", minimize},
              calibrated<([](Answer const& a) -> Bounded { return a.ledger.commands().activations; })>);
    table.row({"lane_utilisation", "1", "share of PIM multiply slots that hold a weight", maximize},
              calibrated<([](Answer const& a) -> Bounded { return a.system.lane_utilisation; })>);
    table.row({"split_factor", "1", "most banks one matrix column is spread over; 1 is what PIM needs", minimize},
              calibrated<([](Answer const& a) -> Bounded { return static_cast<double>(a.system.split); })>);
    return table;
}

}  // namespace

MetricList metrics() { return make_table().metrics(); }

Metrics metrics_of(System const& system, Ledger const& ledger, EnergyConstants const& constants) {
    static auto const table = make_table();
    return table.of({system, ledger, constants});
}

}  // namespace pimdse::models::umdam
