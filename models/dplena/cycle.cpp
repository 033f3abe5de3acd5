#include "models/dplena/cycle.hpp"

#include "models/dplena/constants.hpp"
#include "models/dplena/hbm/clocks.hpp"
#include "models/dplena/program.hpp"
#include "models/dplena/walk.hpp"

#include <algorithm>
#include <deque>
#include <string_view>

namespace pimdse::models::dplena {

/// The serial machine, a sink of Walk: instructions issue in order, and none does during a fetch.
class SerialMachine {
  public:
    SerialMachine(Program const& program, FetchEngine& engine) : issue_(program), engine_(engine) {}

    void run(Unit unit, Opcode opcode, std::int64_t cycles, std::int64_t row) {
        issue_.run(opcode, cycles, row);
        switch (unit) {
            case Unit::vector:
                counts_.vector += cycles;
                break;
            case Unit::scalar:
                counts_.scalar += cycles;
                break;
            case Unit::control:
                counts_.control += cycles;
                break;
            default:
                counts_.copy += cycles;
                break;
        }
    }
    void fetch(std::uint64_t base, std::uint64_t scales, std::uint64_t offset, std::int64_t) {
        engine_.present(base, scales, offset, now());
        issue_.stand_until(engine_.finish_oldest());
    }
    void drain() { issue_.drain(); }

    [[nodiscard]] std::int64_t now() const { return issue_.now(); }
    [[nodiscard]] SamplingCost cost() const {
        return {counts_ + Counts{.stall = issue_.stalls()}, engine_.prefetches(),
                Estimate::exact(static_cast<double>(engine_.busy())), Estimate::exact(static_cast<double>(now()))};
    }

  private:
    InOrderIssue issue_;
    FetchEngine& engine_;
    Counts counts_;
};

/// Bars of the serial machine, one per instruction; a cycle takes `tick`. At most `max` bars, and one for the omitted
/// rest.
[[nodiscard]] Trace serial_trace(Program const& program, Hbm const& hbm, sim::Time tick, std::size_t max);

/// Exact cost of the overlapped machine: blocks are fetched ahead into `buffers` buffers, with up to `outstanding`
/// prefetches in flight, and the work on them takes Blocks::work. Every prefetch passes through the HBM controller at
/// its time in the schedule.
[[nodiscard]] SamplingCost overlapped_timeline(Program const& program, Hbm const& hbm);

/// Bars of the overlapped machine for the fetch of every block and the work on it; a cycle takes `tick`. At most `max`
/// bars, and one for the omitted rest.
[[nodiscard]] Trace overlapped_trace(Program const& program, Hbm const& hbm, sim::Time tick, std::size_t max);

namespace {

/// The overlapped machine. Fetches run ahead of the work as far as buffers and outstanding prefetches allow. A buffer
/// is free when the work on its block is done; the work on a block begins when the whole block has arrived and the
/// previous work is done.
class OverlappedMachine {
  public:
    OverlappedMachine(Program const& program, Hbm const& hbm)
        : program_(program), design_(program.design()), blocks_(program), engine_(hbm, fetching_of(design_)) {}

    /// Runs the first `blocks` blocks and returns the end of their work. Calls `on_block(index, fetch, work start, work
    /// end)` for each block in order.
    template <class OnBlock>
    std::int64_t run(OnBlock on_block, std::int64_t blocks) {
        SerialMachine serial(program_, engine_);
        Walk walk(program_, serial);
        walk.prologue();
        work_end_ = issue_ = start_ = serial.now();
        for (std::int64_t block = 0; block < blocks; ++block) {
            while (worked_ + design_.buffers <= block) work_on_next(on_block);
            fetch(block);
        }
        while (worked_ < blocks) work_on_next(on_block);
        return work_end_;
    }
    [[nodiscard]] FetchEngine const& engine() const { return engine_; }
    [[nodiscard]] std::int64_t blocks() const { return blocks_.count(); }

  private:
    struct Fetch {
        std::int64_t left = 0, start = 0, end = 0;
    };

    void fetch(std::int64_t block) {
        auto const prefetches = program_.preloads() > 0 ? program_.prefetches_per_preload() : 0;
        auto const room = block < design_.buffers ? start_ : work_end_;
        fetches_.push_back({prefetches, std::max(issue_, room), room});
        for (std::int64_t i = 0; i < prefetches; ++i) {
            if (engine_.in_flight() == design_.outstanding) issue_ = std::max(issue_, finish_oldest());
            issue_ = std::max(issue_, room);
            if (i == 0) fetches_.back().start = issue_;
            auto const offset = program_.preload_offset(block) + i * design_.prefetch * design_.vlen;
            engine_.present(0, static_cast<std::uint64_t>(design_.logits()), static_cast<std::uint64_t>(offset),
                            issue_);
        }
    }

    std::int64_t finish_oldest() {
        auto const end = engine_.finish_oldest();
        auto const oldest =
            std::find_if(fetches_.begin(), fetches_.end(), [](Fetch const& fetch) { return fetch.left > 0; });
        --oldest->left;
        oldest->end = std::max(oldest->end, end);
        return end;
    }

