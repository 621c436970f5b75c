import { evidenceStateOf, proofResult } from "../../../core/checks/evidence-state.ts";
import type { Proof } from "../../../core/checks/proof.ts";
import type { Todo } from "../../../core/model.ts";
import { counted } from "../../../core/text/count.ts";
import { capitalize } from "../ui/capitalize.ts";
import { Text } from "../ui/parts.tsx";
import { Time } from "../ui/time.tsx";

/** The evidence of a completed todo in a few words. */
export function EvidenceFact({ todo, isShort }: { readonly todo: Todo; readonly isShort?: true }) {
  const { check, evidence, finishedAt = 0, proof } = todo;
  const mark = evidenceStateOf(todo);
  switch (mark) {
    case "reproduced":
      return (
        <span class="fact proof num">
          <b>Reproduced</b> {!isShort && "by Waymark "}
          <Time at={proof?.at ?? 0} />
        </span>
      );
    case "stale":
      return (
        <span class="fact warn num">
          <b>Stale</b>
          {!isShort && proof && <StaleSince proof={proof} />}
        </span>
      );
    case "warned":
      return (
        <span class="fact warn num">
          <b>{counted(proof?.warnings.length ?? 0, "warning")}</b>
          {!isShort && ", check passed"}
        </span>
      );
    case "failed":
      return (
        <span class="fact bad num">
          <b>{proof ? endLabel(proof) : ""}</b>{" "}
          {!isShort && <Text class="mono">{proof?.command ?? ""}</Text>}
        </span>
      );
    case "verified":
      return (
        <span class="fact proof num">
          <Text class="mono">{check?.command ?? ""}</Text>
          {!isShort && (
            <>
              {" "}
              passed <Time at={check?.at ?? 0} />
            </>
          )}
        </span>
      );
    case "reported":
      return (
        <span class="fact">
          {isShort ? (
            "reported"
          ) : (
            <>
              reported: <Text>{evidence?.at(-1) ?? ""}</Text>
            </>
          )}
        </span>
      );
    case "unverified":
      return <span class="fact num">unverified {!isShort && <Time at={finishedAt} />}</span>;
  }
}

/** `: 3 edits since 14:31`. */
export function StaleSince({ proof: { staleEdits = 0, at } }: { readonly proof: Proof }) {
  return (
    <>
      : {staleEdits > 0 ? counted(staleEdits, "edit") : "edited"} since <Time at={at} />
    </>
  );
}

/** How a run ended: `Failed`, `Timed out`. */
export function endLabel(proof: Pick<Proof, "ok" | "ended">): string {
  return capitalize(proofResult(proof));
}
