-- Why: people look into a catalog with the sqlite3 shell. Each view shows the newest version of the rows
--   of one table, its telling members as columns and the whole row as `body`; `log` shows all versions
--   with the table's name. Programs read entries and commits, never these views.
-- Locks: the schema, for as long as it takes to write it (no data is touched).
-- Leaves untouched: entries, commits, meta and their triggers.
-- Tried: on the fixture of schema 1 (tests/data), each view read in a test.

CREATE VIEW table_names (tbl, name) AS VALUES
  (1, 'sources'),
  (2, 'projects'),
  (3, 'operations'),
  (4, 'operation_aliases'),
  (5, 'operation_relations'),
  (6, 'workloads'),
  (7, 'implementations'),
  (8, 'documents'),
  (9, 'benchmark_runs'),
  (10, 'record_events'),
  (11, 'leader_changes'),
  (12, 'artifacts'),
  (13, 'run_artifacts'),
  (14, 'source_links'),
  (15, 'source_snapshots'),
  (16, 'model_revisions'),
  (17, 'serving_stack_revisions'),
  (18, 'serving_configurations'),
  (19, 'serving_workloads'),
  (20, 'serving_runs'),
  (21, 'attestations'),
  (22, 'reports'),
  (23, 'audit_events');

CREATE VIEW log AS
SELECT e.seq, t.name AS table_name, e.key, e.version, lower(hex(e.digest)) AS digest, e.body
FROM entries AS e LEFT JOIN table_names AS t ON t.tbl = e.tbl;

CREATE VIEW rows_now AS
SELECT e.seq, e.tbl, e.key, e.version, e.body
FROM entries AS e
WHERE NOT EXISTS
  (SELECT 1 FROM entries AS n WHERE n.tbl = e.tbl AND n.key = e.key AND n.version > e.version);

CREATE VIEW sources AS SELECT
  body ->> '$.id' AS id,
  body ->> '$.slug' AS slug,
  body ->> '$.kind' AS kind,
  body ->> '$.name' AS name,
  body ->> '$.createdAt' AS created_at,
  seq, version, body
FROM rows_now WHERE tbl = 1;

CREATE VIEW projects AS SELECT
  body ->> '$.id' AS id,
  body ->> '$.slug' AS slug,
  body ->> '$.name' AS name,
  body ->> '$.kind' AS kind,
  body ->> '$.canonicalUrl' AS canonical_url,
  body ->> '$.licenseExpression' AS license_expression,
  body ->> '$.createdAt' AS created_at,
  seq, version, body
FROM rows_now WHERE tbl = 2;

CREATE VIEW operations AS SELECT
  body ->> '$.id' AS id,
  body ->> '$.slug' AS slug,
  body ->> '$.family' AS family,
  body ->> '$.name' AS name,
  body ->> '$.semanticDigest' AS semantic_digest,
  body ->> '$.supersedesId' AS supersedes_id,
  body ->> '$.createdAt' AS created_at,
  seq, version, body
FROM rows_now WHERE tbl = 3;

CREATE VIEW operation_aliases AS SELECT
  body ->> '$.operationId' AS operation_id,
  body ->> '$.alias' AS alias,
  seq, version, body
FROM rows_now WHERE tbl = 4;

CREATE VIEW operation_relations AS SELECT
  body ->> '$.id' AS id,
  body ->> '$.fromOperationId' AS from_operation_id,
  body ->> '$.toOperationId' AS to_operation_id,
  body ->> '$.relation' AS relation,
  body ->> '$.rationale' AS rationale,
  body ->> '$.createdAt' AS created_at,
  seq, version, body
FROM rows_now WHERE tbl = 5;

CREATE VIEW workloads AS SELECT
  body ->> '$.id' AS id,
  body ->> '$.operationId' AS operation_id,
  body ->> '$.workloadDigest' AS workload_digest,
  body ->> '$.shapeSummary' AS shape_summary,
  body ->> '$.createdAt' AS created_at,
  seq, version, body
FROM rows_now WHERE tbl = 6;

CREATE VIEW implementations AS SELECT
  body ->> '$.id' AS id,
  body ->> '$.projectId' AS project_id,
  body ->> '$.operationId' AS operation_id,
  body ->> '$.slug' AS slug,
  body ->> '$.title' AS title,
  body ->> '$.language' AS language,
  body ->> '$.implementationDigest' AS implementation_digest,
  body ->> '$.licenseExpression' AS license_expression,
  body ->> '$.sourceAvailable' AS source_available,
  body ->> '$.installable' AS installable,
  body ->> '$.supersedesId' AS supersedes_id,
  body ->> '$.createdAt' AS created_at,
  seq, version, body
FROM rows_now WHERE tbl = 7;

CREATE VIEW documents AS SELECT
  body ->> '$.documentDigest' AS document_digest,
  body ->> '$.manifest.kind' AS kind,
  seq, version, body
FROM rows_now WHERE tbl = 8;

CREATE VIEW benchmark_runs AS SELECT
  body ->> '$.id' AS id,
  body ->> '$.runDigest' AS run_digest,
  body ->> '$.implementationId' AS implementation_id,
  body ->> '$.workloadId' AS workload_id,
  body ->> '$.sourceId' AS source_id,
  body ->> '$.run.spec.status' AS status,
  body ->> '$.run.spec.observedAt' AS observedAt,
  body ->> '$.publishedAt' AS published_at,
  body ->> '$.retractedAt' AS retracted_at,
  body ->> '$.supersedesId' AS supersedes_id,
  seq, version, body
FROM rows_now WHERE tbl = 9;

