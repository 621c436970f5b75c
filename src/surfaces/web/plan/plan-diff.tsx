import { useMemo } from "preact/hooks";
import { diffPlans, type StepDiff } from "../../../core/plan/diff.ts";
import {
  type PlacedComment,
  type PlanRevision,
  placedComments,
} from "../../../core/plan/revisions.ts";
import type { WordSpan } from "../../../core/plan/words.ts";
import { counted } from "../../../core/text/count.ts";
import { forPage } from "../../../core/text/escape.ts";
import { Text } from "../ui/parts.tsx";
import { Time } from "../ui/time.tsx";

interface PlanDiffProps {
  readonly revisions: readonly PlanRevision[];
  readonly before: PlanRevision;
  readonly after: PlanRevision;
  /** Starts a comment on a step; absent where the user cannot comment. */
  readonly onComment: ((step: number) => void) | undefined;
}

/** The steps of a plan compared with an earlier revision, each with its comments. */
export function PlanDiffView({ revisions, before, after, onComment }: PlanDiffProps) {
  const diff = useMemo(() => diffPlans(before.text, after.text), [before.text, after.text]);
  const comments = useMemo(
    () => placedComments(revisions.filter(({ number }) => number <= after.number)),
    [revisions, after.number],
  );
  const of = ({ from, to }: StepDiff): readonly PlacedComment[] =>
    comments.filter(({ places }) =>
      to !== undefined
        ? places.get(after.number) === to
        : !places.has(after.number) && from !== undefined && places.get(before.number) === from,
    );
  return (
    <div class="plan-diff">
      <Prose words={diff.intro} />
      <ol>
        {diff.steps.map((step) => (
          <Step
            key={`${step.kind} ${step.from ?? ""} ${step.to ?? ""}`}
            step={step}
            comments={of(step)}
            onComment={onComment}
          />
        ))}
      </ol>
      <Prose words={diff.rest} />
    </div>
  );
}

function Prose({ words }: { readonly words: readonly WordSpan[] }) {
  return words.length === 0 ? null : (
    <p class="prose">
      <Words words={words} />
    </p>
  );
}

const SIGNS = { same: "", changed: "~", added: "+", removed: "−" } as const;
const LABELS = { same: "", changed: "Changed: ", added: "Added: ", removed: "Removed: " } as const;

interface StepProps {
  readonly step: StepDiff;
  readonly comments: readonly PlacedComment[];
  readonly onComment: ((step: number) => void) | undefined;
}

function Step({ step, comments, onComment }: StepProps) {
  const { kind, from, to, words, detail, moved } = step;
  return (
    <li class={`step is-${kind}`}>
      <span class="num old" aria-hidden="true">
        {from}
      </span>
      <span class="num new" aria-hidden="true">
        {to}
      </span>
      <span class="sign" aria-hidden="true">
        {SIGNS[kind]}
      </span>
      <div class="step-body">
        <p>
          <span class="visually-hidden">
            {`Step ${to ?? from}. `}
            {LABELS[kind]}
          </span>
          <Words words={words} />
          {moved && <span class="quiet"> moved from {from}</span>}
        </p>
        {detail.length > 0 && (
          <p class="detail">
            <Words words={detail} />
          </p>
        )}
        {comments.length > 0 &&
          (kind === "removed" ? (
            <details>
              <summary>{counted(comments.length, "comment")}</summary>
              <Thread comments={comments} />
            </details>
          ) : (
            <Thread comments={comments} />
          ))}
      </div>
      {onComment && to !== undefined && (
        <button
          type="button"
          class="step-comment"
          aria-label={`Comment on step ${to}`}
          onClick={() => onComment(to)}
        >
          <span aria-hidden="true">+</span>
        </button>
      )}
    </li>
  );
}

function Thread({ comments }: { readonly comments: readonly PlacedComment[] }) {
  return (
    <ul class="thread">
      {comments.map(({ text, at, by, revision }, index) => (
        <li key={index}>
          <p>
            <b>{by === "user" ? "You" : "Agent"}</b>{" "}
            <span class="quiet num">
              on revision {revision}, <Time at={at} />
            </span>
          </p>
          <Text>{text}</Text>
        </li>
      ))}
    </ul>
  );
}

function Words({ words }: { readonly words: readonly WordSpan[] }) {
  return (
    <>
      {words.map(({ kind, text }, index) => {
        const shown = forPage(text);
        if (kind === "added") return <ins key={index}>{shown}</ins>;
        if (kind === "removed") return <del key={index}>{shown}</del>;
        return <span key={index}>{shown}</span>;
      })}
    </>
  );
}
