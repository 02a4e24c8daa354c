# One libFuzzer program a target (the preset `fuzz`): build/fuzz/tests/fuzz_NAME tests/fuzz/corpus/NAME
# The corpora are replayed by the test program of this folder, whatever the compiler.
if(SANDUK_FUZZ)
  foreach(target toml yaml json argv plan request_head response_head chunked body usage gzip_usage cassette)
    add_executable(fuzz_${target} fuzz/entry/libfuzzer.cpp fuzz/profile_targets.cpp fuzz/relay_targets.cpp)
    target_include_directories(fuzz_${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    target_compile_definitions(fuzz_${target} PRIVATE SANDUK_FUZZ_TARGET=fuzz_${target})
    target_link_libraries(fuzz_${target} PRIVATE relay profile sanduk_options)
    target_link_options(fuzz_${target} PRIVATE -fsanitize=fuzzer)
  endforeach()
endif()
