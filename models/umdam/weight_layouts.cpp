#include "models/umdam/weight_layouts.hpp"

#include "models/umdam/latent.hpp"
#include "models/umdam/system.hpp"
#include "models/umdam/weight_order.hpp"
#include "sim/base/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace pimdse::models::umdam {
namespace {

using sim::dram::Coordinates;
using sim::dram::Field;
using sim::dram::Mapping;

/// Small enough that sums of any matrix fit into 64 bits.
std::int16_t small_number(std::uint64_t seed, std::uint64_t at) {
    constexpr std::uint64_t values = 15;
    return static_cast<std::int16_t>(static_cast<std::int64_t>(sim::mixed_bits(seed * sim::golden_step + at) % values) -
                                     7);
}
std::int16_t weight(std::int64_t input, std::int64_t output) {
    return small_number(1, static_cast<std::uint64_t>(input) << 32U | static_cast<std::uint64_t>(output));
}

/// The banks of a memory, filled with numbers of two bytes; an element takes one number, whatever its format. Only the
/// rows that addresses below `bytes` reach are allocated.
class WrittenBanks {
  public:
    WrittenBanks(Mapping const& mapping, Organisation const& organisation, std::int64_t bytes,
                 std::int64_t element_bits)
        : mapping_(mapping),
          element_bits_(static_cast<std::uint64_t>(element_bits)),
          row_elements_(static_cast<std::uint64_t>(organisation.row_bytes * 8 / element_bits)),
          burst_elements_(static_cast<std::uint64_t>(organisation.burst_bytes * 8 / element_bits)),
          banks_per_channel_(static_cast<std::uint64_t>(organisation.banks_per_channel())) {
        std::uint64_t rows = 1;
        for (int bit = 0; bit < static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bytes - 1))); ++bit)
            rows = std::max<std::uint64_t>(rows, 2 * std::bit_floor(std::uint64_t{mapping.place(1ULL << bit).row}));
        rows_ = rows;
        numbers_.resize(static_cast<std::uint64_t>(organisation.channels) * banks_per_channel_ * rows_ * row_elements_);
    }

    [[nodiscard]] std::int16_t& at(std::uint64_t bit_address) {
        auto const address = bit_address / 8;
        auto const offset = bit_address % (std::uint64_t{8} << mapping_.offset_bits()) / element_bits_;
        return numbers_[first_of_burst(mapping_.coordinates(address), mapping_.place(address).bank) + offset];
    }
    /// The numbers of a burst.
    [[nodiscard]] std::span<std::int16_t const> burst(std::uint64_t address) const {
        auto const first = first_of_burst(mapping_.coordinates(address), mapping_.place(address).bank);
        return std::span(numbers_).subspan(first, burst_elements_);
    }
    /// The number of a bank among all banks.
    [[nodiscard]] std::size_t bank(std::uint64_t address) const {
        auto const place = mapping_.place(address);
        return place.channel * banks_per_channel_ + place.bank;
    }
    [[nodiscard]] Mapping const& mapping() const { return mapping_; }

  private:
    [[nodiscard]] std::uint64_t first_of_burst(Coordinates const& to, std::uint32_t bank) const {
        auto const bank_number = to[Field::channel] * banks_per_channel_ + bank;
        return (bank_number * rows_ + to[Field::row]) * row_elements_ + to[Field::column] * burst_elements_;
    }

    Mapping const& mapping_;
    std::uint64_t element_bits_, row_elements_, burst_elements_, banks_per_channel_, rows_ = 1;
    std::vector<std::int16_t> numbers_;
};

/// The bit address in the tiles of an element.
std::uint64_t stored_address(Layout const& layout, ReadOrder order, std::int64_t k, std::int64_t n) {
    if (order == ReadOrder::tiles) return layout.bit_address(k, n);
    ColumnOrder const columns(layout);
    return columns.in_tiles(columns.bit_address(k, n));
}

/// One vector x and both products with W.
class Product {
  public:
    Product(Layout const& layout, WrittenBanks& memory, Organisation const& organisation, ReadOrder order)
        : layout_(layout),
          memory_(memory),
          order_(order),
          burst_elements_(organisation.burst_bytes * 8 / layout.element_bits()) {
        x_.resize(static_cast<std::size_t>(layout.inputs()));
        for (std::size_t k = 0; k < x_.size(); ++k) x_[k] = small_number(2, k);
        true_.assign(static_cast<std::size_t>(layout.outputs()), 0);
        for (std::int64_t n = 0; n < layout.outputs(); ++n)
            for (std::int64_t k = 0; k < layout.inputs(); ++k) {
                auto const w = weight(k, n);
                memory_.at(stored_address(layout, order, k, n)) = w;
                true_[static_cast<std::size_t>(n)] += x_[static_cast<std::size_t>(k)] * w;
            }
    }

