-- A catalog of 7 entries in 3 commits, as schema 1 left it.
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
PRAGMA user_version = 1;
