#include "sim/dram/stream.hpp"

#include "sim/base/check.hpp"
#include "sim/base/number_in.hpp"
#include "sim/base/random.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace pimdse::sim::dram {
namespace {

constexpr std::uint64_t max_value = std::numeric_limits<std::uint64_t>::max();

std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) { return a > max_value - b ? max_value : a + b; }

std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
    return b != 0 && a > max_value / b ? max_value : a * b;
}

/// Largest offset that a loop adds to an address within `length` requests, if one iteration takes `inner` of them.
std::uint64_t reach(Loop const& loop, std::int64_t stride, std::uint64_t inner, std::uint64_t length) {
    std::uint64_t const iterations = std::min(loop.count, length / inner + (length % inner != 0 ? 1 : 0));
    return stride <= 0 ? 0 : saturating_product(iterations - 1, static_cast<std::uint64_t>(stride));
}

/// The matrix of the walks: 2048 x 2048 two-byte elements, row-major.
constexpr std::uint64_t matrix_side = 2048;
constexpr std::int64_t matrix_pitch = 4096;
constexpr std::int64_t stored_tile = 16384;  // bytes
constexpr std::uint64_t tiles_to_a_column = 16, tiles_to_a_row = 32;
constexpr std::uint64_t endless = std::uint64_t{1} << 62;

using Kinds = Stream::Kinds;

std::uint64_t unsigned_of(int transaction) { return static_cast<std::uint64_t>(transaction); }

struct Refusal {
    int transaction;

    [[nodiscard]] std::string operator()(CopyStream const& copy) const {
        std::uint64_t const pairs = copy.bytes / unsigned_of(transaction);
        if (copy.rows <= pairs) return "";
        return fmt::format("{} rows are more than the {} transactions copied", copy.rows, pairs);
    }
    [[nodiscard]] std::string operator()(RandomStream const& stream) const {
        if (stream.range >= unsigned_of(transaction)) return "";
        return fmt::format("a range of {} B is smaller than a transaction of {} B", stream.range, transaction);
    }
    [[nodiscard]] std::string operator()(TileWalk const& walk) const {
        if (walk.rows == 0 || walk.width < unsigned_of(transaction))
            return fmt::format("a tile of {} rows x {} B is smaller than a transaction of {} B", walk.rows, walk.width,
                               transaction);
        if (walk.rows <= matrix_side) return "";
        return fmt::format("a tile of {} rows does not fit a matrix of {}", walk.rows, matrix_side);
    }
    [[nodiscard]] std::string operator()(StoredTileWalk const&) const {
        if (transaction <= stored_tile) return "";
        return fmt::format("a tile of {} B is smaller than a transaction of {} B", stored_tile, transaction);
    }
    [[nodiscard]] std::string operator()(EngineStreams const& streams) const {
        if (streams.engines == 0) return "the number of engines is 0 (at least 1)";
        if (streams.bytes / streams.engines >= unsigned_of(transaction)) return "";
        return fmt::format("{} engines have less than one transaction each", streams.engines);
    }
    template <class Other>
    [[nodiscard]] std::string operator()(Other const&) const {
        return "";
    }
};

struct Maker {
    int transaction;