    LayoutCheck check() {
        LayoutCheck check;
        check.outputs = layout_.outputs();
        if (order_ == ReadOrder::columns) read_by_columns(check);
        for (std::int64_t column = 0; column < layout_.tile_columns(); ++column) multiply_tile_column(column, check);
        check.npu_wrong = wrong(npu_);
        check.pim_wrong = wrong(pim_);
        check.banks_per_command = static_cast<double>(bursts_) / static_cast<double>(check.mac_commands);
        return check;
    }

  private:
    void multiply_tile_column(std::int64_t column, LayoutCheck& check) {
        for (std::int64_t row = 0; row < layout_.tile_rows(); ++row) {
            if (row * layout_.height() >= layout_.part()) continue;  // padding
            auto const start = layout_.tile_address(row, column);
            multiply_in_banks(row, column, start, check);
            if (order_ == ReadOrder::columns) continue;
            multiply_on_npu(row, column, start);
            ++check.npu_tiles;
        }
        for (auto const& [key, sum] : sums_) pim_[key.second] += sum;
        check.sums_read += static_cast<std::int64_t>(sums_.size());
        sums_.clear();
    }

    /// The NPU reads consecutive addresses: one column after the other, with its padding.
    void read_by_columns(LayoutCheck& check) {
        ColumnOrder const columns(layout_);
        for (std::int64_t n = 0; n < layout_.outputs(); ++n) {
            for (std::int64_t k = 0; k < layout_.inputs(); k += burst_elements_)
                npu_[n] += dot(memory_.burst(columns.in_tiles(columns.bit_address(k, n)) / 8), k, layout_.inputs());
            ++check.npu_tiles;
        }
    }

    /// The NPU reads the consecutive addresses of a tile: the part of one output after the other.
    void multiply_on_npu(std::int64_t row, std::int64_t column, std::uint64_t start) {
        for_each_burst(row, column, start,
                       [&](std::int64_t output, std::int64_t input, std::int64_t end, std::uint64_t address) {
                           npu_[output] += dot(memory_.burst(address), input, end);
                       });
    }

    /// Banks multiply what lies at one row and column of theirs with the same part of x, in one command of a channel.
    void multiply_in_banks(std::int64_t row, std::int64_t column, std::uint64_t start, LayoutCheck& check) {
        std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::int64_t>> commands;
        for_each_burst(row, column, start,
                       [&](std::int64_t output, std::int64_t input, std::int64_t end, std::uint64_t address) {
                           auto const to = memory_.mapping().coordinates(address);
                           commands.insert({to[Field::channel], to[Field::row], to[Field::column], input});
                           ++bursts_;
                           sums_[{memory_.bank(address), output}] += dot(memory_.burst(address), input, end);
                       });
        check.mac_commands += static_cast<std::int64_t>(commands.size());
    }

    template <class F>
    void for_each_burst(std::int64_t row, std::int64_t column, std::uint64_t start, F const& f) const {
        for (std::int64_t lane = 0; lane < layout_.width(); ++lane) {
            auto const stored = column * layout_.width() + lane, output = stored / layout_.split();
            if (output >= layout_.outputs()) return;
            auto const first = stored % layout_.split() * layout_.part();
            auto const end = std::min(first + layout_.part(), layout_.inputs());
            for (std::int64_t at = 0; at < layout_.height(); at += burst_elements_) {
                auto const input = first + row * layout_.height() + at;
                if (input >= end) break;
                f(output, input, end,
                  start + static_cast<std::uint64_t>((lane * layout_.height() + at) * layout_.element_bits() / 8));
            }
        }
    }

    /// Of a burst whose first element belongs to `input`, up to the input `end`.
    [[nodiscard]] std::int64_t dot(std::span<std::int16_t const> burst, std::int64_t input, std::int64_t end) const {
        auto const count = std::min<std::int64_t>(burst_elements_, end - input);
        std::int64_t sum = 0;
        for (std::int64_t i = 0; i < count; ++i)
            sum += burst[static_cast<std::size_t>(i)] * x_[static_cast<std::size_t>(input + i)];
        return sum;
    }

    [[nodiscard]] std::int64_t wrong(std::map<std::int64_t, std::int64_t> const& y) const {
        std::int64_t count = 0;
        for (std::int64_t n = 0; n < layout_.outputs(); ++n) {
            auto const found = y.find(n);
            count += found == y.end() || found->second != true_[static_cast<std::size_t>(n)] ? 1 : 0;
        }
        return count;
    }

    Layout const& layout_;
    WrittenBanks& memory_;
    ReadOrder order_;
    std::int64_t burst_elements_, bursts_ = 0;
    std::map<std::pair<std::size_t, std::int64_t>, std::int64_t> sums_;  ///< of a tile column, by bank and output
    std::vector<std::int16_t> x_;
    std::vector<std::int64_t> true_;
    std::map<std::int64_t, std::int64_t> npu_, pim_;
};

