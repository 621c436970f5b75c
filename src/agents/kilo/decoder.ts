import type { Decoder, Machine, SessionLocation } from "../agent.ts";
import { opencode } from "../opencode/decoder.ts";
import type { OpencodeState } from "../opencode/state.ts";
import { identity } from "./identity.ts";

/** Kilo is a fork of opencode: the same records, in a database of its own. */
export const kilo: Decoder<OpencodeState> = {
  ...opencode,
  ...identity,
  // Nothing in a record tells the two apart, so live output without `--from` counts as opencode's.
  score: (record) => (opencode.score(record) === 0 ? 0 : 1),
  locations,
};

function locations({ home, env, join }: Machine): readonly SessionLocation[] {
  const root = join(env.XDG_DATA_HOME || join(home, ".local", "share"), "kilo");
  const accept = (path: readonly string[]) =>
    path.length === 1 && /^kilo(?:-[\w.-]+)?\.db$/.test(path[0] ?? "") ? {} : undefined;
  return [{ root, depth: 0, kind: "sqlite", accept }];
}
