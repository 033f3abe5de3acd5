#pragma once

#include "models/llm/model_choices.hpp"
#include "models/upmem/constants.hpp"
#include "models/upmem/design.hpp"
#include "models/upmem/kernel.hpp"

#include <array>
#include <future>
#include <memory>
#include <vector>

namespace pimdse::models::upmem {

class ServedMachine;  // served_machine.hpp

/// Cycles of one MRAM transfer: the server is occupied for service(); the tasklet waits for `extra` more.
struct DmaLaw {
    double setup = 0.0;  ///< per request
    double row = 0.0;    ///< per row newly opened
    double per_byte = 0.0;
    double extra = 0.0;
    [[nodiscard]] double service(double bytes, double rows = 1.0) const {
        return setup + row * rows + per_byte * bytes;
    }
};

/// Bandwidth of one DPU as a function of transfer size: the paper's Table 1, log-log linear, clamped at both ends.
struct BandwidthTable {
    std::vector<double> bytes, in, out;  ///< B, B/s
};

/// A cubic between each two points of log(time) over log(bytes), with a continuous first derivative, that rises
/// wherever the points do (Fritsch and Carlson, SIAM J. Numer. Anal. 17, 1980). Outside, time is proportional to bytes.
/// `xs` is ascending; all values are positive.
class TimeSpline {
  public:
    TimeSpline() = default;
    /// `rates[i]`: bytes per second of a transfer of xs[i] bytes.
    TimeSpline(std::vector<double> const& xs, std::vector<double> const& rates);
    /// Time [s] of a transfer of `bytes` > 0. It does not decrease if no larger point takes less time.
    [[nodiscard]] double at(double bytes) const;

  private:
    std::vector<double> x_, y_, slope_;
};

/// Linear interpolation of log(y) over log(x), constant outside. `xs` is ascending; all values are positive.
[[nodiscard]] double interpolate_log(std::vector<double> const& xs, std::vector<double> const& ys, double x);

/// Everything that is the same for all points.
struct Prepared : ModelChoices {
    MachineConstants machine;
    BandwidthTable table1;
    std::array<TimeSpline, 2> spline;  ///< in, out: through the points of table1
    std::vector<Kernel> kernels;
    std::vector<bool> listing_reads_block;  ///< by kernel
    std::size_t products = 0;               ///< index of the kernel that computes the products of a model
    /// upmem.toml, which serves requests, read when it is first asked for; none in a part of a file.
    std::shared_future<std::shared_ptr<ServedMachine const>> served{};
};

/// Throws InputError.
[[nodiscard]] std::shared_ptr<Prepared> prepared_with(Parameters const& parameters, Constants const& constants,
                                                      Assumptions const& assumptions);
[[nodiscard]] std::shared_ptr<void const> prepare(Parameters const& parameters, ModelOptions const& options);

[[nodiscard]] constexpr Family family_of(Preset preset) {
    return preset == Preset::hardware ? Family::hardware : Family::upimulator;
}
[[nodiscard]] constexpr std::size_t index(Family family) { return static_cast<std::size_t>(family); }

/// The DMA law of a preset at this clock and MRAM bandwidth.
[[nodiscard]] DmaLaw dma_law(Prepared const& prepared, Design const& design);

/// The same law, and the law for the case that every request finds another row open after a single access.
struct DmaLaws {
    DmaLaw usual, max;
};
[[nodiscard]] DmaLaws dma_laws(Prepared const& prepared, Design const& design);

/// Memory cycles per DPU cycle of the upimulator presets: a whole number for the Go version.
[[nodiscard]] double memory_ratio(Prepared const& prepared, Design const& design);

}  // namespace pimdse::models::upmem
