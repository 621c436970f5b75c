-- A task may name the check that has to pass before it can be finished; `proof` is the run that finished it, as JSON.
ALTER TABLE waymark.tasks ADD COLUMN check_name text, ADD COLUMN proof text;

-- The functions that finish without the rules leave out tasks with a check: for those, the rules decide.
CREATE OR REPLACE FUNCTION waymark.finish_tasks(
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
  END $$;

CREATE OR REPLACE FUNCTION waymark.finish_each(
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
           author, created_at, updated_at, claimed_at, finished_at, check_name, proof)
    SELECT r.num, 0, r.subject, r.description, r.active_text, r.status, r.priority, r.labels, r.parent,
           r.blocked_by, r.owner, r.epoch, r.lease, r.lease_until, r.attempts, r.max_attempts, r.evidence, r.reason,
           r.metadata, r.ref, r.author, r.created_at, r.updated_at, r.claimed_at, r.finished_at,
           r.check_name, r.proof
      FROM jsonb_populate_recordset(NULL::waymark.tasks, p_tasks) AS r
    ON CONFLICT (num) DO UPDATE SET subject = excluded.subject, description = excluded.description,
           active_text = excluded.active_text, status = excluded.status, priority = excluded.priority,
           labels = excluded.labels, parent = excluded.parent, blocked_by = excluded.blocked_by,
           owner = excluded.owner, epoch = excluded.epoch, lease = excluded.lease,
           lease_until = excluded.lease_until, attempts = excluded.attempts, max_attempts = excluded.max_attempts,
           evidence = excluded.evidence, reason = excluded.reason, metadata = excluded.metadata,
           updated_at = excluded.updated_at, claimed_at = excluded.claimed_at, finished_at = excluded.finished_at,
           check_name = excluded.check_name, proof = excluded.proof;
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
