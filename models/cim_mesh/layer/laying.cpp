#include "models/cim_mesh/layer/laying.hpp"

#include <algorithm>

namespace pimdse::models::cim_mesh {
namespace {

Serpentine serpentine(std::int64_t top, std::int64_t left, std::int64_t height, std::int64_t first,
                      std::int64_t length) {
    return {static_cast<std::int32_t>(top), static_cast<std::int32_t>(left), static_cast<std::int32_t>(height),
            static_cast<std::int32_t>(first), static_cast<std::int32_t>(length)};
}

}  // namespace

Ribbon::Ribbon(Ground const& ground, Genes const& genes)
    : height_(genes.band_height > 0 ? std::min(genes.band_height, ground.mesh_rows) : ground.mesh_rows),
      bands_(ground.mesh_rows / height_),
      length_(height_ * ground.mesh_cols * ground.placed_tiles) {}

std::optional<Serpentine> Ribbon::next(std::int64_t column_rows) {
    if (column_rows > length_) return std::nullopt;
    if (used_ + column_rows > length_) {
        ++band_;
        used_ = 0;
    }
    if (band_ >= bands_) return std::nullopt;
    auto const path = serpentine(band_ * height_, 0, height_, used_, column_rows);
    used_ += column_rows;
    return path;
}

std::optional<Serpentine> Shelves::next(std::int64_t column_rows, std::int64_t height) {
    bool const same = height == height_ && column_rows == column_rows_;
    if (!same) {
        width_ = height < column_rows ? column_rows / height : 1;
        stack_ = height / std::min(height, column_rows);
        height_ = height;
        column_rows_ = column_rows;
    }
    if (!same || stacked_ == stack_) {
        if (!open(height, width_)) return std::nullopt;
        stacked_ = 0;
        left_ = next_col_;
        next_col_ += width_;
    }
    std::int64_t const above = top_ + stacked_++ * column_rows;
    return serpentine(above, tile_ * cols_ + left_, std::min(height, column_rows), 0, column_rows);
}

bool Shelves::open(std::int64_t height, std::int64_t width) {
    if (height > rows_ || width > cols_) return false;
    if (height <= shelf_height_ && next_col_ + width <= cols_) return true;
    top_ += shelf_height_;
    if (top_ + height > rows_) {
        ++tile_;
        top_ = 0;
    }
    shelf_height_ = height;
    next_col_ = 0;
    return tile_ < tiles_;
}

bool are_in_turn(Ground const& ground, Genes const& genes, std::size_t place) {
    if (genes.interleave != Interleave::gate_up || place + 1 >= genes.order.size()) return false;
    auto const &one = ground.matrices[genes.order[place]], &other = ground.matrices[genes.order[place + 1]];
    // Not those of a shared expert and of the others.
    if (one.cols != other.cols || one.stored != other.stored) return false;
    return (one.name == "gate" && other.name == "up") || (one.name == "up" && other.name == "gate");
}

}  // namespace pimdse::models::cim_mesh
