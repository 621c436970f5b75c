-- The schema of the first release, as schema version 7: versions 1 to 6 were never released.
-- Never edit a released file. A change is a new file, 008-name.sql, and a line in schema.ts.
--
-- Everything is in the schema `waymark`, so that a database can be shared with other programs. Times are milliseconds
-- of the server's clock. Correctness rests on row locks and guarded statements at READ COMMITTED, never on a higher
-- isolation level.

-- Tasks. `blockers` counts the blockers that are not done and changes with them in one transaction, so that an index
-- finds ready tasks, and so that a claim that waited for a row sees the current count. Metadata is text: jsonb holds
-- no NUL. Claimed tasks leave dead entries at the front of the index of ready tasks: vacuum removes them early.
CREATE SEQUENCE waymark.task_numbers;

CREATE TABLE waymark.tasks (
  num bigint PRIMARY KEY,
  subject text NOT NULL,
  description text,
  active_text text,
  status text NOT NULL,
  priority smallint NOT NULL,
  labels jsonb NOT NULL,
  parent bigint REFERENCES waymark.tasks (num) DEFERRABLE INITIALLY DEFERRED,
  blocked_by jsonb NOT NULL,
  blockers integer NOT NULL,
  owner text,
  epoch integer NOT NULL,
  lease bigint,
  lease_until bigint,
  attempts integer NOT NULL,
  max_attempts integer NOT NULL,
  evidence jsonb NOT NULL,
  reason text,
  metadata text NOT NULL,
  ref text,
  author text,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  claimed_at bigint,
  finished_at bigint
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
CREATE UNIQUE INDEX tasks_ref ON waymark.tasks (ref) WHERE ref IS NOT NULL;
CREATE INDEX tasks_ready ON waymark.tasks (priority, created_at, num) WHERE status = 'open' AND blockers = 0;
CREATE INDEX tasks_leases ON waymark.tasks (lease_until) WHERE status = 'claimed';
CREATE INDEX tasks_parent ON waymark.tasks (parent, num) WHERE parent IS NOT NULL;

CREATE TABLE waymark.task_blockers (
  task bigint NOT NULL REFERENCES waymark.tasks (num) DEFERRABLE INITIALLY DEFERRED,
  blocker bigint NOT NULL REFERENCES waymark.tasks (num) DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (task, blocker)
);
CREATE INDEX task_blockers_blocker ON waymark.task_blockers (blocker, task);

CREATE TABLE waymark.task_events (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at bigint NOT NULL,
  type text NOT NULL,
  task bigint NOT NULL,
  sent_by text NOT NULL,
  via text NOT NULL,
  actor text,
  key text,
  part integer,
  fields text NOT NULL
);
CREATE UNIQUE INDEX task_events_key ON waymark.task_events (key, part) WHERE key IS NOT NULL;
CREATE INDEX task_events_task ON waymark.task_events (task, seq);

-- Lists. `state` is the folded track and `fold` the version of the rules that folded it; `last` is the position of the
-- track's last event. Ids, keys and directories are escaped as in a JSON string: PostgreSQL text holds neither NUL nor
-- lone surrogates. They can be longer than an index entry, so indexes hold their MD5.
CREATE TABLE waymark.tracks (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  session text NOT NULL,
  agent text NOT NULL,
  version integer NOT NULL,
  fold integer NOT NULL,
  state text NOT NULL,
  cwd text,
  last bigint NOT NULL
);
CREATE UNIQUE INDEX tracks_name ON waymark.tracks (md5(session), md5(agent));
CREATE INDEX tracks_last ON waymark.tracks (last);

CREATE TABLE waymark.events (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  track bigint NOT NULL REFERENCES waymark.tracks (id),
  seq integer NOT NULL,
  key text NOT NULL,
  body text NOT NULL,
  UNIQUE (track, seq)
);
CREATE UNIQUE INDEX events_key ON waymark.events (track, md5(key));

-- Tracks that machines relay. A machine has one relay at a time, so a row has one writer. `state` is what others may
-- see of the track, `hash` tells whether that changed; `version` is the version of the list that was sent, `places` and
-- `last_key` say how much of its history was. `xact` is the transaction that wrote the row: a follower asks for all
-- rows that a transaction unfinished at its last look may have written.
CREATE TABLE waymark.machines (
  id text PRIMARY KEY,
  name text NOT NULL,
  seen_at bigint NOT NULL,
  ahead bigint NOT NULL
);

CREATE TABLE waymark.relayed (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  machine text NOT NULL REFERENCES waymark.machines (id) ON DELETE CASCADE,
  session text NOT NULL,
  agent text NOT NULL,
  hash text NOT NULL,
  version integer NOT NULL,
  places integer NOT NULL,
  last_key text,
  state text NOT NULL,
  heard_at bigint NOT NULL,
  xact xid8 NOT NULL
);
CREATE UNIQUE INDEX relayed_name ON waymark.relayed (machine, md5(session), md5(agent));
CREATE INDEX relayed_heard ON waymark.relayed (heard_at);
CREATE INDEX relayed_xact ON waymark.relayed (xact);

CREATE TABLE waymark.relayed_events (
  track bigint NOT NULL REFERENCES waymark.relayed (id) ON DELETE CASCADE,
  place integer NOT NULL,
  key text NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (track, place)
);
CREATE UNIQUE INDEX relayed_events_key ON waymark.relayed_events (track, md5(key));

-- Functions resolve unqualified names to built-in ones, whatever the caller's search path. now_ms() qualifies them
-- instead: PostgreSQL does not inline a function that has settings.
CREATE FUNCTION waymark.now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
  'SELECT pg_catalog.floor(extract(epoch FROM pg_catalog.clock_timestamp()) OPERATOR(pg_catalog.*) 1000)::bigint';

-- Claiming and finishing address rows by number, never by a join: the planner does not know how long an array is, and
-- would read the whole table.
CREATE FUNCTION waymark.claim_tasks(
  p_num bigint, p_count integer, p_label text, p_owner text, p_lease bigint,
  p_by text, p_via text, p_actor text, p_key text
) RETURNS TABLE (task waymark.tasks, event bigint) LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
  SET search_path = pg_catalog, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    v_now bigint := waymark.now_ms();
    v_nums bigint[];
    v_fields text;
  BEGIN
    IF p_num IS NOT NULL THEN
      v_nums := ARRAY(
        SELECT t.num FROM waymark.tasks t
         WHERE t.num = p_num AND t.blockers = 0 AND (p_label IS NULL OR t.labels ? p_label)
           AND (t.status = 'open' OR t.status = 'claimed' AND t.lease_until <= v_now AND t.attempts < t.max_attempts)
         FOR UPDATE SKIP LOCKED);
    ELSIF EXISTS (SELECT FROM waymark.tasks t WHERE t.status = 'claimed' AND t.lease_until <= v_now
                     AND t.attempts < t.max_attempts AND t.blockers = 0) THEN
      v_nums := ARRAY(
        WITH open AS MATERIALIZED (
          SELECT t.num, t.priority, t.created_at FROM waymark.tasks t
           WHERE t.status = 'open' AND t.blockers = 0 AND (p_label IS NULL OR t.labels ? p_label)
           ORDER BY t.priority, t.created_at, t.num LIMIT p_count FOR UPDATE SKIP LOCKED
        ), lapsed AS MATERIALIZED (
          SELECT t.num, t.priority, t.created_at FROM waymark.tasks t
           WHERE t.status = 'claimed' AND t.lease_until <= v_now AND t.attempts < t.max_attempts AND t.blockers = 0
             AND (p_label IS NULL OR t.labels ? p_label)
           ORDER BY t.priority, t.created_at, t.num LIMIT p_count FOR UPDATE SKIP LOCKED
        )
        SELECT num FROM (SELECT * FROM open UNION ALL SELECT * FROM lapsed) AS every
         ORDER BY priority, created_at, num LIMIT p_count);
    ELSIF p_label IS NOT NULL THEN
      v_nums := ARRAY(
        SELECT t.num FROM waymark.tasks t
         WHERE t.status = 'open' AND t.blockers = 0 AND t.labels ? p_label
         ORDER BY t.priority, t.created_at, t.num LIMIT p_count FOR UPDATE SKIP LOCKED);
    ELSE
      v_nums := ARRAY(
        SELECT t.num FROM waymark.tasks t WHERE t.status = 'open' AND t.blockers = 0
         ORDER BY t.priority, t.created_at, t.num LIMIT p_count FOR UPDATE SKIP LOCKED);
    END IF;
    IF cardinality(v_nums) = 0 THEN
      RETURN;
    END IF;
    v_fields := format('{"status":"claimed","owner":%s,"lease":%s,"leaseUntil":%s,"claimedAt":%s',
                       to_json(p_owner), p_lease, v_now + p_lease, v_now);
    RETURN QUERY
    WITH claimed AS (
      UPDATE waymark.tasks t SET status = 'claimed', owner = p_owner, epoch = t.epoch + 1, lease = p_lease,
             lease_until = v_now + p_lease, attempts = t.attempts + 1, claimed_at = v_now, updated_at = v_now
       WHERE t.num = ANY (v_nums) RETURNING t AS row
    ), placed AS (
      SELECT (c.row).num, (c.row).epoch, (c.row).attempts, array_position(v_nums, (c.row).num) - 1 AS part FROM claimed c
    ), logged AS (
      INSERT INTO waymark.task_events (at, type, task, sent_by, via, actor, key, part, fields)
      SELECT v_now, 'claimed', p.num, p_by, p_via, p_actor, p_key, p.part,
             v_fields || ',"epoch":' || p.epoch || ',"attempts":' || p.attempts || '}'
        FROM placed p ORDER BY p.part RETURNING task_events.task, task_events.seq
    )
    SELECT c.row, l.seq FROM claimed c JOIN logged l ON l.task = (c.row).num ORDER BY l.seq;
  END $$;

CREATE FUNCTION waymark.finish_tasks(
  p_nums bigint[], p_epochs integer[], p_owner text, p_evidence jsonb,
  p_by text, p_via text, p_actor text, p_key text
) RETURNS TABLE (task waymark.tasks, event bigint) LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
  SET search_path = pg_catalog, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    v_now bigint := waymark.now_ms();
    v_held integer;
    v_reasoned bigint[];
    v_fields text;
  BEGIN
    -- One alone needs no lock before its change: the change itself looks whether it is held.
    IF cardinality(p_nums) > 1 THEN
      SELECT count(*) INTO v_held
        FROM (SELECT * FROM waymark.tasks t WHERE t.num = ANY (p_nums) ORDER BY t.num FOR UPDATE) AS l
       WHERE l.epoch = p_epochs[array_position(p_nums, l.num)] AND l.owner = p_owner AND l.status = 'claimed'
         AND (l.lease_until > waymark.now_ms() OR l.attempts < l.max_attempts);
      IF v_held < cardinality(p_nums) THEN
        RETURN;
      END IF;
      v_now := waymark.now_ms();
    END IF;
    -- Nothing changes the reason of a task while it is held.
    v_reasoned := ARRAY(SELECT t.num FROM waymark.tasks t WHERE t.num = ANY (p_nums) AND t.reason IS NOT NULL);
    v_fields := format('{"status":"done","owner":%s,"finishedAt":%s,"leaseUntil":null%s',
                       to_json(p_owner), v_now, ',"evidence":' || p_evidence::text);
    -- Spelt so that it is found by its number, and not among everything that is claimed.
    RETURN QUERY
    WITH done AS (
      UPDATE waymark.tasks t SET status = 'done', finished_at = v_now, updated_at = v_now,
             lease_until = NULL, reason = NULL, evidence = coalesce(p_evidence, t.evidence)
       WHERE t.num = ANY (p_nums) AND t.epoch = p_epochs[array_position(p_nums, t.num)] AND t.owner = p_owner
         AND t.status || '' = 'claimed' AND (t.lease_until > v_now OR t.attempts < t.max_attempts)
      RETURNING t AS row
    ), placed AS (
      SELECT (d.row).num, array_position(p_nums, (d.row).num) - 1 AS part FROM done d
    ), logged AS (
      INSERT INTO waymark.task_events (at, type, task, sent_by, via, actor, key, part, fields)
      SELECT v_now, 'done', p.num, p_by, p_via, p_actor, p_key, p.part,
             v_fields || CASE WHEN p.num = ANY (v_reasoned) THEN ',"reason":null}' ELSE '}' END
        FROM placed p ORDER BY p.part RETURNING task_events.task, task_events.seq
    )
    SELECT d.row, l.seq FROM done d JOIN logged l ON l.task = (d.row).num ORDER BY l.seq;
    IF FOUND AND EXISTS (SELECT FROM waymark.task_blockers b WHERE b.blocker = ANY (p_nums)) THEN
      UPDATE waymark.tasks t SET blockers = t.blockers - d.count
        FROM (SELECT b.task AS num, count(*)::integer AS count FROM waymark.task_blockers b
               WHERE b.blocker = ANY (p_nums) GROUP BY b.task) AS d
       WHERE t.num = d.num;
    END IF;
  END $$;

CREATE FUNCTION waymark.keep_tasks(
  p_tasks jsonb, p_edges bigint[], p_done bigint[], p_undone bigint[], p_events jsonb
) RETURNS bigint LANGUAGE plpgsql
  SET search_path = pg_catalog, pg_temp AS $$
  #variable_conflict use_column
  DECLARE
    v_last bigint;
  BEGIN
    INSERT INTO waymark.tasks (num, blockers, subject, description, active_text, status, priority, labels, parent,
           blocked_by, owner, epoch, lease, lease_until, attempts, max_attempts, evidence, reason, metadata, ref,
           author, created_at, updated_at, claimed_at, finished_at)
    SELECT r.num, 0, r.subject, r.description, r.active_text, r.status, r.priority, r.labels, r.parent,
           r.blocked_by, r.owner, r.epoch, r.lease, r.lease_until, r.attempts, r.max_attempts, r.evidence, r.reason,
           r.metadata, r.ref, r.author, r.created_at, r.updated_at, r.claimed_at, r.finished_at
      FROM jsonb_populate_recordset(NULL::waymark.tasks, p_tasks) AS r
    ON CONFLICT (num) DO UPDATE SET subject = excluded.subject, description = excluded.description,
           active_text = excluded.active_text, status = excluded.status, priority = excluded.priority,
           labels = excluded.labels, parent = excluded.parent, blocked_by = excluded.blocked_by,
           owner = excluded.owner, epoch = excluded.epoch, lease = excluded.lease,
           lease_until = excluded.lease_until, attempts = excluded.attempts, max_attempts = excluded.max_attempts,
           evidence = excluded.evidence, reason = excluded.reason, metadata = excluded.metadata,
           updated_at = excluded.updated_at, claimed_at = excluded.claimed_at, finished_at = excluded.finished_at;
    IF cardinality(p_edges) > 0 THEN
      DELETE FROM waymark.task_blockers b WHERE b.task = ANY (p_edges);
      INSERT INTO waymark.task_blockers (task, blocker)
      SELECT t.num, e.value::bigint FROM waymark.tasks t CROSS JOIN LATERAL jsonb_array_elements(t.blocked_by) AS e
       WHERE t.num = ANY (p_edges);
      UPDATE waymark.tasks t SET blockers = (
        SELECT count(*) FROM waymark.task_blockers b JOIN waymark.tasks o ON o.num = b.blocker
         WHERE b.task = t.num AND o.status <> 'done')
       WHERE t.num = ANY (p_edges);
    END IF;
    IF cardinality(p_done) + cardinality(p_undone) > 0 THEN
      UPDATE waymark.tasks t SET blockers = t.blockers + d.delta
        FROM (SELECT b.task AS num, sum(CASE WHEN b.blocker = ANY (p_done) THEN -1 ELSE 1 END)::integer AS delta
                FROM waymark.task_blockers b WHERE b.blocker = ANY (p_done || p_undone) GROUP BY b.task) AS d
       WHERE t.num = d.num;
    END IF;
    WITH logged AS (
      INSERT INTO waymark.task_events (at, type, task, sent_by, via, actor, key, part, fields)
      SELECT e.at, e.type, e.task, e.sent_by, e.via, e.actor, e.key, e.part, e.fields
        FROM jsonb_to_recordset(p_events) AS e (at bigint, type text, task bigint, sent_by text, via text,
             actor text, key text, part integer, fields text)
       ORDER BY e.part RETURNING seq
    ) SELECT max(seq) INTO v_last FROM logged;
    RETURN v_last;
  END $$;

-- Several callers in one statement: the i-th free task for the i-th caller, and to each caller its own finish. A caller
-- that gets no row asks alone, and learns the reason then.
CREATE FUNCTION waymark.claim_each(
  p_owners text[], p_leases bigint[], p_bys text[], p_vias text[], p_actors text[], p_keys text[]
) RETURNS SETOF json LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
  SET search_path = pg_catalog, pg_temp AS $$
  DECLARE
    v_now bigint := waymark.now_ms();
    v_nums bigint[];
  BEGIN
    -- What lapsed has to be weighed against what is open: not here.
    IF EXISTS (SELECT FROM waymark.tasks t WHERE t.status = 'claimed' AND t.lease_until <= v_now
                  AND t.attempts < t.max_attempts AND t.blockers = 0) THEN
      RETURN;
    END IF;
    v_nums := ARRAY(
      SELECT t.num FROM waymark.tasks t WHERE t.status = 'open' AND t.blockers = 0
       ORDER BY t.priority, t.created_at, t.num LIMIT cardinality(p_owners) FOR UPDATE SKIP LOCKED);
    IF cardinality(v_nums) = 0 THEN
      RETURN;
    END IF;
    RETURN QUERY
    WITH claimed AS (
      UPDATE waymark.tasks t SET status = 'claimed', owner = p_owners[array_position(v_nums, t.num)],
             epoch = t.epoch + 1, lease = p_leases[array_position(v_nums, t.num)],
             lease_until = v_now + p_leases[array_position(v_nums, t.num)],
             attempts = t.attempts + 1, claimed_at = v_now, updated_at = v_now
       WHERE t.num = ANY (v_nums)
      RETURNING t.*, array_position(v_nums, t.num) AS place, nextval('waymark.task_events_seq_seq') AS event
    ), logged AS (
      INSERT INTO waymark.task_events (seq, at, type, task, sent_by, via, actor, key, part, fields) OVERRIDING SYSTEM VALUE
      SELECT c.event, v_now, 'claimed', c.num, p_bys[c.place], p_vias[c.place], p_actors[c.place], p_keys[c.place], 0,
             '{"status":"claimed","owner":' || to_json(c.owner) || ',"epoch":' || c.epoch || ',"lease":' || c.lease
             || ',"leaseUntil":' || c.lease_until || ',"attempts":' || c.attempts || ',"claimedAt":' || v_now || '}'
        FROM claimed c
    )
    SELECT row_to_json(c) FROM claimed c;
  END $$;

CREATE FUNCTION waymark.finish_each(
  p_nums bigint[], p_epochs integer[], p_owners text[], p_bys text[], p_vias text[], p_actors text[], p_keys text[]
) RETURNS SETOF json LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
  SET search_path = pg_catalog, pg_temp AS $$
  DECLARE
    v_now bigint := waymark.now_ms();
    v_done bigint[];
  BEGIN
    -- Spelt so that each is found by its number, and not among everything that is claimed.
    RETURN QUERY
    WITH done AS (
      UPDATE waymark.tasks t SET status = 'done', finished_at = v_now, updated_at = v_now, lease_until = NULL
       WHERE t.num = ANY (p_nums) AND t.epoch = p_epochs[array_position(p_nums, t.num)]
         AND t.owner = p_owners[array_position(p_nums, t.num)] AND t.status || '' = 'claimed' AND t.reason IS NULL
         AND (t.lease_until > v_now OR t.attempts < t.max_attempts)
      RETURNING t.*, array_position(p_nums, t.num) AS place, nextval('waymark.task_events_seq_seq') AS event
    ), logged AS (
      INSERT INTO waymark.task_events (seq, at, type, task, sent_by, via, actor, key, part, fields) OVERRIDING SYSTEM VALUE
      SELECT d.event, v_now, 'done', d.num, p_bys[d.place], p_vias[d.place], p_actors[d.place], p_keys[d.place], 0,
             '{"status":"done","owner":' || to_json(d.owner) || ',"finishedAt":' || v_now || ',"leaseUntil":null}'
        FROM done d
    )
    SELECT row_to_json(d) FROM done d;
    IF EXISTS (SELECT FROM waymark.task_blockers b WHERE b.blocker = ANY (p_nums)) THEN
      v_done := ARRAY(SELECT t.num FROM waymark.tasks t JOIN waymark.task_events e ON e.task = t.num
                       WHERE t.num = ANY (p_nums) AND e.key = p_keys[array_position(p_nums, t.num)]);
      UPDATE waymark.tasks t SET blockers = t.blockers - d.count
        FROM (SELECT b.task AS num, count(*)::integer AS count FROM waymark.task_blockers b
               WHERE b.blocker = ANY (v_done) GROUP BY b.task) AS d
       WHERE t.num = d.num;
    END IF;
  END $$;
