import { useRef, useState } from "preact/hooks";
import type { TrackId } from "../../core/model.ts";
import type { Plan } from "../../core/plan.ts";
import { stepsOf } from "../../core/plan-steps.ts";
import { useApp } from "./app-context.ts";
import { useKeys } from "./hooks.ts";
import { Icon } from "./icons.tsx";
import { Markdown } from "./markdown.tsx";
import { Button, Text } from "./parts.tsx";
import { decidePlan, rejectLater } from "./plan-acts.ts";
import { clock } from "./words.ts";

interface PlanCardProps {
  readonly id: TrackId;
  readonly plan: Plan;
  /** The person decides here; else where the agent runs. */
  readonly isHere: boolean;
  readonly now: number;
}

/** A plan, and what a person can say to it. */
export function PlanCard({ id, plan, isHere }: PlanCardProps) {
  const app = useApp();
  const [comment, setComment] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const waits = plan.state === "proposed";
  const canAdopt =
    isHere &&
    plan.state === "approved" &&
    plan.adoptedAt === undefined &&
    stepsOf(plan.text).length > 0;
  const said = comment.trim() === "" ? {} : { comment };
  const approve = async () => {
    if (
      await decidePlan(
        app,
        id,
        { decision: "approve", ...said },
        "Plan approved. The agent is told.",
      )
    )
      setComment("");
  };
  const reject = () => {
    rejectLater(app, id, comment.trim());
    setComment("");
  };
  const remark = async () => {
    if (comment.trim() === "") field.current?.focus();
    else if (await decidePlan(app, id, { decision: "comment", comment }, "The agent is told."))
      setComment("");
  };
  useKeys(
    isHere && waits
      ? { a: () => void approve(), r: reject, c: () => field.current?.focus() }
      : isHere
        ? { c: () => field.current?.focus() }
        : {},
  );
  return (
    <section class={`card plan${waits ? " waits" : ""}`} id="plan" aria-labelledby="plan-title">
      <header>
        {waits && <Icon name="you" />}
        <h2 id="plan-title">{waits ? "Plan waits for you" : TITLES[plan.state]}</h2>
        <span class="quiet num">{clock(plan.decidedAt ?? plan.at)}</span>
      </header>
      <div class="plan-text">
        <Markdown text={plan.text} />
      </div>
      {(plan.comments ?? []).length > 0 && (
        <ul class="comments">
          {plan.comments?.map(({ text, at, by, step }, place) => (
            <li key={place}>
              <span class="quiet num">
                {by === "user" ? "You" : "Agent"}, {clock(at)}
                {step !== undefined && `, step ${step}`}
              </span>{" "}
              <Text>{text}</Text>
            </li>
          ))}
        </ul>
      )}
      {plan.comment !== undefined && (
        <p class="foot-note">
          Said with it: “<Text>{plan.comment}</Text>”
        </p>
      )}
      {isHere && plan.state !== "streaming" && (
        <div class="say">
          <textarea
            aria-label="Comment for the agent"
            placeholder="Comment for the agent, optional"
            rows={2}
            dir="auto"
            value={comment}
            ref={field}
            onInput={(event) => setComment(event.currentTarget.value)}
          />
          <div class="acts">
            {waits && (
              <>
                <Button look="go" shortcut="a" onClick={() => void approve()}>
                  Approve
                </Button>
                <Button shortcut="r" onClick={reject}>
                  Reject
                </Button>
              </>
            )}
            <Button look="ghost" shortcut="c" onClick={() => void remark()}>
              Only comment
            </Button>
            {canAdopt && (
              <Button
                onClick={() =>
                  void decidePlan(app, id, { decision: "adopt" }, "Its steps are todos now.")
                }
              >
                Make its steps todos
              </Button>
            )}
          </div>
        </div>
      )}
      {!isHere && waits && (
        <p class="foot-note">
          Decide where the agent runs: it does not hear of decisions made here.
        </p>
      )}
    </section>
  );
}

const TITLES = {
  streaming: "Plan being written",
  proposed: "Plan",
  approved: "Plan approved",
  rejected: "Plan rejected",
} as const;
