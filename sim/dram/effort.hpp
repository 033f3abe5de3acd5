#pragma once

#include "sim/dram/family.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/options.hpp"
#include "sim/dram/stream.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace pimdse::sim::dram {

/// What a stretch of requests asks of its channels, from addresses alone: requests fill the queues, and each filling
/// costs what its busiest resource needs (data bus, bank group, bank, activations, commands). Roughly right and some
/// thirty times faster than running the stretch; good for telling slow parts of a stream from fast ones, not for
/// absolute times.
class Effort {
  public:
    Effort(Standard const& standard, Mapping const& mapping, Options const& options);

    /// How many front ends there are: one, or one per channel.
    [[nodiscard]] std::size_t sides() const { return cycles_.size(); }
    /// Cycles each side needs for requests first .. first + length - 1, after some before them have opened rows. Not
    /// const: scratch is kept.
    [[nodiscard]] std::vector<double> of(Stream const& stream, std::uint64_t first, std::uint64_t length);
    /// How often, in the requests of the last `of`, a bank was asked for another row soon after its row before, the
    /// sooner the more. Tells parts of a stream apart that ask the same of their resources in another rhythm.
    [[nodiscard]] double meetings() const { return meetings_; }

  private:
    static constexpr int most_rows = 4;  ///< told apart per bank and filling
    struct Bank {
        std::array<std::uint32_t, most_rows> rows{};
        std::uint32_t last_row = ~std::uint32_t{0};
        std::uint64_t filling = 0;  ///< the numbers below belong to this filling
        int requests = 0, opened = 0, writes = 0, known = 0;
        std::uint32_t latest_row = 0;
        std::uint64_t latest = 0;  ///< number of its latest request in the channel; 0: none yet
    };
    struct Channel {
        int requests = 0, reads = 0, writes = 0;
        int enough = 1;                          ///< requests of a kind that make a filling
        std::uint64_t filling = 0, touched = 0;  ///< banks, one bit each
        std::uint64_t count = 0;                 ///< requests since the walk began
    };
    void walk(Stream const& stream, std::uint64_t first, std::uint64_t length);
    void add(Transaction const& transaction);
    void note_row(Bank& bank, std::uint32_t row);
    void note_meeting(Channel& channel, Bank& bank, std::uint32_t row);
    /// What the requests of a channel since its last filling need; starts the next.
    double drain(std::size_t channel);
    void restart(Channel& channel) const;
    void close_filling(std::size_t channel);
    void close_all();

    Mapping const& mapping_;
    FamilyRow const& family_;
    FrontEnd front_end_;
    std::size_t banks_per_channel_, banks_per_rank_, banks_per_group_;
    int depth_, window_, tries_;
    double column_, group_column_, switch_, row_cycle_, write_cycle_, activate_;
    std::vector<Channel> channels_;
    std::vector<Bank> banks_;
    std::vector<double> cycles_;
    double meetings_ = 0.0;
    int waiting_ = 0;  ///< requests since the last filling of all channels
};

}  // namespace pimdse::sim::dram
