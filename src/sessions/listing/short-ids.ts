import { isGeneratedId } from "../../core/text/ids.ts";

const MIN_LENGTH = 8;

/**
 * The shortest unique prefix of each generated session id; chosen names are not shortened. Relayed
 * sessions keep the name of their machine.
 */
export function shortIds(sessions: Iterable<string>): ReadonlyMap<string, string> {
  const sorted = [...new Set(sessions)].sort();
  return new Map(
    sorted.map((session, index) => {
      if (!isGeneratedId(session)) return [session, session];
      const others = [sorted[index - 1] ?? "", sorted[index + 1] ?? ""];
      const length = Math.max(
        MIN_LENGTH,
        ...others.map((other) => sharedLength(session, other) + 1),
      );
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
