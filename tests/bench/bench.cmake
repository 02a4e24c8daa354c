# Benchmarks: cmake -DSANDUK_BENCH=ON -DCMAKE_BUILD_TYPE=Release. bench_relay measures the hot path piece by piece;
# bench_sse is half of `make bench` (tests/bench/README.md).
if(SANDUK_BENCH)
  find_package(benchmark REQUIRED)
  add_executable(bench_relay bench/bench_relay.cpp)
  target_link_libraries(bench_relay PRIVATE relay benchmark::benchmark_main sanduk_options)
  add_executable(bench_sse bench/sse.cpp)
  target_link_libraries(bench_sse PRIVATE sanduk_options)
endif()
