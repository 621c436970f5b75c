import { useEffect, useState } from "preact/hooks";
import { FIRST_AGENT } from "../../../agents/identities.ts";
import type { AgentsAnswer, DemoStatus } from "../../../core/wire.ts";
import { leaveDemo, playDemo, type Refused } from "../connection/api.ts";
import { programOf, useAgents, withoutList } from "../state/agents.ts";
import { useApp } from "../state/app-context.ts";
import { useIsThere, useOnce } from "../state/hooks.ts";
import { Command } from "../ui/command.tsx";
import { Box } from "../ui/dialog.tsx";
import { Button } from "../ui/parts.tsx";

/** Says in the header that what is shown was recorded. */
export function DemoBadge({ demo, onNext }: { readonly demo: DemoStatus; onNext(): void }) {
  const leave = useLeaveDemo();
  return (
    <div class="demo" role="group" aria-label="Demo">
      <b>DEMO</b>
      {demo.over && <span>over</span>}
      {demo.over && (
        <button type="button" class="button" onClick={onNext}>
          What next
        </button>
      )}
      {demo.canLeave && (
        <button type="button" class="button" onClick={leave}>
          Leave demo
        </button>
      )}
    </div>
  );
}

/** The demo that the end card was closed for. */
const CLOSED = "waymark-demo-end";
const BUSY = "input:focus, textarea:focus, select:focus, dialog[open]";

/** Whether the end card is shown: when the recording ends, unless the user types; then afterwards. */
export function useEndCard(demo: DemoStatus | undefined): {
  readonly isShown: boolean;
  show(): void;
  close(): void;
} {
  const [isShown, setShown] = useState(false);
  const id = demo?.over ? String(demo.overAt ?? "over") : undefined;
  useEffect(() => {
    setShown(false);
    if (id === undefined || sessionStorage.getItem(CLOSED) === id) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      if (document.querySelector(BUSY)) timer = setTimeout(look, 500);
      else setShown(true);
    };
    look();
    return () => clearTimeout(timer);
  }, [id]);
  return {
    isShown: isShown && id !== undefined,
    show: () => setShown(true),
    close() {
      if (id !== undefined) sessionStorage.setItem(CLOSED, id);
      setShown(false);
    },
  };
}

/** What to do after the demo. */
export function EndCard({ demo, onClose }: { readonly demo: DemoStatus; onClose(): void }) {
  const answer = useAgents(true);
  const leave = useLeaveDemo();
  const { play, isStarting } = usePlayDemo();
  const next = answer && nextAgent(answer);
  return (
    <Box title="That was the demo" onClose={onClose}>
      <div class="end-card">
        <p>Those sessions were recorded. To see your own:</p>
        {next && answer && (
          <ol>
            <li>
              <span>
                Give {next.name} a todo list
                <InFolder folder={answer.folder} />
              </span>
              <Command>{next.command}</Command>
            </li>
            <li>
              <span>Start it in one of your projects</span>
              <Command>{next.program}</Command>
            </li>
            {!demo.canLeave && (
              <li>
                <span>
                  Watch your own agents
                  <InFolder folder={answer.folder} />
                </span>
                <Command>{`${answer.program} serve`}</Command>
              </li>
            )}
          </ol>
        )}
        <div class="acts">
          {demo.canLeave && (
            <Button look="go" onClick={leave}>
              Show my sessions
            </Button>
          )}
          {demo.canLeave && (
            <Button onClick={play} isDisabled={isStarting}>
              Play again
            </Button>
          )}
          <Button look={demo.canLeave ? "ghost" : "go"} onClick={onClose} shortcut="Escape">
            Close
          </Button>
        </div>
      </div>
    </Box>
  );
}

/** Where a command has to run that names its program by a relative path. */
function InFolder({ folder }: { readonly folder: string | undefined }) {
  if (folder === undefined) return null;
  return (
    <>
      , run in <code>{folder}</code>
    </>
  );
}

/** The agent that a new user sets up first: one that is here and has no list, else a common one. */
function nextAgent({ agents, program }: AgentsAnswer) {
  const [first] = withoutList(agents);
  const { agent, name } = first ?? { agent: FIRST_AGENT.id, name: FIRST_AGENT.name };
  const start = programOf({ agent }) ?? FIRST_AGENT.command;
  return { name, program: start, command: first?.command ?? `${program} setup ${start}` };
}

/** Starts the recorded team in place of the empty board. */
export function usePlayDemo(): { readonly isStarting: boolean; play(): void } {
  const { tell } = useApp();
  const [isStarting, setStarting] = useState(false);
  const isThere = useIsThere();
  const send = useOnce(async () => {
    setStarting(true);
    try {
      await playDemo();
    } catch (error) {
      tell({ text: (error as Refused).message, isProblem: true });
    } finally {
      if (isThere()) setStarting(false);
    }
  });
  return { isStarting, play: () => void send() };
}

/** Back to the user's own sessions. */
function useLeaveDemo(): () => void {
  const { tell, go } = useApp();
  const send = useOnce(async () => {
    try {
      await leaveDemo();
      go("/");
    } catch (error) {
      tell({ text: (error as Refused).message, isProblem: true });
    }
  });
  return () => void send();
}
