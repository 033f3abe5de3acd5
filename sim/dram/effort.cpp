#include "sim/dram/effort.hpp"

#include <algorithm>
#include <bit>
#include <span>

namespace pimdse::sim::dram {

Effort::Effort(Standard const& standard, Mapping const& mapping, Options const& options)
    : mapping_(mapping),
      family_(row_of(standard.family)),
      front_end_(options.front_end),
      banks_per_channel_(static_cast<std::size_t>(standard.organisation.banks_per_channel())),
      banks_per_rank_(static_cast<std::size_t>(standard.organisation.banks_per_rank())),
      banks_per_group_(static_cast<std::size_t>(standard.organisation.banks)),
      depth_(options.queue_depth),
      window_(options.window),
      tries_(options.tries),
      channels_(static_cast<std::size_t>(standard.organisation.channels)),
      banks_(channels_.size() * banks_per_channel_),
      cycles_(options.front_end == FrontEnd::independent ? channels_.size() : 1) {
    auto const& t = standard.timing;
    column_ = std::max(t.nBL, t.nCCDS);
    group_column_ = std::max(t.nBL, t.nCCDL);
    // From reads to writes and back, once for every drain of the write queue.
    switch_ = 2.0 * t.nBL + 2 + t.nCL + t.nWTRS;
    row_cycle_ = std::max(t.nRC, t.nRAS + t.nRP);
    write_cycle_ = std::max<double>(row_cycle_, t.nRCDWR + t.nCWL + t.nBL + t.nWR + t.nRP);
    activate_ = std::max<double>(t.nRRDS, t.nFAW / 4.0);
}

std::vector<double> Effort::of(Stream const& stream, std::uint64_t first, std::uint64_t length) {
    for (auto& bank : banks_) bank = Bank{};
    for (auto& channel : channels_) {
        channel = Channel{};
        restart(channel);
    }
    waiting_ = 0;
    auto const before = std::min<std::uint64_t>(first, 2 * channels_.size() * static_cast<std::uint64_t>(depth_));
    walk(stream, first - before, before);
    std::fill(cycles_.begin(), cycles_.end(), 0.0);
    meetings_ = 0.0;
    walk(stream, first, length);
    return cycles_;
}

void Effort::walk(Stream const& stream, std::uint64_t first, std::uint64_t length) {
    std::array<Transaction, 256> block;
    for (std::uint64_t at = first; at < first + length; at += block.size()) {
        std::span<Transaction> const part(
            block.data(), static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), first + length - at)));
        stream.fill(at, part);
        for (auto const& transaction : part) add(transaction);
    }
    close_all();
}

void Effort::add(Transaction const& transaction) {
    Place const place = mapping_.place(transaction.address);
    auto& channel = channels_[place.channel];
    auto& bank = banks_[place.channel * banks_per_channel_ + place.bank];
    if (bank.filling != channel.filling) {
        bank.filling = channel.filling;
        bank.requests = bank.opened = bank.writes = 0;
        bank.rows[0] = bank.last_row;
        bank.known = 1;
        channel.touched |= std::uint64_t{1} << place.bank;
    }
    ++bank.requests;
    ++channel.requests;
    ++waiting_;
    bool const is_write = transaction.access == Access::write;
    bank.writes += is_write ? 1 : 0;
    int& same_kind = is_write ? channel.writes : channel.reads;
    ++same_kind;
    note_meeting(channel, bank, place.row);
    if (place.row != bank.last_row) note_row(bank, place.row);
    int const outstanding = front_end_ == FrontEnd::in_order ? waiting_ : channel.requests;
    if (same_kind >= channel.enough || (window_ > 0 && outstanding >= window_)) close_filling(place.channel);
}

void Effort::note_row(Bank& bank, std::uint32_t row) {
    // The controller serves the requests that wait for one row together.
    auto const known_end = bank.rows.begin() + bank.known;
    if (std::find(bank.rows.begin(), known_end, row) != known_end) return;
    if (bank.known < most_rows) bank.rows[static_cast<std::size_t>(bank.known++)] = row;
    ++bank.opened;
    bank.last_row = row;
}

void Effort::note_meeting(Channel& channel, Bank& bank, std::uint32_t row) {
    constexpr std::uint64_t soon = 8;
    std::uint64_t const apart = ++channel.count - bank.latest;
    if (bank.latest != 0 && row != bank.latest_row && apart <= soon) meetings_ += 1.0 / static_cast<double>(apart);
    bank.latest = channel.count;
    bank.latest_row = row;
}

void Effort::close_filling(std::size_t channel) {
    if (front_end_ == FrontEnd::in_order) return close_all();
    cycles_[channel] += drain(channel);
}

void Effort::close_all() {
    double slowest = front_end_ == FrontEnd::in_order ? static_cast<double>(waiting_) / tries_ : 0.0;
    for (std::size_t c = 0; c < channels_.size(); ++c) {
        double const need = drain(c);
        slowest = std::max(slowest, need);
        if (front_end_ == FrontEnd::independent) cycles_[c] += need;
    }
    if (front_end_ == FrontEnd::in_order) cycles_[0] += slowest;
    waiting_ = 0;
}

void Effort::restart(Channel& channel) const {
    channel.requests = channel.reads = channel.writes = 0;
    channel.touched = 0;
    ++channel.filling;
    // Fillings of one size would beat against the rhythm of the stream.
    auto const random = static_cast<int>((channel.filling * 0x9E3779B97F4A7C15ULL) >> 56);
    channel.enough = std::max(1, (depth_ * (3 * 128 + random) + 256) / 512);
}

double Effort::drain(std::size_t index) {
    auto& channel = channels_[index];
    double need = 0.0, opened = 0.0, bus = 0.0, group = 0.0, rank_opened = 0.0;
    for (std::uint64_t rest = channel.touched; rest != 0; rest &= rest - 1) {
        auto const b = static_cast<std::size_t>(std::countr_zero(rest));
        auto const& bank = banks_[index * banks_per_channel_ + b];
        std::uint64_t const before = channel.touched & ((std::uint64_t{1} << b) - 1);
        if ((before >> (b / banks_per_group_ * banks_per_group_)) == 0) group = 0.0;
        if ((before >> (b / banks_per_rank_ * banks_per_rank_)) == 0)
            rank_opened = 0.0, bus = family_.pseudo_channels ? 0.0 : bus;
        group += bank.requests * group_column_;
        bus += bank.requests * column_;
        rank_opened += bank.opened;
        opened += bank.opened;
        double const cycle = bank.writes > 0 ? write_cycle_ : row_cycle_;
        double const alone = bank.opened * cycle + std::max(0, bank.requests - bank.opened) * group_column_;
        need = std::max({need, group, bus, rank_opened * activate_, alone});
    }
    double const both_ways = channel.reads > 0 && channel.writes > 0 ? switch_ * channel.writes / (0.65 * depth_) : 0.0;
    double const commands = family_.commands_per_request * channel.requests + family_.commands_per_opening * opened;
    need = std::max(need, commands) + both_ways;
    restart(channel);
    return need;
}

}  // namespace pimdse::sim::dram
