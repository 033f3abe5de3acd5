#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace pimdse::sim {

class Json;
class JsonItem;
struct JsonMember;

/// The members of an object as pairs of key and value.
struct JsonMembers {
    struct Iterator {
        std::string const* key;
        Json const* value;
        std::pair<std::string const&, Json const&> operator*() const { return {*key, *value}; }
        Iterator& operator++();
        bool operator==(Iterator const& other) const { return key == other.key; }
    };
    Iterator first, last;
    [[nodiscard]] Iterator begin() const { return first; }
    [[nodiscard]] Iterator end() const { return last; }
};

/// A JSON value. Objects keep the order in which their keys were added. Reading and writing is done by nlohmann's
/// library, which only json.cpp sees: it is the slowest header of all to compile.
class Json {
  public:
    /// A text that is not JSON, or a value of another kind than its reader asks for.
    struct Error : std::runtime_error {
        Error(std::string const& what, std::size_t byte_of_text) : std::runtime_error(what), byte(byte_of_text) {}
        std::size_t byte;  ///< where a text is not JSON, from 1; else 0
    };
    enum class Kind : std::uint8_t { null, boolean, integer, natural, number, text, array, object };

    Json() noexcept;
    Json(std::nullptr_t) noexcept;
    Json(bool value) noexcept;
    template <class Whole>
    requires(std::integral<Whole> && !std::same_as<Whole, bool>) Json(Whole value)
    noexcept : kind_(std::signed_integral<Whole> ? Kind::integer : Kind::natural) {
        bits_ = static_cast<std::uint64_t>(value);
    }
    template <class Choice>
    requires std::is_enum_v<Choice> Json(Choice value)
    noexcept : Json(static_cast<std::underlying_type_t<Choice>>(value)) {}
    Json(double value) noexcept;
    Json(std::string text);
    Json(std::string_view text);
    Json(char const* text);
    Json(std::vector<Json> elements);
    /// An array of the elements, or an object of a map with texts as keys.
    template <std::ranges::input_range Range>
    requires(!std::convertible_to<Range const&, std::string_view> && !std::same_as<Range, Json> &&
             !std::same_as<Range, std::vector<Json>>) Json(Range const& range) {
        if constexpr (requires { typename Range::mapped_type; }) {
            *this = object();
            for (auto const& [key, value] : range) add(std::string(key), Json(value));
        } else {
            *this = array();
            for (auto const& element : range) push_back(Json(element));
        }
    }
    /// An array of two.
    template <class First, class Second>
    Json(std::pair<First, Second> const& pair) : Json(array()) {
        push_back(Json(pair.first));
        push_back(Json(pair.second));
    }
    /// An object. Of members with one key the first counts.
    Json(std::initializer_list<JsonMember> members);
    /// An array.
    Json(std::initializer_list<JsonItem> items);
    Json(Json const& other);
    Json(Json&& other) noexcept;
    Json& operator=(Json const& other);
    Json& operator=(Json&& other) noexcept;
    ~Json();

    [[nodiscard]] static Json array();
    [[nodiscard]] static Json array(std::initializer_list<JsonItem> items);
    [[nodiscard]] static Json object();

    /// Throws Error if the text is not JSON.
    [[nodiscard]] static Json parse(std::string_view text);
    /// null if the text is not JSON.
    [[nodiscard]] static Json parse_or_null(std::string_view text);
    /// The text of the value: in one line, or with this many blanks for each level. Bytes that are not UTF-8 become the
    /// replacement character, because JSON cannot represent them.
    [[nodiscard]] std::string dump(int indent = -1) const;

    [[nodiscard]] Kind kind() const noexcept { return kind_; }
    [[nodiscard]] bool is_null() const noexcept { return kind_ == Kind::null; }
    [[nodiscard]] bool is_boolean() const noexcept { return kind_ == Kind::boolean; }
    [[nodiscard]] bool is_number() const noexcept { return is_number_integer() || kind_ == Kind::number; }
    /// A whole number, written without a point or an exponent.
    [[nodiscard]] bool is_number_integer() const noexcept { return kind_ == Kind::integer || is_number_unsigned(); }
    /// A whole number without a sign.
    [[nodiscard]] bool is_number_unsigned() const noexcept { return kind_ == Kind::natural; }
    [[nodiscard]] bool is_number_float() const noexcept { return kind_ == Kind::number; }
    [[nodiscard]] bool is_string() const noexcept { return kind_ == Kind::text; }
    [[nodiscard]] bool is_array() const noexcept { return kind_ == Kind::array; }
    [[nodiscard]] bool is_object() const noexcept { return kind_ == Kind::object; }
    [[nodiscard]] bool is_structured() const noexcept { return is_array() || is_object(); }

