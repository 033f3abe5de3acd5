# Warnings are errors nowhere but in CI presets; floating point stays strict so that every rank gives the same bits.
add_library(pimdse_flags INTERFACE)
target_compile_options(pimdse_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wno-missing-field-initializers
  -ffp-contract=off)
target_include_directories(pimdse_flags INTERFACE ${PROJECT_SOURCE_DIR})
if(PIMDSE_SANITIZE STREQUAL "address")
  target_compile_options(pimdse_flags INTERFACE -fsanitize=address,undefined,float-cast-overflow
    -fno-sanitize-recover=undefined,float-cast-overflow
                         -fno-omit-frame-pointer)
  target_link_options(pimdse_flags INTERFACE -fsanitize=address,undefined,float-cast-overflow)
elseif(PIMDSE_SANITIZE STREQUAL "thread")
  target_compile_options(pimdse_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(pimdse_flags INTERFACE -fsanitize=thread)
endif()
