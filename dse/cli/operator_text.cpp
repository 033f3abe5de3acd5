#include "dse/cli/operator_text.hpp"

#include "dse/cli/verb.hpp"
#include "sim/base/number_in.hpp"

#include <cmath>
#include <map>

namespace pimdse::dse::cli {
namespace {

using models::chips::Starter;
using models::text::OperatorShape;
using models::text::Routing;

struct OperatorKey {
    std::string name;
    std::string otherwise;  ///< "": it must be given
};

struct OperatorKind {
    std::string_view name;
    std::vector<OperatorKey> keys;
};

/// `keys`: "m= repeated=0", with what stands for those that are not given.
OperatorKind operator_kind(std::string_view name, std::string_view keys) {
    OperatorKind kind{name, {}};
    for (auto const& word : sim::words_of(keys, ' ')) {
        auto const equals = word.find('=');
        kind.keys.push_back({word.substr(0, equals), word.substr(equals + 1)});
    }
    return kind;
}

std::vector<OperatorKind> const& operator_kinds() {
    static std::vector<OperatorKind> const all = [] {
        std::vector<OperatorKind> made{
            operator_kind("product", "m= k= n= repeated=0"),
            operator_kind("attention", "batch=1 heads= kv_heads= width= keys= queries=1 repeated=0"),
            operator_kind("experts", "tokens= hidden= width= experts= active= routing=uniform repeated=0")};
        for (auto const name : models::chips::collective_names)
            made.push_back(operator_kind(name, "devices= bytes= by=program"));
        made.push_back({"sum", made.back().keys});
        return made;
    }();
    return all;
}

/// The words of one operator, by key.
class OperatorWords {
  public:
    OperatorWords(std::string_view text, std::vector<std::string> const& words) : text_(text) {
        auto const name = words.empty() ? std::string() : words.front();
        auto const found = std::ranges::find(operator_kinds(), name, &OperatorKind::name);
        if (found == operator_kinds().end()) {
            auto const names = sim::names_of(operator_kinds());
            refuse(fmt::format("unknown operator '{}'.{}", sim::clipped(name), sim::suggestion(name, names)));
        }
        kind_ = &*found;
        for (std::size_t i = 1; i < words.size(); ++i) add(words[i]);
        for (auto const& key : kind_->keys)
            if (key.otherwise.empty() && !given_.contains(key.name))
                refuse(fmt::format("{} needs {}={}", kind_->name, key.name, "NUMBER"));
    }

    [[nodiscard]] std::string_view kind() const { return kind_->name; }
    [[nodiscard]] std::string word(std::string_view key) const {
        auto const found = given_.find(key);
        if (found != given_.end()) return found->second;
        return std::ranges::find(kind_->keys, key, &OperatorKey::name)->otherwise;
    }
    /// A whole number from 1 on; of bytes also with a unit.
    [[nodiscard]] double count(std::string_view key) const {
        constexpr double max_count = 1e12;
        auto const text = word(key);
        auto value = number(text);
        if (!value && key == "bytes") {
            auto const data = sim::parse_quantity(text);
            if (data.dimension == sim::dimension_of(sim::Data{})) value = data.si;
        }
        if (value && *value >= 1.0 && *value <= max_count && *value == std::floor(*value)) return *value;
        refuse(fmt::format("{} must be a whole number from 1 to 1e12 (got '{}')", key, sim::clipped(text)));
    }
    [[nodiscard]] bool flag(std::string_view key) const { return one_of(key, {"0", "1"}) == 1; }
    [[nodiscard]] std::size_t one_of(std::string_view key, std::vector<std::string> const& names) const {
        auto const text = word(key);
        auto const found = std::ranges::find(names, text);
        if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
        refuse(fmt::format("{} must be one of {} (got '{}')", key, fmt::join(names, ", "), sim::clipped(text)));
    }
    [[nodiscard]] static std::optional<double> number(std::string_view text) {
        auto const value = sim::number_in<double>(text);
        return value && std::isfinite(*value) ? value : std::nullopt;
    }
    [[noreturn]] void refuse(std::string const& problem) const {
        throw sim::InputError("operator '{}': {}", sim::clipped(text_), problem);
    }

