-- Why: the transparency log and the trust list are rows of three more tables (24 to 26); people look at
--   them as at the others, through a view each. table_names is a view of constants and is made again with
--   the three names; views are looked up by name when they are read, so that `log` follows.
-- Locks: the schema, for as long as it takes to write it (no data is touched).
-- Leaves untouched: entries, commits, meta and their triggers, the other views.
-- Tried: on the fixtures of schemas 1 and 2 (tests/data), each view read in a test.

DROP VIEW table_names;

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
  (23, 'audit_events'),
  (24, 'log_entries'),
  (25, 'log_heads'),
  (26, 'trusted_keys');

CREATE VIEW log_entries AS SELECT
  body ->> '$.index' AS log_index,
  body ->> '$.type' AS type,
  body ->> '$.digest' AS digest,
  body ->> '$.at' AS at,
  seq, version, body
FROM rows_now WHERE tbl = 24;

CREATE VIEW log_heads AS SELECT
  body ->> '$.origin' AS origin,
  body ->> '$.size' AS size,
  body ->> '$.root' AS root,
  seq, version, body
FROM rows_now WHERE tbl = 25;

CREATE VIEW trusted_keys AS SELECT
  body ->> '$.keyid' AS keyid,
  body ->> '$.name' AS name,
  body ->> '$.owner' AS owner,
  body ->> '$.roles' AS roles,
  body ->> '$.revoked.index' AS revoked_from,
  seq, version, body
FROM rows_now WHERE tbl = 26;
