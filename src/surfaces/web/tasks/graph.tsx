import { useMemo } from "preact/hooks";
import { counted } from "../../../core/text/count.ts";
import { taskPath } from "../../../core/wire.ts";
import type { TaskBoard, TaskCard } from "../../../tasks/rules/board.ts";
import { type GraphEdge, layoutGraph } from "../../../tasks/rules/graph-layout.ts";
import { Icon } from "../ui/icons.tsx";
import { Link, Pill, Text } from "../ui/parts.tsx";
import { joinIds, stateLabel, taskMark } from "./labels.ts";
import { type OwnerLookup, ownerHue } from "./owners.ts";

const WIDTH = 236;
const HEIGHT = 46;
const ACROSS = WIDTH + 92;
const DOWN = HEIGHT + 16;
/** Maximum number of drawn tasks; the most urgent ones are kept. */
const MAX = 150;

interface GraphProps {
  readonly board: TaskBoard;
  readonly cards: ReadonlyMap<string, TaskCard>;
  readonly owners: OwnerLookup;
}

/** The dependency graph: blockers on the left, blocked tasks on the right. */
export function Graph({ board, cards, owners }: GraphProps) {
  const drawn = useMemo(() => drawnOf(cards), [cards]);
  const shape = drawn.map(({ task }) => `${task.id}:${task.blockedBy.join()}`).join(" ");
  const graph = useMemo(() => layoutGraph(drawn.map(({ task }) => task)), [shape]);
  const alone = [...cards.values()].filter(({ task }) => isOpen(task.status)).length;
  const openDrawn = drawn.filter(({ task }) => isOpen(task.status)).length;
  const [worst] = board.holdUps;
  const stuck = new Set(board.holdUps.flatMap(({ id, tasks }) => [id, ...tasks]));
  const places = new Map(graph.nodes.map((node) => [node.id, node]));
  const size = { width: graph.layers * ACROSS - (ACROSS - WIDTH) + 2, height: graph.places * DOWN };
  if (drawn.length === 0) return null;
  return (
    <section class="card graph" id="graph" aria-labelledby="graph-title">
      <header>
        <h2 id="graph-title">Dependency graph</h2>
        {worst && (
          <Pill icon="stalled" look="watch">
            {`${worst.id} blocks ${counted(worst.tasks.length, "task")}`}
          </Pill>
        )}
        <span class="quiet">
          {alone > openDrawn &&
            `${counted(alone - openDrawn, "task")} without dependencies not shown`}
        </span>
      </header>
      <div class="scroll" tabIndex={0} role="region" aria-label="Dependency graph">
        <div class="plane" style={{ width: `${size.width}px`, height: `${size.height}px` }}>
          <svg width={size.width} height={size.height} aria-hidden="true">
            {graph.edges.map((edge) => {
              const from = places.get(edge.from);
              const to = places.get(edge.to);
              const isDone = cards.get(edge.from)?.task.status === "done";
              const isStuck = stuck.has(edge.from) && stuck.has(edge.to);
              return (
                from &&
                to && (
                  <g
                    key={`${edge.from} ${edge.to}`}
                    class={isDone ? "edge done" : isStuck ? "edge stuck" : "edge"}
                  >
                    <path d={edgePath(edge, from, to)} />
                    <path
                      class="tip"
                      d={`M${to.layer * ACROSS - 7} ${middle(to.place) - 4}l7 4-7 4z`}
                    />
                  </g>
                )
              );
            })}
          </svg>
          <ul>
            {graph.nodes.map(({ id, layer, place }) => {
              const card = cards.get(id);
              if (!card) return null;
              const { icon, label } = taskMark(card.task, card.waitsFor.length > 0);
              return (
                <li
                  key={id}
                  class={`node ${ownerHue(card.task.owner, owners(card.task.owner))} is-${card.task.status}${stuck.has(id) && worst?.id === id ? " stuck" : ""}`}
                  style={{ left: `${layer * ACROSS}px`, top: `${place * DOWN}px` }}
                >
                  <Link to={taskPath(id)}>
                    <Icon name={icon} label={label} />
                    <Text class="node-name">{card.task.subject}</Text>
                    <code>{id}</code>
                    <Text class="node-state">{stateLabel(card, owners)}</Text>
                  </Link>
                </li>
              );
            })}
          </ul>
        </div>
      </div>
      <details>
        <summary>Show as table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Task</th>
              <th scope="col">Blocked by</th>
              <th scope="col">Subject</th>
            </tr>
          </thead>
          <tbody>
            {drawn.map(({ task }) => (
              <tr key={task.id}>
                <td>
                  <code>{task.id}</code>
                </td>
                <td>
                  <code>{joinIds(task.blockedBy)}</code>
                </td>
                <td>
                  <Text>{task.subject}</Text>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}

function isOpen(status: string): boolean {
  return status === "open" || status === "claimed";
}

/** Tasks with dependencies, except between closed tasks. */
function drawnOf(cards: ReadonlyMap<string, TaskCard>): readonly TaskCard[] {
  const connected = new Set<string>();
  for (const { task } of cards.values())
    for (const id of task.blockedBy) {
      const blocker = cards.get(id);
      if (!blocker || (!isOpen(task.status) && blocker.task.status === "done")) continue;
      connected.add(id);
      connected.add(task.id);
    }
  const all = [...cards.values()].filter(({ task }) => connected.has(task.id));
  return all.toSorted((a, b) => Number(isDone(a)) - Number(isDone(b))).slice(0, MAX);
}

function isDone({ task }: TaskCard): boolean {
  return task.status === "done";
}

const middle = (place: number) => place * DOWN + HEIGHT / 2;

interface Position {
  readonly layer: number;
  readonly place: number;
}

function edgePath({ through }: GraphEdge, from: Position, to: Position): string {
  let x = from.layer * ACROSS + WIDTH;
  let y = middle(from.place);
  let path = `M${x} ${y}`;
  const bend = (toX: number, toY: number) => {
    const half = (x + toX) / 2;
    path += `C${half} ${y} ${half} ${toY} ${toX} ${toY}`;
  };
  for (const [step, place] of through.entries()) {
    const left = (from.layer + 1 + step) * ACROSS;
    bend(left, middle(place));
    x = left + WIDTH;
    y = middle(place);
    path += `H${x}`;
  }
  bend(to.layer * ACROSS - 5, middle(to.place));
  return path;
}
