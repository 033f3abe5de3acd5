#include "models/dplena/serial_machine.hpp"

namespace pimdse::models::dplena {
namespace {

/// Writes a bar for what the serial machine does.
class Tracer {
  public:
    Tracer(Program const& program, Hbm const& hbm, sim::Time tick, std::size_t most)
        : engine_(hbm, fetching_of(program.design())), serial_(engine_), tick_(tick.si), most_(most) {}

    void run(Unit unit, Opcode opcode, std::int64_t cycles, std::int64_t row) {
        auto const start = serial_.now();
        serial_.run(unit, opcode, cycles, row);
        bar(unit, opcode, start, row);
    }
    void fetch(std::uint64_t base, std::uint64_t scales, std::uint64_t offset, std::int64_t row) {
        auto const start = serial_.now();
        serial_.fetch(base, scales, offset, row);
        bar(Unit::hbm, Opcode::h_prefetch_v, start, row);
    }
    [[nodiscard]] Trace take() {
        if (left_out_ > 0) {
            auto const end = static_cast<double>(serial_.now()) * tick_;
            auto const from = trace_.back().start + trace_.back().duration;
            trace_.push_back({std::to_string(left_out_) + " instructions", "left out", from, end - from});
        }
        return std::move(trace_);
    }

  private:
    void bar(Unit unit, Opcode opcode, std::int64_t start, std::int64_t row) {
        if (trace_.size() >= most_) {
            ++left_out_;
            return;
        }
        std::string what(opcode_names[static_cast<std::size_t>(opcode)]);
        if (row >= 0) what += " row " + std::to_string(row);
        trace_.push_back({std::move(what), std::string(unit_names[static_cast<std::size_t>(unit)]),
                          static_cast<double>(start) * tick_, static_cast<double>(serial_.now() - start) * tick_});
    }

    FetchEngine engine_;
    SerialMachine serial_;
    Trace trace_;
    double tick_;
    std::size_t most_;
    std::int64_t left_out_ = 0;
};

}  // namespace

SamplingCost serial_timeline(Program const& program, Hbm const& hbm) {
    FetchEngine engine(hbm, fetching_of(program.design()));
    SerialMachine serial(engine);
    Walk walk(program, serial);
    walk.all();
    return serial.cost();
}

Trace serial_trace(Program const& program, Hbm const& hbm, sim::Time tick, std::size_t most) {
    Tracer tracer(program, hbm, tick, most);
    Walk walk(program, tracer);
    walk.all();
    return tracer.take();
}

}  // namespace pimdse::models::dplena
