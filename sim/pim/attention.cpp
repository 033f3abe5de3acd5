#include "sim/pim/attention.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <utility>

namespace pimdse::sim::pim {
namespace {

using Kind = ProgramStep::Kind;

constexpr std::int64_t bits_of_byte = 8;

std::int64_t bytes_of(std::int64_t values, int bits) { return divide_up(values * bits, bits_of_byte); }

void check(Attention const& a) {
    expects(a.heads >= 1 && a.kv_heads >= 1 && a.heads % a.kv_heads == 0, "queries share heads of keys evenly");
    expects(a.head_size >= 1 && a.context >= 1 && a.key_units >= 1 && a.value_channels >= 1 && a.sums_together >= 1,
            "attention has work");
    expects(a.head_channels >= 1 && a.head_channels <= a.value_channels, "a head has channels with values");
}

class AttentionWriter {
  public:
    AttentionWriter(UnitSizes const& sizes, Attention const& a) : sizes_(sizes), a_(a) {
        check(a);
        expects(bytes_of(a.head_size, a.cache_bits) <= sizes.words_per_row() * sizes.word_bytes,
                "the keys of a head fit the rows that a unit opens at once");
    }

    Program scores() {
        std::int64_t const row = sizes_.words_per_row() * sizes_.word_bytes;
        std::int64_t const head = bytes_of(a_.head_size, a_.cache_bits);
        std::int64_t const heads_per_row = std::max<std::int64_t>(1, row / head);
        std::int64_t const rows = divide_up(a_.kv_heads, heads_per_row);
        std::int64_t const tokens_per_row = rows > 1 ? 1 : std::max<std::int64_t>(1, heads_per_row / a_.kv_heads);
        std::int64_t const tokens = divide_up(a_.context, a_.key_units);
        for (std::int64_t r = 0; r < rows; ++r) {
            std::int64_t const here = std::min(heads_per_row, a_.kv_heads - r * heads_per_row);
            for (std::int64_t token = 0; token < tokens; ++token) {
                new_row_ = new_row_ || token % tokens_per_row == 0;
                for (std::int64_t query = 0; query < a_.queries_per_kv_head(); ++query) heads(here);
            }
        }
        read_scores();
        return std::move(program_);
    }

    Program values() {
        std::int64_t const per_row = sizes_.words_per_row() * sizes_.word_bytes * bits_of_byte / a_.cache_bits;
        std::int64_t const part =
            std::max<std::int64_t>(1, std::min(per_row, sizes_.buffer_bytes * bits_of_byte / a_.activation_bits));
        std::int64_t const group = std::min(keeps_sums() ? sizes_.sums : dimensions_of_unit(), dimensions_of_unit());
        for (std::int64_t query = 0; query < heads_of_channel() * a_.queries_per_kv_head(); ++query) {
            for (std::int64_t first = 0; first < dimensions_of_unit(); first += group) {
                std::int64_t const count = std::min(group, dimensions_of_unit() - first);
                for (std::int64_t at = 0; at < a_.context; at += part)
                    dimensions(count, std::min(part, a_.context - at));
                if (keeps_sums()) transfer(Kind::read_sums, count);
            }
        }
        return std::move(program_);
    }

    Program append() {
        std::int64_t left = divide_up(bytes_of(a_.kv_heads * a_.head_size, a_.cache_bits), sizes_.word_bytes);
        std::int64_t const row = sizes_.row_bytes / sizes_.word_bytes;
        for (; left > 0; left -= row) program_.push_back({Kind::append, std::min(row, left), true, 1});
        return append_values();
    }

    Program append_values() {
        for (std::int64_t i = 0; i < heads_of_channel() * dimensions_of_unit(); ++i)
            program_.push_back({Kind::append, 1, true, sizes_.banks});
        return std::move(program_);
    }

  private:
    [[nodiscard]] bool keeps_sums() const { return sizes_.policy == SumPolicy::kept; }
    [[nodiscard]] std::int64_t heads_of_channel() const {
        return divide_up(a_.kv_heads, a_.value_channels / a_.head_channels);
    }
    [[nodiscard]] std::int64_t dimensions_of_unit() const {
        return divide_up(a_.value_size > 0 ? a_.value_size : a_.head_size, sizes_.units() * a_.head_channels);
    }

