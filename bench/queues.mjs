// Two queues on PostgreSQL for comparison. A rate is NaN if they are not installed.
import { peerModule } from "./peers/brought.mjs";

const LANES = 4;

const perSecond = (count, start) => count / ((performance.now() - start) / 1_000);

/** Jobs per second that four workers fetch and complete, `batch` at a time. */
export async function pgBoss(url, total, batch) {
  const module = await peerModule("pg-boss");
  if (!module) return Number.NaN;
  const { default: PgBoss } = module;
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
  await boss.start();
  try {
    const queue = `bench${batch}`;
    await boss.createQueue(queue);
    // Connecting is not measured.
    await Promise.all(Array.from({ length: LANES }, () => boss.fetch(queue)));
    await boss.insert(Array.from({ length: total }, (_, n) => ({ name: queue, data: { n } })));
    const start = performance.now();
    const lane = async () => {
      for (;;) {
        const jobs = await boss.fetch(queue, { batchSize: batch });
        if (jobs.length === 0) return;
        await boss.complete(
          queue,
          jobs.map(({ id }) => id),
        );
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    return perSecond(total, start);
  } finally {
    await boss.stop({ graceful: false });
  }
}

/** Jobs per second of its own runner with four workers, from the first job on. */
export async function graphileWorker(url, total) {
  const module = await peerModule("graphile-worker");
  if (!module) return Number.NaN;
  const { Logger, makeWorkerUtils, run } = module;
  const logger = new Logger(() => () => undefined);
  const utils = await makeWorkerUtils({ connectionString: url, logger });
  await utils.migrate();
  await utils.withPgClient((client) =>
    client.query(
      "SELECT graphile_worker.add_job('bench', json_build_object('n', n)) FROM generate_series(1, $1) AS n",
      [total],
    ),
  );
  await utils.release();
  let done = 0;
  let finish = () => {};
  const finished = new Promise((resolve) => {
    finish = resolve;
  });
  let start = 0;
  const runner = await run({
    connectionString: url,
    concurrency: LANES,
    noHandleSignals: true,
    logger,
    taskList: {
      bench: () => {
        if (done === 0) start = performance.now();
        done += 1;
        if (done === total) finish();
      },
    },
  });
  await finished;
  const rate = perSecond(total, start);
  await runner.stop();
  return rate;
}
