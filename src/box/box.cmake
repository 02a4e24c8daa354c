# The static helper that is the entry point inside the box. It is one small program of its own, below every layer:
# it runs in the container, so it may include nothing of the tool.
file(GLOB box_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/box/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/box/*.h)
add_executable(box ${box_sources})
target_include_directories(box PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
# GNU names of the C library (renameat2, close_range); the same flags in every build type, sanitizers left out: it is
# static and small whatever the rest is.
set_target_properties(box PROPERTIES CXX_EXTENSIONS ON RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
target_compile_options(box PRIVATE -Wall -Wextra -Wshadow -Os -fno-exceptions -fno-rtti -fno-threadsafe-statics
  -fno-asynchronous-unwind-tables -ffunction-sections -fdata-sections)
target_link_options(box PRIVATE -static -Wl,--gc-sections -s)
