#pragma once

#include "sim/pim/bank_work.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace pimdse::sim::pim {

/// Commands that one channel has issued.
struct PimCommands {
    std::int64_t row_activations = 0, macs = 0, precharges = 0, buffer_writes = 0, mac_reads = 0, refreshes = 0;
    auto operator<=>(PimCommands const&) const = default;
};

/// MACs in one open row that use the same filling of the global buffer.
struct MacRun {
    std::int64_t macs = 0;
    /// In another row than the previous run, or in one that was closed in between.
    bool opens_row = false;
    bool starts_chunk = false;  ///< needs the next filling of the buffer, which has chunk_bursts bursts
    std::int64_t chunk_bursts = 0;
    bool ends_column = false;  ///< the sums of a column are ready: RD_MAC
};

/// The commands of a GEMV in the order of execution. walk_of counts the same commands without listing them.
[[nodiscard]] std::vector<MacRun> runs_of(BankWork const& work);

/// One channel that executes PIM commands in order on its banks. ACT, PRE and REF are issued at clock edges, MACs at
/// their own interval, and WR_GB concurrently while half of the buffer is free (with one buffer: only while all rows
/// are closed or waiting). A due refresh closes the open row at once and blocks everything until it is done.
class PimChannel {
  public:
    /// `refresh_interval` and `refresh_time` are in clock cycles; interval 0: no refresh. `phase`: cycles since the
    /// last deadline.
    PimChannel(PimTiming const& timing, std::int64_t refresh_interval, std::int64_t refresh_time,
               std::int64_t phase = 0);

    /// Executes the runs, starting and ending with closed rows. `phases` MACs are issued for each MAC in `runs`.
    void execute(std::vector<MacRun> const& runs, std::int64_t phases = 1);

    /// Clock cycles since construction, up to the next edge.
    [[nodiscard]] std::int64_t cycles() const { return up_to_edge(now_) / clock_; }
    /// Cycles since the last refresh deadline.
    [[nodiscard]] std::int64_t phase() const;
    [[nodiscard]] PimCommands const& commands() const { return commands_; }

  private:
    using Moment = std::int64_t;  // femtoseconds

    [[nodiscard]] Moment edges(double cycles) const;
    [[nodiscard]] Moment up_to_edge(Moment moment) const { return (moment + clock_ - 1) / clock_ * clock_; }
    void open();
    void close();
    void refresh();
    void multiply(std::int64_t macs);
    void wait_for_chunk(std::int64_t bursts);
    [[nodiscard]] Moment filled_by(Moment start, std::int64_t bursts) const;

    PimTiming timing_;
    Moment clock_, interval_;
    Moment refresh_interval_ = 0, refresh_time_ = 0, next_refresh_ = 0, start_phase_ = 0;
    Moment now_ = 0;     ///< everything before this moment is decided
    Moment opened_ = 0;  ///< last ACT of the open row
    Moment closed_ = 0;  ///< moment at which the last PRE took effect
    Moment first_mac_ = 0, last_mac_ = 0;
    Moment filled_ = 0;    ///< end of the last filling of the buffer
    Moment released_ = 0;  ///< moment at which the filling before the current one was no longer needed
    bool open_ = false;
    struct Window {
        Moment from, to;
    };
    std::vector<Window> blocked_;  ///< refreshes, in order
    PimCommands commands_;
};

/// Whether the product itself writes x to the global buffer or x is already there.
enum class Operand : std::uint8_t { written, present };

/// A channel that executes one GEMV after the other, command by command. The cost of a GEMV depends on the rows it
/// opens and on the phase of the refresh interval at which it starts; each combination is simulated once and then
/// looked up, which is exact.
class PimReplay {
  public:
    PimReplay(PimTiming const& timing, std::int64_t refresh_interval, std::int64_t refresh_time);

    struct Spent {
        std::int64_t cycles = 0, row_activations = 0;
    };
    /// Executes `work` `times` times in a row. `vectors`: MACs per burst (several queries, or groups of banks in turn).
    Spent run(BankWork const& work, Operand operand, std::int64_t vectors, std::int64_t times);
    /// Cycles since the last refresh was due; resume() continues there.
    [[nodiscard]] std::int64_t phase() const { return phase_; }
    void resume(std::int64_t phase) { phase_ = phase; }

  private:
    struct ProductKey {
        BankWork work;
        Operand operand = Operand::written;
        std::int64_t vectors = 1;
        auto operator<=>(ProductKey const&) const = default;
    };
    struct Product {
        std::vector<MacRun> runs;
        std::map<std::int64_t, Spent> by_phase;
    };
    Spent simulate(Product const& product, std::int64_t vectors) const;

    PimTiming timing_;
    std::int64_t refresh_interval_, refresh_time_;
    std::int64_t phase_ = 0;
    std::map<ProductKey, Product> products_;
};

/// Lower bounds of a channel that executes products one after the other, in clock cycles; they contain no fitted number
/// (README.md, Lower bounds). Without refresh: the longest of its row visits, its MACs and its fillings of the buffer.
class PimLowerBound {
  public:
    explicit PimLowerBound(PimTiming const& timing);

    /// One product. `vectors`: MACs per burst.
    [[nodiscard]] double cycles(GemvWalk const& walk, Operand operand, std::int64_t vectors) const;
    /// One row visit with `macs` MACs.
    [[nodiscard]] double visit(double macs) const;
    /// `count` row visits with `macs` MACs in total, however they are distributed.
    [[nodiscard]] double visits(double count, double macs) const;
    /// Time that one refresh of `refresh_time` cycles adds to a sequence of products. If MACs are far apart, the time
    /// for which they would wait anyway passes during the refresh.
    [[nodiscard]] double pause(double refresh_time) const;

  private:
    [[nodiscard]] double one_buffer(GemvWalk const& walk, std::int64_t vectors) const;

    PimTiming timing_;
    double interval_;  ///< between MACs, rounded as the channel does
    double overhead_;  ///< part of a visit other than the intervals between its MACs
};

}  // namespace pimdse::sim::pim
