import { taskPath } from "../../../core/wire.ts";
import type { TaskCard } from "../../../tasks/rules/board.ts";
import { useApp } from "../state/app-context.ts";
import { Icon } from "../ui/icons.tsx";
import { Button, Link, Text } from "../ui/parts.tsx";
import { Ago, Duration, ShortDuration, Time } from "../ui/time.tsx";
import { extendLease, retry } from "./actions.ts";
import { joinIds } from "./labels.ts";
import { type OwnerAgent, type OwnerLookup, ownerHue } from "./owners.ts";

interface CardProps {
  readonly card: TaskCard;
  readonly now: number;
  readonly owners: OwnerLookup;
  readonly isSelected: boolean;
  /** The card is being dragged, or the dragged one would be dropped here. */
  readonly drag?: "lifted" | "over" | undefined;
  onSelect(): void;
  onAssign(): void;
  onPress(event: PointerEvent): void;
}

const SHOWN_LABELS = 2;

/** One task on the board. */
export function Card(props: CardProps) {
  const { card, now, owners, isSelected, drag, onSelect, onAssign, onPress } = props;
  const app = useApp();
  const { task, column, rank, lease } = card;
  const ownerAgent = owners(task.owner);
  const look = [
    "task",
    ownerHue(task.owner, ownerAgent),
    `is-${task.status}`,
    ...(lease?.isLow ? ["watch"] : []),
    ...(isSelected ? ["selected"] : []),
    ...(drag ? [drag] : []),
  ].join(" ");
  const labels = task.labels.slice(0, SHOWN_LABELS);
  return (
    <li
      class={look}
      data-task={task.id}
      onClick={onSelect}
      onFocusIn={onSelect}
      onPointerDown={onPress}
      // Links are dragged by the browser itself otherwise.
      onDragStart={(event) => event.preventDefault()}
      onContextMenu={(event) => drag && event.preventDefault()}
    >
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
      <Link to={taskPath(task.id)} class="title" aria-current={isSelected ? "true" : undefined}>
        <Text>{task.subject}</Text>
      </Link>
      {task.owner !== undefined && column !== "ready" && column !== "waiting" && (
        <p class="owner">
          <i aria-hidden="true" />
          <Text class="agent">{ownerAgent?.name ?? task.owner}</Text>
        </p>
      )}
      {lease && <Lease share={lease.share} isLow={lease.isLow} />}
      <Facts card={card} now={now} ownerAgent={ownerAgent} />
      {lease?.isLow && (
        <div class="actions">
          <Button onClick={onAssign} label={`Reassign: ${task.id}`}>
            Reassign
          </Button>
          <Button
            look="ghost"
            onClick={() => void extendLease(app, task)}
            label={`Extend lease: ${task.id}`}
          >
            Extend lease
          </Button>
        </div>
      )}
      {task.status === "failed" && (
        <div class="actions">
          <Button onClick={() => retry(app, task)} label={`Retry: ${task.id}`}>
            Retry
          </Button>
          <Link to={taskPath(task.id)} class="button ghost">
            View attempts
          </Link>
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
  readonly ownerAgent: OwnerAgent | undefined;
}

function Facts({ card, now, ownerAgent }: FactsProps) {
  const { task, column, waitsFor, lease } = card;
  const { attempts, maxAttempts, reason, lapsed, finishedAt = task.updatedAt } = task;
  const [proof] = task.evidence;
  if (column === "waiting")
    return (
      <p class="facts">
        <span>
          <Icon name="blocked" />
          blocked by <code>{joinIds(waitsFor)}</code>
        </span>
      </p>
    );
  if (column === "ready")
    return (
      <p class="facts num">
        <span>
          {task.createdAt <= now - 60_000 ? (
            <>
              open <ShortDuration ms={now - task.createdAt} />
            </>
          ) : (
            "new"
          )}
        </span>
        {(task.notBefore ?? 0) > now && (
          <span>
            ready in <ShortDuration ms={(task.notBefore ?? 0) - now} />
          </span>
        )}
        {lapsed ? (
          <span class="warn">
            <Icon name="stalled" />
            <Text>{`lease of ${lapsed.owner} expired`}</Text>
          </span>
        ) : (
          attempts > 0 && (
            <span>
              <Icon name="looping" />
              <Text>{`attempt ${attempts + 1} of ${maxAttempts}${reason === undefined ? "" : `: ${reason}`}`}</Text>
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
              <b>
                expires in <Duration ms={lease.left} />
              </b>
            </span>
            <span>
              last active <Ago at={lease.renewedAt} now={now} />
            </span>
          </>
        ) : (
          <>
            <span>
              lease <Duration ms={lease.left} />
            </span>
            {attempts > 1 && (
              <span>
                attempt {attempts} of {maxAttempts}
              </span>
            )}
            {ownerAgent && (
              <Link to={ownerAgent.path} class="link">
                {ownerAgent.progress === "" ? "view session" : ownerAgent.progress}
              </Link>
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
          <Text>{`${attempts} of ${maxAttempts} attempts${reason === undefined ? "" : `: ${reason}`}`}</Text>
        </span>
        <span>
          <Time at={finishedAt} />
        </span>
      </p>
    );
  if (task.status === "cancelled")
    return (
      <p class="facts num">
        <span>
          <Icon name="cancelled" />
          <Text>{`cancelled${reason === undefined ? "" : `: ${reason}`}`}</Text>
        </span>
        <span>
          <Time at={finishedAt} />
        </span>
      </p>
    );
  return (
    <p class="facts num">
      <span>
        <Icon name="done" />
        {proof === undefined ? (
          "unverified"
        ) : (
          <>
            reported: <Text>{proof}</Text>
          </>
        )}
      </span>
      <span>
        <Time at={finishedAt} />
      </span>
    </p>
  );
}
