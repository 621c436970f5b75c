import { proofRequest, whyNotAsk } from "../../../core/checks/ask-for-proof.ts";
import type { Todo } from "../../../core/model.ts";
import type { MergedTrack } from "../../../core/views/merged.ts";
import { agentLook } from "../../text/agents.ts";
import { Button, Text } from "../ui/parts.tsx";
import { Time } from "../ui/time.tsx";

interface AskProps {
  readonly merged: MergedTrack;
  readonly todo: Todo;
  /** When the user asked last. */
  readonly askedAt: number | undefined;
  onAsk(): void;
}

/** The reason why this page cannot ask the agent for proof; undefined if it can. */
export function whyNotAskHere(merged: MergedTrack): string | undefined {
  return whyNotAsk(merged, agentLook(merged.track.agentType).name || "The agent");
}

/** Asks the agent to prove a completed todo, with its next step. */
export function AskForProof({ merged, todo, askedAt, onAsk }: AskProps) {
  const why = whyNotAskHere(merged);
  if (why !== undefined)
    return (
      <p>
        <Text>{why}</Text>
      </p>
    );
  const request = proofRequest(merged.track, todo);
  return (
    <div class="actions">
      <Button shortcut="V" onClick={onAsk} isDisabled={request === "pending"}>
        Ask for proof
      </Button>
      {request !== undefined && (
        <span role="status">
          Asked {askedAt !== undefined && <Time at={askedAt} />},{" "}
          {request === "pending" ? "sent with the agent's next step" : "received by the agent"}
        </span>
      )}
    </div>
  );
}