    [[nodiscard]] Stream reads(std::vector<Loop> loops, std::uint64_t count) const {
        return Stream::nest(std::move(loops), Kinds::reads, count, 0, 0, transaction);
    }
    [[nodiscard]] Stream operator()(SequentialStream const& s) const {
        return Stream::sequential(s.access, 0, s.bytes, transaction);
    }
    [[nodiscard]] Stream operator()(StridedStream const& s) const {
        return reads({{endless, static_cast<std::int64_t>(s.stride), 0}}, s.count);
    }
    [[nodiscard]] Stream operator()(RandomStream const& s) const {
        return Stream::random(s.count, s.range / unsigned_of(transaction), transaction);
    }
    [[nodiscard]] Stream operator()(CopyStream const& s) const {
        std::int64_t const t = transaction;
        std::uint64_t const pairs = s.bytes / unsigned_of(transaction);
        std::vector<Loop> loops{{endless, t, t}};
        if (s.rows != 0) {
            auto const columns = pairs / s.rows;
            loops = {{columns, t, static_cast<std::int64_t>(s.rows) * t},
                     {endless, static_cast<std::int64_t>(columns) * t, t}};
        }
        return Stream::nest(std::move(loops), Kinds::alternating, 2 * pairs, 0, s.write_base, transaction);
    }
    [[nodiscard]] Stream operator()(ColumnWalk const& s) const {
        return reads({{matrix_side, matrix_pitch, 0}, {endless, transaction, 0}}, s.count);
    }
    [[nodiscard]] Stream operator()(TileWalk const& s) const {
        Loop const down{s.rows, matrix_pitch, 0}, across{s.width / unsigned_of(transaction), transaction, 0};
        return reads({s.column_first ? down : across,
                      s.column_first ? across : down,
                      {matrix_side / s.rows, static_cast<std::int64_t>(s.rows) * matrix_pitch, 0},
                      {endless, static_cast<std::int64_t>(s.width), 0}},
                     s.count);
    }
    [[nodiscard]] Stream operator()(StoredTileWalk const& s) const {
        return reads({{static_cast<std::uint64_t>(stored_tile) / unsigned_of(transaction), transaction, 0},
                      {tiles_to_a_row, static_cast<std::int64_t>(tiles_to_a_column) * stored_tile, 0},
                      {endless, stored_tile, 0}},
                     s.count);
    }
    [[nodiscard]] Stream operator()(EngineStreams const& s) const {
        std::uint64_t const each = s.bytes / s.engines / unsigned_of(transaction);
        return reads(
            {{s.engines, static_cast<std::int64_t>(each * unsigned_of(transaction)), 0}, {endless, transaction, 0}},
            s.engines * each);
    }
};

/// How the kinds are written, by name.
constexpr std::array<std::string_view, 9> usages{
    "colwalk:COUNT", "copy:BYTES:WRITE_BASE:ROWS", "engines:ENGINES:BYTES",     "rand:COUNT:RANGE", "seq:BYTES",
    "seqw:BYTES",    "stride:STRIDE:COUNT",        "tile:ROWS:WIDTH:C|R:COUNT", "utile:COUNT"};

class SpecFields {
  public:
    explicit SpecFields(std::string_view spec) : spec_(spec), parts_(split(spec, ':')) {}

    [[nodiscard]] std::size_t size() const { return parts_.size(); }
    [[nodiscard]] std::string_view word(std::size_t i) const { return parts_[i]; }

    [[nodiscard]] std::uint64_t number(std::size_t i, std::uint64_t min) const {
        auto const text = parts_[i];
        auto const value = number_in<std::uint64_t>(text);
        if (!value || *value > (std::uint64_t{1} << 50))
            throw InputError("stream '{}': '{}' is not a whole number up to 2^50", spec_, text);
        if (*value < min) throw InputError("stream '{}': {} is too small (at least {})", spec_, *value, min);
        return *value;
    }

  private:
    std::string_view spec_;
    std::vector<std::string_view> parts_;
};

TileWalk tile_walk(SpecFields const& f, std::string_view spec, std::uint64_t transaction) {
    TileWalk walk{f.number(1, 1), f.number(2, transaction), f.word(3) == "C", f.number(4, 1)};
    if (f.word(3) != "C" && f.word(3) != "R")
        throw InputError("stream '{}': '{}' is neither C (chunk columns first) nor R (rows first)", spec, f.word(3));
    return walk;
}

StreamKind kind_of(SpecFields const& f, std::string_view spec, std::uint64_t transaction) {
    auto const kind = f.word(0);
    if (kind == "seq") return SequentialStream{Access::read, f.number(1, transaction)};
    if (kind == "seqw") return SequentialStream{Access::write, f.number(1, transaction)};
    if (kind == "stride") return StridedStream{f.number(1, 0), f.number(2, 1)};
    if (kind == "rand") return RandomStream{f.number(1, 1), f.number(2, transaction)};
    if (kind == "copy") return CopyStream{f.number(1, transaction), f.number(2, 0), f.number(3, 0)};
    if (kind == "colwalk") return ColumnWalk{f.number(1, 1)};
    if (kind == "tile") return tile_walk(f, spec, transaction);
    if (kind == "utile") return StoredTileWalk{f.number(1, 1)};
    return EngineStreams{f.number(1, 1), f.number(2, 1)};
}

