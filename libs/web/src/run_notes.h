// What people say about a run, on its page, and the forms with which they say it.
#pragma once

#include "ki/http/request.h"
#include "ki/http/response.h"
#include "ki/notes/run_notes.h"
#include "ki/views/run_view.h"
#include "ki/web/html.h"
#include "site_state.h"

namespace ki::web {

// The sections "Replications and notes" and "Report an issue with this run".
void notes_section(Html& h, const Site& site, const views::RunView& view,
                   const notes::RunNotes& notes);
void report_section(Html& h, const Site& site, const views::RunView& view,
                    const notes::RunNotes& notes);

// POST of the forms (application/x-www-form-urlencoded): 201 with a page that says what was stored,
// or a problem.
http::Response file_attestation(const Site& site, const http::Request& request);
http::Response file_report(const Site& site, const http::Request& request);

}  // namespace ki::web
