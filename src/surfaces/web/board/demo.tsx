import { useEffect, useState } from "preact/hooks";
import { FIRST_AGENT } from "../../../agents/identities.ts";
import type { AgentsResponse, DemoStatus } from "../../../core/wire.ts";
import { leaveDemo, playDemo, type Refused } from "../connection/api.ts";
import { programOf, useAgents, withoutList } from "../state/agents.ts";
import { useApp } from "../state/app-context.ts";
import { useIsMounted, useSingleFlight } from "../state/hooks.ts";
import { cancelAllPending } from "../state/undo.ts";
import { Command } from "../ui/command.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Button } from "../ui/parts.tsx";

/** Marks the page as a demo in the header. */
export function DemoBadge({ demo, onNext }: { readonly demo: DemoStatus; onNext(): void }) {
  const leave = useLeaveDemo();
  return (
    <div class="demo" role="group" aria-label="Demo">
      <b>DEMO</b>
      {demo.over && <span>over</span>}
      {demo.over && (
        <button type="button" class="button" onClick={onNext}>
          Next steps
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

/** Session storage key: the demo whose end card was closed. */
const CLOSED = "waymark-demo-end";
const BUSY = "input:focus, textarea:focus, select:focus, dialog[open]";

/** Shows the end card when the recording ends, but not while the user is typing or a dialog is open. */
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

/** The dialog after the demo, with the commands to set up an agent. */
export function EndCard({ demo, onClose }: { readonly demo: DemoStatus; onClose(): void }) {
  const answer = useAgents(true);
  const leave = useLeaveDemo();
  const { play, isStarting } = usePlayDemo();
  const next = answer && nextAgent(answer);
  return (
    <Dialog title="That was the demo" onClose={onClose}>
      <div class="end-card">
        <p>These sessions were recorded. To see your own:</p>
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
        <div class="actions">
          {demo.canLeave && (
            <Button look="primary" onClick={leave}>
              Show my sessions
            </Button>
          )}
          {demo.canLeave && (
            <Button onClick={play} isDisabled={isStarting}>
              Play again
            </Button>
          )}
          <Button look={demo.canLeave ? "ghost" : "primary"} onClick={onClose} shortcut="Escape">
            Close
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

/** The folder in which a command with a relative path must run. */
function InFolder({ folder }: { readonly folder: string | undefined }) {
  if (folder === undefined) return null;
  return (
    <>
      , run in <code>{folder}</code>
    </>
  );
}

/** The agent to set up first: an installed one without a todo list, or else a common one. */
function nextAgent({ agents, program }: AgentsResponse) {
  const [first] = withoutList(agents);
  const { agent, name } = first ?? { agent: FIRST_AGENT.id, name: FIRST_AGENT.name };
  const start = programOf({ agent }) ?? FIRST_AGENT.command;
  return { name, program: start, command: first?.command ?? `${program} setup ${start}` };
}

/** Plays the recorded demo instead of the empty board. */
export function usePlayDemo(): { readonly isStarting: boolean; play(): void } {
  const { notify } = useApp();
  const [isStarting, setStarting] = useState(false);
  const isMounted = useIsMounted();
  const send = useSingleFlight(async () => {
    setStarting(true);
    try {
      await playDemo();
    } catch (error) {
      notify({ text: (error as Refused).message, isProblem: true });
    } finally {
      if (isMounted()) setStarting(false);
    }
  });
  return { isStarting, play: () => void send() };
}

/** Returns to the user's own sessions. */
function useLeaveDemo(): () => void {
  const { notify, navigate } = useApp();
  const send = useSingleFlight(async () => {
    try {
      await leaveDemo();
      cancelAllPending();
      navigate("/");
    } catch (error) {
      notify({ text: (error as Refused).message, isProblem: true });
    }
  });
  return () => void send();
}
