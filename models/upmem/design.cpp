#include "models/upmem/design.hpp"

#include "models/files.hpp"
#include "models/parameter_builders.hpp"
#include "models/upmem/kernel.hpp"

namespace pimdse::models::upmem {
namespace {

std::vector<std::string> models_or_none() {
    auto names = language_model_names();
    names.insert(names.begin(), "none");
    return names;
}

}  // namespace

Parameters parameters() {
    return {
        choice("kernel", kernel_names(), "va",
               "what the DPUs compute: a file of models/upmem/kernels; without a listing it is calibrated and its file says so"),
        choice("llm", models_or_none(), "with kernel gemv-int8: one decode step, all weight matrices of the model spread over the DPUs"),
        count("elements", "elements", 4194304, {0.0, 1e12}, "problem size, total over all DPUs; what one element is, is said by the kernel"),
        count("tasklets", "", 16, unlimited, "hardware threads used per DPU, 1..24"),
        count("dpus", "", 1, unlimited, "DPUs used, at most 64 per rank"),
        count("ranks", "", 1, unlimited, "ranks over which the DPUs are spread, 1..40"),
        count("streams", "", 1, unlimited, "pieces into which the input is cut so that transfer and compute overlap, 1..64"),
        count("dma_block", "B", 1024, unlimited, "bytes of one MRAM transfer, a multiple of 8 up to 2048"),
        choice("preset", {"hardware", "upimulator-go", "upimulator-cpp"},
               "whose timing: real UPMEM, or uPIMulator with its clock ratio as it is (go) or repaired (cpp)"),
        choice("transfer", {"table1", "parallel", "serial", "broadcast", "constant"}, "how the host moves data"),
        flag("joint", true, "all input arrays of a stream in one transfer; false: one transfer each"),
        choice("lock", {"none", "exclusive", "double_bank", "rank_level"}, "whether a DPU may compute while the host writes its MRAM"),
        quantity("frequency", "Hz", 350e6, {1e6, 10e9}, "DPU clock"),
        count("dispatch_distance", "cycles", 11, unlimited, "cycles between two instructions of one tasklet, 1..14"),
        quantity("mram_bandwidth", "B/s", 700e6, {1e6, 1e12},
                 "MRAM bytes per second; for the upimulator presets it scales the memory clock"),
        quantity("offload", "s", 0.0, {0.0, 1e3}, "time of the host thread per stream between its transfer and its launch"),
    };
}

Design bind_design(Point point) {
    sim::expects(point.size() == 16, "a point has one value per parameter");
    Design d;
    d.kernel = point[0].as_choice();
    d.llm = point[1].as_choice();
    d.elements = point[2].as_integer();
    d.tasklets = point[3].as_integer();
    d.dpus = point[4].as_integer();
    d.ranks = point[5].as_integer();
    d.streams = point[6].as_integer();
    d.dma_block = point[7].as_integer();
    d.preset = static_cast<Preset>(point[8].as_choice());
    d.transfer = static_cast<Transfer>(point[9].as_choice());
    d.packing = point[10].as_flag() ? Packing::joint : Packing::apart;
    d.lock = static_cast<Lock>(point[11].as_choice());
    d.frequency = sim::Frequency{point[12].as_quantity()};
    d.dispatch_distance = point[13].as_integer();
    d.mram_bandwidth = sim::Bandwidth{point[14].as_quantity()};
    d.offload = sim::Time{point[15].as_quantity()};
    return d;
}

}  // namespace pimdse::models::upmem
