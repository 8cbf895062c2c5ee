-- A catalog of 7 entries in 3 commits, as schema 2 left it.
PRAGMA journal_mode = WAL;
PRAGMA application_id = 1263101048;
CREATE TABLE commits (
  last INTEGER PRIMARY KEY,
  first INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  reason TEXT NOT NULL,
  chain BLOB NOT NULL CONSTRAINT commits_chain_sha256 CHECK (length(chain) = 32),
  CONSTRAINT commits_hold_entries CHECK (first BETWEEN 1 AND last)
) STRICT;
INSERT INTO commits VALUES(3,1,1700000000000,'first import',X'7FFF9427479244A31DEB97EB716A6A762B33DE39343E64AE8C5D30B754526160');
INSERT INTO commits VALUES(5,4,1700000000000,'publish',X'241B27A2F545237FE8086BA34688B24D08EF6024BC0134F2EFFDE713EE6EA57A');
INSERT INTO commits VALUES(7,6,1700000000000,'retract',X'4AFC3CAC012DFFF5B8E58967008D044D2F5905D4A6063A1205E5ABF65BB45E3A');
CREATE TABLE entries (
  seq INTEGER PRIMARY KEY CONSTRAINT entries_seq_positive CHECK (seq > 0),
  tbl INTEGER NOT NULL CONSTRAINT entries_tbl_byte CHECK (tbl BETWEEN 1 AND 255),
  key TEXT NOT NULL,
  version INTEGER NOT NULL CONSTRAINT entries_version_counts CHECK (version >= 0),
  digest BLOB CONSTRAINT entries_digest_sha256 CHECK (length(digest) = 32),
  body TEXT NOT NULL
) STRICT;
INSERT INTO entries VALUES(1,1,'s1',0,NULL,'{"id":"s1"}');
INSERT INTO entries VALUES(2,3,'o1',0,X'2352DA7280F1DECC3ACF1BA84EB945C9FC2B7B541094E1D0992DBFFD1B6664CC','{"id":"o1"}');
INSERT INTO entries VALUES(3,3,'o2',0,X'9250B9912EE91D6B46E23299459ECD6EB8154451D62558A3A0A708A77926AD04','{"id":"o2"}');
INSERT INTO entries VALUES(4,9,'r1',0,X'82F3E9C695DC6B8D1B11818D5701919E286DE8D47F7C3EB3100C485F79E57828','{"id":"r1"}');
INSERT INTO entries VALUES(5,3,'o1',1,X'2352DA7280F1DECC3ACF1BA84EB945C9FC2B7B541094E1D0992DBFFD1B6664CC','{"id":"o1","tags":[]}');
INSERT INTO entries VALUES(6,9,'r1',1,X'82F3E9C695DC6B8D1B11818D5701919E286DE8D47F7C3EB3100C485F79E57828','{"id":"r1","retractedAt":"2026-08-16T00:00:00.000Z"}');
INSERT INTO entries VALUES(7,23,'a1',0,NULL,'{"id":"a1"}');
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES('catalog_id','0198a000-0000-7000-8000-000000000001');
INSERT INTO meta VALUES('created_at','2026-08-16T00:00:00.000Z');
INSERT INTO meta VALUES('log_format','1');
CREATE UNIQUE INDEX entries_row ON entries (tbl, key, version);
CREATE UNIQUE INDEX entries_digest ON entries (tbl, digest) WHERE version = 0 AND digest IS NOT NULL;
CREATE TRIGGER entries_follow_seq BEFORE INSERT ON entries
WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM entries)
BEGIN
  SELECT RAISE(ABORT, 'entries are only appended: seq must be one more than the last');
END;
CREATE TRIGGER entries_follow_version BEFORE INSERT ON entries
WHEN NEW.version IS NOT
     (SELECT coalesce(max(version), -1) + 1 FROM entries WHERE tbl = NEW.tbl AND key = NEW.key)
BEGIN
  SELECT RAISE(ABORT, 'versions of a row follow one another: version must be one more than the newest');
END;
CREATE TRIGGER entries_keep_digest BEFORE INSERT ON entries
WHEN NEW.version > 0 AND NEW.digest IS NOT
     (SELECT digest FROM entries WHERE tbl = NEW.tbl AND key = NEW.key AND version = 0)
BEGIN
  SELECT RAISE(ABORT, 'the content digest of a row never changes: publish a new row that supersedes it');
END;
CREATE TRIGGER entries_own_digest BEFORE INSERT ON entries
WHEN NEW.version = 0 AND NEW.digest IS NOT NULL AND EXISTS
     (SELECT 1 FROM entries WHERE tbl = NEW.tbl AND digest = NEW.digest AND version = 0)
BEGIN
  SELECT RAISE(ABORT, 'another row of this table has this content digest');
END;
CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries
BEGIN
  SELECT RAISE(ABORT, 'entries are never changed: append a new version with ki');
END;
CREATE TRIGGER entries_never_leave BEFORE DELETE ON entries
BEGIN
  SELECT RAISE(ABORT, 'entries are never deleted: retract or supersede with ki');
END;
CREATE TRIGGER commits_follow BEFORE INSERT ON commits
WHEN NEW.first IS NOT (SELECT coalesce(max(last), 0) + 1 FROM commits)
  OR NOT EXISTS (SELECT 1 FROM entries WHERE seq = NEW.last)
BEGIN
  SELECT RAISE(ABORT, 'commits follow one another and end at an entry');
END;
CREATE TRIGGER commits_never_change BEFORE UPDATE ON commits
BEGIN
  SELECT RAISE(ABORT, 'commits are never changed: they chain the log');
END;
CREATE TRIGGER commits_never_leave BEFORE DELETE ON commits
BEGIN
  SELECT RAISE(ABORT, 'commits are never deleted: they chain the log');
END;
CREATE TRIGGER meta_never_changes BEFORE UPDATE ON meta
BEGIN
  SELECT RAISE(ABORT, 'facts about a catalog file are never changed');
END;
CREATE TRIGGER meta_never_leaves BEFORE DELETE ON meta
BEGIN
  SELECT RAISE(ABORT, 'facts about a catalog file are never deleted');
END;
CREATE TRIGGER meta_is_never_replaced BEFORE INSERT ON meta
WHEN EXISTS (SELECT 1 FROM meta WHERE name = NEW.name)
BEGIN
  SELECT RAISE(ABORT, 'facts about a catalog file are never changed');
END;
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
PRAGMA user_version = 2;