    /// One query of each of `count` heads in the open row.
    void heads(std::int64_t count) {
        std::int64_t const query_bytes = bytes_of(a_.head_size, a_.activation_bits);
        std::int64_t const together = std::max<std::int64_t>(1, sizes_.buffer_bytes / query_bytes);
        std::int64_t const words = divide_up(bytes_of(a_.head_size, a_.cache_bits), sizes_.word_bytes);
        // A query that exceeds the buffer is multiplied in parts.
        std::int64_t const parts = divide_up(query_bytes, sizes_.buffer_bytes);
        for (std::int64_t head = 0; head < count; ++head) {
            if (parts == 1 && head % together == 0) write_inputs(std::min(together, count - head) * query_bytes);
            transfer(Kind::write_sums, 1);
            for (std::int64_t p = 0; p < parts; ++p) {
                if (parts > 1) write_inputs(std::min(sizes_.buffer_bytes, query_bytes - p * sizes_.buffer_bytes));
                std::int64_t const each = divide_up(words, parts);
                std::int64_t const macs = std::min(each, words - p * each);
                if (macs > 0) multiply(macs);
            }
            if (++scores_ == (keeps_sums() ? sizes_.sums : 1)) read_scores();
        }
    }

    void read_scores() {
        if (scores_ > 0) transfer(Kind::read_sums, std::exchange(scores_, 0));
    }

    /// `tokens` scores of one query with `count` dimensions of a unit.
    void dimensions(std::int64_t count, std::int64_t tokens) {
        write_inputs(bytes_of(tokens, a_.activation_bits));
        std::int64_t const words = divide_up(bytes_of(tokens, a_.cache_bits), sizes_.word_bytes);
        std::int64_t const group = keeps_sums() ? count : std::min(a_.sums_together, sizes_.sums);
        for (std::int64_t d = 0; d < count; d += group) {
            std::int64_t const here = std::min(group, count - d);
            transfer(Kind::write_sums, here);
            for (std::int64_t i = 0; i < here; ++i) {
                new_row_ = true;
                multiply(words);
            }
            if (!keeps_sums()) transfer(Kind::read_sums, here);
        }
    }

    void write_inputs(std::int64_t bytes) {
        program_.push_back({Kind::write_buffer, divide_up(bytes, sizes_.word_bytes)});
    }

    void transfer(Kind kind, std::int64_t outputs) {
        if (kind == Kind::write_sums && keeps_sums()) return;
        program_.push_back({kind, divide_up(outputs * sizes_.units() * sizes_.sum_bytes, sizes_.word_bytes)});
    }

    void multiply(std::int64_t count) {
        program_.push_back({Kind::multiply, count, new_row_});
        new_row_ = false;
    }

    UnitSizes sizes_;
    Attention a_;
    bool new_row_ = false;
    std::int64_t scores_ = 0;  ///< in registers that were not read
    Program program_;
};

using Shares = std::vector<ChannelShare<AttentionProduct>>;

/// Tokens go round the units.
Shares shares_of_keys(UnitSizes const& sizes, Attention const& whole) {
    std::int64_t const channels = divide_up(whole.key_units, sizes.units());
    std::int64_t const each = whole.context / whole.key_units;
    std::int64_t const longer = divide_up(whole.context % whole.key_units, sizes.units());
    Shares shares;
    auto const add = [&](std::int64_t tokens_of_unit, std::int64_t count) {
        if (tokens_of_unit == 0 || count == 0) return;
        auto share = whole;
        share.context = tokens_of_unit * whole.key_units;
        shares.push_back({{AttentionPart::scores, share}, count});
    };
    add(each + 1, longer);
    add(each, channels - longer);
    return shares;
}

/// Heads go round the channels, or groups of them.
Shares shares_of_heads(AttentionPart part, Attention const& whole) {
    std::int64_t const places = whole.value_channels / whole.head_channels;
    std::int64_t const each = whole.kv_heads / places, longer = whole.kv_heads % places;
    Shares shares;
    auto const add = [&](std::int64_t heads, std::int64_t count) {
        if (heads == 0 || count == 0) return;
        auto share = whole;
        share.heads = heads * whole.queries_per_kv_head();
        share.kv_heads = heads;
        share.value_channels = whole.head_channels;
        shares.push_back({{part, share}, count * whole.head_channels});
    };
    add(each + 1, longer);
    add(each, places - longer);
    return shares;
}

}  // namespace

Program program_of(BankUnits const& units, AttentionProduct const& product) {
    AttentionWriter writer(units.sizes, product.attention);
    switch (product.part) {
        case AttentionPart::scores:
            return writer.scores();
        case AttentionPart::values:
            return writer.values();
        case AttentionPart::append:
            return writer.append();
        case AttentionPart::append_values:
            break;
    }
    return writer.append_values();
}

Shares shares_of(BankUnits const& units, AttentionProduct const& whole) {
    check(whole.attention);
    if (whole.part == AttentionPart::scores) return shares_of_keys(units.sizes, whole.attention);
    if (whole.part != AttentionPart::append) return shares_of_heads(whole.part, whole.attention);
    auto shares = shares_of_heads(AttentionPart::append_values, whole.attention);
    if (--shares.front().channels == 0) shares.erase(shares.begin());
    shares.insert(shares.begin(), {whole, 1});
    return shares;
}

}  // namespace pimdse::sim::pim
