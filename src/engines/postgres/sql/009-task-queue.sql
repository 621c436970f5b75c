-- Delays, deadlines, and the state of the queue. `delayed` is true from the write of a later `not_before` until the
-- first claim after that time: the index of ready tasks leaves delayed ones out, however many there are.
ALTER TABLE waymark.tasks ADD COLUMN not_before bigint, ADD COLUMN deadline bigint,
  ADD COLUMN delayed boolean NOT NULL DEFAULT false;
DROP INDEX waymark.tasks_ready;
CREATE INDEX tasks_ready ON waymark.tasks (priority, created_at, num)
  WHERE status = 'open' AND blockers = 0 AND NOT delayed;
CREATE INDEX tasks_delayed ON waymark.tasks (not_before) WHERE delayed;
CREATE INDEX tasks_deadline ON waymark.tasks (deadline) WHERE deadline IS NOT NULL AND status IN ('open', 'claimed');
-- Pages of open and of failed tasks, and their numbers. A claim writes nothing to these.
CREATE INDEX tasks_open ON waymark.tasks (num) WHERE status = 'open';
CREATE INDEX tasks_failed ON waymark.tasks (num) WHERE status = 'failed';

-- One row. `aging`: milliseconds of waiting that count as one step of priority.
CREATE TABLE waymark.queue (
  id integer PRIMARY KEY CHECK (id = 1),
  paused_at bigint,
  paused_by text,
  reason text,
  aging bigint
);
INSERT INTO waymark.queue (id) VALUES (1);

CREATE OR REPLACE FUNCTION waymark.claim_tasks(
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
  END $$;

CREATE OR REPLACE FUNCTION waymark.claim_each(
  p_owners text[], p_leases bigint[], p_bys text[], p_vias text[], p_actors text[], p_keys text[]
) RETURNS SETOF json LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
  SET search_path = pg_catalog, pg_temp AS $$
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
  END $$;

CREATE OR REPLACE FUNCTION waymark.keep_tasks(
  p_tasks jsonb, p_edges bigint[], p_done bigint[], p_undone bigint[], p_events jsonb
) RETURNS bigint LANGUAGE plpgsql
  SET search_path = pg_catalog, pg_temp AS $$
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
  END $$;
