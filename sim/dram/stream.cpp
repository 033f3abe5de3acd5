#include "sim/dram/stream.hpp"

#include "sim/base/check.hpp"
#include "sim/base/random.hpp"

#include <algorithm>
#include <limits>

namespace pimdse::sim::dram {
namespace {

constexpr std::uint64_t beyond_all = std::numeric_limits<std::uint64_t>::max();

std::uint64_t sum_or_all(std::uint64_t a, std::uint64_t b) { return a > beyond_all - b ? beyond_all : a + b; }

std::uint64_t product_or_all(std::uint64_t a, std::uint64_t b) {
    return b != 0 && a > beyond_all / b ? beyond_all : a * b;
}

/// Farthest a loop moves an address within `length` requests of which one iteration takes `inner`.
std::uint64_t reach(Loop const& loop, std::int64_t stride, std::uint64_t inner, std::uint64_t length) {
    std::uint64_t const iterations = std::min(loop.count, length / inner + (length % inner != 0 ? 1 : 0));
    return stride <= 0 ? 0 : product_or_all(iterations - 1, static_cast<std::uint64_t>(stride));
}

}  // namespace

Stream Stream::sequential(Access access, std::uint64_t base, std::uint64_t bytes, int transaction_bytes) {
    std::uint64_t const count = bytes / static_cast<std::uint64_t>(transaction_bytes);
    return nest({{count, transaction_bytes, transaction_bytes}}, access == Access::read ? Kinds::reads : Kinds::writes,
                count, base, base, transaction_bytes);
}

Stream Stream::nest(std::vector<Loop> loops, Kinds kinds, std::uint64_t length, std::uint64_t read_base,
                    std::uint64_t write_base, int transaction_bytes) {
    if (kinds == Kinds::alternating) loops.insert(loops.begin(), Loop{2, 0, 0});
    expects(!loops.empty() && loops.size() <= most_loops, "a stream has one to six loops");
    Stream stream;
    stream.kinds_ = kinds;
    stream.size_ = length;
    stream.read_base_ = read_base;
    stream.write_base_ = write_base;
    stream.transaction_bytes_ = transaction_bytes;
    stream.loop_count_ = loops.size();
    std::copy(loops.begin(), loops.end(), stream.loops_.begin());
    for (std::size_t l = 0; l + 1 < loops.size(); ++l)
        expects(loops[l].count >= 1, "every inner loop runs at least once");
    return stream;
}

Stream Stream::random(std::uint64_t length, std::uint64_t range, int transaction_bytes) {
    expects(range >= 1, "there is something to draw");
    Stream stream;
    stream.form_ = Form::random;
    stream.transaction_bytes_ = transaction_bytes;
    stream.size_ = length;
    stream.range_ = range;
    return stream;
}

Stream Stream::list(std::vector<Transaction> const& transactions, int transaction_bytes) {
    auto packed = std::make_shared<std::vector<std::uint64_t>>();
    packed->reserve(transactions.size());
    for (auto const& t : transactions) packed->push_back((t.address << 1) | (t.access == Access::write ? 1U : 0U));
    Stream stream;
    stream.form_ = Form::list;
    stream.transaction_bytes_ = transaction_bytes;
    stream.size_ = packed->size();
    stream.list_ = std::move(packed);
    return stream;
}

Stream Stream::list(std::vector<Transaction> const& transactions, int transaction_bytes, std::vector<Tick> arrivals) {
    expects(arrivals.size() == transactions.size(), "every request has an arrival");
    expects(std::ranges::is_sorted(arrivals) && (arrivals.empty() || arrivals.front() >= 0), "arrivals ascend from 0");
    Stream stream = list(transactions, transaction_bytes);
    stream.arrivals_ = std::make_shared<std::vector<Tick> const>(std::move(arrivals));
    return stream;
}

void Stream::fill(std::uint64_t first, std::span<Transaction> out) const {
    expects(out.size() <= size_ && first <= size_ - out.size(), "requests within the stream");
    first += offset_;
    switch (form_) {
        case Form::nest:
            return fill_nest(first, out);
        case Form::random:
            return fill_random(first, out);
        case Form::list:
            for (std::size_t i = 0; i < out.size(); ++i) {
                auto const packed = (*list_)[first + i];
                out[i] = {packed >> 1, (packed & 1) != 0 ? Access::write : Access::read};
            }
    }
}

Transaction Stream::at(std::uint64_t index) const {
    Transaction one;
    fill(index, {&one, 1});
    return one;
}

void Stream::fill_nest(std::uint64_t first, std::span<Transaction> out) const {
    std::array<std::uint64_t, most_loops> index{};
    std::uint64_t read = read_base_, write = write_base_;
    std::uint64_t rest = first;
    for (std::size_t l = 0; l < loop_count_; ++l) {
        bool const outermost = l + 1 == loop_count_;
        index[l] = outermost ? rest : rest % loops_[l].count;
        rest = outermost ? 0 : rest / loops_[l].count;
        read += index[l] * static_cast<std::uint64_t>(loops_[l].read_stride);
        write += index[l] * static_cast<std::uint64_t>(loops_[l].write_stride);
    }
    for (auto& transaction : out) {
        bool const is_write = kinds_ == Kinds::writes || (kinds_ == Kinds::alternating && index[0] == 1);
        transaction = {is_write ? write : read, is_write ? Access::write : Access::read};
        for (std::size_t l = 0; l < loop_count_; ++l) {
            read += static_cast<std::uint64_t>(loops_[l].read_stride);
            write += static_cast<std::uint64_t>(loops_[l].write_stride);
            if (++index[l] < loops_[l].count || l + 1 == loop_count_) break;
            read -= loops_[l].count * static_cast<std::uint64_t>(loops_[l].read_stride);
            write -= loops_[l].count * static_cast<std::uint64_t>(loops_[l].write_stride);
            index[l] = 0;
        }
    }
}

void Stream::fill_random(std::uint64_t first, std::span<Transaction> out) const {
    auto const bytes = static_cast<std::uint64_t>(transaction_bytes_);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = {bytes * (mixed_sequence(first + i) % range_), Access::read};
}

std::uint64_t Stream::highest_address() const {
    expects(size_ >= 1, "a stream that is not empty");
    if (form_ == Form::random) return static_cast<std::uint64_t>(transaction_bytes_) * (range_ - 1);
    if (form_ == Form::list) return *std::max_element(list_->begin(), list_->end()) >> 1;
    std::uint64_t read = read_base_, write = write_base_, inner = 1;
    for (std::size_t l = 0; l < loop_count_; inner = product_or_all(inner, loops_[l++].count)) {
        read = sum_or_all(read, reach(loops_[l], loops_[l].read_stride, inner, offset_ + size_));
        write = sum_or_all(write, reach(loops_[l], loops_[l].write_stride, inner, offset_ + size_));
    }
    return kinds_ == Kinds::reads ? read : kinds_ == Kinds::writes ? write : std::max(read, write);
}

Stream::Step Stream::step() const {
    if (form_ != Form::nest) return {};
    auto const& outer = loops_[loop_count_ - 1];
    std::int64_t const stride = kinds_ == Kinds::writes ? outer.write_stride : outer.read_stride;
    if (stride <= 0 || (kinds_ == Kinds::alternating && outer.read_stride != outer.write_stride)) return {};
    Step step{1, static_cast<std::uint64_t>(stride)};
    for (std::size_t l = 0; l + 1 < loop_count_; ++l) step.requests = product_or_all(step.requests, loops_[l].count);
    return step.requests == beyond_all ? Step{} : step;
}

std::optional<Stream::Runs> Stream::runs() const {
    if (form_ != Form::nest || kinds_ == Kinds::alternating || loop_count_ > 2) return std::nullopt;
    bool const writes = kinds_ == Kinds::writes;
    auto const stride = [&](Loop const& loop) { return writes ? loop.write_stride : loop.read_stride; };
    if (stride(loops_[loop_count_ - 1]) != transaction_bytes_) return std::nullopt;
    Runs runs{1, offset_, writes ? write_base_ : read_base_, 0, writes ? Access::write : Access::read};
    if (loop_count_ == 2) {
        if (stride(loops_[0]) < 0) return std::nullopt;
        runs.count = loops_[0].count;
        runs.stride = static_cast<std::uint64_t>(stride(loops_[0]));
    }
    auto const transaction = static_cast<std::uint64_t>(transaction_bytes_);
    if (runs.base % transaction != 0 || runs.stride % transaction != 0) return std::nullopt;
    return runs;
}

std::uint64_t Stream::part(std::uint64_t most) const {
    std::uint64_t part = 1;
    for (std::size_t l = 0; form_ == Form::nest && l + 1 < loop_count_ && product_or_all(part, loops_[l].count) <= most;
         ++l)
        part = product_or_all(part, loops_[l].count);
    while (part <= most / 2) part *= 2;
    return part;
}

Stream Stream::slice(std::uint64_t first, std::uint64_t length) const {
    expects(length <= size_ && first <= size_ - length, "a slice lies within its stream");
    Stream part = *this;
    part.offset_ += first;
    part.size_ = length;
    return part;
}

std::uint64_t Stream::hash() const {
    std::uint64_t hash = 1469598103934665603ULL;
    std::array<Transaction, 1024> block;
    for (std::uint64_t first = 0; first < size_; first += block.size()) {
        std::span<Transaction> const part(
            block.data(), static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), size_ - first)));
        fill(first, part);
        for (auto const& t : part) {
            std::uint64_t const word = (t.address << 1) | (t.access == Access::write ? 1U : 0U);
            for (int byte = 0; byte < 8; ++byte) hash = (hash ^ ((word >> (8 * byte)) & 255)) * 1099511628211ULL;
        }
    }
    return hash;
}

}  // namespace pimdse::sim::dram
