#pragma once

#include "sim/dram/counters.hpp"
#include "sim/dram/effort.hpp"
#include "sim/dram/options.hpp"
#include "sim/dram/stream.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace pimdse::sim::dram {

/// What stretches of a stream told about all of it.
struct Survey {
    /// One per front end; the slowest decides when the stream is through.
    struct Side {
        double effort = 0.0;   ///< of the whole stream, by the fluid model
        double cycles = 0.0;   ///< until its last request is taken
        double plainly = 0.0;  ///< the same had every request of a kind cost the same, whatever the fluid model says
        double after_the_last = 0.0;  ///< from there to the last completion
    };
    std::vector<Side> sides;
    std::vector<double> ratios;  ///< cycles over effort of every stretch and side that had enough to do
    Counters counters;           ///< scaled to the stream, cycles excepted
};

/// Walks a stream once with the fluid model, block by block, and then simulates stretches that stand for blocks like
/// them.
class Surveyor {
  public:
    /// Stretches last at least `laps` refresh intervals after one to fill the queues. The references must outlive this.
    Surveyor(Standard const& standard, Mapping const& mapping, Stream const& stream, Options const& options, int laps);

    /// Requests of one stretch, the filling of the queues included.
    [[nodiscard]] std::uint64_t stretch() const { return warm_up_ + measured_; }
    /// Requests simulated for so many samples.
    [[nodiscard]] std::uint64_t cost(std::uint64_t samples) const {
        return (samples + beginning) * stretch() + warm_up_;
    }
    /// At least so many samples, more where efforts differ much; nothing where they would cover half the stream, or
    /// where it does not settle into a rhythm before its half. Precondition: 2 * cost(samples) <= the stream's size.
    [[nodiscard]] std::optional<Survey> survey(std::uint64_t samples) const;

  private:
    /// Part of the stream, judged by a window in it.
    struct Block {
        std::uint64_t first = 0, length = 0;
        std::uint64_t window = 0;    ///< where its window begins
        std::vector<double> effort;  ///< per side, of the whole block
        double effort_per_request = 0.0, meetings_per_request = 0.0;
    };
    /// Blocks [first, last) in order of their effort per request, then of their meetings.
    struct Kind {
        std::size_t first = 0, last = 0;
    };
    /// A stretch that was simulated.
    struct Sample {
        /// Per side, where it had enough to do (else 0): cycles over effort, effort, cycles per request of the stream.
        std::vector<double> ratio, weight, each;
        std::uint64_t requests = 0;  ///< taken by all channels while each was measured
        Counters counted;
    };
    /// Requests [first, first + length) of the stream, run from a fresh start and measured after `warm_up` of them.
    struct Stretch {
        std::uint64_t first = 0, length = 0, warm_up = 0;
    };
    [[nodiscard]] std::vector<Block> blocks(std::uint64_t samples) const;
    void judge(std::vector<Block>& blocks) const;
    /// A stretch about a block's window. Every other one starts where the stream begins a natural part of itself, as
    /// the run does; how a stretch starts can decide which of several rhythms it falls into.
    [[nodiscard]] Stretch stretch_at(Block const& block, std::size_t index) const;
    [[nodiscard]] Sample measure(Stretch const& stretch) const;
    /// The beginning of the stream, long enough to fall into the rhythm the run falls into: until its second half is as
    /// fast as the quarter before. Nothing where half the stream is not enough.
    [[nodiscard]] std::optional<Sample> measure_beginning() const;
    [[nodiscard]] std::vector<double> after_the_last() const;
    /// Sorts the blocks into so many kinds of about equal effort.
    [[nodiscard]] static std::vector<Kind> kinds(std::vector<Block>& blocks, std::uint64_t count);
    void add_cycles(Survey& survey, std::vector<Block> const& blocks, std::vector<Kind> const& kinds,
                    std::vector<Sample> const& samples) const;
    void add_counts(Survey& survey, std::vector<Block> const& blocks, std::vector<Kind> const& kinds,
                    std::vector<Sample> const& samples) const;

    static constexpr std::uint64_t beginning = 6;  ///< stretches

    Standard const& standard_;
    Mapping const& mapping_;
    Stream const& stream_;
    Options options_;
    std::uint64_t warm_up_, measured_;
    std::size_t sides_;
};

}  // namespace pimdse::sim::dram
