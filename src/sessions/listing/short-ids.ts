import { isGeneratedId } from "../../core/text/ids.ts";

const SHORTEST = 8;

/**
 * For each session the shortest beginning that no other session has; names stay as they are. What
 * another machine told keeps the name of the machine.
 */
export function shortIds(sessions: Iterable<string>): ReadonlyMap<string, string> {
  const sorted = [...new Set(sessions)].sort();
  return new Map(
    sorted.map((session, place) => {
      if (!isGeneratedId(session)) return [session, session];
      const others = [sorted[place - 1] ?? "", sorted[place + 1] ?? ""];
      const length = Math.max(SHORTEST, ...others.map((other) => sharedLength(session, other) + 1));
      const at = session.lastIndexOf("@");
      if (at === -1) return [session, session.slice(0, length)];
      return [session, session.slice(0, Math.min(at, length)) + session.slice(at)];
    }),
  );
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
