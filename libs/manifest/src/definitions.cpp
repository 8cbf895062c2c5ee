#include "definitions.h"

#include "kind_names.h"

#include <array>

namespace ki::manifest {
namespace {

using std::string_view;

// --- Scalars (spec 01.2) ---
constexpr Type kToken = formatted(Format::kToken);
constexpr Type kSlug = formatted(Format::kSlug, 100);
constexpr Type kName = formatted(Format::kName, 200);
constexpr Type kUrl = formatted(Format::kUrl, 2000);
constexpr Type kCommit = formatted(Format::kCommit);
constexpr Type kDigest = formatted(Format::kDigest);
constexpr Type kInstant = formatted(Format::kInstant);
constexpr Type kBool = {.rule = Rule::kBool};
constexpr Type kDuration = {.rule = Rule::kDuration};
constexpr Type kDimension = {.rule = Rule::kDimension};
constexpr Type kInteger = integer(Bound::kNone);
constexpr Type kCount = integer(Bound::kAtLeastZero);
constexpr Type kPositive = integer(Bound::kAboveZero);
constexpr Type kNumber = number(Bound::kNone);
constexpr Type kNumberAtLeastZero = number(Bound::kAtLeastZero);
constexpr Type kNumberAboveZero = number(Bound::kAboveZero);
constexpr Type kRatio = number(Bound::kUnitInterval);
constexpr Type kText50 = text(50);
constexpr Type kText100 = text(100);
constexpr Type kText120 = text(120);
constexpr Type kText200 = text(200);
constexpr Type kText500 = text(500);
constexpr Type kText1000 = text(1000);
constexpr Type kText2000 = text(2000);

constexpr string_view kLayouts[] = {"row_major", "col_major", "contiguous", "strided"};
constexpr Type kLayout = choice(kLayouts);

constexpr Type kTokenSet = set(kToken);
constexpr Type kTokenTo100 = map(kText100, Format::kToken);
constexpr Type kTokenTo200 = map(kText200, Format::kToken);
constexpr Type kTokenTo500 = map(kText500, Format::kToken);
constexpr Type kTokenToNumber = map(kNumber, Format::kToken);
constexpr Type kAxisValues = map(kInteger, Format::kToken);

constexpr FieldTable kArtifactFields({
    {"uri", &kText2000, true, "Where the bytes are."},
    {"digest", &kDigest, true, "SHA-256 of the raw bytes."},
});
constexpr Type kArtifact = object(kArtifactFields);

// --- metadata (spec 01.3) ---
constexpr FieldTable kAuthorFields({
    {"name", &kText200, false, ""},
    {"github", &kText100, false, ""},
});
constexpr Type kAuthor = object(kAuthorFields);
constexpr Type kAuthors = list(kAuthor);
constexpr FieldTable kSourceRefFields({{"url", &kUrl, true, ""}});
constexpr Type kSourceRef = object(kSourceRefFields);
constexpr Type kSourceRefs = list(kSourceRef);
constexpr FieldTable kMetadataFields({
    {"name", &kName, true, "Short name of the record."},
    {"title", &kText200, false, "Title for display."},
    {"description", &kText2000, false, ""},
    {"labels", &kTokenTo200, false, "Labels; role=baseline marks the source's own reference."},
    {"authors", &kAuthors, false, ""},
    {"sourceRefs", &kSourceRefs, false, ""},
});
constexpr Type kMetadata = object(kMetadataFields);

// --- OperationSpec ---
constexpr string_view kAxisRoles[] = {"variable", "constant", "derived"};
constexpr Type kAxisRole = choice(kAxisRoles);
constexpr string_view kAxisTypes[] = {"integer"};
constexpr Type kAxisType = choice(kAxisTypes);
constexpr Type kAxisExpression = formatted(Format::kExpression, 200);
constexpr FieldTable kAxisFields({
    {"role", &kAxisRole, true, "A constant has a value; a derived axis has an expression."},
    {"type", &kAxisType, true, ""},
    {"value", &kInteger, false, ""},
    {"minimum", &kInteger, false, ""},
    {"maximum", &kInteger, false, ""},
    {"expression", &kAxisExpression, false, "Integers, axis names, + - * // % and parentheses."},
});
constexpr Type kAxis = object(kAxisFields, CrossRule::kAxis);
constexpr Type kAxes = map(kAxis, Format::kToken);
constexpr Type kSymbolicShape = list(kDimension, 1);
constexpr FieldTable kTensorFields({
    {"shape", &kSymbolicShape, true, "Sizes or axis names."},
    {"dtype", &kToken, true, ""},
    {"layout", &kLayout, false, ""},
});
constexpr Type kTensor = object(kTensorFields);
constexpr FieldTable kScalarFields({{"dtype", &kToken, true, ""}});
constexpr Type kScalar = object(kScalarFields);
constexpr FieldTable kArgumentFields({
    {"name", &kToken, true, ""},
    {"tensor", &kTensor, false, "Either this or scalar."},
    {"scalar", &kScalar, false, "Either this or tensor."},
});
constexpr Type kArgument = object(kArgumentFields, CrossRule::kArgument);
constexpr Type kArguments = list(kArgument, 1);
constexpr string_view kMutations[] = {"none", "in_place", "destination"};
constexpr Type kMutation = choice(kMutations);
constexpr string_view kDeterminisms[] = {"deterministic", "nondeterministic", "unspecified"};
constexpr Type kDeterminism = choice(kDeterminisms);
constexpr FieldTable kSemanticsFields({
    {"expression", &kText2000, false, ""},
    {"mutation", &kMutation, true, ""},
    {"determinism", &kDeterminism, true, ""},
});
constexpr Type kSemantics = object(kSemanticsFields);
constexpr FieldTable kReferenceFields({
    {"language", &kToken, true, ""},
    {"artifact", &kArtifact, false, ""},
});
constexpr Type kReference = object(kReferenceFields);
constexpr FieldTable kOperationFields({
    {"family", &kSlug, true, ""},
    {"axes", &kAxes, true, ""},
    {"inputs", &kArguments, true, "In order."},
    {"outputs", &kArguments, true, "In order."},
    {"semantics", &kSemantics, true, ""},
    {"reference", &kReference, false, ""},
});
constexpr Type kOperation = object(kOperationFields, CrossRule::kOperation);

// --- WorkloadCase ---
constexpr Type kShape = list(kCount, 1);
constexpr Type kStrides = list(kInteger);
constexpr FieldTable kDataFields({
    {"generator", &kToken, true, ""},
    {"seed", &kCount, false, ""},
    {"parameters", &kTokenToNumber, false, ""},
    {"artifact", &kArtifact, false, ""},
});
constexpr Type kData = object(kDataFields);
constexpr FieldTable kCaseTensorFields({
    {"shape", &kShape, true, ""},
    {"dtype", &kToken, true, ""},
    {"strides", &kStrides, false, "In elements."},
    {"alignmentBytes", &kPositive, false, ""},
    {"data", &kData, false, ""},
});
constexpr Type kCaseTensor = object(kCaseTensorFields);
constexpr Type kCaseTensors = map(kCaseTensor, Format::kToken);
constexpr FieldTable kCaseScalarFields({
    {"dtype", &kToken, true, ""},
    {"value", &kNumber, true, ""},
});
constexpr Type kCaseScalar = object(kCaseScalarFields);
constexpr Type kCaseScalars = map(kCaseScalar, Format::kToken);
constexpr string_view kValuePolicies[] = {"reject", "exact_match", "ignore"};
constexpr Type kValuePolicy = choice(kValuePolicies);
constexpr FieldTable kCaseCorrectnessFields({
    {"comparator", &kToken, true, ""},
    {"maxAbsoluteError", &kNumberAtLeastZero, false, ""},
    {"maxRelativeError", &kNumberAtLeastZero, false, ""},
    {"requiredMatchedRatio", &kRatio, false, ""},
    {"nanPolicy", &kValuePolicy, false, ""},
    {"infinityPolicy", &kValuePolicy, false, ""},
});
constexpr Type kCaseCorrectness = object(kCaseCorrectnessFields);
constexpr FieldTable kCaseFields({
    {"operationSpecDigest", &kDigest, true, ""},
    {"axes", &kAxisValues, true, ""},
    {"tensors", &kCaseTensors, true, ""},
    {"scalars", &kCaseScalars, false, ""},
    {"correctness", &kCaseCorrectness, true, ""},
});
constexpr Type kCase = object(kCaseFields);

// --- WorkloadSuite ---
constexpr FieldTable kSuiteCaseFields({
    {"externalId", &kText200, true, ""},
    {"axes", &kAxisValues, true, ""},
});
constexpr Type kSuiteCase = object(kSuiteCaseFields);
constexpr Type kSuiteCases = list(kSuiteCase, 1);
constexpr FieldTable kSuiteCorrectnessFields({
    {"comparator", &kToken, true, ""},
    {"description", &kText500, false, ""},
});
constexpr Type kSuiteCorrectness = object(kSuiteCorrectnessFields);
constexpr FieldTable kAggregationFields({
    {"metric", &kToken, true, ""},
    {"statistic", &kToken, true, ""},
});
constexpr Type kAggregation = object(kAggregationFields);
constexpr FieldTable kSuiteFields({
    {"operationSpecDigest", &kDigest, true, ""},
    {"cases", &kSuiteCases, true, "In order."},
    {"correctness", &kSuiteCorrectness, true, ""},
    {"aggregation", &kAggregation, true, ""},
});
constexpr Type kSuite = object(kSuiteFields);

// --- SoftwareProject ---
constexpr string_view kProjectKinds[] = {"library", "individual", "vendor"};
constexpr Type kProjectKind = choice(kProjectKinds);
constexpr string_view kHostKinds[] = {"github", "huggingface", "gitlab", "other"};
constexpr Type kHostKind = choice(kHostKinds);
constexpr FieldTable kHostFields({
    {"kind", &kHostKind, true, ""},
    {"id", &kText200, true, ""},
});
constexpr Type kHost = object(kHostFields);
constexpr FieldTable kPackageFields({
    {"ecosystem", &kToken, true, ""},
    {"name", &kText200, true, ""},
});
constexpr Type kPackage = object(kPackageFields);
constexpr Type kPackages = list(kPackage);
constexpr FieldTable kProjectFields({
    {"name", &kText200, true, ""},
    {"kind", &kProjectKind, false, "library when absent."},
    {"repository", &kUrl, false, ""},
    {"homepage", &kUrl, false, ""},
    {"host", &kHost, false, ""},
    {"packages", &kPackages, false, ""},
});
constexpr Type kProject = object(kProjectFields);

// --- ImplementationRevision ---
constexpr FieldTable kProjectRevisionFields({
    {"repository", &kUrl, false, ""},
    {"commit", &kCommit, false, ""},
    {"version", &kText100, false, ""},
    {"treeDigest", &kDigest, false, ""},
});
constexpr Type kProjectRevision = object(kProjectRevisionFields);
constexpr FieldTable kOperationRefFields({{"specDigest", &kDigest, true, ""}});
constexpr Type kOperationRef = object(kOperationRefFields);
constexpr FieldTable kCallableFields({
    {"language", &kToken, true, ""},
    {"path", &kText500, false, ""},
    {"symbol", &kText200, false, ""},
    {"interface", &kToken, false, ""},
});
constexpr Type kCallable = object(kCallableFields);
constexpr Type kSetOf50 = set(kText50);
constexpr Type kSetOf100 = set(kText100);
constexpr Type kSetOf200 = set(kText200);
constexpr FieldTable kSupportFields({
    {"hardwareArchitectures", &kTokenSet, true, ""},
    {"productsTested", &kSetOf100, false, ""},
    {"axes", &kSetOf200, false, "Conditions on axes, as text."},
    {"dtypes", &kTokenSet, true, ""},
    {"layouts", &kSetOf50, false, ""},
});
constexpr Type kSupport = object(kSupportFields);
constexpr FieldTable kSourceFields({
    {"contentDigest", &kDigest, true, ""},
    {"fileName", &kText200, false, ""},
    {"sizeBytes", &kPositive, false, ""},
});
constexpr Type kSource = object(kSourceFields);
constexpr string_view kInstallKinds[] = {"git", "pip", "package", "container", "source"};
constexpr Type kInstallKind = choice(kInstallKinds);
constexpr FieldTable kInstallFields({
    {"kind", &kInstallKind, true, ""},
    {"repository", &kUrl, false, ""},
    {"commit", &kCommit, false, ""},
    {"package", &kText200, false, ""},
    {"version", &kText100, false, ""},
    {"command", &kText1000, false, ""},
});
constexpr Type kInstall = object(kInstallFields);
constexpr FieldTable kBuildVariantFields({
    {"name", &kName, true, ""},
    {"install", &kInstall, true, ""},
    {"requirements", &kTokenTo200, false, ""},
});
constexpr Type kBuildVariant = object(kBuildVariantFields);
constexpr Type kBuildVariants = list(kBuildVariant);
constexpr FieldTable kLicenseEvidenceFields({
    {"path", &kText500, true, ""},
    {"digest", &kDigest, false, ""},
});
constexpr Type kLicenseEvidence = object(kLicenseEvidenceFields);
constexpr FieldTable kLicensingFields({
    {"declared", &kText200, false, ""},
    {"concluded", &kText200, false, ""},
    {"evidence", &kLicenseEvidence, false, ""},
});
constexpr Type kLicensing = object(kLicensingFields);
constexpr FieldTable kImplementationFields({
    {"projectRevision", &kProjectRevision, true, ""},
    {"operation", &kOperationRef, true, ""},
    {"callable", &kCallable, true, ""},
    {"support", &kSupport, true, ""},
    {"source", &kSource, false, "Identity of the mirrored source."},
    {"buildVariants", &kBuildVariants, false, "In order."},
    {"licensing", &kLicensing, true, ""},
});
constexpr Type kImplementation = object(kImplementationFields);

// --- BenchmarkProtocol ---
constexpr FieldTable kProtocolHarnessFields({
    {"name", &kText200, true, ""},
    {"version", &kText100, false, ""},
    {"repository", &kUrl, false, ""},
    {"commit", &kCommit, false, ""},
});
constexpr Type kProtocolHarness = object(kProtocolHarnessFields);
constexpr FieldTable kProtocolMeasurementFields({
    {"timer", &kToken, true, ""},
    {"synchronization", &kToken, false, ""},
    {"compileIncluded", &kBool, false, ""},
    {"setupIncluded", &kBool, false, ""},
    {"warmupIterations", &kCount, false, ""},
    {"warmupDuration", &kDuration, false, ""},
    {"measuredIterations", &kPositive, false, ""},
    {"samples", &kPositive, false, ""},
    {"inputRegeneration", &kToken, false, ""},
    {"outlierPolicy", &kText500, false, ""},
    {"primaryStatistic", &kToken, true, ""},
});
constexpr Type kProtocolMeasurement = object(kProtocolMeasurementFields);
constexpr FieldTable kProtocolCorrectnessFields({
    {"reference", &kText500, true, ""},
    {"comparator", &kToken, true, ""},
});
constexpr Type kProtocolCorrectness = object(kProtocolCorrectnessFields);
constexpr FieldTable kDevicePolicyFields({
    {"clocksLocked", &kBool, false, ""},
    {"powerLimitWatts", &kNumberAboveZero, false, ""},
    {"persistenceMode", &kBool, false, ""},
});
constexpr Type kDevicePolicy = object(kDevicePolicyFields);
constexpr FieldTable kComparabilityFields({
    {"family", &kToken, true, ""},
    {"notes", &kText1000, false, ""},
});
constexpr Type kComparability = object(kComparabilityFields);
constexpr FieldTable kProtocolFields({
    {"harness", &kProtocolHarness, true, ""},
    {"measurement", &kProtocolMeasurement, true, ""},
    {"correctness", &kProtocolCorrectness, false, ""},
    {"devicePolicy", &kDevicePolicy, false, ""},
    {"comparability", &kComparability, false, ""},
});
constexpr Type kProtocol = object(kProtocolFields);

// --- ExecutionEnvironment ---
constexpr FieldTable kHardwareFields({
    {"vendor", &kToken, true, ""},
    {"product", &kText200, true, ""},
    {"architecture", &kToken, true, ""},
    {"formFactor", &kText100, false, ""},
    {"memoryBytes", &kPositive, false, ""},
    {"count", &kPositive, false, ""},
    {"interconnect", &kText200, false, ""},
});
constexpr Type kHardware = object(kHardwareFields);
constexpr FieldTable kFrameworkFields({
    {"name", &kToken, true, ""},
    {"version", &kText100, true, ""},
});
constexpr Type kFramework = object(kFrameworkFields);
constexpr FieldTable kSoftwareFields({
    {"operatingSystem", &kText200, false, ""},
    {"kernel", &kText200, false, ""},
    {"driver", &kText100, false, ""},
    {"cudaToolkit", &kText100, false, ""},
    {"compiler", &kText200, false, ""},
    {"framework", &kFramework, false, ""},
    {"libraries", &kTokenTo100, false, ""},
});
constexpr Type kSoftware = object(kSoftwareFields);
constexpr Type kEnvironmentVariables = map(kText500, Format::kFree, 200);
constexpr FieldTable kSettingsFields({
    {"clocksLocked", &kBool, false, ""},
    {"persistenceMode", &kBool, false, ""},
    {"eccEnabled", &kBool, false, ""},
    {"powerLimitWatts", &kNumberAboveZero, false, ""},
    {"environmentVariables", &kEnvironmentVariables, false, ""},
});
constexpr Type kSettings = object(kSettingsFields);
constexpr FieldTable kEnvironmentFields({
    {"hardware", &kHardware, true, ""},
    {"software", &kSoftware, true, ""},
    {"settings", &kSettings, false, ""},
    {"imageDigest", &kDigest, false, ""},
});
constexpr Type kEnvironment = object(kEnvironmentFields);

// --- BenchmarkRun ---
constexpr string_view kRunStatuses[] = {"passed",
                                        "incorrect_shape",
                                        "incorrect_dtype",
                                        "incorrect_numerical",
                                        "compile_error",
                                        "runtime_error",
                                        "timeout",
                                        "resource_exceeded",
                                        "invalid_reference",
                                        "policy_violation",
                                        "suspected_reward_hack",
                                        "incomplete_evidence",
                                        "revoked"};
constexpr Type kRunStatus = choice(kRunStatuses);
constexpr FieldTable kRunCorrectnessFields({
    {"comparator", &kToken, true, ""},
    {"maximumAbsoluteError", &kNumberAtLeastZero, false, ""},
    {"maximumRelativeError", &kNumberAtLeastZero, false, ""},
    {"matchedRatio", &kRatio, false, ""},
});
constexpr Type kRunCorrectness = object(kRunCorrectnessFields);
constexpr Type kInterval = list(kDuration, 2, 2);
constexpr FieldTable kLatencyFields({
    {"median", &kDuration, false, "At least one of median and mean."},
    {"mean", &kDuration, false, ""},
    {"p05", &kDuration, false, ""},
    {"p95", &kDuration, false, ""},
    {"minimum", &kDuration, false, ""},
    {"maximum", &kDuration, false, ""},
    {"mad", &kDuration, false, "Median absolute deviation."},
    {"confidence95", &kInterval, false, "Low and high end."},
});
constexpr Type kLatency = object(kLatencyFields, CrossRule::kLatency);
constexpr FieldTable kTimingFields({
    {"primaryStatistic", &kToken, true, ""},
    {"samples", &kPositive, false, ""},
    {"latencyNs", &kLatency, true, ""},
    {"rawSamples", &kArtifact, false, ""},
});
constexpr Type kTiming = object(kTimingFields);
constexpr FieldTable kMeasurementFields({
    {"metric", &kToken, true, ""},
    {"unit", &kToken, true, ""},
    {"statistic", &kToken, true, ""},
    {"value", &kNumber, true, ""},
    {"sampleCount", &kPositive, false, ""},
});
constexpr Type kMeasurement = object(kMeasurementFields);
constexpr Type kMeasurements = list(kMeasurement);
constexpr FieldTable kSourceNativeFields({
    {"source", &kSlug, true, ""},
    {"benchmark", &kText200, false, ""},
    {"externalId", &kText500, false, ""},
    {"metrics", &kTokenToNumber, false, ""},
});
constexpr Type kSourceNative = object(kSourceNativeFields);
constexpr FieldTable kEvidenceHarnessFields({
    {"repository", &kUrl, true, ""},
    {"commit", &kCommit, true, ""},
});
constexpr Type kEvidenceHarness = object(kEvidenceHarnessFields);
constexpr FieldTable kEvidenceFields({
    {"logs", &kArtifact, false, ""},
    {"rawSamples", &kArtifact, false, ""},
    {"harness", &kEvidenceHarness, false, ""},
});
constexpr Type kEvidence = object(kEvidenceFields);
constexpr FieldTable kRunFields({
    {"implementationDigest", &kDigest, true, ""},
    {"workloadDigest", &kDigest, true, ""},
    {"protocolDigest", &kDigest, true, ""},
    {"environmentDigest", &kDigest, true, ""},
    {"status", &kRunStatus, true, ""},
    {"correctness", &kRunCorrectness, false, ""},
    {"timing", &kTiming, false, ""},
    {"measurements", &kMeasurements, false, ""},
    {"sourceNative", &kSourceNative, false, ""},
    {"evidence", &kEvidence, false, ""},
    {"observedAt", &kInstant, true, ""},
});
constexpr Type kRun = object(kRunFields, CrossRule::kRun);

// --- Serving (spec 01.5) ---
constexpr string_view kModelHosts[] = {"huggingface", "github", "other"};
constexpr Type kModelHost = choice(kModelHosts);
constexpr FieldTable kModelRepositoryFields({
    {"host", &kModelHost, true, ""},
    {"id", &kText200, true, ""},
    {"revision", &kText100, false, ""},
});
constexpr Type kModelRepository = object(kModelRepositoryFields);
constexpr FieldTable kTokenizerFields({
    {"name", &kText200, false, ""},
    {"revision", &kText100, false, ""},
    {"digest", &kDigest, false, ""},
});
constexpr Type kTokenizer = object(kTokenizerFields);
constexpr FieldTable kModelFields({
    {"model", &kText200, true, ""},
    {"repository", &kModelRepository, false, ""},
    {"tokenizer", &kTokenizer, false, ""},
    {"architecture", &kText100, false, ""},
    {"parameterCount", &kPositive, false, ""},
    {"contextLength", &kPositive, false, ""},
    {"modality", &kToken, false, ""},
    {"license", &kText200, false, ""},
});
constexpr Type kModel = object(kModelFields);

constexpr FieldTable kStackProjectFields({
    {"name", &kText200, true, ""},
    {"repository", &kUrl, false, ""},
});
constexpr Type kStackProject = object(kStackProjectFields);
constexpr FieldTable kStackRevisionFields({
    {"version", &kText120, false, ""},
    {"commit", &kCommit, false, ""},
    {"containerDigest", &kDigest, false, ""},
});
constexpr Type kStackRevision = object(kStackRevisionFields);
constexpr Type kBackends = list(kToken, 0, 8);
constexpr FieldTable kStackFields({
    {"project", &kStackProject, true, ""},
    {"revision", &kStackRevision, true, ""},
    {"backends", &kBackends, false, ""},
    {"apiProtocol", &kToken, false, ""},
    {"license", &kText200, false, ""},
});
constexpr Type kStack = object(kStackFields);

constexpr FieldTable kParallelismFields({
    {"tensor", &kPositive, false, ""},
    {"pipeline", &kPositive, false, ""},
    {"data", &kPositive, false, ""},
    {"expert", &kPositive, false, ""},
    {"context", &kPositive, false, ""},
});
constexpr Type kParallelism = object(kParallelismFields);
constexpr FieldTable kKvCacheFields({
    {"dtype", &kToken, false, ""},
    {"capacityTokens", &kPositive, false, ""},
});
constexpr Type kKvCache = object(kKvCacheFields);
constexpr FieldTable kServingLimitFields({
    {"maxSequenceLength", &kPositive, false, ""},
    {"maxBatchSize", &kPositive, false, ""},
    {"maxNumTokens", &kPositive, false, ""},
});
constexpr Type kServingLimits = object(kServingLimitFields);
constexpr FieldTable kSpeculativeFields({
    {"method", &kToken, true, ""},
    {"draftModel", &kText200, false, ""},
});
constexpr Type kSpeculative = object(kSpeculativeFields);
constexpr FieldTable kConfigurationFields({
    {"stackDigest", &kDigest, true, ""},
    {"dtype", &kToken, false, ""},
    {"quantization", &kToken, false, ""},
    {"attentionBackend", &kToken, false, ""},
    {"parallelism", &kParallelism, false, ""},
    {"kvCache", &kKvCache, false, ""},
    {"limits", &kServingLimits, false, ""},
    {"speculative", &kSpeculative, false, ""},
    {"options", &kTokenTo500, false, ""},
});
constexpr Type kConfiguration = object(kConfigurationFields);

constexpr FieldTable kDatasetFields({
    {"name", &kText200, true, ""},
    {"digest", &kDigest, false, ""},
});
constexpr Type kDataset = object(kDatasetFields);
constexpr FieldTable kTokenCountFields({
    {"distribution", &kToken, true, ""},
    {"mean", &kNumberAboveZero, false, ""},
    {"maximum", &kPositive, false, ""},
    {"artifactDigest", &kDigest, false, ""},
});
constexpr Type kTokenCount = object(kTokenCountFields);
constexpr FieldTable kTokensFields({
    {"prompt", &kTokenCount, false, ""},
    {"output", &kTokenCount, false, ""},
});
constexpr Type kTokens = object(kTokensFields);
constexpr string_view kLoadGenerations[] = {"open_loop", "closed_loop", "offline"};
constexpr Type kLoadGeneration = choice(kLoadGenerations);
constexpr string_view kSloOperators[] = {"<=", "<"};
constexpr Type kSloOperator = choice(kSloOperators);
constexpr FieldTable kSloFields({
    {"metric", &kToken, true, ""},
    {"statistic", &kToken, true, ""},
    {"operator", &kSloOperator, true, ""},
    {"value", &kNumberAboveZero, true, ""},
    {"unit", &kToken, true, ""},
});
constexpr Type kSlo = object(kSloFields);
constexpr Type kSlos = list(kSlo, 0, 8);
constexpr FieldTable kSamplingFields({
    {"temperature", &kNumber, false, ""},
    {"seeded", &kBool, false, ""},
});
constexpr Type kSampling = object(kSamplingFields);
constexpr FieldTable kServingWorkloadFields({
    {"dataset", &kDataset, false, ""},
    {"tokens", &kTokens, false, ""},
    {"streaming", &kBool, true, ""},
    {"loadGeneration", &kLoadGeneration, true, ""},
    {"arrival", &kToken, false, ""},
    {"requestRatePerSecond", &kNumberAboveZero, false, ""},
    {"slo", &kSlos, false, ""},
    {"sampling", &kSampling, false, ""},
    {"durationSeconds", &kPositive, false, ""},
    {"requestCount", &kPositive, false, ""},
});
constexpr Type kServingWorkload = object(kServingWorkloadFields);

constexpr FieldTable kTopologyFields({
    {"acceleratorVendor", &kToken, false, ""},
    {"acceleratorModel", &kText200, true, ""},
    {"acceleratorsPerNode", &kPositive, true, ""},
    {"nodeCount", &kPositive, true, ""},
    {"interconnect", &kText200, false, ""},
});
constexpr Type kTopology = object(kTopologyFields);
constexpr FieldTable kServingHarnessFields({
    {"name", &kToken, true, ""},
    {"version", &kText100, true, ""},
});
constexpr Type kServingHarness = object(kServingHarnessFields);
constexpr string_view kServingStatuses[] = {"valid", "invalid", "incomplete_evidence"};
constexpr Type kServingStatus = choice(kServingStatuses);
constexpr Type kServingMeasurements = list(kMeasurement, 1, 64);
constexpr Type kTextOrNumber = {.rule = Rule::kTextOrNumber, .max_length = 500};
constexpr Type kTokenToTextOrNumber = map(kTextOrNumber, Format::kToken);
constexpr FieldTable kServingSourceNativeFields({
    {"source", &kSlug, true, ""},
    {"benchmark", &kText200, true, ""},
    {"scenario", &kToken, true, ""},
    {"division", &kToken, true, ""},
    {"category", &kToken, true, ""},
    {"externalId", &kText500, true, ""},
    {"metrics", &kTokenToTextOrNumber, false, ""},
});
constexpr Type kServingSourceNative = object(kServingSourceNativeFields);
constexpr Type kCaveats = list(kText500, 0, 16);
constexpr FieldTable kServingRunFields({
    {"modelDigest", &kDigest, true, ""},
    {"configurationDigest", &kDigest, true, ""},
    {"workloadDigest", &kDigest, true, ""},
    {"topology", &kTopology, true, ""},
    {"harness", &kServingHarness, true, ""},
    {"placement", &kToken, false, ""},
    {"qualityPolicy", &kToken, true, ""},
    {"status", &kServingStatus, true, ""},
    {"measurements", &kServingMeasurements, true, ""},
    {"sourceNative", &kServingSourceNative, false, ""},
    {"caveats", &kCaveats, false, ""},
    {"observedAt", &kInstant, true, ""},
});
constexpr Type kServingRun = object(kServingRunFields, CrossRule::kServingRun);

// --- Envelopes (spec 01.1) ---
constexpr string_view kVersions[] = {kApiVersion};
constexpr Type kVersion = choice(kVersions);
constexpr Type kAnything = {.rule = Rule::kAny};

constexpr std::array<string_view, kManifestKindCount> kAllKindNames = [] {
  std::array<string_view, kManifestKindCount> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kKindNames[i].name;
  return names;
}();
constexpr Type kAnyKind = choice(kAllKindNames);

// The type of `kind` in the envelope of one kind, and that envelope.
template <ManifestKind kKind, const Type& kSpec>
struct Envelope {
  static constexpr Type kKindType =
      choice(std::span(kAllKindNames).subspan(static_cast<std::size_t>(kKind), 1));
  static constexpr FieldTable kFields{{
      {"apiVersion", &kVersion, true, ""},
      {"kind", &kKindType, true, ""},
      {"metadata", &kMetadata, true, "Editorial; not part of the identity."},
      {"spec", &kSpec, true, "What the digest covers."},
  }};
  static constexpr Type kType = object(kFields);
};

constexpr FieldTable kUnknownFields({
    {"apiVersion", &kVersion, true, ""},
    {"kind", &kAnyKind, true, ""},
    {"metadata", &kMetadata, true, ""},
    {"spec", &kAnything, true, ""},
});
constexpr Type kUnknown = object(kUnknownFields);

struct KindTypes {
  const Type* manifest;
  const Type* spec;
};
template <ManifestKind kKind, const Type& kSpec>
constexpr KindTypes types_of() {
  return {&Envelope<kKind, kSpec>::kType, &kSpec};
}
// In the order of ManifestKind.
constexpr std::array<KindTypes, kManifestKindCount> kKinds = {
    types_of<ManifestKind::kOperationSpec, kOperation>(),
    types_of<ManifestKind::kWorkloadCase, kCase>(),
    types_of<ManifestKind::kWorkloadSuite, kSuite>(),
    types_of<ManifestKind::kSoftwareProject, kProject>(),
    types_of<ManifestKind::kImplementationRevision, kImplementation>(),
    types_of<ManifestKind::kBenchmarkProtocol, kProtocol>(),
    types_of<ManifestKind::kExecutionEnvironment, kEnvironment>(),
    types_of<ManifestKind::kBenchmarkRun, kRun>(),
    types_of<ManifestKind::kModelRevision, kModel>(),
    types_of<ManifestKind::kServingStackRevision, kStack>(),
    types_of<ManifestKind::kServingConfiguration, kConfiguration>(),
    types_of<ManifestKind::kServingWorkload, kServingWorkload>(),
    types_of<ManifestKind::kServingRun, kServingRun>(),
};

}  // namespace

const Type& manifest_type(ManifestKind kind) {
  return *kKinds[static_cast<std::size_t>(kind)].manifest;
}

const Type& spec_type(ManifestKind kind) { return *kKinds[static_cast<std::size_t>(kind)].spec; }

const Type& unknown_manifest_type() { return kUnknown; }

}  // namespace ki::manifest
