#include "models/umdam/streams/controller.hpp"

namespace pimdse::models::umdam {

sim::dram::Options controller(Design const& s) {
    sim::dram::Options options;
    options.refresh =
        s.refresh == DramRefresh::all_bank ? sim::dram::RefreshMode::all_bank : sim::dram::RefreshMode::none;
    options.scheduler =
        s.scheduler == Scheduler::frfcfs_row_hit ? sim::dram::Scheduler::frfcfs_row_hit : sim::dram::Scheduler::frfcfs;
    options.front_end = sim::dram::FrontEnd::independent;
    options.queue_depth = static_cast<int>(s.queue_depth);
    return options;
}

}  // namespace pimdse::models::umdam
