#pragma once

#include "sim/pim/bank_units.hpp"
#include "sim/pim/command_channel.hpp"
#include "sim/pim/program.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace pimdse::sim::pim::test {

/// The rules of CommandChannel in their obvious form: a table of distances between pairs of commands, the time of the
/// last command of each kind, and one command after the other.
class SlowCommandChannel {
  public:
    SlowCommandChannel(UnitTiming const& t, std::int64_t banks, bool refreshed) : t_(t), banks_(banks) {
        last_.fill(-1'000'000);
        auto const after_write = std::max(t.write_to_mac, t.fence);
        distances_ = {{precharge, activate, t.precharge},
                      {activate, activate, t.activate_to_activate},
                      {activate, precharge, t.activate_to_precharge},
                      {mac, precharge, t.mac_to_precharge},
                      {activate, mac, t.activate_to_mac},
                      {mac, mac, t.mac_interval},
                      {input, mac, after_write},
                      {sum_in, mac, after_write},
                      {input, input, t.buffer_write},
                      {input, sum_in, t.buffer_write},
                      {sum_in, sum_in, t.sum_write},
                      {sum_in, input, t.sum_write},
                      {sum_out, sum_out, t.sum_read},
                      {sum_out, input, t.read_to_write},
                      {sum_out, sum_in, t.read_to_write},
                      {input, sum_out, t.write_to_read},
                      {sum_in, sum_out, t.write_to_read},
                      {mac, input, t.mac_to_transfer},
                      {mac, sum_in, t.mac_to_transfer},
                      {mac, sum_out, t.mac_to_transfer},
                      {word, activate, t.write_to_activate},
                      {precharge, refresh, t.precharge},
                      {word, refresh, t.write_to_activate}};
        for (auto const c : {activate, precharge, mac, input, sum_in, sum_out, word, refresh, mode})
            for (auto const& [from, distance] : {std::pair{mode, t.mode_change}, {refresh, t.refresh_time}})
                distances_.push_back({from, c, distance});
        deadline_ = refreshed && t.refresh_interval > 0 ? t.refresh_interval : INT64_MAX;
    }

    void execute(Program const& program) {
        for (auto const& step : program) {
            if (now_ < 0) registers_ = !of_banks(kind(step));
            bool another_row = step.new_row || step.kind == ProgramStep::Kind::append;
            for (std::int64_t i = 0; i < step.count; ++i) {
                if (step.kind == ProgramStep::Kind::append)
                    append(step, i, another_row);
                else
                    issue(kind(step), another_row);
                another_row = false;
            }
        }
    }

    [[nodiscard]] std::int64_t cycles() const { return now_ + 1; }
    [[nodiscard]] ChannelCommands commands() const {
        auto all = counts_;
        all.macs = issued_[mac];
        all.buffer_writes = issued_[input];
        all.sum_writes = issued_[sum_in];
        all.sum_reads = issued_[sum_out];
        all.mode_changes = issued_[mode];
        all.refreshes = issued_[refresh];
        return all;
    }

  private:
    enum Command : std::uint8_t { activate, precharge, mac, input, sum_in, sum_out, word, refresh, mode, commands_ };
    struct Distance {
        Command from, to;
        std::int64_t cycles;
    };

    static Command kind(ProgramStep const& step) {
        switch (step.kind) {
            case ProgramStep::Kind::write_buffer:
                return input;
            case ProgramStep::Kind::write_sums:
                return sum_in;
            case ProgramStep::Kind::multiply:
                return mac;
            case ProgramStep::Kind::read_sums:
                return sum_out;
            case ProgramStep::Kind::append:
                return word;
        }
        return word;
    }
    static bool of_banks(Command c) { return c == activate || c == precharge || c == mac || c == word; }

    [[nodiscard]] std::int64_t ready(Command c) const {
        std::int64_t at = now_ + 1;
        for (auto const& d : distances_)
            if (d.to == c) at = std::max(at, last_[d.from] + d.cycles);
        return at;
    }

    void put(Command c, std::int64_t at) {
        now_ = last_[c] = at;
        ++issued_[c];
    }

    void close() {
        put(precharge, ready(precharge));
        open_ = false;
    }

    /// Issues what `c` needs and then `c`.
    void issue(Command c, bool another_row, std::int64_t banks = 0) {
        for (;;) {
            Command wanted = c;
            if (c == mac || c == activate) {
                if (open_ && another_row)
                    wanted = precharge;
                else if (!open_)
                    wanted = activate;
            }
            auto const at = ready(wanted);
            if (at >= deadline_) {
                if (open_) close();
                put(refresh, std::max(ready(refresh), deadline_));
                deadline_ += t_.refresh_interval;
                continue;
            }
            if (t_.mode_change > 0 && registers_ == of_banks(wanted)) {
                registers_ = !registers_;
                put(mode, at);
                continue;
            }
            if (wanted == precharge) {
                close();
                another_row = false;
                continue;
            }
            put(wanted, at);
            if (wanted == activate) {
                open_ = true;
                another_row = false;
                counts_.bank_activations += banks > 0 ? banks : banks_;
            }
            if (wanted == c) return;
        }
    }

    /// A word into a row; nothing else happens between the words of a row.
    void append(ProgramStep const& step, std::int64_t index, bool another_row) {
        if (index == 0) issue(activate, another_row, step.banks);
        put(word, index == 0 ? last_[activate] + t_.activate_to_write : last_[word] + t_.buffer_write);
        counts_.word_writes += step.banks;
        open_ = false;
    }

    UnitTiming t_;
    std::int64_t banks_;
    std::vector<Distance> distances_;
    std::array<std::int64_t, commands_> last_{};
    std::array<std::int64_t, commands_> issued_{};
    ChannelCommands counts_;
    std::int64_t now_ = -1, deadline_ = INT64_MAX;
    bool open_ = false, registers_ = false;
};

}  // namespace pimdse::sim::pim::test
