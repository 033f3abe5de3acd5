#pragma once

#include "sim/pim/attention.hpp"
#include "sim/pim/bank_units.hpp"
#include "sim/pim/gemv.hpp"

#include <cstdint>
#include <random>

namespace pimdse::sim::pim::test {

/// Random units and work of any kind, small enough for a simulation command by command.
class RandomUnits {
  public:
    explicit RandomUnits(unsigned seed) : random_(seed) {}

    std::int64_t draw(std::int64_t lower, std::int64_t upper) {
        return std::uniform_int_distribution<std::int64_t>(lower, upper)(random_);
    }

    BankUnits units() {
        BankUnits u;
        auto& s = u.sizes;
        s.banks_per_unit = draw(1, 2);
        s.banks = s.banks_per_unit * draw(1, 8);
        s.word_bytes = std::int64_t{16} << draw(0, 2);
        s.row_bytes = s.word_bytes * draw(8, 32);
        s.buffer_bytes = draw(16, 3000);
        s.sums = draw(1, 32);
        s.sum_bytes = draw(1, 4);
        s.policy = draw(0, 1) == 0 ? SumPolicy::carried : SumPolicy::kept;
        s.placement = draw(0, 1) == 0 ? WeightPlacement::packed : WeightPlacement::row_per_output;
        auto& t = u.timing;
        t.clock = Time{1e-9};
        for (auto* distance : {&t.activate_to_mac, &t.activate_to_write, &t.mac_to_precharge, &t.precharge,
                               &t.activate_to_precharge, &t.activate_to_activate, &t.write_to_activate,
                               &t.write_to_read, &t.read_to_write, &t.mac_to_transfer, &t.write_to_mac})
            *distance = draw(0, 80);
        for (auto* interval : {&t.mac_interval, &t.buffer_write, &t.sum_write, &t.sum_read}) *interval = draw(1, 8);
        t.mode_change = draw(0, 1) * draw(1, 50);
        t.fence = draw(0, 3) == 0 ? draw(1, 200) : 0;
        t.refresh_interval = draw(0, 5) == 0 ? 0 : draw(700, 6000);
        t.refresh_time = draw(20, 300);
        return u;
    }

    Program program(BankUnits const& units) {
        if (draw(0, 1) == 0) {
            Gemv product;
            product.inputs = draw(1, 1500);
            product.outputs = draw(1, 200);
            product.weight_bits = draw(0, 1) == 0 ? 8 : 16;
            product.activation_bits = draw(0, 1) == 0 ? 8 : 16;
            return program_of(units, product);
        }
        Attention a;
        a.kv_heads = std::int64_t{1} << draw(0, 3);
        a.heads = a.kv_heads << draw(0, 2);
        a.head_size = 16 * draw(1, 4);
        a.context = draw(1, 800);
        a.key_units = draw(8, 64);
        a.value_channels = draw(1, 8);
        a.head_channels = draw(1, static_cast<int>(a.value_channels));
        a.sums_together = draw(1, 4);
        return program_of(units, AttentionProduct{static_cast<AttentionPart>(draw(0, 2)), a});
    }

  private:
    std::mt19937 random_;
};

}  // namespace pimdse::sim::pim::test
