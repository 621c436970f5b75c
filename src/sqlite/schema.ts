/** Says "this file is a Waymark store": "WYMK" in ASCII. */
export const APPLICATION_ID = 0x57594d4b;

/**
 * The schema, one step a number. A released step is never edited: a change is a new step.
 *
 * `tracks.state` is the folded track, so that a commit costs the same however long the history is;
 * `fold` says by which rules it was folded. `last` is the position of the track's last event.
 * Ids, keys and directories are written as inside a JSON string: SQLite's text knows neither NUL
 * nor lone surrogates, and two different ids must never meet in one row.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE tracks (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    agent TEXT NOT NULL,
    version INTEGER NOT NULL,
    fold INTEGER NOT NULL,
    state TEXT NOT NULL,
    cwd TEXT,
    last INTEGER NOT NULL,
    UNIQUE (session, agent)
  );
  CREATE INDEX tracks_last ON tracks (last);
  CREATE INDEX tracks_cwd ON tracks (cwd, last);
  CREATE TABLE events (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    track INTEGER NOT NULL REFERENCES tracks (id),
    seq INTEGER NOT NULL,
    key TEXT NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (track, seq),
    UNIQUE (track, key)
  );
  `,
];
