# The static helper that is the entry point inside the box. It is one small program of its own, below every layer:
# it runs in the container, so it may include nothing of the tool.
add_executable(box ${CMAKE_CURRENT_SOURCE_DIR}/box/box.cpp)
target_compile_options(box PRIVATE -Wall -Wextra -Wshadow -Os -fno-exceptions -fno-rtti -ffunction-sections -fdata-sections)
target_link_options(box PRIVATE -static -Wl,--gc-sections -s)
set_target_properties(box PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