    /// Number of elements or members; 0 of null, 1 of anything else.
    [[nodiscard]] std::size_t size() const noexcept;
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }

    /// The value as a T: bool, a number, a text, a vector, a pair, a map with texts as keys, or Json. Throws Error if
    /// it is something else; a whole number beyond T is converted as C++ does.
    template <class T>
    [[nodiscard]] T get() const {
        if constexpr (std::same_as<T, Json>) {
            return *this;
        } else if constexpr (std::same_as<T, bool>) {
            return as_bool();
        } else if constexpr (std::signed_integral<T>) {
            return static_cast<T>(as_integer());
        } else if constexpr (std::unsigned_integral<T>) {
            return static_cast<T>(as_natural());
        } else if constexpr (std::floating_point<T>) {
            return static_cast<T>(as_number());
        } else if constexpr (std::same_as<T, std::string> || std::same_as<T, std::string_view>) {
            return T(as_text());
        } else if constexpr (requires { typename T::mapped_type; }) {
            T map;
            for (auto const& [key, value] : items()) map.emplace(key, value.template get<typename T::mapped_type>());
            return map;
        } else if constexpr (requires { typename T::first_type; }) {
            return {at(std::size_t{0}).template get<typename T::first_type>(),
                    at(std::size_t{1}).template get<typename T::second_type>()};
        } else {
            T list;
            for (auto const& element : elements_of_array())
                list.insert(list.end(), element.template get<typename T::value_type>());
            return list;
        }
    }

    /// The member with this key. The first throws Error if there is none; the second adds null (to null, which becomes
    /// an object); the third returns nullptr. Not an object: Error, and nullptr of the third.
    [[nodiscard]] Json const& at(std::string_view key) const;
    [[nodiscard]] Json& at(std::string_view key);
    Json& operator[](std::string_view key);
    [[nodiscard]] Json const& operator[](std::string_view key) const { return at(key); }
    [[nodiscard]] Json const* member(std::string_view key) const noexcept;
    [[nodiscard]] Json* member(std::string_view key) noexcept;
    [[nodiscard]] bool contains(std::string_view key) const noexcept { return member(key) != nullptr; }
    /// The member, or `otherwise` if there is none. Throws Error if this is not an object.
    template <class T>
    [[nodiscard]] T value(std::string_view key, T otherwise) const {
        if (!is_object()) refuse("an object");
        auto const* found = member(key);
        return found == nullptr ? otherwise : found->get<T>();
    }
    [[nodiscard]] std::string value(std::string_view key, char const* otherwise) const {
        return value(key, std::string(otherwise));
    }
    void erase(std::string_view key);
    /// Sets all members of an object, in its order.
    void update(Json const& members);

    /// The element at this position. Throws Error if there is none.
    [[nodiscard]] Json const& at(std::size_t index) const;
    [[nodiscard]] Json& at(std::size_t index);
    template <std::integral Index>
    [[nodiscard]] Json const& operator[](Index index) const {
        return at(static_cast<std::size_t>(index));
    }
    template <std::integral Index>
    [[nodiscard]] Json& operator[](Index index) {
        return at(static_cast<std::size_t>(index));
    }
    /// Adds an element; null becomes an array.
    void push_back(Json element);
    void push_back(std::initializer_list<JsonMember> members);
    void push_back(std::initializer_list<JsonItem> items);
    /// The first and the last element of an array, or value of an object. Throws Error if there is none.
    [[nodiscard]] Json const& front() const;
    [[nodiscard]] Json const& back() const;
    [[nodiscard]] Json& back();

    /// The elements of an array, or the values of an object.
    [[nodiscard]] Json const* begin() const noexcept;
    [[nodiscard]] Json const* end() const noexcept;
    [[nodiscard]] Json* begin() noexcept;
    [[nodiscard]] Json* end() noexcept;

    /// The members of an object as pairs of key and value.
    [[nodiscard]] JsonMembers items() const;

    /// Numbers are compared as numbers, objects without their order.
    friend bool operator==(Json const& a, Json const& b);
    friend std::ostream& operator<<(std::ostream& out, Json const& json);

  private:
    struct Parts;

    /// Precondition: an object without this key.
    void add(std::string key, Json value);
    Parts& become(Kind kind);
    [[nodiscard]] bool as_bool() const;
    [[nodiscard]] std::int64_t as_integer() const;
    [[nodiscard]] std::uint64_t as_natural() const;
    [[nodiscard]] double as_number() const;
    [[nodiscard]] std::string const& as_text() const;
    [[nodiscard]] std::span<Json const> elements_of_array() const;
    [[noreturn]] void refuse(char const* wanted) const;

    Kind kind_ = Kind::null;
    union {
        std::uint64_t bits_ = 0;
        double number_;
    };
    std::unique_ptr<Parts> parts_;  ///< of texts, arrays and objects

    friend struct JsonText;
};

struct Json::Parts {
    std::string text;
    std::vector<Json> elements;
    std::vector<std::string> keys;  ///< of objects, as many as elements
};

inline JsonMembers::Iterator& JsonMembers::Iterator::operator++() {
    ++key;
    ++value;
    return *this;
}

/// A member of an object in braces. It is moved from. Its key is a view, and no template: an object of twenty members
/// would otherwise cost the compiler twenty functions.
struct JsonMember {
    std::string_view key;
    mutable Json value;
};

/// An element of an array in braces. It is moved from.
class JsonItem {
  public:
    template <class Value>
    requires std::constructible_from<Json, Value> JsonItem(Value&& value) : value_(std::forward<Value>(value)) {}

    [[nodiscard]] Json taken() const { return std::move(value_); }

  private:
    mutable Json value_;
};

/// The value as JSON, or null if there is none (for example the mean of no values).
template <class Value>
[[nodiscard]] Json or_null(std::optional<Value> const& value) {
    return value ? Json(*value) : Json(nullptr);
}

/// A finite number, or null.
[[nodiscard]] inline Json finite_or_null(double number) { return std::isfinite(number) ? Json(number) : Json(nullptr); }

}  // namespace pimdse::sim
