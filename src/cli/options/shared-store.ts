import type { Options } from "../args/command.ts";

/** Of every command that shows, or tells of, the agents of more than one machine. */
export const STORE_OPTION = {
  store: {
    type: "string",
    value: "URL",
    summary: "The server that machines share: postgres://...; else WAYMARK_STORE",
  },
} as const satisfies Options;
