#pragma once

#include <compare>
#include <cstdint>
#include <vector>

namespace pimdse::sim::pim {

/// Commands of one kind that follow each other on a channel.
struct ProgramStep {
    enum class Kind : std::uint8_t {
        write_buffer,  ///< `count` words of inputs, broadcast to the operand buffers
        write_sums,    ///< `count` words of sums
        multiply,      ///< `count` MAC commands in one row
        read_sums,     ///< `count` words of sums
        append         ///< `count` words into one row of `banks` banks, which is closed again
    };
    Kind kind = Kind::multiply;
    std::int64_t count = 1;
    bool new_row = false;    ///< multiply: in another row than the last MAC
    std::int64_t banks = 1;  ///< append: banks whose row is opened
    auto operator<=>(ProgramStep const&) const = default;
};

/// The commands of a channel in the order of issue.
using Program = std::vector<ProgramStep>;

/// Channels of a memory that have the same share of a product.
template <class Product>
struct ChannelShare {
    Product product;
    std::int64_t channels = 1;
};

}  // namespace pimdse::sim::pim
