#include "models/upmem/hybrid.hpp"

#include "sim/base/check.hpp"

#include <algorithm>
#include <limits>
#include <queue>

namespace pimdse::models::upmem {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

struct Due {
    double at;
    std::size_t tasklet;
    /// Earliest first; equal times in the order of the tasklets, so that the result does not depend on the heap.
    bool operator<(Due const& other) const { return at != other.at ? at > other.at : tasklet > other.tasklet; }
};

class Fluid {
  public:
    Fluid(DpuWork const& work, DmaLaw const& dma, std::int64_t tasklets, std::int64_t distance,
          FluidOptions const& options)
        : work_(work),
          tasklets_(tasklets),
          distance_(std::max(1.0, static_cast<double>(distance) / work.slots_per_instruction())),
          read_tail_(options.read_tail * work.tail * static_cast<double>(distance)),
          write_tail_(options.write_tail * work.tail * static_cast<double>(distance)),
          read_service_(read_service(work, dma)),
          write_service_(write_service(work, dma)),
          extra_(dma.extra),
          threads_(static_cast<std::size_t>(tasklets)) {}

    double run() {
        for (std::size_t t = 0; t < threads_.size(); ++t) {
            threads_[t].block = static_cast<std::int64_t>(t) * work_.chunk;
            compute(t, work_.fixed_slots);
        }
        while (true) {
            double const computed = computing_.empty() ? never : now_ + (computing_.top().at - virtual_) * pace();
            double const other = waiting_.empty() ? never : waiting_.top().at;
            if (computed == never && other == never) return now_;
            if (other <= computed) {
                advance(other);
                std::size_t const t = waiting_.top().tasklet;
                waiting_.pop();
                next_transfer(t);
            } else {
                std::size_t const t = computing_.top().tasklet;
                double const exact = computing_.top().at;
                advance(computed);
                virtual_ = exact;
                computing_.pop();
                computed_block(t);
            }
        }
    }

  private:
    /// The position of a tasklet within its block: transfers done, and whether the address code after the last request
    /// still has to run.
    struct Thread {
        std::int64_t block = 0;
        double transfers = 0.0;
        bool started = false, writing = false, tail = false;
    };

    /// Cycles per slot of every computing tasklet.
    [[nodiscard]] double pace() const { return std::max(distance_, static_cast<double>(computing_.size())); }

    void advance(double to) {
        if (!computing_.empty()) virtual_ += (to - now_) / pace();
        now_ = to;
    }

    void compute(std::size_t t, double slots) { computing_.push({virtual_ + slots, t}); }

    void request(std::size_t t, double service) {
        server_free_ = std::max(server_free_, now_) + service;
        waiting_.push({server_free_ + extra_, t});
    }

    [[nodiscard]] double slots_of(std::int64_t block) const {
        double const before = static_cast<double>(work_.blocks - 1) * work_.slots_per_block;
        double const all = work_.total_slots - static_cast<double>(tasklets_) * work_.fixed_slots;
        return block + 1 < work_.blocks ? work_.slots_per_block : std::max(0.0, all - before);
    }

    void computed_block(std::size_t t) {
        Thread& thread = threads_[t];
        if (!thread.started) {
            thread.started = true;
            return begin_block(t);
        }
        thread.writing = true;
        thread.transfers = 0.0;
        if (work_.writes > 0.0) return request(t, write_service_);
        next_block(t);
    }

    void begin_block(std::size_t t) {
        Thread& thread = threads_[t];
        if (thread.block >= work_.blocks) return;
        thread.writing = false;
        thread.transfers = 0.0;
        if (work_.reads > 0.0) return request(t, read_service_);
        compute(t, slots_of(thread.block));
    }

    void next_block(std::size_t t) {
        Thread& thread = threads_[t];
        bool const same_chunk = (thread.block + 1) % work_.chunk != 0;
        thread.block += same_chunk ? 1 : 1 + (tasklets_ - 1) * work_.chunk;
        begin_block(t);
    }

    /// A transfer has completed, or the address code after one has run.
    void next_transfer(std::size_t t) {
        Thread& thread = threads_[t];
        if (thread.tail) {
            thread.tail = false;
            if (thread.writing && thread.transfers >= work_.writes) return next_block(t);
            return request(t, thread.writing ? write_service_ : read_service_);
        }
        thread.transfers += 1.0;
        bool const more = thread.transfers < (thread.writing ? work_.writes : work_.reads);
        if (!more && !thread.writing) return compute(t, slots_of(thread.block));
        thread.tail = true;
        waiting_.push({now_ + (more ? read_tail_ : write_tail_), t});
    }

    DpuWork const& work_;
    std::int64_t tasklets_;
    double distance_, read_tail_, write_tail_, read_service_, write_service_, extra_;
    std::vector<Thread> threads_;
    std::priority_queue<Due> computing_, waiting_;
    double now_ = 0.0, virtual_ = 0.0, server_free_ = 0.0;
};

/// The same work with fewer blocks and without its lock; the last block keeps its length.
DpuWork shortened(DpuWork const& w, std::int64_t blocks) {
    DpuWork less = w;
    less.total_slots -= static_cast<double>(w.blocks - blocks) * w.slots_per_block;
    less.total_instructions -= static_cast<double>(w.blocks - blocks) * w.instructions_per_block;
    less.blocks = blocks;
    less.serial_slots = 0.0;
    return less;
}

}  // namespace

FluidOptions fluid_options(MachineConstants const& m) {
    return {m.tail_read_slots, m.tail_write_slots, static_cast<std::int64_t>(m.allowance.settling_rounds),
            static_cast<std::int64_t>(m.allowance.measured_rounds)};
}

double fluid_cycles(DpuWork const& w, DmaLaw const& dma, std::int64_t tasklets, std::int64_t distance,
                    FluidOptions const& options) {
    double const body = Fluid(w, dma, tasklets, distance, options).run();
    return std::max(body, serial_cycles(w, tasklets, distance)) + w.start_cycles;
}

KernelCycles fluid_model(DpuWork const& w, DmaLaw const& dma, std::int64_t tasklets, std::int64_t distance,
                         FluidOptions const& options) {
    double const server = server_cycles(w, dma);
    std::int64_t const round = tasklets * w.chunk;
    std::int64_t const rounds = w.blocks / round;
    if (rounds <= options.settling_rounds + options.measured_rounds + 1)
        return {fluid_cycles(w, dma, tasklets, distance, options), w.total_instructions, server};
    std::int64_t const left_out = rounds - options.settling_rounds - options.measured_rounds;
    std::int64_t const longer = w.blocks - left_out * round;
    std::int64_t const shorter = longer - options.measured_rounds * round;
    double const at_longer = fluid_cycles(shortened(w, longer), dma, tasklets, distance, options);
    double const at_shorter = fluid_cycles(shortened(w, shorter), dma, tasklets, distance, options);
    double const per_round = (at_longer - at_shorter) / static_cast<double>(options.measured_rounds);
    double const body = at_longer + per_round * static_cast<double>(left_out);
    return {std::max(body, serial_cycles(w, tasklets, distance) + w.start_cycles), w.total_instructions, server};
}

}  // namespace pimdse::models::upmem
