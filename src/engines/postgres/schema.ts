/**
 * The schema, one step a number. A released step is never edited: a change is a new step.
 *
 * Everything stands in the schema `waymark`, so that a database can be shared with others. Times are
 * milliseconds of the server's clock. `tasks.blockers` counts blockers that are not done and changes
 * with them in one transaction, so that what is ready is found by an index, and so that a claim that
 * waited for a row sees the count as it is then. Metadata is text: jsonb knows no NUL.
 *
 * Correctness rests on row locks and guarded statements at READ COMMITTED, never on a higher level.
 */
export const MIGRATIONS: readonly string[] = [
  `
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
    ref text UNIQUE,
    author text,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    claimed_at bigint,
    finished_at bigint
  ) WITH (fillfactor = 70);
  CREATE INDEX tasks_ready ON waymark.tasks (priority, created_at, num) WHERE status = 'open' AND blockers = 0;
  CREATE INDEX tasks_leases ON waymark.tasks (lease_until) WHERE status = 'claimed';
  CREATE INDEX tasks_owner ON waymark.tasks (owner, num) WHERE owner IS NOT NULL;
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

  CREATE FUNCTION waymark.now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
    'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

  CREATE FUNCTION waymark.claim_tasks(
    p_num bigint, p_count integer, p_label text, p_owner text, p_lease bigint,
    p_by text, p_via text, p_actor text, p_key text
  ) RETURNS TABLE (task jsonb, event bigint) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE
    v_now bigint := waymark.now_ms();
  BEGIN
    RETURN QUERY
    WITH open AS MATERIALIZED (
      SELECT t.num, t.priority, t.created_at FROM waymark.tasks t
       WHERE t.status = 'open' AND t.blockers = 0
         AND (p_num IS NULL OR t.num = p_num) AND (p_label IS NULL OR t.labels ? p_label)
       ORDER BY t.priority, t.created_at, t.num LIMIT p_count FOR UPDATE SKIP LOCKED
    ), lapsed AS MATERIALIZED (
      SELECT t.num, t.priority, t.created_at FROM waymark.tasks t
       WHERE t.status = 'claimed' AND t.lease_until <= v_now AND t.attempts < t.max_attempts AND t.blockers = 0
         AND (p_num IS NULL OR t.num = p_num) AND (p_label IS NULL OR t.labels ? p_label)
       ORDER BY t.priority, t.created_at, t.num LIMIT p_count FOR UPDATE SKIP LOCKED
    ), chosen AS (
      SELECT num FROM (SELECT * FROM open UNION ALL SELECT * FROM lapsed) AS every
       ORDER BY priority, created_at, num LIMIT p_count
    ), claimed AS (
      UPDATE waymark.tasks t SET status = 'claimed', owner = p_owner, epoch = t.epoch + 1, lease = p_lease,
             lease_until = v_now + p_lease, attempts = t.attempts + 1, claimed_at = v_now, updated_at = v_now
        FROM chosen WHERE t.num = chosen.num RETURNING t.*
    ), placed AS (
      SELECT row_number() OVER (ORDER BY priority, created_at, num) - 1 AS part, claimed.* FROM claimed
    ), logged AS (
      INSERT INTO waymark.task_events (at, type, task, sent_by, via, actor, key, part, fields)
      SELECT v_now, 'claimed', num, p_by, p_via, p_actor, p_key, part, json_build_object('status', 'claimed',
             'owner', owner, 'epoch', epoch, 'lease', lease, 'leaseUntil', lease_until,
             'attempts', attempts, 'claimedAt', claimed_at)::text
        FROM placed ORDER BY part RETURNING task_events.task, task_events.seq
    )
    SELECT to_jsonb(claimed.*), logged.seq FROM claimed JOIN logged ON logged.task = claimed.num
     ORDER BY logged.seq;
  END $$;

  CREATE FUNCTION waymark.finish_tasks(
    p_nums bigint[], p_epochs integer[], p_owner text, p_evidence jsonb,
    p_by text, p_via text, p_actor text, p_key text
  ) RETURNS TABLE (task jsonb, event bigint) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE
    v_now bigint;
    v_held integer;
  BEGIN
    PERFORM 1 FROM waymark.tasks t WHERE t.num = ANY (p_nums) ORDER BY t.num FOR UPDATE;
    v_now := waymark.now_ms();
    SELECT count(*) INTO v_held FROM waymark.tasks t JOIN unnest(p_nums, p_epochs) AS h (num, epoch) ON h.num = t.num
     WHERE t.epoch = h.epoch AND t.owner = p_owner AND t.status = 'claimed'
       AND (t.lease_until > v_now OR t.attempts < t.max_attempts);
    IF v_held < cardinality(p_nums) THEN
      RETURN;
    END IF;
    INSERT INTO waymark.task_events (at, type, task, sent_by, via, actor, key, part, fields)
    SELECT v_now, 'done', t.num, p_by, p_via, p_actor, p_key, h.place - 1,
           (jsonb_build_object('status', 'done', 'owner', p_owner, 'finishedAt', v_now, 'leaseUntil', NULL)
             || CASE WHEN p_evidence IS NULL THEN '{}' ELSE jsonb_build_object('evidence', p_evidence) END
             || CASE WHEN t.reason IS NULL THEN '{}' ELSE '{"reason": null}'::jsonb END)::text
      FROM unnest(p_nums) WITH ORDINALITY AS h (num, place) JOIN waymark.tasks t ON t.num = h.num ORDER BY h.place;
    UPDATE waymark.tasks t SET status = 'done', owner = p_owner, finished_at = v_now, updated_at = v_now,
           lease_until = NULL, reason = NULL, evidence = coalesce(p_evidence, t.evidence)
     WHERE t.num = ANY (p_nums);
    UPDATE waymark.tasks t SET blockers = t.blockers - d.count
      FROM (SELECT b.task AS num, count(*)::integer AS count FROM waymark.task_blockers b
             WHERE b.blocker = ANY (p_nums) GROUP BY b.task) AS d
     WHERE t.num = d.num;
    RETURN QUERY
    SELECT to_jsonb(t.*), (SELECT max(e.seq) FROM waymark.task_events e WHERE e.task = t.num)
      FROM unnest(p_nums) WITH ORDINALITY AS h (num, place) JOIN waymark.tasks t ON t.num = h.num ORDER BY h.place;
  END $$;

  CREATE FUNCTION waymark.keep_tasks(
    p_tasks jsonb, p_edges bigint[], p_done bigint[], p_undone bigint[], p_events jsonb
  ) RETURNS bigint LANGUAGE plpgsql AS $$
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
  `,
  // Tracks. `state` is the folded track and `fold` says by which rules; `last` is the position of the
  // track's last event. Ids, keys and directories are written as inside a JSON string: text of
  // PostgreSQL knows neither NUL nor lone surrogates. They can be longer than an index takes: it has
  // their fingerprints.
  `
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
  `,
  // Tracks that machines relay. A machine has one relay at a time, so a row has one writer. `state` is
  // what others may see of the track, `hash` tells whether that changed; `version` is the version of the
  // list that was sent, `places` and `last_key` say how far its history was. `xact` is the transaction that
  // wrote the row: whoever follows asks for all that an unfinished one of then may have brought.
  `
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
  `,
  // Fewer indexes to write: who holds what is found among the claimed, and few have a ref. Claiming and finishing take rows by their numbers,
  // never by a join: the planner knows nothing of how long an array is, and would read the whole table.
  `
  DROP INDEX waymark.tasks_owner;
  ALTER TABLE waymark.tasks DROP CONSTRAINT tasks_ref_key;
  CREATE UNIQUE INDEX tasks_ref ON waymark.tasks (ref) WHERE ref IS NOT NULL;

  DROP FUNCTION waymark.claim_tasks(bigint, integer, text, text, bigint, text, text, text, text);
  CREATE FUNCTION waymark.claim_tasks(
    p_num bigint, p_count integer, p_label text, p_owner text, p_lease bigint,
    p_by text, p_via text, p_actor text, p_key text
  ) RETURNS TABLE (task waymark.tasks, event bigint) LANGUAGE plpgsql
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
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

  DROP FUNCTION waymark.finish_tasks(bigint[], integer[], text, jsonb, text, text, text, text);
  CREATE FUNCTION waymark.finish_tasks(
    p_nums bigint[], p_epochs integer[], p_owner text, p_evidence jsonb,
    p_by text, p_via text, p_actor text, p_key text
  ) RETURNS TABLE (task waymark.tasks, event bigint) LANGUAGE plpgsql
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
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
  `,
  // Several callers in one statement: the i-th task that is free for the i-th of them, and to each its own
  // finish. Whoever gets no row has to ask alone, and is told why.
  `
  -- What was claimed leaves dead entries at the front of the index of what is ready: they are to go soon.
  ALTER TABLE waymark.tasks SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);

  CREATE FUNCTION waymark.claim_each(
    p_owners text[], p_leases bigint[], p_bys text[], p_vias text[], p_actors text[], p_keys text[]
  ) RETURNS TABLE (place integer, task waymark.tasks, event bigint) LANGUAGE plpgsql
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
  #variable_conflict use_column
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
       WHERE t.num = ANY (v_nums) RETURNING t AS row, array_position(v_nums, t.num) AS place
    ), logged AS (
      INSERT INTO waymark.task_events (at, type, task, sent_by, via, actor, key, part, fields)
      SELECT v_now, 'claimed', (c.row).num, p_bys[c.place], p_vias[c.place], p_actors[c.place], p_keys[c.place], 0,
             format('{"status":"claimed","owner":%s,"epoch":%s,"lease":%s,"leaseUntil":%s,"attempts":%s,"claimedAt":%s}',
                    to_json((c.row).owner), (c.row).epoch, (c.row).lease, (c.row).lease_until, (c.row).attempts, v_now)
        FROM claimed c ORDER BY c.place RETURNING task_events.task, task_events.seq
    )
    SELECT c.place, c.row, l.seq FROM claimed c JOIN logged l ON l.task = (c.row).num;
  END $$;

  CREATE FUNCTION waymark.finish_each(
    p_nums bigint[], p_epochs integer[], p_owners text[], p_bys text[], p_vias text[], p_actors text[], p_keys text[]
  ) RETURNS TABLE (place integer, task waymark.tasks, event bigint) LANGUAGE plpgsql
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
  #variable_conflict use_column
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
      RETURNING t AS row, array_position(p_nums, t.num) AS place
    ), logged AS (
      INSERT INTO waymark.task_events (at, type, task, sent_by, via, actor, key, part, fields)
      SELECT v_now, 'done', (d.row).num, p_bys[d.place], p_vias[d.place], p_actors[d.place], p_keys[d.place], 0,
             format('{"status":"done","owner":%s,"finishedAt":%s,"leaseUntil":null}', to_json((d.row).owner), v_now)
        FROM done d ORDER BY d.place RETURNING task_events.task, task_events.seq
    )
    SELECT d.place, d.row, l.seq FROM done d JOIN logged l ON l.task = (d.row).num;
    IF EXISTS (SELECT FROM waymark.task_blockers b WHERE b.blocker = ANY (p_nums)) THEN
      v_done := ARRAY(SELECT t.num FROM waymark.tasks t JOIN waymark.task_events e ON e.task = t.num
                       WHERE t.num = ANY (p_nums) AND e.key = p_keys[array_position(p_nums, t.num)]);
      UPDATE waymark.tasks t SET blockers = t.blockers - d.count
        FROM (SELECT b.task AS num, count(*)::integer AS count FROM waymark.task_blockers b
               WHERE b.blocker = ANY (v_done) GROUP BY b.task) AS d
       WHERE t.num = d.num;
    END IF;
  END $$;
  `,
  // The same two, with less to do for the server and for who reads the answer: one statement names its events
  // itself, and a task comes as one column.
  `
  DROP FUNCTION waymark.claim_each(text[], bigint[], text[], text[], text[], text[]);
  CREATE FUNCTION waymark.claim_each(
    p_owners text[], p_leases bigint[], p_bys text[], p_vias text[], p_actors text[], p_keys text[]
  ) RETURNS SETOF json LANGUAGE plpgsql
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
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

  DROP FUNCTION waymark.finish_each(bigint[], integer[], text[], text[], text[], text[], text[]);
  CREATE FUNCTION waymark.finish_each(
    p_nums bigint[], p_epochs integer[], p_owners text[], p_bys text[], p_vias text[], p_actors text[], p_keys text[]
  ) RETURNS SETOF json LANGUAGE plpgsql
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off AS $$
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
  `,
  // Functions resolve unqualified names to built-in ones, whatever the caller's search path. now_ms() qualifies
  // them instead, because PostgreSQL inlines no function that has settings.
  `
  CREATE OR REPLACE FUNCTION waymark.now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
    'SELECT pg_catalog.floor(extract(epoch FROM pg_catalog.clock_timestamp()) OPERATOR(pg_catalog.*) 1000)::bigint';
  ALTER FUNCTION waymark.claim_tasks(bigint, integer, text, text, bigint, text, text, text, text) SET search_path = pg_catalog, pg_temp;
  ALTER FUNCTION waymark.finish_tasks(bigint[], integer[], text, jsonb, text, text, text, text) SET search_path = pg_catalog, pg_temp;
  ALTER FUNCTION waymark.keep_tasks(jsonb, bigint[], bigint[], bigint[], jsonb) SET search_path = pg_catalog, pg_temp;
  ALTER FUNCTION waymark.claim_each(text[], bigint[], text[], text[], text[], text[]) SET search_path = pg_catalog, pg_temp;
  ALTER FUNCTION waymark.finish_each(bigint[], integer[], text[], text[], text[], text[], text[]) SET search_path = pg_catalog, pg_temp;
  ALTER TABLE waymark.migrations ALTER COLUMN at SET DEFAULT pg_catalog.now();
  `,
];
