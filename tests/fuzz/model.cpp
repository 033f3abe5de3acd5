#include "file.hpp"
#include "input.hpp"
#include "models/llm/config_json.hpp"
#include "models/llm/tensor_model.hpp"

/// Published models: a header or a config.json is refused in sentences, whatever its sizes and counts.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace pimdse;
    return fuzz::attempt([&] {
        auto const text = fuzz::text_of(data, size);
        auto const file = fuzz::file_with(text);
        if (text.starts_with("GGUF"))
            (void)models::read_gguf_model(file);
        else if (text.starts_with("{"))
            (void)models::read_config_json(file);
        else
            (void)models::read_safetensors_model(file);
    });
}
