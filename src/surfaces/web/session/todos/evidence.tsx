import type { CostSum } from "../../../../core/cost/cost.ts";
import type { ChangedFile } from "../../../../core/files/changed-files.ts";
import type { Todo } from "../../../../core/model.ts";
import type { MergedTrack } from "../../../../core/views/merged.ts";
import { AskForProof } from "../../checks/ask.tsx";
import { Verify } from "../../checks/verify.tsx";
import { CostLine } from "../../ui/cost.tsx";
import { Button, Text } from "../../ui/parts.tsx";
import { TodoFiles } from "../changed-files.tsx";
import { ProofCard } from "./proof-card.tsx";

interface EvidenceProps {
  readonly merged: MergedTrack;
  readonly todo: Todo;
  readonly cost: CostSum | undefined;
  readonly files: readonly ChangedFile[] | undefined;
  readonly askedAt: number | undefined;
  readonly canVerify: boolean;
  /** Shows the call that ran its check; absent if the call is not known. */
  readonly onCall: (() => void) | undefined;
  /** Absent where proof cannot be asked for. */
  readonly onAsk: (() => void) | undefined;
  onAccept(): void;
  onClose(): void;
}

/** Everything that backs the selected todo, and what can be done to prove it. */
export function Evidence(props: EvidenceProps) {
  const { merged, todo, cost, files, askedAt, canVerify, onCall, onAsk, onAccept, onClose } = props;
  return (
    <ProofCard todo={todo} onAccept={canVerify ? onAccept : undefined} onClose={onClose}>
      <CostLine sum={cost} />
      {onCall && (
        <div class="proof-actions">
          <Button onClick={onCall}>
            Show the output of <Text class="mono">{todo.check?.command ?? ""}</Text>
          </Button>
        </div>
      )}
      <TodoFiles key={todo.id} todo={todo.id} files={files} />
      {(canVerify || onAsk) && (
        <div class="proof-actions">
          {canVerify && (
            <Verify
              merged={merged}
              todo={todo.id}
              look={merged.plan?.state === "proposed" ? "plain" : "primary"}
            />
          )}
          {onAsk && <AskForProof merged={merged} todo={todo} askedAt={askedAt} onAsk={onAsk} />}
          {canVerify && (
            <p>
              Verify runs the check again in a clean checkout. If it passes, the todo counts as
              reproduced.
            </p>
          )}
        </div>
      )}
    </ProofCard>
  );
}
