import { useMemo, useRef, useState } from "preact/hooks";
import type { TrackId } from "../../../core/model.ts";
import { planFingerprint } from "../../../core/plan/decide.ts";
import { type Plan, revisionOf } from "../../../core/plan/plan.ts";
import { stepsOf } from "../../../core/plan/steps.ts";
import { cutGraphemes, forPage } from "../../../core/text/escape.ts";
import { trackKey } from "../../../core/text/ids.ts";
import { trackPath } from "../../../core/wire.ts";
import { Compare, DiffHead, earlierOf } from "../plan/compare.tsx";
import { PlanDiffView } from "../plan/plan-diff.tsx";
import { useRevisions, useShownPlan } from "../plan/use-revisions.ts";
import { useApp } from "../state/app-context.ts";
import { decisionOn } from "../state/decisions.ts";
import { useDraft, wasSent } from "../state/draft.ts";
import { useKeys, useStore } from "../state/hooks.ts";
import { Icon } from "../ui/icons.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { Button, Text } from "../ui/parts.tsx";
import { Time } from "../ui/time.tsx";
import {
  adoptSteps,
  approveWithUndo,
  type PlanMessage,
  rejectWithUndo,
  sendComment,
} from "./plan-actions.ts";

interface PlanCardProps {
  readonly id: TrackId;
  readonly plan: Plan;
  /** The user can decide here; otherwise in the agent's terminal. */
  readonly isHere: boolean;
}

/** A plan, its comments, its actions, and the differences from its earlier revisions. */
export function PlanCard({ id, plan: newest, isHere }: PlanCardProps) {
  const app = useApp();
  const { decisions } = useStore(app.store);
  const { plan, arrived, show } = useShownPlan(newest);
  const number = revisionOf(plan);
  const revisions = useRevisions(id, plan);
  const [chosenBase, setBase] = useState<number | undefined>();
  const seen = useMemo(() => planFingerprint(plan), [plan]);
  const key = trackPath(id);
  const { draft, write } = useDraft(key);
  const about = draft.of === seen ? draft.step : "";
  const shown = { track: id, plan };
  const steps = stepsOf(plan.text);
  const field = useRef<HTMLTextAreaElement>(null);
  const waits = plan.state === "proposed";
  /** Until it is sent, the other decision can replace it: its buttons and keys stay. */
  const decision = decisionOn(decisions, trackKey(id), plan);
  const isOpen = waits && decision === undefined;
  const earlier = earlierOf(revisions, number);
  /** A plan that waits is compared with the revision before it, unless the user chose another. */
  const base = chosenBase ?? (waits ? (earlier.at(-1)?.number ?? 0) : 0);
  const before = earlier.find((revision) => revision.number === base);
  const after = revisions.find((revision) => revision.number === number);
  const compared = before && after && after.text === plan.text ? { before, after } : undefined;
  const canAdopt =
    isHere && plan.state === "approved" && plan.adoptedAt === undefined && steps.length > 0;
  /** The comparison has the comments on steps. */
  const comments = (plan.comments ?? []).filter(
    ({ step }) => compared === undefined || step === undefined,
  );
  const message: PlanMessage = {
    comment: draft.comment.trim(),
    ...(about !== "" && { step: Number(about) }),
    onSent: () => wasSent(key, draft),
  };
  const approve = () => approveWithUndo(app, shown, message);
  const reject = () => rejectWithUndo(app, shown, message);
  const comment = () => {
    if (message.comment === "") field.current?.focus();
    else void sendComment(app, shown, message);
  };
  const commentOn = (step: number): void => {
    write({ ...draft, step: String(step), of: seen });
    field.current?.focus();
  };
  useKeys(
    isHere && waits && !arrived
      ? { a: approve, r: reject, c: () => field.current?.focus() }
      : isHere
        ? { c: () => field.current?.focus() }
        : {},
  );
  return (
    <section class={`card plan${isOpen ? " waits" : ""}`} id="plan" aria-labelledby="plan-title">
      <header>
        {isOpen && <Icon name="you" />}
        <h2 id="plan-title">
          {isOpen ? "Plan waiting for approval" : TITLES[decision ?? plan.state]}
        </h2>
        <span class="quiet">
          {number > 1 && `Revision ${number}, `}
          <Time at={plan.decidedAt ?? plan.at} />
        </span>
      </header>
      {arrived && (
        <div class="strip" role="status">
          {arrived.state === "streaming" ? (
            "The agent is writing another revision."
          ) : (
            <>
              Revision {revisionOf(arrived)} arrived.
              <Button onClick={show}>Show</Button>
            </>
          )}
        </div>
      )}
      {earlier.length > 0 && (
        <Compare revisions={revisions} shown={number} base={base} onBase={setBase} />
      )}
      {compared ? (
        <>
          <DiffHead {...compared} />
          <PlanDiffView
            {...compared}
            revisions={revisions}
            onComment={isHere && plan.state !== "streaming" ? commentOn : undefined}
          />
        </>
      ) : (
        <div class="plan-text">
          <Markdown text={plan.text} />
        </div>
      )}
      {comments.length > 0 && (
        <ul class="comments">
          {comments.map(({ text, at, by, step }, index) => (
            <li key={index}>
              <span class="quiet num">
                {by === "user" ? "You" : "Agent"}, <Time at={at} />
                {step !== undefined && `, step ${step}`}
              </span>{" "}
              <Text>{text}</Text>
            </li>
          ))}
        </ul>
      )}
      {plan.comment !== undefined && (
        <p class="foot-note">
          Comment: “<Text>{plan.comment}</Text>”
        </p>
      )}
      {isHere && plan.state !== "streaming" && (
        <div class="compose">
          <textarea
            aria-label="Comment for the agent"
            placeholder="Comment for the agent (optional)"
            rows={2}
            dir="auto"
            value={draft.comment}
            ref={field}
            onInput={(event) => write({ ...draft, comment: event.currentTarget.value })}
          />
          {steps.length > 0 && (
            <select
              aria-label="Applies to"
              value={about}
              onChange={(event) => write({ ...draft, step: event.currentTarget.value, of: seen })}
            >
              <option value="">Whole plan</option>
              {steps.map(({ number, text }) => (
                <option key={number} value={number}>
                  {`Step ${number}: ${cutGraphemes(forPage(text), 60)}`}
                </option>
              ))}
            </select>
          )}
          <div class="actions">
            {waits && (
              <>
                <Button
                  look="primary"
                  shortcut="a"
                  onClick={approve}
                  isDisabled={arrived !== undefined}
                >
                  Approve
                </Button>
                <Button shortcut="r" onClick={reject} isDisabled={arrived !== undefined}>
                  Reject
                </Button>
              </>
            )}
            <Button look="ghost" shortcut="c" onClick={comment}>
              Comment
            </Button>
            {canAdopt && (
              <Button onClick={() => void adoptSteps(app, shown)}>Add steps as todos</Button>
            )}
          </div>
        </div>
      )}
      {!isHere && waits && (
        <p class="foot-note">
          Decide in the agent's terminal. The agent does not receive decisions from this page.
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
