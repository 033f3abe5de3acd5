#pragma once

#include "sim/pim/bank_units.hpp"
#include "sim/pim/program.hpp"

#include <compare>
#include <cstdint>

namespace pimdse::sim::pim {

/// Commands that a channel has issued.
struct ChannelCommands {
    std::int64_t bank_activations = 0;  ///< rows opened, in banks (an all-bank ACT opens one row in each)
    std::int64_t macs = 0;              ///< MAC commands, each of all units
    std::int64_t buffer_writes = 0, sum_writes = 0, sum_reads = 0;  ///< words
    std::int64_t word_writes = 0;                                   ///< words appended to banks
    std::int64_t mode_changes = 0, refreshes = 0;
    auto operator<=>(ChannelCommands const&) const = default;
};

/// One channel that issues the commands of programs in order, one a cycle at the earliest, each as soon as its
/// distances to the commands before it have passed.
///
/// A row stays open until another one is needed. Rows are opened and closed in all banks together. If commands to
/// registers and to banks need different modes, the change is itself a command, issued when the first command of the
/// other mode could have been; that command follows `mode_change` cycles later. At a refresh deadline the row is closed
/// as soon as possible, the refresh blocks the channel, and the row is opened again for the MACs that are left.
class CommandChannel {
  public:
    /// `refreshed`: whether refresh takes place.
    explicit CommandChannel(UnitTiming const& timing, std::int64_t banks, bool refreshed = true);

    void execute(Program const& program);

    /// Cycles up to and including the last command.
    [[nodiscard]] std::int64_t cycles() const { return now_ + 1; }
    /// Cycles in which a row was open, up to the last command.
    [[nodiscard]] std::int64_t open_cycles() const;
    [[nodiscard]] ChannelCommands const& commands() const { return commands_; }

  private:
    using Cycle = std::int64_t;
    static constexpr Cycle never = INT64_MIN / 4;  ///< long before any command

    void transfer(ProgramStep const& step);
    void multiply(ProgramStep const& step);
    void append(ProgramStep const& step);
    void open(std::int64_t banks);
    void close_row();
    void leave_row();
    [[nodiscard]] Cycle refreshed_by(Cycle ready);
    void change_mode(bool registers, Cycle ready);
    [[nodiscard]] Cycle next() const { return now_ + 1 > usable_ ? now_ + 1 : usable_; }
    void refresh();
    [[nodiscard]] Cycle close_ready() const;
    [[nodiscard]] Cycle open_ready() const;

    UnitTiming timing_;
    std::int64_t banks_;
    Cycle next_refresh_ = INT64_MAX;
    Cycle now_ = -1;    ///< last command
    Cycle usable_ = 0;  ///< end of the last change of the mode
    Cycle opened_ = never;
    Cycle openable_ = never;  ///< earliest next ACT after PRE, refresh or write
    Cycle last_mac_ = never, last_buffer_write_ = never, last_sum_write_ = never, last_read_ = never;
    bool open_ = false, register_mode_ = false;
    Cycle open_cycles_ = 0;
    ChannelCommands commands_;
};

}  // namespace pimdse::sim::pim
