import type { Emit } from "../agent.ts";
import { shorten } from "./memory.ts";

/** Warns about a file whose content names another session than its path. */
export function warnSessionMismatch(session: string, named: string, emit: Emit): void {
  const message = `the file belongs to session ${session}, but names session ${shorten(named, 100)}`;
  emit({ type: "warning", code: "unknown_record", message }, { sessionId: session });
}
