import { type DiffCounts, diffPlans, hasDifferences } from "../../../core/plan/diff.ts";
import type { PlanRevision } from "../../../core/plan/revisions.ts";
import { Text } from "../ui/parts.tsx";
import { Time } from "../ui/time.tsx";

interface CompareProps {
  readonly revisions: readonly PlanRevision[];
  /** The revision on display. */
  readonly shown: number;
  /** The number of the revision to compare with; 0 for none. */
  readonly base: number;
  onBase(base: number): void;
}

/** The earlier revisions that can be compared with the plan. */
export function earlierOf(
  revisions: readonly PlanRevision[],
  shown: number,
): readonly PlanRevision[] {
  return revisions.filter(({ number }) => number < shown);
}

const MOST = 4;

/** Selects the revision that the plan is compared with. */
export function Compare({ revisions, shown, base, onBase }: CompareProps) {
  const earlier = earlierOf(revisions, shown).slice(-MOST);
  return (
    <div class="compare" role="group" aria-label="Compare with">
      <span class="quiet" aria-hidden="true">
        Compare with
      </span>
      <span class="segments">
        {[...earlier.map(({ number }) => number), 0].map((number) => (
          <button
            key={number}
            type="button"
            aria-pressed={base === number}
            onClick={() => onBase(number)}
          >
            {number === 0 ? "Nothing" : `Revision ${number}`}
          </button>
        ))}
      </span>
    </div>
  );
}

interface DiffHeadProps {
  readonly before: PlanRevision;
  readonly after: PlanRevision;
}

/** Which revisions are compared, when they were proposed, and what changed. */
export function DiffHead({ before, after }: DiffHeadProps) {
  const diff = diffPlans(before.text, after.text);
  const { decision } = before;
  return (
    <div class="diff-head">
      <p>
        <b>
          Revision {after.number} compared with revision {before.number}
        </b>{" "}
        <span class="quiet num">
          <Time at={before.at} /> → <Time at={after.at} />
        </span>
      </p>
      <Counts counts={diff.counts} isSame={!hasDifferences(diff)} />
      {decision?.decision === "rejected" && decision.by === "user" && (
        <p class="quiet">
          You rejected revision {before.number} at <Time at={decision.at} />
          {decision.comment === undefined ? (
            "."
          ) : (
            <>
              : “<Text>{decision.comment}</Text>”
            </>
          )}
        </p>
      )}
    </div>
  );
}

function Counts({ counts, isSame }: { readonly counts: DiffCounts; readonly isSame: boolean }) {
  if (isSame) return <p class="quiet">Nothing changed.</p>;
  const { added, removed, changed, moved, unchanged } = counts;
  const parts: readonly (readonly [string, string, number, string])[] = [
    ["plus", "+", added, "added"],
    ["minus", "−", removed, "removed"],
    ["tilde", "~", changed, "changed"],
    ["tilde", "↕", moved, "moved"],
    ["", "", unchanged, "unchanged"],
  ];
  return (
    <p class="diff-counts num">
      {parts
        .filter(([, , count]) => count > 0)
        .map(([look, sign, count, label]) => (
          <span key={label} class={look}>
            <b>
              {sign}
              {count}
            </b>{" "}
            {label}
          </span>
        ))}
    </p>
  );
}
