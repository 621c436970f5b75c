import type { Options } from "../args/command.ts";

/** For commands that include the agents of other machines. */
export const STORE_OPTION = {
  store: {
    type: "string",
    value: "URL",
    summary: "PostgreSQL server that machines share, e.g. postgres://host/db",
    default: "WAYMARK_STORE",
  },
} as const satisfies Options;
