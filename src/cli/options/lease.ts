import { UsageError } from "../../core/error.ts";
import { roughly } from "../../surfaces/text/draw/duration.ts";
import { LONGEST_LEASE } from "../../tasks/model.ts";
import { readSpan } from "../args/moment.ts";

export function readLease(given: string): number {
  const lease = readSpan("--lease", given);
  if (lease <= LONGEST_LEASE) return lease;
  const most = roughly(LONGEST_LEASE);
  throw new UsageError(`--lease is "${given.slice(0, 40)}"; give a time of at most ${most}.`);
}
