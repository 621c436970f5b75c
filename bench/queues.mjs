// Two queues on PostgreSQL that tasks are measured against: fetched once into the cache, in versions that Node 20 runs.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const CACHE = fileURLToPath(new URL("../node_modules/.cache/queues/", import.meta.url));
const PACKAGES = ["pg-boss@10.3.2", "graphile-worker@0.16.6"];
const LANES = 4;

function fetched(name) {
  if (!existsSync(join(CACHE, "node_modules"))) {
    mkdirSync(CACHE, { recursive: true });
    const quiet = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
    spawnSync("npm", ["install", ...quiet, "--prefix", CACHE, ...PACKAGES]);
  }
  return pathToFileURL(createRequire(join(CACHE, "package.json")).resolve(name)).href;
}

const perSecond = (count, start) => count / ((performance.now() - start) / 1_000);

/** Jobs a second that four lanes fetch and complete, `batch` at a time. */
export async function pgBoss(url, total, batch) {
  const { default: PgBoss } = await import(fetched("pg-boss"));
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
  await boss.start();
  try {
    const queue = `bench${batch}`;
    await boss.createQueue(queue);
    // Connecting is not what is measured.
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

/** Jobs a second that its own runner gets and completes, four at once; from the first on, when it has connected. */
export async function graphileWorker(url, total) {
  const { makeWorkerUtils, run } = await import(fetched("graphile-worker"));
  const logger = new (await import(fetched("graphile-worker"))).Logger(() => () => undefined);
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
