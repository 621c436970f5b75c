import type { ReceivedTrack, RelayPayload } from "../../core/views/relayed.ts";
import type { Row } from "../../engines/postgres/server.ts";

/** A track of another machine, with its row on the server. */
export interface RelayedTrack extends ReceivedTrack {
  readonly row: number;
  readonly hash: string;
}

/** The track in a row of the server, whose clock was read at the same time as ours. */
export function trackOf(row: Row, now: number): RelayedTrack {
  return {
    ...readByOurClock<RelayPayload>(String(row.state), row, now),
    machine: String(row.name),
    row: Number(row.id),
    hash: String(row.hash),
  };
}

/** Smaller differences are network latency, not a different clock. */
const CLOCK_TOLERANCE = 2_000;

/** The names of all fields that hold a time. */
const IS_TIME = /^at$|At$/;

/** Parses what another machine wrote and converts its times to our clock, which says `now`. */
export function readByOurClock<T>(text: string, row: Row, now: number): T {
  // Both clocks are compared with the server's.
  const ours = now - Number(row.now);
  const measured = Number(row.ahead) - ours;
  if (Math.abs(measured) < CLOCK_TOLERANCE) return JSON.parse(text);
  // Rounded, so that latency does not change a time between two reads: times identify things.
  const ahead = Math.round(measured / CLOCK_TOLERANCE) * CLOCK_TOLERANCE;
  return JSON.parse(text, (name, value) =>
    // 0 means never.
    IS_TIME.test(name) && typeof value === "number" && value > 0 ? value - ahead : value,
  );
}
