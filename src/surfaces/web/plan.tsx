import { useMemo, useRef, useState } from "preact/hooks";
import type { TrackId } from "../../core/model.ts";
import type { Plan } from "../../core/plan.ts";
import { stepsOf } from "../../core/plan-steps.ts";
import { planMark } from "../../core/planning.ts";
import { cutGraphemes } from "../../core/safe-text.ts";
import { useApp } from "./app-context.ts";
import { useKeys, useOnce } from "./hooks.ts";
import { Icon } from "./icons.tsx";
import { Markdown } from "./markdown.tsx";
import { Button, Text } from "./parts.tsx";
import { approvePlan, decidePlan, rejectLater } from "./plan-acts.ts";
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
  const seen = useMemo(() => planMark(plan), [plan]);
  const [chosen, setChosen] = useState({ step: "", of: seen });
  // The same number is another step of another plan.
  const about = chosen.of === seen ? chosen.step : "";
  const shown = { track: id, plan };
  const steps = stepsOf(plan.text);
  const field = useRef<HTMLTextAreaElement>(null);
  const waits = plan.state === "proposed";
  const canAdopt =
    isHere && plan.state === "approved" && plan.adoptedAt === undefined && steps.length > 0;
  const approve = useOnce(async () => {
    // What is about a step is said on its own, so that it stays with the step.
    if (about !== "" && comment.trim() !== "" && !(await tell())) return;
    const own = about === "" ? comment.trim() : "";
    if (await approvePlan(app, shown, own)) setComment("");
  });
  const reject = () => {
    rejectLater(app, shown, comment.trim());
    setComment("");
  };
  const tell = async (): Promise<boolean> => {
    const step = about === "" ? {} : { step: Number(about), seen };
    const request = { decision: "comment", comment, ...step } as const;
    const isTold = await decidePlan(app, shown, request, "The agent is told.");
    if (isTold) {
      setComment("");
      setChosen({ step: "", of: seen });
    }
    return isTold;
  };
  const remark = useOnce(async () => {
    if (comment.trim() === "") field.current?.focus();
    else await tell();
  });
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
          {steps.length > 0 && (
            <select
              aria-label="What it is about"
              value={about}
              onChange={(event) => setChosen({ step: event.currentTarget.value, of: seen })}
            >
              <option value="">The whole plan</option>
              {steps.map(({ number, text }) => (
                <option key={number} value={number}>
                  {`Step ${number}: ${cutGraphemes(text, 60)}`}
                </option>
              ))}
            </select>
          )}
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
            <Button look="ghost" shortcut="c" onClick={remark}>
              Only comment
            </Button>
            {canAdopt && (
              <Button
                onClick={() =>
                  void decidePlan(app, shown, { decision: "adopt" }, "Its steps are todos now.")
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