CREATE VIEW record_events AS SELECT
  body ->> '$.id' AS id,
  body ->> '$.comparisonKey' AS comparison_key,
  body ->> '$.runId' AS run_id,
  body ->> '$.previousRunId' AS previous_run_id,
  body ->> '$.policyVersion' AS policy_version,
  body ->> '$.cause' AS cause,
  body ->> '$.at' AS at,
  body ->> '$.createdAt' AS created_at,
  seq, version, body
FROM rows_now WHERE tbl = 10;

CREATE VIEW leader_changes AS SELECT
  seq, version, body
FROM rows_now WHERE tbl = 11;

CREATE VIEW artifacts AS SELECT
  body ->> '$.id' AS id,
  body ->> '$.contentDigest' AS content_digest,
  body ->> '$.kind' AS kind,
  body ->> '$.mediaType' AS media_type,
  body ->> '$.sizeBytes' AS size_bytes,
  body ->> '$.storage' AS storage,
  body ->> '$.uri' AS uri,
  body ->> '$.license' AS license,
  body ->> '$.createdAt' AS created_at,
  seq, version, body
FROM rows_now WHERE tbl = 12;

CREATE VIEW run_artifacts AS SELECT
  body ->> '$.runId' AS run_id,
  body ->> '$.artifactId' AS artifact_id,
  body ->> '$.role' AS role,
  seq, version, body
FROM rows_now WHERE tbl = 13;

CREATE VIEW source_links AS SELECT
  body ->> '$.sourceId' AS source_id,
  body ->> '$.entityKind' AS entity_kind,
  body ->> '$.entityId' AS entity_id,
  body ->> '$.externalId' AS external_id,
  body ->> '$.createdAt' AS created_at,
  seq, version, body
FROM rows_now WHERE tbl = 14;

CREATE VIEW source_snapshots AS SELECT
  body ->> '$.id' AS id,
  body ->> '$.sourceId' AS source_id,
  body ->> '$.locator' AS locator,
  body ->> '$.contentDigest' AS content_digest,
  body ->> '$.mediaType' AS media_type,
  body ->> '$.sizeBytes' AS size_bytes,
  body ->> '$.parserName' AS parser_name,
  body ->> '$.parserVersion' AS parser_version,
  body ->> '$.observedAt' AS observed_at,
  body ->> '$.fetchedAt' AS fetched_at,
  seq, version, body
FROM rows_now WHERE tbl = 15;

CREATE VIEW model_revisions AS SELECT
  body ->> '$.id' AS id,
  body ->> '$.slug' AS slug,
  body ->> '$.name' AS name,
  body ->> '$.modelDigest' AS model_digest,
  body ->> '$.parameterCount' AS parameter_count,
  body ->> '$.contextLength' AS context_length,
  body ->> '$.license' AS license,
  body ->> '$.createdAt' AS created_at,
  seq, version, body
FROM rows_now WHERE tbl = 16;

CREATE VIEW serving_stack_revisions AS SELECT
  body ->> '$.id' AS id,
  body ->> '$.projectId' AS project_id,
  body ->> '$.slug' AS slug,
  body ->> '$.name' AS name,
  body ->> '$.version' AS stack_version,
  body ->> '$.stackDigest' AS stack_digest,
  body ->> '$.createdAt' AS created_at,
  seq, version, body
FROM rows_now WHERE tbl = 17;

CREATE VIEW serving_configurations AS SELECT
  body ->> '$.id' AS id,
  body ->> '$.stackRevisionId' AS stack_revision_id,
  body ->> '$.summary' AS summary,
  body ->> '$.dtype' AS dtype,
  body ->> '$.quantization' AS quantization,
  body ->> '$.tensorParallel' AS tensor_parallel,
  body ->> '$.configurationDigest' AS configuration_digest,
  body ->> '$.createdAt' AS created_at,
  seq, version, body
FROM rows_now WHERE tbl = 18;

CREATE VIEW serving_workloads AS SELECT
  body ->> '$.id' AS id,
  body ->> '$.slug' AS slug,
  body ->> '$.name' AS name,
  body ->> '$.streaming' AS streaming,
  body ->> '$.loadGeneration' AS load_generation,
  body ->> '$.workloadDigest' AS workload_digest,
  body ->> '$.createdAt' AS created_at,
  seq, version, body
FROM rows_now WHERE tbl = 19;

CREATE VIEW serving_runs AS SELECT
  body ->> '$.id' AS id,
  body ->> '$.runDigest' AS run_digest,
  body ->> '$.modelRevisionId' AS model_revision_id,
  body ->> '$.configurationId' AS configuration_id,
  body ->> '$.workloadId' AS workload_id,
  body ->> '$.sourceId' AS source_id,
  body ->> '$.status' AS status,
  body ->> '$.observedAt' AS observed_at,
  body ->> '$.publishedAt' AS published_at,
  body ->> '$.scenario' AS scenario,
  body ->> '$.acceleratorModel' AS accelerator_model,
  body ->> '$.acceleratorCount' AS accelerator_count,
  body ->> '$.cohortKey' AS cohort_key,
  body ->> '$.supersedesId' AS supersedes_id,
  body ->> '$.retractedAt' AS retracted_at,
  seq, version, body
FROM rows_now WHERE tbl = 20;

CREATE VIEW attestations AS SELECT
  seq, version, body
FROM rows_now WHERE tbl = 21;

CREATE VIEW reports AS SELECT
  seq, version, body
FROM rows_now WHERE tbl = 22;

CREATE VIEW audit_events AS SELECT
  body ->> '$.id' AS id,
  body ->> '$.actor' AS actor,
  body ->> '$.action' AS action,
  body ->> '$.targetKind' AS target_kind,
  body ->> '$.targetId' AS target_id,
  body ->> '$.reason' AS reason,
  body ->> '$.at' AS at,
  seq, version, body
FROM rows_now WHERE tbl = 23;