  private:
    void add(std::string const& word) {
        auto const equals = word.find('=');
        auto const key = word.substr(0, equals);
        auto const names = sim::names_of(kind_->keys);
        if (equals == std::string::npos) refuse(fmt::format("'{}' is not KEY=VALUE", sim::clipped(word)));
        if (std::ranges::find(names, key) == names.end())
            refuse(fmt::format("unknown key '{}'.{}", sim::clipped(key), sim::suggestion(key, names)));
        if (!given_.emplace(key, word.substr(equals + 1)).second) refuse(fmt::format("{} is given twice", key));
    }

    std::string text_;
    OperatorKind const* kind_ = nullptr;
    std::map<std::string, std::string, std::less<>> given_;
};

Routing read_routing(OperatorWords const& words) {
    constexpr std::string_view law = "power_law:";
    constexpr double steepest = 4;
    auto const text = words.word("routing");
    if (text == "uniform") return {};
    if (text == "balanced") return {Routing::Kind::balanced, 1.0};
    if (text.starts_with(law))
        if (auto const exponent = OperatorWords::number(std::string_view(text).substr(law.size()));
            exponent && *exponent > 0.0 && *exponent <= steepest)
            return {Routing::Kind::power_law, *exponent};
    words.refuse(fmt::format("routing must be uniform, balanced or power_law:A with A above 0 and at most 4 (got '{}')",
                             sim::clipped(text)));
}

OperatorShape read_shape(OperatorWords const& words) {
    auto const count = [&](std::string_view key) { return words.count(key); };
    auto const whole = [&](std::string_view key) { return static_cast<std::int64_t>(words.count(key)); };
    OperatorShape s{.repeated = words.flag("repeated")};
    if (words.kind() == "product") {
        s.m = count("m"), s.k = count("k"), s.n = count("n");
    } else if (words.kind() == "attention") {
        s.kind = OperatorShape::Kind::attention;
        s.batch = count("batch"), s.keys = count("keys"), s.queries = count("queries");
        s.heads = whole("heads"), s.kv_heads = whole("kv_heads"), s.head_width = whole("width");
        if (s.queries > s.keys) words.refuse("queries must be at most keys, which they are part of");
        if (s.heads % s.kv_heads != 0) words.refuse("heads must be a multiple of kv_heads");
    } else {
        s.kind = OperatorShape::Kind::experts;
        s.tokens = count("tokens"), s.hidden = count("hidden"), s.ffn = count("width");
        s.experts = count("experts"), s.active = count("active"), s.routing = read_routing(words);
        constexpr double max_experts = 65536;
        if (s.experts > max_experts) words.refuse("experts must be at most 65536");
        if (s.active > s.experts) words.refuse("active must be at most experts");
    }
    return s;
}

}  // namespace

OperatorQuestion read_operator(std::string_view text) {
    OperatorWords const words(text, sim::words_of(text, ' '));
    auto const names = std::span(models::chips::collective_names);
    auto const collective = std::ranges::find(names, words.kind() == "sum" ? "all_reduce" : words.kind());
    if (collective == names.end()) return read_shape(words);
    constexpr double max_devices = 1 << 20;
    CollectiveShape c;
    c.collective = static_cast<models::chips::Collective>(collective - names.begin());
    c.bytes = words.count("bytes");
    if (words.count("devices") > max_devices) words.refuse("devices must be at most 1048576");
    c.devices = static_cast<std::int64_t>(words.count("devices"));
    auto const by = words.one_of("by", {"program", "library", "host"});
    c.starter = by == 1 ? Starter::host : Starter::program;
    c.called = by == 2;
    return c;
}

std::string operator_grammar() {
    std::vector<std::string> lines;
    for (auto const& kind : operator_kinds()) {
        std::string line(kind.name);
        for (auto const& key : kind.keys)
            line += key.otherwise.empty() ? fmt::format(" {}=", key.name)
                                          : fmt::format(" [{}={}]", key.name, key.otherwise);
        lines.push_back(std::move(line));
    }
    return fmt::format("{}", fmt::join(lines, "; "));
}

}  // namespace pimdse::dse::cli
