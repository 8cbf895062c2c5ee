// The dossier of one run as a person reads it on a terminal.
#pragma once

#include "ki/json/value.h"

#include <string>

namespace ki::cli {
// `document` is a RunDossier of the API.
std::string run_text(const json::Value& document);
// The same of a serving run.
std::string serving_run_text(const json::Value& document);
}  // namespace ki::cli
