import type { ConfigRow } from "./rows.ts";

/** The JSON form of a setting. */
export function rowForm({
  key,
  value,
  source,
  from,
  variable,
  default: usual,
  project,
}: ConfigRow) {
  return {
    key,
    value: value ?? null,
    source,
    from: from ?? null,
    default: usual ?? null,
    variable: variable ?? null,
    project,
  };
}
