#include "ki/rerun/sign_bundle.h"

#include "ki/harness/publication.h"
#include "ki/json/reader.h"
#include "ki/manifest/validator.h"

namespace ki::rerun {
namespace {

Result<Digest> digest_in(const json::Value& spec, std::string_view member) {
  const json::Value* value = spec.find(member);
  if (value == nullptr || !value->is_string())
    return fail(Code::kInvalidArgument, "a run of the bundle lacks a digest");
  return Digest::parse(value->string());
}

}  // namespace

Result<void> sign_bundle(publish::Bundle& bundle, const Digest& key_commitment,
                         const Signing& signing) {
  for (publish::BundleRun& run : bundle.runs) {
    manifest::Validator validator(manifest::Profile::kStrict);
    ControlledRerun rerun;
    {
      KI_TRY(const manifest::ValidManifest valid,
             validator.read(run.manifest, manifest::TextForm::kJson));
      rerun.run = valid.digest;
    }
    KI_TRY(const json::Document manifest, json::read_document(run.manifest));
    const json::Value& spec = *manifest.root.find("spec");
    KI_TRY(rerun.implementation, digest_in(spec, "implementationDigest"));
    KI_TRY(rerun.workload, digest_in(spec, "workloadDigest"));
    KI_TRY(rerun.protocol, digest_in(spec, "protocolDigest"));
    KI_TRY(rerun.environment, digest_in(spec, "environmentDigest"));
    rerun.key_commitment = key_commitment;
    for (const publish::BundleArtifact& artifact : run.artifacts) {
      if (artifact.role == harness::kRecordRole) rerun.evidence.push_back(artifact.content_digest);
    }
    if (rerun.evidence.empty())
      return fail(Code::kInvalidArgument, "a run of the bundle names no record");
    rerun.job = signing.job;
    rerun.runner = signing.runner;
    KI_TRY(const json::Document environment, json::read_document(run.environment));
    const json::Value* hardware = environment.root.find("spec")->find("hardware");
    const json::Value* form = hardware == nullptr ? nullptr : hardware->find("formFactor");
    if (form != nullptr && form->is_string()) rerun.runner.host_class = form->string();
    rerun.started = signing.started;
    rerun.finished = signing.finished;
    run.statements.push_back({.kind = std::string(kAttestationKind),
                              .key_id = signing.key.public_key().key_id(),
                              .envelope = sign::to_json(sign_rerun(rerun, signing.key))});
  }
  return {};
}

}  // namespace ki::rerun
