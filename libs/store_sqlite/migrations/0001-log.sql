-- Why: the log of a catalog (catalog/store.h): entries, each a version of a row, and the commits that
--   made them visible. What is written is never changed, also not by another program: the triggers
--   say so to anyone who tries.
-- Locks: the whole file, while it is made. Leaves untouched: nothing was there before.
-- Tried: a new file, then the contract suite and the crash tests of tests/contract on it.

-- seq: position in the log. tbl: number of the table (catalog/table.h). version: 0, then 1, 2, ... of
-- the same key. digest: 32 bytes; NULL for tables without a content digest. body: canonical JSON.
CREATE TABLE entries (
  seq INTEGER PRIMARY KEY CONSTRAINT entries_seq_positive CHECK (seq > 0),
  tbl INTEGER NOT NULL CONSTRAINT entries_tbl_byte CHECK (tbl BETWEEN 1 AND 255),
  key TEXT NOT NULL,
  version INTEGER NOT NULL CONSTRAINT entries_version_counts CHECK (version >= 0),
  digest BLOB CONSTRAINT entries_digest_sha256 CHECK (length(digest) = 32),
  body TEXT NOT NULL
) STRICT;

-- first..last: the entries of one transaction. at_ms: UTC, milliseconds since 1970.
-- chain: the log's chain value (SHA-256) after `last`.
CREATE TABLE commits (
  last INTEGER PRIMARY KEY,
  first INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  reason TEXT NOT NULL,
  chain BLOB NOT NULL CONSTRAINT commits_chain_sha256 CHECK (length(chain) = 32),
  CONSTRAINT commits_hold_entries CHECK (first BETWEEN 1 AND last)
) STRICT;

-- Facts about the file: catalog_id, log_format, created_at.
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

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
