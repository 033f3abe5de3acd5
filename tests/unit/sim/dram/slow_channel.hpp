#pragma once

#include "sim/dram/family.hpp"
#include "sim/dram/simulate.hpp"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::sim::dram::test {

/// An issued command, for traces that were derived by hand.
struct Issued {
    Tick tick;
    std::string command;
    int bank;  ///< through the channel; the rank for PREab and REFab
    bool operator==(Issued const&) const = default;
};

/// A literal implementation of the rules of the controller: every tick of every channel, plain lists, every constraint
/// looked up in the history of its node. Slow on purpose.
class SlowSystem {
  public:
    SlowSystem(Standard standard, Mapping mapping, Options options);
    /// With arrivals, no request is sent before its arrival.
    Counters run(std::vector<Transaction> const& transactions, std::vector<Tick> const& arrivals = {});
    [[nodiscard]] std::vector<Issued> const& log(std::size_t channel) const { return channels_[channel].log; }

  private:
    struct Entry {
        std::uint64_t address;
        Tick arrive;
        std::size_t order;
        Place place;
        bool write;
        bool classed = false;
        bool open_row = false;  ///< in the active list
    };
    struct Waiting {
        bool bank_level;
        int node;
    };
    struct Channel {
        std::vector<Entry> reads, writes, active;
        std::optional<Entry> activating;
        Tick deadline = 0;
        std::optional<std::pair<int, std::size_t>>
            cas;  ///< list (0 active, 1 reads, 2 writes) and order of the request
        std::deque<Waiting> maintenance;
        std::deque<std::pair<Tick, Tick>> returns;  ///< depart, arrive
        std::map<int, std::uint32_t> open;          ///< bank -> row
        bool write_mode = false;
        Tick clock_until = 0;
        int next_bank = 0;
        std::map<std::tuple<int, int, int>, Tick> last;  ///< level, node, command -> tick
        std::map<int, std::vector<Tick>> activates;      ///< by rank
        std::vector<Issued> log;
    };
    enum class Next { act, act2, column, pre };

    bool accept(Channel& channel, Transaction const& transaction, Place const& place, Tick now, Tick arrived);
    void tick(Channel& channel, Tick t);
    void tick_ddr4(Channel& channel, Tick t);
    void tick_lpddr5(Channel& channel, Tick t);
    void tick_hbm2(Channel& channel, Tick t);
    Next next_of(Channel const& channel, Entry const& entry) const;
    bool ready(Channel const& channel, Command command, int rank, int bank, Tick t) const;
    bool ready(Channel const& channel, Entry const& entry, Tick t) const;
    void note(Channel& channel, Command command, int rank, int bank, Tick t);
    std::vector<Entry>& choose(Channel& channel);
    Entry* best(Channel& channel, std::vector<Entry>& list, Tick t, bool columns, bool rows);
    bool eligible(Channel const& channel, std::vector<Entry> const& list, Entry const& entry) const;
    bool maintenance_ready(Channel const& channel, Tick t) const;
    Command maintenance_command(Channel const& channel) const;
    void issue_maintenance(Channel& channel, Tick t);
    void issue(Channel& channel, std::vector<Entry>& list, Entry* entry, Tick t);
    void finish_activation(Channel& channel, Tick t);
    int rank_of(int bank) const;
    int group_of(int bank) const;

    Standard standard_;
    Mapping mapping_;
    Options options_;
    std::vector<Constraint> constraints_;
    std::vector<Channel> channels_;
    Counters counters_;
    std::size_t accepted_ = 0;
    std::uint64_t completed_ = 0;
    std::size_t upper_, lower_;
};

}  // namespace pimdse::sim::dram::test
