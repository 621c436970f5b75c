import { useEffect, useState } from "preact/hooks";
import { identityOf } from "../../../agents/identities.ts";
import { type AgentPane, type PanesResponse, resumeOf } from "../../../core/jump.ts";
import { trackKey } from "../../../core/text/ids.ts";
import type { MergedTrack } from "../../../core/views/merged.ts";
import { fetchPanes, type Refused, sendArchive, sendJump } from "../connection/api.ts";
import { type App, useApp } from "../state/app-context.ts";
import { useStore } from "../state/hooks.ts";
import { CopyButton } from "../ui/command.tsx";
import { Button, Text } from "../ui/parts.tsx";

/** Milliseconds for which a session must be selected before its terminal is looked for. */
const SETTLED = 400;
const MOST_PANES = 4;

/** Goes to the agent's terminal, copies the command that resumes the session, and archives it. */
export function SessionActions({ merged }: { readonly merged: MergedTrack }) {
  const app = useApp();
  const { demo } = useStore(app.store);
  const found = usePanes(merged, demo !== undefined);
  const resume = merged.machine === undefined ? resumeCommand(merged) : undefined;
  return (
    <p class="actions">
      {found.panes.slice(0, MOST_PANES).map((pane) => (
        <Button key={pane.key} onClick={() => void goTo(app, merged, pane)}>
          Go to {pane.program} pane <Text>{found.isCertain ? pane.label : `${pane.label}?`}</Text>
        </Button>
      ))}
      {resume !== undefined && (
        <span class="command">
          <span class="quiet">Resume command</span>
          <CopyButton text={() => resume} what="resume command" />
        </span>
      )}
      {!demo && (
        <Button look="ghost" onClick={() => void archiveWithUndo(app, merged)}>
          {merged.archived ? "Show again" : "Archive"}
        </Button>
      )}
    </p>
  );
}

function resumeCommand(merged: MergedTrack): string | undefined {
  return resumeOf(merged, identityOf(merged.track.agentType)?.resumeCommand)?.line;
}

const NONE: PanesResponse = { panes: [], isCertain: false };

function usePanes({ track, machine }: MergedTrack, isDemo: boolean): PanesResponse {
  const [found, setFound] = useState(NONE);
  const isSought = !isDemo && machine === undefined && track.agentType !== undefined;
  useEffect(() => {
    setFound(NONE);
    if (!isSought) return undefined;
    let isCurrent = true;
    const timer = setTimeout(() => {
      fetchPanes(track).then(
        (answer) => isCurrent && setFound(answer),
        // The buttons are an offer: without an answer there is none.
        () => undefined,
      );
    }, SETTLED);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [trackKey(track), isSought]);
  return found;
}

async function goTo(app: App, { track }: MergedTrack, pane: AgentPane): Promise<void> {
  try {
    const answer = await sendJump(track, pane.key);
    app.notify(
      answer.type === "went"
        ? { text: `Went to ${answer.pane.program} pane ${answer.pane.label}.` }
        : answer.type === "detached"
          ? { text: `No window shows the pane. Run: ${answer.attach}` }
          : { text: "The pane is closed.", isProblem: true },
    );
  } catch (error) {
    app.notify({ text: (error as Refused).message, isProblem: true });
  }
}

/** Archives a session, or shows it again. */
export async function archiveWithUndo(app: App, merged: MergedTrack): Promise<void> {
  const { session } = merged.track;
  const family = [...app.store.get().tracks.values()].filter(
    ({ track }) => track.session === session,
  );
  const seen = Math.max(...family.map(({ updatedAt }) => updatedAt), merged.updatedAt);
  const archived = merged.archived === undefined;
  const send = async (isArchived: boolean): Promise<boolean> => {
    try {
      await sendArchive({ sessions: [{ session, seen }], archived: isArchived });
      return true;
    } catch (error) {
      app.notify({ text: (error as Refused).message, isProblem: true });
      return false;
    }
  };
  if (!(await send(archived))) return;
  app.notify({
    text: archived ? "Archived until it changes." : "Shown again.",
    subject: `archive:${session}`,
    undo: () => void send(!archived),
  });
}
