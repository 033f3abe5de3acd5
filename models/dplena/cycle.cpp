#include "models/dplena/cycle.hpp"

#include "models/dplena/hbm/clocks.hpp"
#include "models/dplena/walk.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <string_view>

namespace pimdse::models::dplena {
namespace {

constexpr std::array counts_of_units{&Counts::vector, &Counts::scalar, &Counts::control, &Counts::copy};

/// The serial machine, a sink of Walk: instructions issue in order, and none does during a fetch.
class SerialMachine {
  public:
    SerialMachine(Program const& program, FetchEngine& engine) : issue_(program), engine_(engine) {}

    void run(Unit unit, Opcode opcode, std::int64_t cycles, std::int64_t row) {
        issue_.run(opcode, cycles, row);
        counts_.*counts_of_units.at(static_cast<std::size_t>(unit)) += cycles;
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

/// Bars of a timeline in which a cycle takes `tick`: at most `max`, and one for the omitted rest.
class Bars {
  public:
    Bars(sim::Time tick, std::size_t max) : tick_(tick.si), max_(max) {}

    /// Whether there is room for another one, which is left out otherwise.
    [[nodiscard]] bool has_room() {
        if (trace_.size() < max_) return true;
        ++left_out_;
        return false;
    }
    void add(std::string name, std::string_view unit, std::int64_t from, std::int64_t to) {
        trace_.push_back({std::move(name), std::string(unit), static_cast<double>(from) * tick_,
                          static_cast<double>(to - from) * tick_});
        end_ = to;
    }
    [[nodiscard]] Trace until(std::int64_t end, std::string const& what) && {
        if (left_out_ > 0) add(std::to_string(left_out_) + what, "left out", end_, end);
        return std::move(trace_);
    }

  private:
    Trace trace_;
    double tick_;
    std::size_t max_;
    std::int64_t left_out_ = 0, end_ = 0;
};

/// A sink of Walk that runs the serial machine and records a bar for each instruction.
class Tracer {
  public:
    Tracer(Program const& program, Hbm const& hbm, Bars& bars)
        : engine_(hbm, fetching_of(program.design())), serial_(program, engine_), bars_(bars) {}

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
    [[nodiscard]] std::int64_t now() const { return serial_.now(); }

  private:
    void bar(Unit unit, std::string_view what, std::int64_t start, std::int64_t row) {
        if (!bars_.has_room()) return;
        std::string name(what);
        if (row >= 0) name += " row " + std::to_string(row);
        bars_.add(std::move(name), unit_names[static_cast<std::size_t>(unit)], start, serial_.now());
    }

    FetchEngine engine_;
    SerialMachine serial_;
    Bars& bars_;
};

/// One bar per instruction.
Trace serial_trace(Program const& program, Hbm const& hbm, Bars bars) {
    Tracer tracer(program, hbm, bars);
    Walk walk(program, tracer);
    walk.all();
    return std::move(bars).until(tracer.now(), " instructions");
}

/// The fetch of every block and the work on it.
Trace overlapped_trace(Program const& program, Hbm const& hbm, Bars bars) {
    OverlappedMachine overlapped(program, hbm);
    auto const end = overlapped.run(
        [&](std::int64_t block, auto const& fetch, std::int64_t begin, std::int64_t done) {
            if (!bars.has_room()) return;
            auto const name = " block " + std::to_string(block);
            if (fetch.end > fetch.start) bars.add("fetch" + name, "HBM", fetch.start, fetch.end);
            bars.add("work" + name, "VEC+SCA", begin, done);
        },
        overlapped.blocks());
    return std::move(bars).until(end, " blocks");
}

/// Blocks are fetched ahead into `buffers` buffers, with up to `outstanding` prefetches in flight, and the work on them
/// takes Blocks::work. Every prefetch passes through the HBM controller at its time in the schedule.
SamplingCost overlapped_timeline(Program const& program, Hbm const& hbm) {
    OverlappedMachine overlapped(program, hbm);
    auto const end = overlapped.run([](auto&&...) {}, overlapped.blocks());
    SamplingCost const cost{program.total(), overlapped.engine().prefetches(),
                            Estimate::exact(static_cast<double>(overlapped.engine().busy())),
                            Estimate::exact(static_cast<double>(end))};
    if (!may_prefer_serial(program.design())) return cost;
    auto const serial = serial_timeline(program, hbm);
    return serial.total.value < cost.total.value ? serial : cost;
}

}  // namespace

SamplingCost cycle_sampling(Program const& program, Hbm const& hbm) {
    return program.design().overlap == Overlap::none ? serial_timeline(program, hbm)
                                                     : overlapped_timeline(program, hbm);
}

Trace timeline_trace(Program const& program, MachineConstants const& machine, std::size_t max) {
    auto const trace = program.design().overlap == Overlap::none ? serial_trace : overlapped_trace;
    return trace(program, machine.hbm, {1.0 / unit_clock(program.design(), machine), max});
}

SamplingCost serial_timeline(Program const& program, Hbm const& hbm) {
    FetchEngine engine(hbm, fetching_of(program.design()));
    SerialMachine serial(program, engine);
    Walk walk(program, serial);
    walk.all();
    return serial.cost();
}

}  // namespace pimdse::models::dplena