/// The element at this bit address of its matrix, and the fields of its place in the tiles, in the order of the paper:
/// Row-ColM-Bank-Rank-Channel-ColL-Offset. An order of columns has no bits of its own for them, nor a ColL.
WeightPlace place_of(Mapping const& mapping, std::uint64_t bit_address, ColumnOrder const* columns, int coll_bits) {
    auto const stored = (columns == nullptr ? bit_address : columns->in_tiles(bit_address)) / 8;
    auto const at = mapping.coordinates(stored);
    std::uint32_t const column = at[Field::column];
    WeightPlace place{bit_address / 8, {{"row", at[Field::row]}}};
    auto& fields = place.fields;
    fields.emplace_back(columns == nullptr ? "colm" : "column", columns == nullptr ? column >> coll_bits : column);
    fields.emplace_back("bank", at[Field::bank]);
    fields.emplace_back("bank_group", at[Field::group]);
    fields.emplace_back("rank", at[Field::rank]);
    fields.emplace_back("channel", at[Field::channel]);
    if (columns == nullptr) fields.emplace_back("coll", column & ((1U << coll_bits) - 1));
    fields.emplace_back("offset", stored & ((std::uint64_t{1} << mapping.offset_bits()) - 1));
    return place;
}

/// The matrices of the layers of all kinds, equal ones once. Further shapes of a name are numbered: gate, gate_2, ...
std::vector<WeightMatrix> shapes_of(LanguageModel const& model) {
    std::vector<WeightMatrix> shapes;
    std::map<std::string, int> named;
    for (auto const& alike : alike_layers(model)) {
        for (auto const& m : stored_matrices(alike)) {
            bool const known = std::ranges::any_of(shapes, [&](WeightMatrix const& other) {
                bool const same_name = other.name == m.name || other.name.starts_with(fmt::format("{}_", m.name));
                return same_name && other.inputs == m.inputs && other.outputs == m.outputs;
            });
            if (known) continue;
            int const number = ++named[m.name];
            shapes.push_back(m);
            if (number > 1) shapes.back().name = fmt::format("{}_{}", m.name, number);
        }
    }
    return shapes;
}

/// The layout of one matrix; shares the system, whose mapping it reads.
WeightLayout layout_of(std::shared_ptr<System const> const& system, std::string name, std::int64_t inputs,
                       std::int64_t outputs) {
    auto const& organisation = system->standard.organisation;
    auto options = layout_options(system->design, system->interleave);
    auto const stored = std::ranges::find_if(
        system->matrices, [&](Matrix const& m) { return m.inputs == inputs && m.outputs == outputs; });
    if (system->design.baseline == Baseline::pimnast && stored != system->matrices.end()) {
        options.split = stored->placement.parts;
        options.tile_width = stored->placement.width;
        options.order = stored->placement.order;
    }
    auto const layout = std::make_shared<Layout const>(inputs, outputs, organisation, options);
    int const coll_bits = std::countr_zero(static_cast<std::uint64_t>(system->interleave / organisation.burst_bytes));
    bool const by_columns = system->design.baseline == Baseline::column_in_bank;
    auto const order = by_columns ? ReadOrder::columns : ReadOrder::tiles;
    return {.matrix = std::move(name),
            .inputs = inputs,
            .outputs = outputs,
            .tile_inputs = by_columns ? layout->tile_rows() * layout->height() : layout->height(),
            .tile_outputs = by_columns ? 1 : layout->width(),
            .burst_inputs = organisation.burst_bytes * 8 / layout->element_bits(),
            .tiles = by_columns ? layout->tile_columns() * layout->width() : layout->bytes() / layout->tile_bytes(),
            .bytes = layout->bytes(),
            .place =
                [system, layout, coll_bits, by_columns](std::int64_t input, std::int64_t output) {
                    ColumnOrder const columns(*layout);
                    auto const address =
                        by_columns ? columns.bit_address(input, output) : layout->bit_address(input, output);
                    return place_of(*system->placed, address, by_columns ? &columns : nullptr, coll_bits);
                },
            .check = [system, layout,
                      order] { return check_layout(*layout, *system->placed, system->standard.organisation, order); }};
}

}  // namespace

LayoutCheck check_layout(Layout const& layout, Mapping const& mapping, Organisation const& organisation,
                         ReadOrder order) {
    WrittenBanks memory(mapping, organisation, layout.bytes(), layout.element_bits());
    return Product(layout, memory, organisation, order).check();
}

WeightLayouts weight_layouts(System const& of) {
    if (!of.uses_pim())
        return {{}, Infeasible{"layout", "baseline = npu_only stores weights row by row, not in tiles"}};
    auto const system = std::make_shared<System const>(of);
    WeightLayouts layouts;
    for (auto const& m : shapes_of(*system->model))
        layouts.matrices.push_back(layout_of(system, m.name, m.inputs, m.outputs));
    auto const& model = *system->model;
    auto const width = model.embedding_projection != 0 ? model.embedding_projection : model.hidden;
    layouts.matrices.push_back(layout_of(system, "lm_head", width, model.vocabulary));
    return layouts;
}

}  // namespace pimdse::models::umdam
