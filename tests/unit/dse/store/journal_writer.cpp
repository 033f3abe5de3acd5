#include "dse/store/journal.hpp"

#include "tests/unit/dse/store/sample.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

/// journal_writer JOURNAL SEED: appends results in batches of varying size and writes the number of the last
/// acknowledged one, 8 bytes each time, to standard output. Runs until it is killed.
int main(int, char** argv) {
    using namespace pimdse::dse;
    std::mt19937 random(static_cast<unsigned>(std::atoi(argv[2])));
    auto const header = store::journal::JournalHeader::of(store::sample::columns());
    std::uint64_t next = 0;
    auto journal = std::filesystem::exists(argv[1])
                       ? store::journal::Journal::resume(argv[1], header, {[&](space::Result&&) { ++next; }, {}, {}})
                       : store::journal::Journal::create(argv[1], header);
    std::uint64_t acknowledged = 0;
    while (true) {
        std::uint64_t const count = 1 + random() % (random() % 8 == 0 ? 600 : 40);
        journal.append(store::sample::results(next, count));
        next += count;
        if (journal.durable() == acknowledged) continue;
        acknowledged = journal.durable();
        std::fwrite(&acknowledged, sizeof acknowledged, 1, stdout);
        std::fflush(stdout);
    }
}
