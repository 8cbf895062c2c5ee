// The full parse of a Python source by `python3 -I`, where it is installed. Nothing of the source
// is executed, imported or compiled to a file.
#pragma once

#include <string>
#include <string_view>

namespace ki::cli {

struct PythonParse {
  bool is_available = false;
  std::string message;  // empty: it parses, or nothing was there to parse it
};
PythonParse parse_python(std::string_view source);

}  // namespace ki::cli
