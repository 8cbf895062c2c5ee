// Prints the OpenAPI document, for tests/openapi/run.
#include "ki/api/openapi.h"

#include <cstdio>
#include <string>

int main() {
  const std::string document = ki::api::openapi("https://index.example");
  std::fwrite(document.data(), 1, document.size(), stdout);
  return 0;
}
