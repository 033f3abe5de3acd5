#include "sim/pim/gemv.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>

namespace pimdse::sim::pim {
namespace {

constexpr std::int64_t bits_per_byte = 8;

/// Appends the commands of a product and knows where its next weight lies.
class GemvWriter {
  public:
    GemvWriter(UnitSizes const& sizes, Gemv const& product)
        : sizes_(sizes),
          product_(product),
          outputs_(divide_up(product.outputs, sizes.units())),
          part_(std::max<std::int64_t>(1, sizes.buffer_bytes * bits_per_byte / product.activation_bits)),
          parts_(divide_up(product.inputs, part_)),
          groups_(divide_up(outputs_, sizes.sums)) {}

    Program write() {
        if (sizes_.policy == SumPolicy::carried)
            carried();
        else
            kept();
        return std::move(program_);
    }

  private:
    void carried() {
        for (std::int64_t part = 0; part < parts_; ++part) {
            write_inputs(part);
            for (std::int64_t group = 0; group < groups_; ++group) {
                transfer(ProgramStep::Kind::write_sums, group);
                multiply(part, group);
                transfer(ProgramStep::Kind::read_sums, group);
            }
        }
    }

    void kept() {
        for (std::int64_t group = 0; group < groups_; ++group) {
            for (std::int64_t part = 0; part < parts_; ++part) {
                write_inputs(part);
                multiply(part, group);
            }
            transfer(ProgramStep::Kind::read_sums, group);
        }
    }

    [[nodiscard]] std::int64_t inputs_of(std::int64_t part) const {
        return std::min(part_, product_.inputs - part * part_);
    }
    /// Groups of equal size; the last has what is left.
    [[nodiscard]] std::int64_t outputs_of(std::int64_t group) const {
        std::int64_t const size = divide_up(outputs_, groups_);
        return std::max<std::int64_t>(0, std::min(size, outputs_ - group * size));
    }
    [[nodiscard]] std::int64_t words(std::int64_t values, int bits) const {
        return divide_up(values * bits, bits_per_byte * sizes_.word_bytes);
    }

    void write_inputs(std::int64_t part) {
        if (product_.vector_in_buffer) return;
        program_.push_back({ProgramStep::Kind::write_buffer, words(inputs_of(part), product_.activation_bits)});
    }

    void transfer(ProgramStep::Kind kind, std::int64_t group) {
        std::int64_t const count = divide_up(outputs_of(group) * sizes_.units() * sizes_.sum_bytes, sizes_.word_bytes);
        if (count > 0) program_.push_back({kind, count});
    }

    void multiply(std::int64_t part, std::int64_t group) {
        std::int64_t const each = words(inputs_of(part), product_.weight_bits), outputs = outputs_of(group);
        if (sizes_.placement != WeightPlacement::row_per_output) return multiply_words(each * outputs);
        for (std::int64_t output = 0; output < outputs; ++output) {
            in_row_ = 0;
            multiply_words(each);
        }
    }

    /// MACs up to the end of the open row join the step before them.
    void multiply_words(std::int64_t count) {
        while (count > 0) {
            std::int64_t const here = std::min(count, sizes_.words_per_row() - in_row_);
            auto const joins = in_row_ != 0 && !program_.empty() && program_.back().kind == ProgramStep::Kind::multiply;
            if (joins)
                program_.back().count += here;
            else
                program_.push_back({ProgramStep::Kind::multiply, here, in_row_ == 0});
            in_row_ = (in_row_ + here) % sizes_.words_per_row();
            count -= here;
        }
    }

    UnitSizes sizes_;
    Gemv product_;
    std::int64_t outputs_, part_, parts_, groups_;
    std::int64_t in_row_ = 0;  ///< words of the open row that were used
    Program program_;
};

}  // namespace

Program program_of(BankUnits const& units, Gemv const& product) {
    expects(product.inputs >= 1 && product.outputs >= 1, "a product has inputs and outputs");
    expects(product.weight_bits >= 1 && product.activation_bits >= 1, "weights and inputs have bits");
    expects(!product.vector_in_buffer ||
                product.inputs * product.activation_bits <= units.sizes.buffer_bytes * bits_per_byte,
            "the operand buffer holds all inputs that are said to be in it");
    return GemvWriter(units.sizes, product).write();
}

std::vector<ChannelShare<Gemv>> shares_of(BankUnits const& units, Gemv const& whole, std::int64_t channels) {
    std::int64_t const in_step = units.sizes.units();
    auto const of_units = [&](std::int64_t outputs_of_unit) {
        Gemv share = whole;
        share.outputs = outputs_of_unit * in_step;
        return share;
    };
    std::int64_t const longest = divide_up(whole.outputs, in_step * channels);
    std::int64_t const rest = divide_up(whole.outputs % (longest * in_step), in_step);
    std::int64_t const full = whole.outputs / (longest * in_step) + (rest == longest ? 1 : 0);
    std::vector<ChannelShare<Gemv>> shares;
    if (full > 0) shares.push_back({of_units(longest), full});
    if (rest > 0 && rest < longest) shares.push_back({of_units(rest), 1});
    return shares;
}

}  // namespace pimdse::sim::pim
