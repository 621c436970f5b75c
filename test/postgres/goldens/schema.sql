events.position bigint NOT NULL IDENTITY ALWAYS
events.track bigint NOT NULL
events.seq integer NOT NULL
events.key text NOT NULL
events.body text NOT NULL
machines.id text NOT NULL
machines.name text NOT NULL
machines.seen_at bigint NOT NULL
machines.ahead bigint NOT NULL
migrations.version integer NOT NULL
migrations.at timestamp with time zone NOT NULL DEFAULT now()
queue.id integer NOT NULL
queue.paused_at bigint
queue.paused_by text
queue.reason text
queue.aging bigint
relayed.id bigint NOT NULL IDENTITY ALWAYS
relayed.machine text NOT NULL
relayed.session text NOT NULL
relayed.agent text NOT NULL
relayed.hash text NOT NULL
relayed.version integer NOT NULL
relayed.places integer NOT NULL
relayed.last_key text
relayed.state text NOT NULL
relayed.heard_at bigint NOT NULL
relayed.xact xid8 NOT NULL
relayed_events.track bigint NOT NULL
relayed_events.place integer NOT NULL
relayed_events.key text NOT NULL
relayed_events.body text NOT NULL
task_blockers.task bigint NOT NULL
task_blockers.blocker bigint NOT NULL
task_events.seq bigint NOT NULL IDENTITY ALWAYS
task_events.at bigint NOT NULL
task_events.type text NOT NULL
task_events.task bigint NOT NULL
task_events.sent_by text NOT NULL
task_events.via text NOT NULL
task_events.actor text
task_events.key text
task_events.part integer
task_events.fields text NOT NULL
tasks.num bigint NOT NULL
tasks.subject text NOT NULL
tasks.description text
tasks.active_text text
tasks.status text NOT NULL
tasks.priority smallint NOT NULL
tasks.labels jsonb NOT NULL
tasks.parent bigint
tasks.blocked_by jsonb NOT NULL
tasks.blockers integer NOT NULL
tasks.owner text
tasks.epoch integer NOT NULL
tasks.lease bigint
tasks.lease_until bigint
tasks.attempts integer NOT NULL
tasks.max_attempts integer NOT NULL
tasks.evidence jsonb NOT NULL
tasks.reason text
tasks.metadata text NOT NULL
tasks.ref text
tasks.author text
tasks.created_at bigint NOT NULL
tasks.updated_at bigint NOT NULL
tasks.claimed_at bigint
tasks.finished_at bigint
tasks.check_name text
tasks.proof text
tasks.not_before bigint
tasks.deadline bigint
tasks.delayed boolean NOT NULL DEFAULT false
tracks.id bigint NOT NULL IDENTITY ALWAYS
tracks.session text NOT NULL
tracks.agent text NOT NULL
tracks.version integer NOT NULL
tracks.fold integer NOT NULL
tracks.state text NOT NULL
tracks.cwd text
tracks.last bigint NOT NULL

waymark.events events_pkey PRIMARY KEY ("position")
waymark.events events_track_fkey FOREIGN KEY (track) REFERENCES waymark.tracks(id)
waymark.events events_track_seq_key UNIQUE (track, seq)
waymark.machines machines_pkey PRIMARY KEY (id)
waymark.migrations migrations_pkey PRIMARY KEY (version)
waymark.queue queue_id_check CHECK ((id = 1))
waymark.queue queue_pkey PRIMARY KEY (id)
waymark.relayed relayed_machine_fkey FOREIGN KEY (machine) REFERENCES waymark.machines(id) ON DELETE CASCADE
waymark.relayed relayed_pkey PRIMARY KEY (id)
waymark.relayed_events relayed_events_pkey PRIMARY KEY (track, place)
waymark.relayed_events relayed_events_track_fkey FOREIGN KEY (track) REFERENCES waymark.relayed(id) ON DELETE CASCADE
waymark.task_blockers task_blockers_blocker_fkey FOREIGN KEY (blocker) REFERENCES waymark.tasks(num) DEFERRABLE INITIALLY DEFERRED
waymark.task_blockers task_blockers_pkey PRIMARY KEY (task, blocker)
waymark.task_blockers task_blockers_task_fkey FOREIGN KEY (task) REFERENCES waymark.tasks(num) DEFERRABLE INITIALLY DEFERRED
waymark.task_events task_events_pkey PRIMARY KEY (seq)
waymark.tasks tasks_parent_fkey FOREIGN KEY (parent) REFERENCES waymark.tasks(num) DEFERRABLE INITIALLY DEFERRED
waymark.tasks tasks_pkey PRIMARY KEY (num)
waymark.tracks tracks_pkey PRIMARY KEY (id)