    template <class OnBlock>
    void work_on_next(OnBlock& on_block) {
        while (fetches_.front().left > 0) (void)finish_oldest();
        auto const fetched = fetches_.front();
        fetches_.pop_front();
        auto const begin = std::max(work_end_, fetched.end);
        work_end_ = begin + blocks_.work(worked_);
        on_block(worked_, fetched, begin, work_end_);
        ++worked_;
    }

    Program const& program_;
    Design const& design_;
    Blocks blocks_;
    FetchEngine engine_;
    std::deque<Fetch> fetches_;  ///< of blocks that were presented and whose work has not begun
    std::int64_t start_ = 0, issue_ = 0, work_end_ = 0, worked_ = 0;
};

/// A sink of Walk that runs the serial machine and records a bar for each instruction.
class Tracer {
  public:
    Tracer(Program const& program, Hbm const& hbm, sim::Time tick, std::size_t max)
        : engine_(hbm, fetching_of(program.design())), serial_(program, engine_), tick_(tick.si), max_(max) {}

    void run(Unit unit, Opcode opcode, std::int64_t cycles, std::int64_t row) {
        auto const start = serial_.now();
        serial_.run(unit, opcode, cycles, row);
        bar(unit, opcode_names[static_cast<std::size_t>(opcode)], start, row);
    }
    void fetch(std::uint64_t base, std::uint64_t scales, std::uint64_t offset, std::int64_t row) {
        auto const start = serial_.now();
        serial_.fetch(base, scales, offset, row);
        bar(Unit::hbm, opcode_names[static_cast<std::size_t>(Opcode::h_prefetch_v)], start, row);
    }
    void drain() {
        auto const start = serial_.now();
        serial_.drain();
        if (serial_.now() > start) bar(Unit::vector, "last results", start, -1);
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
    void bar(Unit unit, std::string_view what, std::int64_t start, std::int64_t row) {
        if (trace_.size() >= max_) {
            ++left_out_;
            return;
        }
        std::string name(what);
        if (row >= 0) name += " row " + std::to_string(row);
        trace_.push_back({std::move(name), std::string(unit_names[static_cast<std::size_t>(unit)]),
                          static_cast<double>(start) * tick_, static_cast<double>(serial_.now() - start) * tick_});
    }

    FetchEngine engine_;
    SerialMachine serial_;
    Trace trace_;
    double tick_;
    std::size_t max_;
    std::int64_t left_out_ = 0;
};

}  // namespace

SamplingCost overlapped_timeline(Program const& program, Hbm const& hbm) {
    OverlappedMachine overlapped(program, hbm);
    auto const end = overlapped.run([](auto&&...) {}, overlapped.blocks());
    SamplingCost const cost{program.total(), overlapped.engine().prefetches(),
                            Estimate::exact(static_cast<double>(overlapped.engine().busy())),
                            Estimate::exact(static_cast<double>(end))};
    auto const& design = program.design();
    if (!may_prefer_serial(design)) return cost;
    auto const serial = serial_timeline(program, hbm);
    return serial.total.value < cost.total.value ? serial : cost;
}

Trace overlapped_trace(Program const& program, Hbm const& hbm, sim::Time tick, std::size_t max) {
    OverlappedMachine overlapped(program, hbm);
    Trace trace;
    std::int64_t left_out = 0, covered = 0;
    auto const bar = [&](std::string name, std::string unit, std::int64_t from, std::int64_t to) {
        trace.push_back({std::move(name), std::move(unit), static_cast<double>(from) * tick.si,
                         static_cast<double>(to - from) * tick.si});
    };
    auto const end = overlapped.run(
        [&](std::int64_t block, auto const& fetch, std::int64_t begin, std::int64_t done) {
            if (trace.size() >= max) {
                ++left_out;
                return;
            }
            auto const name = " block " + std::to_string(block);
            if (fetch.end > fetch.start) bar("fetch" + name, "HBM", fetch.start, fetch.end);
            bar("work" + name, "VEC+SCA", begin, done);
            covered = done;
        },
        overlapped.blocks());
    if (left_out > 0) bar(std::to_string(left_out) + " blocks", "left out", covered, end);
    return trace;
}

SamplingCost cycle_sampling(Program const& program, Hbm const& hbm) {
    return program.design().overlap == Overlap::none ? serial_timeline(program, hbm)
                                                     : overlapped_timeline(program, hbm);
}

Trace timeline_trace(Program const& program, MachineConstants const& machine, std::size_t max) {
    auto const tick = 1.0 / unit_clock(program.design(), machine);
    return program.design().overlap == Overlap::none ? serial_trace(program, machine.hbm, tick, max)
                                                     : overlapped_trace(program, machine.hbm, tick, max);
}

SamplingCost serial_timeline(Program const& program, Hbm const& hbm) {
    FetchEngine engine(hbm, fetching_of(program.design()));
    SerialMachine serial(program, engine);
    Walk walk(program, serial);
    walk.all();
    return serial.cost();
}

Trace serial_trace(Program const& program, Hbm const& hbm, sim::Time tick, std::size_t max) {
    Tracer tracer(program, hbm, tick, max);
    Walk walk(program, tracer);
    walk.all();
    return tracer.take();
}

}  // namespace pimdse::models::dplena
