# Micro-benchmarks of the relay's hot path: cmake -DSANDUK_BENCH=ON -DCMAKE_BUILD_TYPE=Release; build/…/tests/bench_relay
if(SANDUK_BENCH)
  find_package(benchmark REQUIRED)
  add_executable(bench_relay bench/bench_relay.cpp)
  target_link_libraries(bench_relay PRIVATE relay benchmark::benchmark_main sanduk_options)
endif()
