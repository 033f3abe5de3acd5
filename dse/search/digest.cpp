#include "dse/search/digest.hpp"

#include "dse/base/digest.hpp"

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace pimdse::dse::search {

namespace {

/// The words of a row; the texts of an infeasible row follow them.
void put_words(ResultStore const& store, ResultStore::Row row, std::vector<std::uint64_t>& into) {
    space::Task const task = store.task(row);
    Status const status = store.status(row);
    into.insert(into.end(),
                {index_of(task.point), static_cast<std::uint64_t>(task.fidelity), static_cast<std::uint64_t>(status)});
    if (status != Status::ok) return;
    for (std::size_t metric = 0; metric < store.metrics(); ++metric) {
        auto const e = store.estimate(row, metric);  // a store contains only one bit pattern of NaN
        into.insert(into.end(), {std::bit_cast<std::uint64_t>(e.value), std::bit_cast<std::uint64_t>(e.lower),
                                 std::bit_cast<std::uint64_t>(e.upper), std::uint64_t{number_of(e.kinds)}});
    }
}

}  // namespace

std::string digest(std::string_view identity, ResultStore const& store) {
    constexpr std::size_t words_at_once = 65536;
    base::Sha256 sum;
    sum.add(identity).add(static_cast<std::uint64_t>(store.metrics()));
    std::vector<std::uint64_t> words;
    auto const flush = [&] {
        static_assert(std::endian::native == std::endian::little);
        sum.add(std::as_bytes(std::span(words)));
        words.clear();
    };
    for (auto const row : store.sorted()) {
        put_words(store, row, words);
        bool const has_texts = store.status(row) == Status::infeasible;
        if (has_texts || words.size() >= words_at_once) flush();
        if (has_texts) sum.add(store.rule(row)).add(store.reason(row));
    }
    flush();
    return sum.hex();
}

}  // namespace pimdse::dse::search