StreamKind parse_kind(std::string_view spec, int transaction_bytes) {
    if (transaction_bytes < 1 || transaction_bytes > 65536)
        throw InputError("a transaction of {} B is out of range (1 to 65536 B)", transaction_bytes);
    SpecFields const f(spec);
    auto const name_of = [](std::string_view usage) { return split(usage, ':').front(); };
    auto const usage = std::ranges::find(usages, f.word(0), name_of);
    if (usage == usages.end()) {
        std::vector<std::string> names;
        for (auto const known : usages) names.emplace_back(name_of(known));
        throw InputError("stream '{}': unknown kind '{}'.{}", spec, f.word(0), suggestion(f.word(0), names));
    }
    if (f.size() != split(*usage, ':').size())
        throw InputError("stream '{}' has the wrong number of fields. {}?", spec, *usage);
    auto const kind = kind_of(f, spec, static_cast<std::uint64_t>(transaction_bytes));
    if (auto const why = refusal_of(kind, transaction_bytes); !why.empty())
        throw InputError("stream '{}': {}", spec, why);
    return kind;
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
    expects(!loops.empty() && loops.size() <= max_loops, "a stream has one to six loops");
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
    expects(range >= 1, "the range has at least one transaction");
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
    expects(out.size() <= size_ && first <= size_ - out.size(), "the requests are within the stream");
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
    std::array<std::uint64_t, max_loops> index{};
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
    expects(size_ >= 1, "the stream is not empty");
    if (form_ == Form::random) return static_cast<std::uint64_t>(transaction_bytes_) * (range_ - 1);
    if (form_ == Form::list) return *std::max_element(list_->begin(), list_->end()) >> 1;
    std::uint64_t read = read_base_, write = write_base_, inner = 1;
    for (std::size_t l = 0; l < loop_count_; inner = saturating_product(inner, loops_[l++].count)) {
        read = saturating_sum(read, reach(loops_[l], loops_[l].read_stride, inner, size_));
        write = saturating_sum(write, reach(loops_[l], loops_[l].write_stride, inner, size_));
    }
    return kinds_ == Kinds::reads ? read : kinds_ == Kinds::writes ? write : std::max(read, write);
}

Stream::Step Stream::step() const {
    if (form_ != Form::nest) return {};
    auto const& outer = loops_[loop_count_ - 1];
    std::int64_t const stride = kinds_ == Kinds::writes ? outer.write_stride : outer.read_stride;
    if (stride <= 0 || (kinds_ == Kinds::alternating && outer.read_stride != outer.write_stride)) return {};
    Step step{1, static_cast<std::uint64_t>(stride)};
    for (std::size_t l = 0; l + 1 < loop_count_; ++l)
        step.requests = saturating_product(step.requests, loops_[l].count);
    return step.requests == max_value ? Step{} : step;
}

std::optional<Stream::Runs> Stream::runs() const {
    if (form_ != Form::nest || kinds_ == Kinds::alternating || loop_count_ > 2) return std::nullopt;
    bool const writes = kinds_ == Kinds::writes;
    auto const stride = [&](Loop const& loop) { return writes ? loop.write_stride : loop.read_stride; };
    if (stride(loops_[loop_count_ - 1]) != transaction_bytes_) return std::nullopt;
    Runs runs{1, writes ? write_base_ : read_base_, 0, writes ? Access::write : Access::read};
    if (loop_count_ == 2) {
        if (stride(loops_[0]) < 0) return std::nullopt;
        runs.count = loops_[0].count;
        runs.stride = static_cast<std::uint64_t>(stride(loops_[0]));
    }
    auto const transaction = static_cast<std::uint64_t>(transaction_bytes_);
    if (runs.base % transaction != 0 || runs.stride % transaction != 0) return std::nullopt;
    return runs;
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

std::string refusal_of(StreamKind const& kind, int transaction_bytes) {
    if (transaction_bytes < 1 || transaction_bytes > 65536)
        return fmt::format("a transaction of {} B is out of range (1 to 65536 B)", transaction_bytes);
    return std::visit(Refusal{transaction_bytes}, kind);
}

Stream make_stream(StreamKind const& kind, int transaction_bytes) {
    if (auto const why = refusal_of(kind, transaction_bytes); !why.empty()) throw InputError(why);
    return std::visit(Maker{transaction_bytes}, kind);
}

Stream parse_stream(std::string_view spec, int transaction_bytes) {
    return make_stream(parse_kind(spec, transaction_bytes), transaction_bytes);
}

}  // namespace pimdse::sim::dram
