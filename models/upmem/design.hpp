#pragma once

#include "models/llm/request_passes.hpp"
#include "sim/base/units.hpp"

#include <cstddef>
#include <cstdint>

namespace pimdse::models::upmem {

/// Timing of the machine. hardware: measured DMA law and launch cost of real systems; the other two: the memory side of
/// uPIMulator, in the Go version unchanged and with the clock ratio of the C++ version.
enum class Preset : std::uint8_t { hardware, upimulator_go, upimulator_cpp };

/// How the host moves data: the paper's Table 1 for every DPU; one parallel call per rank; one DPU after the other; one
/// buffer to all; a constant bandwidth per DPU; Table 1 with a smooth curve between its points; loads and stores of the
/// processor in the mapped MRAM, without a copy by a library.
enum class Transfer : std::uint8_t { table1, parallel, serial, broadcast, constant, spline, mapped };

/// When the executable and its arguments are sent: never (they are there), before every launch, before the first one.
enum class Loading : std::uint8_t { none, each_launch, once };

/// What starts a launch: the driver of real systems, whose time was measured; or a queue that a rank polls, whose host
/// waits for every launch, or fills a ring and is told of the end of all.
enum class LaunchPath : std::uint8_t { measured, synchronous, ring };

/// Who merges the results of streams: the host, after it has fetched those of every stream; or the DPUs, in one more
/// launch after the last stream.
enum class Reduction : std::uint8_t { host, dpu };

/// Whether results may take the place of inputs in MRAM, as the kernel states, or have addresses of their own.
enum class Results : std::uint8_t { in_place, apart };

/// Whether a DPU may compute while the host writes its MRAM. none: always; exclusive: never (real hardware);
/// double_bank: in the other of two banks; rank_level: never, but other ranks compute meanwhile; fine: in the same
/// bank, where requests of the host queue behind those of the DPU.
enum class Lock : std::uint8_t { none, exclusive, double_bank, rank_level, fine };

/// Whether the input arrays of a stream are sent in one call or one after the other.
enum class Packing : std::uint8_t { joint, apart };

/// A point with its values bound to names, the request among them. `model` is nullptr without a language model.
struct Design : ModelRequest {
    std::size_t kernel = 0;   ///< index into the kernels; of a request, of that which computes its products
    bool end_to_end = false;  ///< with a model: its whole request instead of the matrices of one step
    std::int64_t elements = 0, tasklets = 0, dpus = 0, ranks = 0, streams = 0, dma_block = 0;
    Preset preset = Preset::hardware;
    Transfer transfer = Transfer::parallel;
    Packing packing = Packing::joint;
    Lock lock = Lock::exclusive;
    Loading loading = Loading::none;
    LaunchPath launch_path = LaunchPath::measured;
    Reduction reduction = Reduction::host;
    Results results = Results::in_place;
    sim::Frequency frequency{};
    std::int64_t dispatch_distance = 0;
    sim::Bandwidth mram_bandwidth{};
    sim::Time offload{};
    double attained_share = 1.0;  ///< share of the pipelines' peak that programs attain
    sim::Time layer_overhead{};   ///< overhead of the host per layer of a model and pass

    /// Time of `cycles` cycles of a DPU.
    [[nodiscard]] sim::Time running_time(double cycles) const {
        return sim::cycles_at(cycles / attained_share, frequency);
    }
    [[nodiscard]] bool is_request() const { return end_to_end && model != nullptr; }
};

}  // namespace pimdse::models::upmem
