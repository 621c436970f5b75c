import {
  type MutedFinding,
  type MuteKind,
  muteEnd,
  muteLabel,
} from "../../../core/activity/mute.ts";
import type { MergedTrack } from "../../../core/views/merged.ts";
import type { MuteRequest } from "../../../core/wire.ts";
import { Refused, sendMute } from "../connection/api.ts";
import { type App, useApp } from "../state/app-context.ts";
import { failingLabel, findingNow, isLoop } from "../state/todo-labels.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Button, Text } from "../ui/parts.tsx";
import { Time } from "../ui/time.tsx";

/** The finding to mute: the loop or stall, otherwise a failing check; undefined if there is none. */
export function mutableFinding(merged: MergedTrack, now: number): Muting | undefined {
  const finding = findingNow(merged, now);
  if (finding)
    return { merged, kind: isLoop(finding) ? "looping" : "stalled", message: finding.message };
  const failing = failingLabel(merged);
  return failing === "" ? undefined : { merged, kind: "failing", message: failing };
}

export interface Muting {
  readonly merged: MergedTrack;
  readonly kind: MuteKind;
  readonly message: string;
}

const CHOICES = [
  { end: "hour", label: "For an hour", done: "for an hour", key: "1" },
  { end: "change", label: "Until it changes", done: "until it changes", key: "2" },
  { end: "session", label: "For this session", done: "for this session", key: "3" },
] as const;

/** Asks for how long a finding is muted. */
export function MuteDialog({
  merged,
  kind,
  message,
  onClose,
}: Muting & { readonly onClose: () => void }) {
  const app = useApp();
  const choose = ({ end, done }: (typeof CHOICES)[number]) => {
    onClose();
    void muteWithUndo(app, merged, { kind, end }, `${muteLabel(kind)}: muted ${done}.`);
  };
  return (
    <Dialog
      title={`Mute: ${muteLabel(kind)}`}
      keys={Object.fromEntries(CHOICES.map((choice) => [choice.key, () => choose(choice)]))}
      onClose={onClose}
    >
      <p>
        <Text>{message}</Text>
      </p>
      <p class="quiet">
        While muted, the session counts as working and sends no notification about this.
      </p>
      <div class="actions">
        {CHOICES.map((choice) => (
          <Button key={choice.end} shortcut={choice.key} onClick={() => choose(choice)}>
            {choice.label}
          </Button>
        ))}
        <Button look="ghost" shortcut="Escape" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </Dialog>
  );
}

async function muteWithUndo(
  app: App,
  { track }: MergedTrack,
  request: MuteRequest,
  text: string,
  back: MuteRequest["end"] = "none",
): Promise<void> {
  try {
    await sendMute(track, request);
    app.notify({ text, undo: () => void muteAgain(app, track, { ...request, end: back }) });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    app.notify({ text: error.message, isProblem: true });
  }
}

async function muteAgain(
  app: App,
  track: MergedTrack["track"],
  request: MuteRequest,
): Promise<void> {
  try {
    await sendMute(track, request);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    app.notify({ text: error.message, isProblem: true });
  }
}

/** The button that mutes the current finding; nothing without one. */
export function MuteButton({
  merged,
  now,
}: {
  readonly merged: MergedTrack;
  readonly now: number;
}) {
  const app = useApp();
  const finding = mutableFinding(merged, now);
  if (!finding) return null;
  return (
    <Button look="ghost" shortcut="M" onClick={() => app.showMute(finding)}>
      Mute
    </Button>
  );
}

/** The muted findings, with the way back. */
export function MutedNotes({ merged }: { readonly merged: MergedTrack }) {
  const app = useApp();
  return (
    <>
      {merged.muted?.map((each) => (
        <p key={each.kind} class="muted-note">
          <MutedText muted={each} />
          <Button
            look="ghost"
            label={`Unmute: ${muteLabel(each.kind)}`}
            onClick={() =>
              void muteWithUndo(
                app,
                merged,
                { kind: each.kind, end: "none" },
                `${muteLabel(each.kind)}: no longer muted.`,
                endOf(each),
              )
            }
          >
            Unmute
          </Button>
        </p>
      ))}
    </>
  );
}

/** `Looping, muted until it changes` */
export function MutedText({ muted }: { readonly muted: MutedFinding }) {
  const { kind, until, message } = muted;
  return (
    <span title={message}>
      {muteLabel(kind)}, muted{" "}
      {muteEnd(muted) ??
        (until !== undefined && (
          <>
            until <Time at={until} />
          </>
        ))}
    </span>
  );
}

function endOf({ until, untilChange }: MutedFinding): MuteRequest["end"] {
  if (until !== undefined) return "hour";
  return untilChange ? "change" : "session";
}