CREATE UNIQUE INDEX events_key ON waymark.events USING btree (track, md5(key))
CREATE UNIQUE INDEX events_pkey ON waymark.events USING btree ("position")
CREATE UNIQUE INDEX events_track_seq_key ON waymark.events USING btree (track, seq)
CREATE UNIQUE INDEX machines_pkey ON waymark.machines USING btree (id)
CREATE UNIQUE INDEX migrations_pkey ON waymark.migrations USING btree (version)
CREATE UNIQUE INDEX queue_pkey ON waymark.queue USING btree (id)
CREATE UNIQUE INDEX relayed_events_key ON waymark.relayed_events USING btree (track, md5(key))
CREATE UNIQUE INDEX relayed_events_pkey ON waymark.relayed_events USING btree (track, place)
CREATE INDEX relayed_heard ON waymark.relayed USING btree (heard_at)
CREATE UNIQUE INDEX relayed_name ON waymark.relayed USING btree (machine, md5(session), md5(agent))
CREATE UNIQUE INDEX relayed_pkey ON waymark.relayed USING btree (id)
CREATE INDEX relayed_xact ON waymark.relayed USING btree (xact)
CREATE INDEX task_blockers_blocker ON waymark.task_blockers USING btree (blocker, task)
CREATE UNIQUE INDEX task_blockers_pkey ON waymark.task_blockers USING btree (task, blocker)
CREATE UNIQUE INDEX task_events_key ON waymark.task_events USING btree (key, part) WHERE (key IS NOT NULL)
CREATE UNIQUE INDEX task_events_pkey ON waymark.task_events USING btree (seq)
CREATE INDEX task_events_task ON waymark.task_events USING btree (task, seq)
CREATE INDEX tasks_deadline ON waymark.tasks USING btree (deadline) WHERE ((deadline IS NOT NULL) AND (status = ANY (ARRAY['open'::text, 'claimed'::text])))
CREATE INDEX tasks_delayed ON waymark.tasks USING btree (not_before) WHERE delayed
CREATE INDEX tasks_failed ON waymark.tasks USING btree (num) WHERE (status = 'failed'::text)
CREATE INDEX tasks_leases ON waymark.tasks USING btree (lease_until) WHERE (status = 'claimed'::text)
CREATE INDEX tasks_open ON waymark.tasks USING btree (num) WHERE (status = 'open'::text)
CREATE INDEX tasks_parent ON waymark.tasks USING btree (parent, num) WHERE (parent IS NOT NULL)
CREATE UNIQUE INDEX tasks_pkey ON waymark.tasks USING btree (num)
CREATE INDEX tasks_ready ON waymark.tasks USING btree (priority, created_at, num) WHERE ((status = 'open'::text) AND (blockers = 0) AND (NOT delayed))
CREATE UNIQUE INDEX tasks_ref ON waymark.tasks USING btree (ref) WHERE (ref IS NOT NULL)
CREATE INDEX tracks_last ON waymark.tracks USING btree (last)
CREATE UNIQUE INDEX tracks_name ON waymark.tracks USING btree (md5(session), md5(agent))
CREATE UNIQUE INDEX tracks_pkey ON waymark.tracks USING btree (id)

