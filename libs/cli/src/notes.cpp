// attest, report: what a person says about a run. moderate: what the operator decides about it.
#include "command.h"
#include "document.h"
#include "ki/base/text.h"
#include "ki/io/file.h"
#include "ki/json/writer.h"
#include "ki/logbook/trust_store.h"
#include "ki/notes/desk.h"
#include "ki/notes/draft.h"
#include "ki/notes/statement.h"
#include "ki/sign/key_file.h"
#include "ki/views/find.h"
#include "log_files.h"
#include "reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <random>

namespace ki::cli {
namespace {

// --text, --text-file, or standard input for "-".
Result<std::string> words_of(const Context& context) {
  const auto text = context.arguments().value("text");
  const auto file = context.arguments().value("text-file");
  if (text && file) return context.usage("--text and --text-file are two ways to say one thing");
  if (text) return *text;
  if (!file) return context.usage("say it in words: --text TEXT or --text-file FILE");
  if (*file == "-") return context.environment().read_stdin();
  return io::read_file(*file, notes::kMaxRequestBytes);
}

// "33.9us", "1.2ms", "34100ns" in nanoseconds.
Result<double> observed_ns(std::string_view text) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  const double scale = unit == "ns"                   ? 1
                       : unit == "us" || unit == "µs" ? 1e3
                       : unit == "ms"                 ? 1e6
                                                      : 0;
  if (error != std::errc() || scale == 0) {
    return fail(Code::kInvalidArgument,
                fmt::format("--observed {}: expected a time such as 33.9us, 1.2ms or 34100ns",
                            quote(text)));
  }
  return value * scale;
}

void member_of(json::Writer& w, const Context& context, std::string_view option,
               std::string_view name) {
  if (const auto value = context.arguments().value(option)) w.member(name, *value);
}

Result<std::string> attestation_json(const Context& context) {
  KI_TRY(const std::string words, words_of(context));
  if (find_invalid_utf8(words)) return fail(Code::kInvalidArgument, "the text is not UTF-8");
  std::string out;
  json::Writer w(out);
  w.begin_object()
      .member("type", context.arguments().value("type").value_or(""))
      .member("body", words);
  member_of(w, context, "evidence", "evidenceUrl");
  member_of(w, context, "environment", "environmentSummary");
  if (const auto observed = context.arguments().value("observed")) {
    KI_TRY(const double ns, observed_ns(*observed));
    w.member("observedNs", ns);
  }
  w.end_object();
  return out;
}

// The request as a signed envelope about the run's digest.
Result<std::string> signed_json(const Context& context, Reader& reader, const std::string& run,
                                const std::string& request, const std::string& key_file) {
  KI_TRY(const json::Document document, json::read_document(request));
  KI_TRY(const notes::Attestation attestation, notes::read_attestation(document.root));
  KI_TRY(const json::Document dossier, reader.read("getRun", {{"run", run}}));
  KI_TRY(const Digest digest, Digest::parse(text_at(dossier.root, "run.digest")));
  auto key = sign::read_private_key(key_file);
  if (!key) return fail(std::move(key).error().within(fmt::format("--key {}", key_file)));
  return fmt::format(R"({{"envelope":{}}})", sign::to_json(notes::sign_attestation(
                                                 {digest, attestation, context.now()}, *key)));
}

Result<int> file(Context& context, Reader& reader, std::string_view operation,
                 std::string_view what, std::string body) {
  KI_TRY(const json::Document filed,
         reader.read(operation, {{"run", context.operands().front()}}, std::move(body)));
  const json::Value& d = filed.root;
  if (context.is_json()) {
    context.out(pretty(d));
    return kDone;
  }
  const std::string_view owner = text_at(d, "owner");
  context.out(fmt::format(
      "{} {}{}, {}\n  ki show run {}\n", what, text_at(d, "id"),
      flag_at(d, "new") ? "" : " (it was there already)",
      owner.empty() ? std::string("as an unsigned note") : fmt::format("signed by {}", owner),
      text_at(d, "runId")));
  return kDone;
}

}  // namespace

Result<int> run_attest(Context& context) {
  if (context.operands().size() != 1) return context.usage("which run?");
  if (!context.arguments().has("type")) {
    return context.usage(
        "--type: reproduced, could_not_reproduce, environment_note or regression_observed");
  }
  KI_TRY(std::string body, attestation_json(context));
  KI_TRY(Reader reader, Reader::open(context, Context::Access::kWrite));
  if (const auto key = context.arguments().value("key")) {
    KI_TRY(body, signed_json(context, reader, context.operands().front(), body, *key));
  }
  return file(context, reader, "attestRun", "attestation", std::move(body));
}

Result<int> run_report(Context& context) {
  if (context.operands().size() != 1) return context.usage("which run?");
  KI_TRY(const std::string words, words_of(context));
  if (find_invalid_utf8(words)) return fail(Code::kInvalidArgument, "the text is not UTF-8");
  std::string body;
  json::Writer w(body);
  w.begin_object()
      .member("reason", context.arguments().value("reason").value_or("other"))
      .member("detail", words);
  member_of(w, context, "evidence", "evidenceUrl");
  w.end_object();
  KI_TRY(Reader reader, Reader::open(context, Context::Access::kWrite));
  return file(context, reader, "reportRun", "report", std::move(body));
}

Result<int> run_moderate(Context& context) {
  const auto& operands = context.operands();
  if (operands.size() != 3) return context.usage("give what to do, the run and the note's id");
  const auto reason = context.arguments().value("reason");
  if (!reason) return context.usage("say why: --reason TEXT");
  const std::string& verb = operands[0];
  const std::string_view state = verb == "resolve"   ? "resolved"
                                 : verb == "dismiss" ? "dismissed"
                                 : verb == "hide"    ? "hidden"
                                                     : "";
  if (state.empty()) return context.usage("hide an attestation, resolve or dismiss a report");
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kWrite));
  const auto snapshot = catalog.snapshot();
  KI_TRY(const catalog::Index run, views::find_run(*snapshot, operands[1]));
  const std::string id = Uuid{snapshot->runs()[run].id}.to_string();
  std::random_device device;
  notes::Desk desk({.store = catalog.store.get(),
                    .clock = context.environment().clock,
                    .actor = actor_of(context),
                    .seed = (std::uint64_t{device()} << 32) | device(),
                    .read_trust = {}});
  if (verb == "hide") {
    KI_TRY_VOID(desk.hide(id, operands[2], *reason));
  } else {
    KI_TRY_VOID(desk.close(id, operands[2], state, *reason));
  }
  KI_TRY_VOID(catalog.refresh_and_save());
  if (context.is_json()) {
    std::string out;
    json::Writer(out, json::Writer::Style::kIndented)
        .begin_object()
        .member("id", operands[2])
        .member("runId", id)
        .member("state", state)
        .end_object();
    context.out(out + "\n");
  } else {
    context.out(fmt::format("{} {}\n", operands[2], state));
  }
  return kDone;
}

}  // namespace ki::cli
