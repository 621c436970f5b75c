import { taskPath } from "../../../core/wire.ts";
import type { TaskCard } from "../../../tasks/rules/board.ts";
import { useApp } from "../state/app-context.ts";
import { Icon } from "../ui/icons.tsx";
import { Button, Go, Text } from "../ui/parts.tsx";
import { ago, clock, duration } from "../ui/words.ts";
import { giveLonger, reopen } from "./acts.ts";
import { type Holder, type Holders, ownerHue } from "./holders.ts";
import { countdown, listed } from "./words.ts";

interface CardProps {
  readonly card: TaskCard;
  readonly now: number;
  readonly holders: Holders;
  readonly isSelected: boolean;
  onSelect(): void;
  onHandOver(): void;
}

const SHOWN_LABELS = 2;

/** One task on the board. */
export function Card({ card, now, holders, isSelected, onSelect, onHandOver }: CardProps) {
  const app = useApp();
  const { task, column, rank, lease } = card;
  const holder = holders(task.owner);
  const look = [
    "task",
    ownerHue(task.owner, holder),
    `is-${task.status}`,
    ...(lease?.isLow ? ["watch"] : []),
    ...(isSelected ? ["selected"] : []),
  ].join(" ");
  const labels = task.labels.slice(0, SHOWN_LABELS);
  return (
    <li class={look} data-task={task.id} onClick={onSelect} onFocusIn={onSelect}>
      <p class="task-head">
        {rank !== undefined && (
          <span class="rank num" aria-hidden="true">
            {rank}
          </span>
        )}
        <code>{task.id}</code>
        <span class={`prio p${task.priority}`} title={`Priority ${task.priority}`}>
          P{task.priority}
        </span>
        <span class="chips">
          {labels.map((label) => (
            <Text key={label} class="chip">
              {label}
            </Text>
          ))}
          {task.labels.length > SHOWN_LABELS && (
            <span class="chip">+{task.labels.length - SHOWN_LABELS}</span>
          )}
        </span>
      </p>
      <Go to={taskPath(task.id)} class="title" aria-current={isSelected ? "true" : undefined}>
        <Text>{task.subject}</Text>
      </Go>
      {task.owner !== undefined && column !== "ready" && column !== "waiting" && (
        <p class="owner">
          <i aria-hidden="true" />
          <Text class="agent">{holder?.name ?? task.owner}</Text>
        </p>
      )}
      {lease && <Lease share={lease.share} isLow={lease.isLow} />}
      <Facts card={card} now={now} holder={holder} />
      {lease?.isLow && (
        <div class="acts">
          <Button onClick={onHandOver} says={`Hand over: ${task.id}`}>
            Hand over
          </Button>
          <Button
            look="ghost"
            onClick={() => void giveLonger(app, task)}
            says={`Give it longer: ${task.id}`}
          >
            Give it longer
          </Button>
        </div>
      )}
      {task.status === "failed" && (
        <div class="acts">
          <Button onClick={() => void reopen(app, task)} says={`Reopen: ${task.id}`}>
            Reopen
          </Button>
          <Go to={taskPath(task.id)} class="button ghost">
            Read the tries
          </Go>
        </div>
      )}
    </li>
  );
}

export function Lease({ share, isLow }: { readonly share: number; readonly isLow: boolean }) {
  const percent = Math.round(share * 100);
  return (
    <div
      class={`lease${isLow ? " low" : ""}`}
      role="img"
      aria-label={`Lease, ${percent} percent left`}
    >
      <i style={{ width: `${percent}%` }} />
    </div>
  );
}

interface FactsProps {
  readonly card: TaskCard;
  readonly now: number;
  readonly holder: Holder | undefined;
}

function Facts({ card, now, holder }: FactsProps) {
  const { task, column, waitsFor, lease } = card;
  const { attempts, maxAttempts, reason, lapsed, finishedAt = task.updatedAt } = task;
  const [proof] = task.evidence;
  if (column === "waiting")
    return (
      <p class="facts">
        <span>
          <Icon name="blocked" />
          waits for <code>{listed(waitsFor)}</code>
        </span>
      </p>
    );
  if (column === "ready")
    return (
      <p class="facts num">
        <span>
          {task.createdAt <= now - 60_000 ? `open ${duration(now - task.createdAt)}` : "new"}
        </span>
        {lapsed ? (
          <span class="warn">
            <Icon name="stalled" />
            <Text>{`${lapsed.owner} fell silent`}</Text>
          </span>
        ) : (
          attempts > 0 && (
            <span>
              <Icon name="looping" />
              <Text>{`try ${attempts + 1} of ${maxAttempts}${reason === undefined ? "" : `: ${reason}`}`}</Text>
            </span>
          )
        )}
      </p>
    );
  if (lease)
    return (
      <p class="facts num">
        {lease.isLow ? (
          <>
            <span class="warn">
              <Icon name="stalled" />
              <b>free in {duration(lease.left)}</b>
            </span>
            <span>last seen {ago(lease.renewedAt, now)}</span>
          </>
        ) : (
          <>
            <span>lease {countdown(lease.left)}</span>
            {attempts > 1 && (
              <span>
                try {attempts} of {maxAttempts}
              </span>
            )}
            {holder && (
              <Go to={holder.path} class="link">
                {holder.progress === "" ? "its track" : holder.progress}
              </Go>
            )}
          </>
        )}
      </p>
    );
  if (task.status === "failed")
    return (
      <p class="facts num">
        <span class="bad">
          <Icon name="failed" />
          <Text>{`${attempts} of ${maxAttempts} tries${reason === undefined ? "" : `: ${reason}`}`}</Text>
        </span>
        <span>{clock(finishedAt)}</span>
      </p>
    );
  if (task.status === "cancelled")
    return (
      <p class="facts num">
        <span>
          <Icon name="cancelled" />
          <Text>{`dropped${reason === undefined ? "" : `: ${reason}`}`}</Text>
        </span>
        <span>{clock(finishedAt)}</span>
      </p>
    );
  return (
    <p class="facts num">
      <span>
        <Icon name="claimed" />
        {proof === undefined ? (
          "claimed, no proof given"
        ) : (
          <>
            given: <Text>{proof}</Text>
          </>
        )}
      </span>
      <span>{clock(finishedAt)}</span>
    </p>
  );
}
