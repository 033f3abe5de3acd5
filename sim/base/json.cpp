#include "sim/base/json.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <ostream>

namespace pimdse::sim {

using Library = nlohmann::ordered_json;

/// What the library reads and writes.
struct JsonText {
    static Json from(Library& read) {
        switch (read.type()) {
            case Library::value_t::boolean:
                return read.get<bool>();
            case Library::value_t::number_integer:
                return read.get<std::int64_t>();
            case Library::value_t::number_unsigned:
                return read.get<std::uint64_t>();
            case Library::value_t::number_float:
                return read.get<double>();
            case Library::value_t::string:
                return std::move(read.get_ref<std::string&>());
            case Library::value_t::array: {
                auto array = Json::array();
                array.parts_->elements.reserve(read.size());
                for (auto& element : read) array.parts_->elements.push_back(from(element));
                return array;
            }
            case Library::value_t::object: {
                auto object = Json::object();
                for (auto& [key, value] : read.get_ref<Library::object_t&>()) object.add(key, from(value));
                return object;
            }
            default:
                return {};
        }
    }

    static Library to(Json const& json) {
        switch (json.kind_) {
            case Json::Kind::null:
                return nullptr;
            case Json::Kind::boolean:
                return json.bits_ != 0;
            case Json::Kind::integer:
                return static_cast<std::int64_t>(json.bits_);
            case Json::Kind::natural:
                return json.bits_;
            case Json::Kind::number:
                return json.number_;
            case Json::Kind::text:
                return json.parts_->text;
            case Json::Kind::array: {
                auto array = Library::array();
                for (auto const& element : json) array.push_back(to(element));
                return array;
            }
            case Json::Kind::object:
                break;
        }
        Library::object_t object;  // its emplace() would look for each key
        for (auto const& [key, value] : json.items()) object.emplace_back(key, to(value));
        return object;
    }
};

Json::Json() noexcept = default;
Json::Json(std::nullptr_t) noexcept {}
Json::Json(bool value) noexcept : kind_(Kind::boolean), bits_(value ? 1 : 0) {}
Json::Json(double value) noexcept : kind_(Kind::number) { number_ = value; }
Json::Json(std::string text) { become(Kind::text).text = std::move(text); }
Json::Json(std::string_view text) { become(Kind::text).text = text; }
Json::Json(char const* text) { become(Kind::text).text = text; }
Json::Json(std::vector<Json> elements) { become(Kind::array).elements = std::move(elements); }
Json::Json(Json const& other) : kind_(other.kind_), bits_(other.bits_) {
    if (other.parts_) parts_ = std::make_unique<Parts>(*other.parts_);
}
Json::Json(Json&& other) noexcept
    : kind_(std::exchange(other.kind_, Kind::null)), bits_(other.bits_), parts_(std::move(other.parts_)) {}
Json& Json::operator=(Json const& other) {
    if (this != &other) *this = Json(other);
    return *this;
}
Json& Json::operator=(Json&& other) noexcept {
    auto const kind = std::exchange(other.kind_, Kind::null);
    auto parts = std::move(other.parts_);
    bits_ = other.bits_;
    parts_ = std::move(parts);  // `other` may be a part of these
    kind_ = kind;
    return *this;
}
Json::~Json() = default;

Json::Json(std::initializer_list<JsonMember> members) {
    become(Kind::object);
    for (auto const& [key, value] : members)
        if (!contains(key)) add(std::string(key), std::move(value));
}

Json::Json(std::initializer_list<JsonItem> items) : Json(array(items)) {}

Json Json::array() {
    Json json;
    json.become(Kind::array);
    return json;
}

Json Json::array(std::initializer_list<JsonItem> items) {
    auto json = array();
    for (auto const& item : items) json.parts_->elements.push_back(item.taken());
    return json;
}

Json Json::object() {
    Json json;
    json.become(Kind::object);
    return json;
}

Json Json::parse(std::string_view text) {
    try {
        auto read = Library::parse(text);
        return JsonText::from(read);
    } catch (Library::parse_error const& error) {
        throw Error(error.what(), error.byte);
    } catch (Library::exception const& error) {
        throw Error(error.what(), 1);
    }
}

Json Json::parse_or_null(std::string_view text) {
    auto read = Library::parse(text, nullptr, false);
    return read.is_discarded() ? Json() : JsonText::from(read);
}

std::string Json::dump(int indent) const {
    return JsonText::to(*this).dump(indent, ' ', false, Library::error_handler_t::replace);
}

std::size_t Json::size() const noexcept {
    if (is_structured()) return parts_->elements.size();
    return is_null() ? 0 : 1;
}

Json const* Json::member(std::string_view key) const noexcept {
    if (!is_object()) return nullptr;
    auto const at = std::ranges::find(parts_->keys, key);
    return at == parts_->keys.end() ? nullptr : &parts_->elements[static_cast<std::size_t>(at - parts_->keys.begin())];
}
Json* Json::member(std::string_view key) noexcept { return const_cast<Json*>(std::as_const(*this).member(key)); }

Json const& Json::at(std::string_view key) const {
    if (!is_object()) refuse("an object");
    auto const* found = member(key);
    if (found == nullptr) throw Error(fmt::format("the key '{}' is missing", key), 0);
    return *found;
}
Json& Json::at(std::string_view key) { return const_cast<Json&>(std::as_const(*this).at(key)); }

Json& Json::operator[](std::string_view key) {
    if (is_null()) become(Kind::object);
    if (!is_object()) refuse("an object");
    if (auto* found = member(key)) return *found;
    add(std::string(key), {});
    return parts_->elements.back();
}

void Json::erase(std::string_view key) {
    auto const* found = member(key);
    if (found == nullptr) return;
    auto const at = found - parts_->elements.data();
    parts_->elements.erase(parts_->elements.begin() + at);
    parts_->keys.erase(parts_->keys.begin() + at);
}

void Json::update(Json const& members) {
    for (auto const& [key, value] : members.items()) (*this)[key] = value;
}

Json const& Json::at(std::size_t index) const {
    if (!is_array()) refuse("an array");
    if (index >= size()) throw Error(fmt::format("element {} of {} is missing", index, size()), 0);
    return parts_->elements[index];
}
Json& Json::at(std::size_t index) { return const_cast<Json&>(std::as_const(*this).at(index)); }

Json const& Json::front() const {
    if (!is_structured() || empty()) refuse("an array with elements");
    return *begin();
}
Json const& Json::back() const {
    if (!is_structured() || empty()) refuse("an array with elements");
    return *(end() - 1);
}
Json& Json::back() { return const_cast<Json&>(std::as_const(*this).back()); }

void Json::push_back(Json element) {
    if (is_null()) become(Kind::array);
    if (!is_array()) refuse("an array");
    parts_->elements.push_back(std::move(element));
}
void Json::push_back(std::initializer_list<JsonMember> members) { push_back(Json(members)); }
void Json::push_back(std::initializer_list<JsonItem> items) { push_back(Json(items)); }

Json const* Json::begin() const noexcept { return is_structured() ? parts_->elements.data() : nullptr; }
Json const* Json::end() const noexcept { return is_structured() ? begin() + size() : nullptr; }
Json* Json::begin() noexcept { return const_cast<Json*>(std::as_const(*this).begin()); }
Json* Json::end() noexcept { return const_cast<Json*>(std::as_const(*this).end()); }

JsonMembers Json::items() const {
    if (is_null()) return {};
    if (!is_object()) refuse("an object");
    auto const* keys = parts_->keys.data();
    return {{keys, begin()}, {keys + size(), end()}};
}

bool operator==(Json const& a, Json const& b) {
    if (a.is_number() && b.is_number()) {
        bool const whole = a.is_number_integer() && b.is_number_integer();
        bool const same_sign = a.kind_ == b.kind_ || static_cast<std::int64_t>(a.bits_) >= 0;
        return whole ? same_sign && a.bits_ == b.bits_ : a.as_number() == b.as_number();
    }
    if (a.kind_ != b.kind_) return false;
    switch (a.kind_) {
        case Json::Kind::null:
            return true;
        case Json::Kind::boolean:
            return a.bits_ == b.bits_;
        case Json::Kind::text:
            return a.parts_->text == b.parts_->text;
        case Json::Kind::array:
            return a.parts_->elements == b.parts_->elements;
        default:
            if (a.size() != b.size()) return false;
            for (auto const& [key, value] : a.items()) {
                auto const* other = b.member(key);
                if (other == nullptr || !(*other == value)) return false;
            }
            return true;
    }
}

std::ostream& operator<<(std::ostream& out, Json const& json) { return out << json.dump(); }

void Json::add(std::string key, Json value) {
    parts_->keys.push_back(std::move(key));
    parts_->elements.push_back(std::move(value));
}

Json::Parts& Json::become(Kind kind) {
    kind_ = kind;
    parts_ = std::make_unique<Parts>();
    return *parts_;
}

bool Json::as_bool() const {
    if (!is_boolean()) refuse("true or false");
    return bits_ != 0;
}

std::int64_t Json::as_integer() const {
    if (is_number_integer()) return static_cast<std::int64_t>(bits_);
    if (is_number_float()) return static_cast<std::int64_t>(number_);
    if (is_boolean()) return bits_ != 0 ? 1 : 0;
    refuse("a number");
}

std::uint64_t Json::as_natural() const {
    if (is_number_float()) return static_cast<std::uint64_t>(number_);
    return static_cast<std::uint64_t>(as_integer());
}

double Json::as_number() const {
    if (is_number_float()) return number_;
    if (is_number_unsigned()) return static_cast<double>(bits_);
    return static_cast<double>(as_integer());
}

std::string const& Json::as_text() const {
    if (!is_string()) refuse("a text");
    return parts_->text;
}

std::span<Json const> Json::elements_of_array() const {
    if (!is_array()) refuse("an array");
    return parts_->elements;
}

void Json::refuse(char const* wanted) const {
    constexpr std::array<char const*, 8> names{"null",     "true or false", "a whole number", "a whole number",
                                               "a number", "a text",        "an array",       "an object"};
    throw Error(fmt::format("{} is needed, not {}", wanted, names.at(static_cast<std::size_t>(kind_))), 0);
}

}  // namespace pimdse::sim
