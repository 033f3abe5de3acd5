#include "models/text/text.hpp"

#include "models/contract/toml_file.hpp"
#include "models/gpu/gpu.hpp"
#include "models/text/head.hpp"
#include "models/text/source_files.hpp"
#include "sim/base/check.hpp"

#include <memory>

namespace pimdse::models::text {

Architecture architecture(std::filesystem::path const& file, std::vector<SourceFile> const& kept) {
    SourceFiles sources(kept);
    auto const content = parse_toml(sources.read(file), file.string());
    std::vector<std::string> mistakes;
    TableReader root(content, file, mistakes);
    auto const head = std::make_shared<Head const>(read_head(root, content, file));
    root.refuse_unknown_keys();
    if (!mistakes.empty()) throw sim::InputError(mistakes);
    auto machine = gpu::architecture();
    machine.name = head->name;
    machine.summary = head->summary;
    machine.parameters = [head, of_board = machine.parameters] { return of_board(); };
    machine.files = sources.files();
    return machine;
}

}  // namespace pimdse::models::text
