#include "sim/pim/command_channel.hpp"

#include "sim/base/check.hpp"

#include <algorithm>

namespace pimdse::sim::pim {

using Kind = ProgramStep::Kind;

CommandChannel::CommandChannel(UnitTiming const& timing, std::int64_t banks, bool refreshed)
    : timing_(timing), banks_(banks) {
    if (refreshed && timing.refresh_interval > 0) next_refresh_ = timing.refresh_interval;
}

std::int64_t CommandChannel::open_cycles() const { return open_cycles_ + (open_ ? now_ - opened_ : 0); }

CommandChannel::Cycle CommandChannel::close_ready() const {
    return std::max({next(), last_mac_ + timing_.mac_to_precharge, opened_ + timing_.activate_to_precharge});
}

CommandChannel::Cycle CommandChannel::open_ready() const {
    return std::max({next(), openable_, opened_ + timing_.activate_to_activate});
}

/// Closes the row at the earliest cycle.
void CommandChannel::close_row() {
    Cycle const at = close_ready();
    open_cycles_ += at - opened_;
    now_ = at;
    openable_ = std::max(openable_, at + timing_.precharge);
    open_ = false;
}

void CommandChannel::refresh() {
    if (open_) close_row();
    now_ = std::max({next(), openable_, next_refresh_});
    openable_ = usable_ = now_ + timing_.refresh_time;
    next_refresh_ += timing_.refresh_interval;
    ++commands_.refreshes;
}

/// The cycle at which a command that could be issued in cycle `ready` is issued, after the refreshes that are due by
/// then.
CommandChannel::Cycle CommandChannel::refreshed_by(Cycle ready) {
    while (std::max(ready, next()) >= next_refresh_) refresh();
    return std::max(ready, next());
}

/// Changes the mode if a command that could be issued in cycle `ready` needs the other one.
void CommandChannel::change_mode(bool registers, Cycle ready) {
    if (timing_.mode_change == 0 || register_mode_ == registers) return;
    now_ = refreshed_by(ready);
    usable_ = now_ + timing_.mode_change;
    register_mode_ = registers;
    ++commands_.mode_changes;
}

void CommandChannel::transfer(ProgramStep const& step) {
    bool const reads = step.kind == Kind::read_sums;
    bool const inputs = step.kind == Kind::write_buffer;
    auto& last = reads ? last_read_ : inputs ? last_buffer_write_ : last_sum_write_;
    auto const interval = reads ? timing_.sum_read : inputs ? timing_.buffer_write : timing_.sum_write;
    auto const written = std::max(last_buffer_write_, last_sum_write_);
    // Words of inputs and of sums share the pins.
    Cycle const on_pins = reads ? std::max(last_read_ + timing_.sum_read, written + timing_.write_to_read)
                                : std::max({last_buffer_write_ + timing_.buffer_write,
                                            last_sum_write_ + timing_.sum_write, last_read_ + timing_.read_to_write});
    Cycle const ready = std::max(on_pins, last_mac_ + timing_.mac_to_transfer);
    change_mode(true, std::max(ready, next()));
    Cycle at = ready;
    for (std::int64_t left = step.count; left > 0;) {
        at = refreshed_by(at);
        std::int64_t const before = (next_refresh_ - at - 1) / interval + 1;
        std::int64_t const issued = std::min(left, before);
        now_ = last = at + (issued - 1) * interval;
        left -= issued;
        at = now_ + interval;
    }
    (reads ? commands_.sum_reads : inputs ? commands_.buffer_writes : commands_.sum_writes) += step.count;
}

void CommandChannel::open(std::int64_t banks) {
    for (;;) {
        Cycle const ready = open_ready();
        if (ready < next_refresh_) {
            opened_ = now_ = ready;
            break;
        }
        refresh();
    }
    open_ = true;
    commands_.bank_activations += banks;
}

/// Issues the change of the mode and PRE that another row needs; refreshes on the way may close the row as well.
void CommandChannel::leave_row() {
    if (open_) {
        (void)refreshed_by(close_ready());
        if (open_) change_mode(false, close_ready());
        if (open_) close_row();
    }
    change_mode(false, open_ready());
}

void CommandChannel::multiply(ProgramStep const& step) {
    if (step.new_row) leave_row();
    std::int64_t left = step.count;
    while (left > 0) {
        if (!open_) {
            change_mode(false, open_ready());
            open(banks_);
        }
        Cycle const written =
            std::max(last_buffer_write_, last_sum_write_) + std::max(timing_.write_to_mac, timing_.fence);
        Cycle const ready =
            refreshed_by(std::max({opened_ + timing_.activate_to_mac, last_mac_ + timing_.mac_interval, written}));
        if (!open_) continue;  // closed by a refresh
        change_mode(false, ready);
        Cycle const first = refreshed_by(ready);
        if (!open_) continue;
        std::int64_t const before = (next_refresh_ - first - 1) / timing_.mac_interval + 1;
        std::int64_t const issued = std::min(left, before);
        now_ = last_mac_ = first + (issued - 1) * timing_.mac_interval;
        left -= issued;
    }
    commands_.macs += step.count;
}

void CommandChannel::append(ProgramStep const& step) {
    leave_row();
    open(step.banks);
    now_ = opened_ + timing_.activate_to_write + (step.count - 1) * timing_.buffer_write;
    openable_ = std::max(openable_, now_ + timing_.write_to_activate);
    open_cycles_ += openable_ - opened_;
    open_ = false;
    commands_.word_writes += step.count * step.banks;
}

void CommandChannel::execute(Program const& program) {
    if (now_ < 0 && !program.empty())
        register_mode_ = program.front().kind != Kind::multiply && program.front().kind != Kind::append;
    for (auto const& step : program) {
        expects(step.count >= 1 && step.banks >= 1, "a step has commands");
        switch (step.kind) {
            case Kind::multiply:
                multiply(step);
                break;
            case Kind::append:
                append(step);
                break;
            case Kind::write_buffer:
            case Kind::write_sums:
            case Kind::read_sums:
                transfer(step);
                break;
        }
    }
}

}  // namespace pimdse::sim::pim
