import { useRef, useState } from "preact/hooks";
import type { AppPlan } from "../../core/app-view.ts";
import { counted } from "../../core/text/count.ts";
import { Button, Pill, Text } from "../web/ui/parts.tsx";
import type { Live } from "./live.ts";

interface PlanProps {
  readonly plan: AppPlan;
  readonly live: Live;
  readonly canDecide: boolean;
}

/** A plan that waits for the user. */
export function PlanPanel({ plan, live, canDecide }: PlanProps) {
  const { revision, steps, total, text } = plan;
  const [comment, setComment] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const { isBusy } = live.get();
  const decide = (decision: "approve" | "reject") =>
    live.decide(decision, comment, () => setComment(""));
  const facts = [
    ...(revision > 1 ? [`Revision ${revision}`] : []),
    ...(total > 0 ? [counted(total, "step")] : []),
  ];
  return (
    <section class="plan" aria-labelledby="plan-title">
      <h2 id="plan-title">
        <Pill icon="you" look="you">
          Plan
        </Pill>{" "}
        {facts.join(", ") || "waits for you"}
      </h2>
      {steps.length > 0 && (
        <ol>
          {steps.map((step) => (
            <li key={step.number}>
              {step.isNew ? (
                <ins>
                  <Text>{step.text}</Text>
                  <span class="visually-hidden"> (new)</span>
                </ins>
              ) : (
                <Text>{step.text}</Text>
              )}
            </li>
          ))}
        </ol>
      )}
      {total > steps.length && <p class="meta">{`and ${total - steps.length} more steps`}</p>}
      {text !== undefined && (
        <p class="plan-text">
          <Text>{text}</Text>
        </p>
      )}
      {canDecide ? (
        <>
          <textarea
            rows={1}
            dir="auto"
            aria-label="Message with your decision"
            placeholder="Message, optional"
            value={comment}
            ref={field}
            onInput={(event) => setComment(event.currentTarget.value)}
          />
          <div class="decide">
            <Button look="primary" onClick={() => decide("approve")} isDisabled={isBusy}>
              Approve
            </Button>
            <Button onClick={() => decide("reject")} isDisabled={isBusy}>
              Reject
            </Button>
          </div>
        </>
      ) : (
        <p class="meta">Decide on the board, or with the prompts of the server.</p>
      )}
    </section>
  );
}
