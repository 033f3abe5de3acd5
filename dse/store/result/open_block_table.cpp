#include "dse/store/result/open_block_table.hpp"

#include "dse/task/answer_codec.hpp"
#include "dse/task/wire.hpp"

#include <algorithm>

namespace pimdse::dse::store::result::tables {

void write_open_blocks(hdf5::Group& root, answers::ResultStore const& store) {
    if (store.open_blocks().empty()) return;
    task::Bytes records;
    for (auto const& [key, open] : store.open_blocks()) {
        for (auto const& [first, part] : open.parts) {
            task::Bytes record;
            encode(part, record);
            task::wire::put(records, static_cast<std::uint32_t>(record.size()));
            records.insert(records.end(), record.begin(), record.end());
        }
    }
    auto group = root.create_group("open_blocks");
    group.attribute("meaning", "parts of blocks of ids that are not complete, as records of the journal; for --resume");
    std::vector<std::uint8_t> bytes(records.size());
    std::transform(records.begin(), records.end(), bytes.begin(),
                   [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
    group.put("records", bytes);
}

void read_open_blocks(hdf5::Group const& root, answers::ResultStore& store) {
    if (!root.has("open_blocks")) return;
    auto const bytes = root.open_group("open_blocks").open_column("records").read<std::uint8_t>();
    task::wire::Reader from(std::as_bytes(std::span(bytes)));
    while (!from.empty()) {
        auto const length = from.take<std::uint32_t>();
        auto const record = length ? from.take_bytes(*length) : std::nullopt;
        if (!record) throw task::CodecError("a part of a block is cut off");
        store.add(task::decode_part(*record));
    }
}

}  // namespace pimdse::dse::store::result::tables
