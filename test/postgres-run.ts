import { startPostgresRun } from "../scripts/postgres-programs.mjs";

/** All test files share one copy of the PostgreSQL programs, which is always removed at the end. */
export const setup = startPostgresRun;
