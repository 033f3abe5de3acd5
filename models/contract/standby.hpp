#pragma once

#include "models/contract/ledger.hpp"
#include "sim/base/bounded.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>

namespace pimdse::models {

/// A row of the ledger of energy, alone or with a part of the machine after a slash ("idle_units/channels"). Another
/// name does not compile.
struct EnergyPart {
    std::string_view name;
    std::size_t row = 0;

    constexpr EnergyPart() = default;
    consteval EnergyPart(char const* text) : name(text), row(energy_row(name.substr(0, name.find('/')))) {}
    constexpr operator std::string_view() const { return name; }
};

/// Equal parts of a machine at rest. While a part works, its operations are charged instead.
struct RestingPart {
    static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();  ///< it does not work itself

    EnergyPart part;
    double waiting = 0.0;       ///< W of each during a request
    double idle = 0.0;          ///< W of each without one, when it may be powered down or gated
    double count = 1.0;         ///< number of parts
    std::size_t works = never;  ///< position of the part-seconds in which they work (Standby::each)
};

/// The static power of a machine: the law by which all architectures account for it. What has no power during a request
/// has no row.
class Standby {
  public:
    /// Powers are summed in the order of the calls, rows are in that of the ledger. Parts of one name that do not work
    /// themselves are one row.
    void add(RestingPart const& more) {
        idle_ += more.count * more.idle;
        (more.waiting == more.idle ? steady_ : waiting_) += more.count * more.waiting;
        if (more.waiting == 0.0) return;
        auto* const end = rows_.data() + count_;
        auto* const same = std::find_if(rows_.data(), end, [&](RestingPart const& known) {
            return known.part.name == more.part.name && known.count == more.count && known.works == more.works;
        });
        if (same != end && more.works == RestingPart::never) {
            same->waiting += more.waiting;
            return;
        }
        rows_.at(count_++) = more;
        auto const later = [&](RestingPart const& known) { return known.part.row > more.part.row; };
        std::rotate(std::find_if(rows_.data(), end, later), end, end + 1);
    }
    /// A part that draws this power [W] with and without a request.
    void add(EnergyPart part, double watts, std::size_t works = RestingPart::never) {
        add({part, watts, watts, 1.0, works});
    }

    [[nodiscard]] double idle() const { return idle_; }                  ///< W without a request
    [[nodiscard]] double waiting() const { return steady_ + waiting_; }  ///< W during a request of which nothing works
    /// W of DRAM during a request: background and refresh.
    [[nodiscard]] double memory() const {
        double watts = 0.0;
        for (auto const& row : rows()) watts += row.part.name.starts_with("dram_") ? row.count * row.waiting : 0.0;
        return watts;
    }
    /// Calls to(part, joules) for `seconds` of a request. `working`: part-seconds, by RestingPart::works.
    template <class To>
    void each(sim::Bounded const& seconds, std::span<double const> working, To&& to) const {
        for (auto const& row : rows()) {
            auto left = seconds * sim::Bounded(row.count);
            if (row.works != RestingPart::never) {
                double const busy = working[row.works];
                left = larger(sim::Bounded(left.value - busy, left.lower - busy, left.upper - busy, left.kinds), 0.0);
            }
            to(row.part, left * sim::Bounded(row.waiting));
        }
    }

  private:
    [[nodiscard]] std::span<RestingPart const> rows() const { return {rows_.data(), count_}; }

    std::array<RestingPart, 9> rows_{};
    std::size_t count_ = 0;
    double idle_ = 0.0, steady_ = 0.0, waiting_ = 0.0;  // steady_: of parts that draw it without a request as well
};

}  // namespace pimdse::models
