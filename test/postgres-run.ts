import { startPostgresRun } from "../scripts/postgres-programs.mjs";

/** All files of a run share one copy of the PostgreSQL programs, removed at the end whatever the tests did. */
export const setup = startPostgresRun;
