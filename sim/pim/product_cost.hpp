#pragma once

#include "sim/base/counting.hpp"
#include "sim/base/memo.hpp"
#include "sim/pim/attention.hpp"
#include "sim/pim/command_channel.hpp"
#include "sim/pim/gemv.hpp"

#include <compare>
#include <cstdint>
#include <vector>

namespace pimdse::sim::pim {

/// What a channel needed for `executions` times the same program, one after the other.
struct ProductCost {
    std::int64_t executions = 1;
    std::int64_t cycles = 0;       ///< of all executions
    std::int64_t open_cycles = 0;  ///< of them, with an open row
    ChannelCommands commands;      ///< of all executions
    auto operator<=>(ProductCost const&) const = default;

    [[nodiscard]] double cycles_each() const { return static_cast<double>(cycles) / static_cast<double>(executions); }
};

/// Simulates the program again and again until it has met many refreshes, so that cycles_each() is the mean over the
/// phases of the refresh interval in which it may start. Without refresh it is executed once, from closed rows.
[[nodiscard]] ProductCost simulated(BankUnits const& units, Program const& program);

/// Cycles of one execution from those of a channel without refresh, without a simulation of refresh.
struct ClosedForm {
    double estimate = 0.0;     ///< with the share of time that refreshes and opening the row again take; no proof
    double lower_bound = 0.0;  ///< at most simulated().cycles_each(), contains nothing fitted (README.md)
    ChannelCommands commands;  ///< of one execution, without refreshes
};
[[nodiscard]] ClosedForm closed_form(BankUnits const& units, Program const& program);

/// Energy of one execution on one channel with its static power: commands, refreshes, standby.
[[nodiscard]] Energy energy_each(BankUnits const& units, ProductCost const& cost);

/// Costs on one channel of given units, each product computed once. Shared by all threads.
class ProductCosts {
  public:
    /// Throws InputError if the units cannot be simulated (review).
    explicit ProductCosts(BankUnits units);

    [[nodiscard]] BankUnits const& units() const { return units_; }
    /// One vector of the product; the others cost the same.
    [[nodiscard]] ProductCost const& of(Gemv const& product) const;
    [[nodiscard]] ProductCost const& of(AttentionProduct const& product) const;
    /// Energy of one execution on all channels that have these shares, with their static power. Other channels are idle
    /// and add nothing.
    template <class Product>
    [[nodiscard]] Energy energy_of(std::vector<ChannelShare<Product>> const& shares) const {
        Energy sum;
        for (auto const& share : shares) sum = sum + energy_each(units_, of(share.product)) * as_double(share.channels);
        return sum;
    }
    /// Cost of one vector, or of the part of attention, without simulations.
    [[nodiscard]] ClosedForm const& closed_form_of(Gemv const& product) const;
    [[nodiscard]] ClosedForm const& closed_form_of(AttentionProduct const& product) const;

  private:
    BankUnits units_;
    Memo<Gemv, ProductCost> products_;
    Memo<AttentionProduct, ProductCost> parts_;
    Memo<Gemv, ClosedForm> product_forms_;
    Memo<AttentionProduct, ClosedForm> part_forms_;
};

}  // namespace pimdse::sim::pim
