#include "models/umdam/pim/replay.hpp"

namespace pimdse::models::umdam {

PimReplay::PimReplay(PimTiming const& timing, std::int64_t refresh_interval, std::int64_t refresh_time)
    : timing_(timing), refresh_interval_(refresh_interval), refresh_time_(refresh_time) {}

PimReplay::Spent PimReplay::simulate(Product const& product, std::int64_t vectors) const {
    PimChannel channel(timing_, refresh_interval_, refresh_time_, phase_);
    channel.execute(product.runs, vectors);
    return {channel.cycles(), channel.commands().activates};
}

PimReplay::Spent PimReplay::run(BankWork const& work, Operand operand, std::int64_t vectors, std::int64_t times) {
    auto& product = products_[{work, operand, vectors}];
    if (product.runs.empty()) {
        product.runs = runs_of(work);
        for (auto& run : product.runs) run.starts_chunk = run.starts_chunk && operand == Operand::written;
    }
    Spent total;
    for (std::int64_t i = 0; i < times; ++i) {
        auto& known = product.by_phase[phase_];
        if (known.cycles == 0) known = simulate(product, vectors);
        total.cycles += known.cycles;
        total.openings += known.openings;
        if (refresh_interval_ > 0) phase_ = (phase_ + known.cycles) % refresh_interval_;
    }
    return total;
}

}  // namespace pimdse::models::umdam
