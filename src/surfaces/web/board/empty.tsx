import { useState } from "preact/hooks";
import { counted } from "../../../core/text/count.ts";
import type { AgentSummary, AgentsResponse } from "../../../core/wire.ts";
import { programOf, withoutList } from "../state/agents.ts";
import { Command } from "../ui/command.tsx";
import { Icon } from "../ui/icons.tsx";
import { hueClass } from "../ui/parts.tsx";
import { usePlayDemo } from "./demo.tsx";

/** The board before the first session: which agents were found, where, and what to run. */
export function EmptyPage({ agents: answer }: { readonly agents: AgentsResponse | undefined }) {
  const { play, isStarting } = usePlayDemo();
  return (
    <div class="empty-page">
      <h1>No sessions yet</h1>
      <p class="lead">
        Start any agent in a terminal. Its session appears here, usually within a second. Waymark
        reads the files that agents write on this machine.
      </p>
      <div class="actions">
        <button type="button" class="button primary" disabled={isStarting} onClick={play}>
          <Icon name="play" />
          {isStarting ? "Starting the demo" : "Play the demo"}
        </button>
        <span class="meta">
          Four recorded agents, about a minute. Your own sessions are not changed.
        </span>
      </div>
      {answer && <Agents answer={answer} />}
    </div>
  );
}

const ORDER = ["on", "off", "unknown"];

function Agents({ answer }: { readonly answer: AgentsResponse }) {
  const { agents, program } = answer;
  const [isAll, setAll] = useState(false);
  const found = agents
    .filter((each) => each.found)
    .sort((a, b) => ORDER.indexOf(a.list) - ORDER.indexOf(b.list));
  const missing = agents.filter((each) => !each.found);
  // If no agent is installed, show those that Waymark can set up.
  const shown = isAll ? missing : found.length > 0 ? [] : missing.filter(programOf);
  const hidden = missing.length - shown.length;
  return (
    <section class="card" aria-labelledby="agents">
      <header>
        <h2 id="agents">Agents</h2>
        <span class="meta num">{summary(found)}</span>
      </header>
      <ul>
        {[...found, ...shown].map((each) => (
          <AgentRow key={each.agent} agent={each} program={program} />
        ))}
      </ul>
      <p class="tail">
        {hidden > 0 && (
          <span>
            {counted(hidden, found.length + shown.length > 0 ? "other agent" : "agent")}{" "}
            {hidden === 1 ? "is" : "are"} not installed.{" "}
            <button type="button" class="link" onClick={() => setAll(true)}>
              Show all
            </button>
          </span>
        )}
        <span>
          <code>setup</code> shows every change before it writes.
        </span>
        {answer.folder !== undefined && (
          <span>
            Run these commands in <code>{answer.folder}</code>
          </span>
        )}
        <span>
          Missing a running agent? <code>{program} doctor</code>
        </span>
      </p>
    </section>
  );
}

function summary(found: readonly AgentSummary[]): string {
  const without = withoutList(found).length;
  const unreadable = found.filter(({ problem }) => problem !== undefined).length;
  return [
    found.length === 0 ? "No agents found" : `${counted(found.length, "agent")} found`,
    ...(without > 0 ? [`${without} without a todo list`] : []),
    ...(unreadable > 0 ? [`${unreadable} unreadable`] : []),
  ].join(", ");
}

function AgentRow({ agent, program }: { readonly agent: AgentSummary; readonly program: string }) {
  const { name, where, found, problem, list, command } = agent;
  const start = programOf(agent);
  return (
    <li class={`${hueClass(agent.agent)}${found ? "" : " not"}`}>
      <span class="agent">{name}</span>
      <div class="what">
        <p>
          <AgentState agent={agent} />
        </p>
        {where.map((path) => (
          <code key={path}>{path}</code>
        ))}
      </div>
      {problem !== undefined ? (
        <Command>{`${program} doctor`}</Command>
      ) : found && list !== "on" && command !== null ? (
        <Command>{command}</Command>
      ) : found && start !== undefined ? (
        <span class="meta">
          Start it with <code>{start}</code>
        </span>
      ) : null}
    </li>
  );
}

function AgentState({ agent: { found, problem, list } }: { readonly agent: AgentSummary }) {
  if (!found) return <>Not installed</>;
  if (problem !== undefined)
    return (
      <span class="warn">
        <Icon name="blocked" /> Found, but {problem}.
      </span>
    );
  if (list === "on")
    return (
      <>
        <Icon name="on" /> Ready. Its todo list is on.
      </>
    );
  if (list === "off")
    return (
      <>
        <Icon name="pending" /> Found. Its todo list is <b>off</b>.
      </>
    );
  return (
    <>
      <Icon name="pending" /> Found.
    </>
  );
}