CREATE OR REPLACE FUNCTION waymark.claim_each(p_owners text[], p_leases bigint[], p_bys text[], p_vias text[], p_actors text[], p_keys text[])
 RETURNS SETOF json
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  DECLARE
    v_now bigint := waymark.now_ms();
    v_nums bigint[];
  BEGIN
    -- Expired claims, delays that have passed, aging and a paused queue are left to claim_tasks.
    IF EXISTS (SELECT FROM waymark.queue q WHERE q.id = 1 AND (q.paused_at IS NOT NULL OR q.aging IS NOT NULL))
       OR EXISTS (SELECT FROM waymark.tasks t WHERE t.status = 'claimed' AND t.lease_until <= v_now
                     AND t.attempts < t.max_attempts AND t.blockers = 0)
       OR EXISTS (SELECT FROM waymark.tasks t WHERE t.delayed AND t.not_before <= v_now) THEN
      RETURN;
    END IF;
    v_nums := ARRAY(
      SELECT t.num FROM waymark.tasks t WHERE t.status = 'open' AND t.blockers = 0 AND NOT t.delayed
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
  END $function$

CREATE OR REPLACE FUNCTION waymark.claim_tasks(p_num bigint, p_count integer, p_label text, p_owner text, p_lease bigint, p_by text, p_via text, p_actor text, p_key text)
 RETURNS TABLE(task waymark.tasks, event bigint)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  #variable_conflict use_column
  DECLARE
    v_now bigint := waymark.now_ms();
    v_nums bigint[];
    v_fields text;
    v_paused boolean;
    v_aging bigint;
  BEGIN
    SELECT q.paused_at IS NOT NULL, q.aging INTO v_paused, v_aging FROM waymark.queue q WHERE q.id = 1;
    IF v_paused THEN
      RETURN;
    END IF;
    IF EXISTS (SELECT FROM waymark.tasks t WHERE t.delayed AND t.not_before <= v_now) THEN
      v_nums := ARRAY(
        SELECT t.num FROM waymark.tasks t WHERE t.delayed AND t.not_before <= v_now
         ORDER BY t.not_before LIMIT 1000 FOR UPDATE SKIP LOCKED);
      UPDATE waymark.tasks t SET delayed = false WHERE t.num = ANY (v_nums);
    END IF;
    IF p_num IS NOT NULL THEN
      v_nums := ARRAY(
        SELECT t.num FROM waymark.tasks t
         WHERE t.num = p_num AND t.blockers = 0 AND (p_label IS NULL OR t.labels ? p_label)
           AND (t.not_before IS NULL OR t.not_before <= v_now)
           AND (t.status = 'open' OR t.status = 'claimed' AND t.lease_until <= v_now AND t.attempts < t.max_attempts)
         FOR UPDATE SKIP LOCKED);
    ELSIF v_aging IS NOT NULL THEN
      -- Each priority is read by itself: an index has only one order.
      v_nums := ARRAY(
        WITH open AS MATERIALIZED (
          SELECT o.num, o.priority, o.created_at FROM unnest(ARRAY[0, 1, 2, 3, 4]::smallint[]) AS p (priority)
           CROSS JOIN LATERAL (
             SELECT t.num, t.priority, t.created_at FROM waymark.tasks t
              WHERE t.status = 'open' AND t.blockers = 0 AND NOT t.delayed AND t.priority = p.priority
                AND (p_label IS NULL OR t.labels ? p_label)
              ORDER BY t.created_at, t.num LIMIT p_count FOR UPDATE SKIP LOCKED) AS o
        ), lapsed AS MATERIALIZED (
          SELECT t.num, t.priority, t.created_at FROM waymark.tasks t
           WHERE t.status = 'claimed' AND t.lease_until <= v_now AND t.attempts < t.max_attempts AND t.blockers = 0
             AND (t.not_before IS NULL OR t.not_before <= v_now) AND (p_label IS NULL OR t.labels ? p_label)
           ORDER BY t.created_at + t.priority * v_aging, t.priority, t.created_at, t.num
           LIMIT p_count FOR UPDATE SKIP LOCKED
        )
        SELECT num FROM (SELECT * FROM open UNION ALL SELECT * FROM lapsed) AS every
         ORDER BY created_at + priority * v_aging, priority, created_at, num LIMIT p_count);
    ELSIF EXISTS (SELECT FROM waymark.tasks t WHERE t.status = 'claimed' AND t.lease_until <= v_now
                     AND t.attempts < t.max_attempts AND t.blockers = 0
                     AND (t.not_before IS NULL OR t.not_before <= v_now)) THEN
      v_nums := ARRAY(
        WITH open AS MATERIALIZED (
          SELECT t.num, t.priority, t.created_at FROM waymark.tasks t
           WHERE t.status = 'open' AND t.blockers = 0 AND NOT t.delayed AND (p_label IS NULL OR t.labels ? p_label)
           ORDER BY t.priority, t.created_at, t.num LIMIT p_count FOR UPDATE SKIP LOCKED
        ), lapsed AS MATERIALIZED (
          SELECT t.num, t.priority, t.created_at FROM waymark.tasks t
           WHERE t.status = 'claimed' AND t.lease_until <= v_now AND t.attempts < t.max_attempts AND t.blockers = 0
             AND (t.not_before IS NULL OR t.not_before <= v_now) AND (p_label IS NULL OR t.labels ? p_label)
           ORDER BY t.priority, t.created_at, t.num LIMIT p_count FOR UPDATE SKIP LOCKED
        )
        SELECT num FROM (SELECT * FROM open UNION ALL SELECT * FROM lapsed) AS every
         ORDER BY priority, created_at, num LIMIT p_count);
    ELSIF p_label IS NOT NULL THEN
      v_nums := ARRAY(
        SELECT t.num FROM waymark.tasks t
         WHERE t.status = 'open' AND t.blockers = 0 AND NOT t.delayed AND t.labels ? p_label
         ORDER BY t.priority, t.created_at, t.num LIMIT p_count FOR UPDATE SKIP LOCKED);
    ELSE
      v_nums := ARRAY(
        SELECT t.num FROM waymark.tasks t WHERE t.status = 'open' AND t.blockers = 0 AND NOT t.delayed
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
             lease_until = v_now + p_lease, attempts = t.attempts + 1, claimed_at = v_now, updated_at = v_now,
             delayed = false
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
  END $function$

CREATE OR REPLACE FUNCTION waymark.finish_each(p_nums bigint[], p_epochs integer[], p_owners text[], p_bys text[], p_vias text[], p_actors text[], p_keys text[])
 RETURNS SETOF json
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  DECLARE
    v_now bigint := waymark.now_ms();
    v_done bigint[];
  BEGIN
    -- Spelt so that each is found by its number, and not among everything that is claimed.
    RETURN QUERY
    WITH done AS (
      UPDATE waymark.tasks t SET status = 'done', finished_at = v_now, updated_at = v_now, lease_until = NULL
       WHERE t.num = ANY (p_nums) AND t.epoch = p_epochs[array_position(p_nums, t.num)]
         AND t.owner = p_owners[array_position(p_nums, t.num)] AND t.status || '' = 'claimed' AND t.reason IS NULL AND t.check_name IS NULL
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
  END $function$

CREATE OR REPLACE FUNCTION waymark.finish_tasks(p_nums bigint[], p_epochs integer[], p_owner text, p_evidence jsonb, p_by text, p_via text, p_actor text, p_key text)
 RETURNS TABLE(task waymark.tasks, event bigint)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
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
       WHERE l.epoch = p_epochs[array_position(p_nums, l.num)] AND l.owner = p_owner AND l.status = 'claimed' AND l.check_name IS NULL
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
         AND t.status || '' = 'claimed' AND t.check_name IS NULL AND (t.lease_until > v_now OR t.attempts < t.max_attempts)
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
  END $function$

CREATE OR REPLACE FUNCTION waymark.keep_tasks(p_tasks jsonb, p_edges bigint[], p_done bigint[], p_undone bigint[], p_events jsonb)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  #variable_conflict use_column
  DECLARE
    v_last bigint;
  BEGIN
    INSERT INTO waymark.tasks (num, blockers, subject, description, active_text, status, priority, labels, parent,
           blocked_by, owner, epoch, lease, lease_until, attempts, max_attempts, evidence, reason, metadata, ref,
           author, created_at, updated_at, claimed_at, finished_at, check_name, proof,
           not_before, deadline, delayed)
    SELECT r.num, 0, r.subject, r.description, r.active_text, r.status, r.priority, r.labels, r.parent,
           r.blocked_by, r.owner, r.epoch, r.lease, r.lease_until, r.attempts, r.max_attempts, r.evidence, r.reason,
           r.metadata, r.ref, r.author, r.created_at, r.updated_at, r.claimed_at, r.finished_at,
           r.check_name, r.proof, r.not_before, r.deadline, coalesce(r.delayed, false)
      FROM jsonb_populate_recordset(NULL::waymark.tasks, p_tasks) AS r
    ON CONFLICT (num) DO UPDATE SET subject = excluded.subject, description = excluded.description,
           active_text = excluded.active_text, status = excluded.status, priority = excluded.priority,
           labels = excluded.labels, parent = excluded.parent, blocked_by = excluded.blocked_by,
           owner = excluded.owner, epoch = excluded.epoch, lease = excluded.lease,
           lease_until = excluded.lease_until, attempts = excluded.attempts, max_attempts = excluded.max_attempts,
           evidence = excluded.evidence, reason = excluded.reason, metadata = excluded.metadata,
           updated_at = excluded.updated_at, claimed_at = excluded.claimed_at, finished_at = excluded.finished_at,
           check_name = excluded.check_name, proof = excluded.proof,
           not_before = excluded.not_before, deadline = excluded.deadline, delayed = excluded.delayed;
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
  END $function$

CREATE OR REPLACE FUNCTION waymark.now_ms()
 RETURNS bigint
 LANGUAGE sql
AS $function$SELECT pg_catalog.floor(extract(epoch FROM pg_catalog.clock_timestamp()) OPERATOR(pg_catalog.*) 1000)::bigint$function$

