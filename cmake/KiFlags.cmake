# Flags of every target of ours, as one interface library. Third-party code is not compiled with them.
add_library(ki_flags INTERFACE)
target_compile_options(ki_flags INTERFACE
  -Wall -Wextra -Wconversion -Wshadow $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor> -Werror
  -fstack-protector-strong -fcf-protection -fno-strict-aliasing
  # A fused multiply-add would give other digits on other compilers; statistics are bit-identical.
  -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports false positives of these two inside libstdc++ at -O2 and above.
  target_compile_options(ki_flags INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-maybe-uninitialized)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # libstdc++ 12 deprecates a helper that its own std::stable_sort calls; g++ keeps the warning for our code.
  target_compile_options(ki_flags INTERFACE -Wno-deprecated-declarations)
endif()
target_compile_definitions(ki_flags INTERFACE _GLIBCXX_ASSERTIONS)
target_link_libraries(ki_flags INTERFACE Threads::Threads)

if(KI_SANITIZE STREQUAL "address")
  target_compile_options(ki_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(ki_flags INTERFACE -fsanitize=address,undefined)
elseif(KI_SANITIZE STREQUAL "thread")
  target_compile_options(ki_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(ki_flags INTERFACE -fsanitize=thread)
elseif(KI_SANITIZE)
  message(FATAL_ERROR "KI_SANITIZE is '${KI_SANITIZE}'; expected 'address', 'thread' or nothing")
endif()
if(KI_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "KI_FUZZ needs clang; use the preset 'fuzz'")
  endif()
  target_compile_options(ki_flags INTERFACE -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
  target_link_options(ki_flags INTERFACE -fsanitize=address,undefined)
endif()
find_program(KI_MOLD mold)
if(KI_MOLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_link_options(ki_flags INTERFACE -fuse-ld=mold)
endif()
