#pragma once

#include "models/dplena/hbm/fetch_engine.hpp"
#include "models/dplena/program/walk.hpp"
#include "models/dplena/sampling.hpp"

namespace pimdse::models::dplena {

/// A sink of Walk: one instruction at a time, fetches included.
class SerialMachine {
  public:
    explicit SerialMachine(FetchEngine& engine) : engine_(engine) {}

    void run(Unit unit, Opcode, std::int64_t cycles, std::int64_t) {
        now_ += cycles;
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
        engine_.present(base, scales, offset, now_);
        now_ = engine_.finish_oldest();
    }

    [[nodiscard]] std::int64_t now() const { return now_; }
    [[nodiscard]] SamplingCost cost() const {
        return {counts_, engine_.prefetches(), Estimate::exact(static_cast<double>(engine_.busy())),
                Estimate::exact(static_cast<double>(now_))};
    }

  private:
    FetchEngine& engine_;
    Counts counts_;
    std::int64_t now_ = 0;
};

/// Every instruction in order, one in flight, every prefetch through the HBM controller: exact, by category.
[[nodiscard]] SamplingCost serial_timeline(Program const& program, Hbm const& hbm);

/// A bar for every instruction, `tick` long per cycle, at most `most` and one for what was left out.
[[nodiscard]] Trace serial_trace(Program const& program, Hbm const& hbm, sim::Time tick, std::size_t most);

}  // namespace pimdse::models::dplena
