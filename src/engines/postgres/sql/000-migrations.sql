-- Runs before every migration: where the versions are recorded that a database has reached.
CREATE SCHEMA IF NOT EXISTS waymark;
CREATE TABLE IF NOT EXISTS waymark.migrations (
  version integer PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT pg_catalog.now()
);
