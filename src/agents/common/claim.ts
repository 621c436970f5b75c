import type { Emit } from "../agent.ts";
import { shorten } from "./memory.ts";

/** Something in a file says that it is of another session than the file's name does. */
export function sayClaim(session: string, claimed: string, emit: Emit): void {
  const message = `the file is of session ${session}, and says that it is of ${shorten(claimed, 100)}`;
  emit({ type: "warning", code: "unknown_record", message }, { sessionId: session });
}
