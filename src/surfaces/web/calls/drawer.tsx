import { useEffect, useRef, useState } from "preact/hooks";
import { type CallDetail, NO_OUTPUT_TEXTS } from "../../../core/activity/calls/call-detail.ts";
import type { TrackId } from "../../../core/model.ts";
import { withoutAnsi } from "../../../core/text/ansi.ts";
import { trackKey } from "../../../core/text/ids.ts";
import type { CallMark } from "../../../core/views/activity-timeline.ts";
import { fetchCall } from "../connection/api.ts";
import { useKeys } from "../state/hooks.ts";
import { copyText } from "../ui/clipboard.ts";
import { CopyButton } from "../ui/command.tsx";
import { Button, Pill, Text } from "../ui/parts.tsx";
import { Seconds, Time } from "../ui/time.tsx";
import { CallOutput } from "./call-output.tsx";
import { callKey, type OpenCall } from "./open-call.ts";

interface DrawerProps extends OpenCall {
  readonly id: TrackId;
  onClose(): void;
  /** Opens the next or previous call; absent while the drawer follows the todos. */
  onMove?: ((by: number) => void) | undefined;
}

type Loaded =
  | { readonly state: "loading" }
  | { readonly state: "failed"; readonly why: string }
  | { readonly state: "loaded"; readonly detail: CallDetail };

/** One call of the agent beside the page: not modal, so the keys of the page keep working. */
export function CallDrawer({ id, call, todo, onClose, onMove }: DrawerProps) {
  const key = call && callKey(call);
  const [whole, setWhole] = useState<string | undefined>();
  const isWhole = key !== undefined && whole === key;
  const { loaded, retry } = useCall(id, call, isWhole);
  const [copied, setCopied] = useState<"Copy" | "Copied" | "Press Ctrl+C">("Copy");
  useEffect(() => setCopied("Copy"), [key]);
  const detail = loaded.state === "loaded" ? loaded.detail : undefined;
  const output = detail?.output;
  const copy = async (): Promise<void> => {
    if (!output) return;
    const text = [output.head, ...(output.tail === undefined ? [] : [output.tail])].join("\n…\n");
    setCopied((await copyText(withoutAnsi(text))) ? "Copied" : "Press Ctrl+C");
  };
  useKeys({
    Escape: onClose,
    ...(output && { y: () => void copy() }),
    ...(onMove && {
      j: () => onMove(1),
      ArrowDown: () => onMove(1),
      k: () => onMove(-1),
      ArrowUp: () => onMove(-1),
    }),
  });
  const command = detail?.input || call?.label || "";
  return (
    <aside class="drawer" aria-labelledby="drawer-title">
      <header>
        <div>
          <p class="meta">
            {todo ? <Text>{todo.text}</Text> : <Text>{detail?.name || "Call"}</Text>}
          </p>
          <h2 id="drawer-title">
            {call ? <Text class="mono">{firstLine(command)}</Text> : "No call"}
          </h2>
        </div>
        <Button look="ghost" shortcut="Escape" onClick={onClose}>
          Close
        </Button>
      </header>
      {!call && <p class="proof-facts">No test, build or check of the agent backs this todo.</p>}
      {call && <Facts call={call} detail={detail} />}
      {call && detail && isLong(command) && (
        <div class="call-input">
          <pre tabIndex={0} class="scroll" aria-label={detail.isCommand ? "Command" : "Input"}>
            <Text>{command}</Text>
          </pre>
          <CopyButton text={() => command} what={detail.isCommand ? "the command" : "the input"} />
        </div>
      )}
      {call && loaded.state === "loading" && (
        <p class="proof-facts" role="status">
          Reading the agent's file…
        </p>
      )}
      {call && loaded.state === "failed" && (
        <p class="proof-facts" role="alert">
          <Text>{loaded.why}</Text> <Button onClick={retry}>Try again</Button>
        </p>
      )}
      {detail?.noOutput && <p class="proof-facts">{NO_OUTPUT_TEXTS[detail.noOutput]}</p>}
      {output && (
        <CallOutput
          key={key}
          output={output}
          hasFailed={detail.ok === false}
          label={`Output of ${firstLine(command)}`}
          isWhole={isWhole}
          onWhole={() => setWhole(key)}
          onCopy={() => void copy()}
          copyLabel={copied}
        />
      )}
      <span class="visually-hidden" role="status">
        {copied === "Copy" ? "" : `${copied}: the output`}
      </span>
    </aside>
  );
}

function Facts({
  call,
  detail,
}: {
  readonly call: CallMark;
  readonly detail?: CallDetail | undefined;
}) {
  const { startedAt = call.at, endedAt = call.endedAt, ok = call.ok, exitCode } = detail ?? {};
  return (
    <p class="proof-facts num">
      {endedAt === undefined ? (
        <Pill icon="active" look="plain">
          Running
        </Pill>
      ) : ok === undefined ? (
        <Pill icon="unverified" look="plain">
          Ended, result unknown
        </Pill>
      ) : ok ? (
        <Pill
          icon={call.kind === "check" ? "verified" : "unverified"}
          look={call.kind === "check" ? "proven" : "plain"}
        >
          {call.kind === "check" ? "Passed" : "Succeeded"}
        </Pill>
      ) : (
        <Pill icon="failed" look="broken">
          Failed
        </Pill>
      )}
      {exitCode !== undefined && (
        <span>
          exit code <b>{exitCode}</b>
        </span>
      )}
      {endedAt !== undefined && <Seconds ms={Math.max(0, endedAt - startedAt)} />}
      <Time at={startedAt} />
    </p>
  );
}

/** Reads the call when it is opened, and again when it ends. Late responses of another call are ignored. */
function useCall(id: TrackId, call: CallMark | undefined, isWhole: boolean) {
  const [loaded, setLoaded] = useState<Loaded>({ state: "loading" });
  const [tries, setTries] = useState(0);
  const wanted = useRef("");
  const key = call && `${trackKey(id)} ${callKey(call)}`;
  useEffect(() => {
    const { callId, at } = call ?? {};
    if (key === undefined || callId === undefined || at === undefined) return;
    // While more of the same call is read, what is known stays.
    if (wanted.current !== key) setLoaded({ state: "loading" });
    wanted.current = key;
    let isStale = false;
    fetchCall(id, { callId, at }, isWhole).then(
      (detail) => !isStale && setLoaded({ state: "loaded", detail }),
      (error: Error) => !isStale && setLoaded({ state: "failed", why: error.message }),
    );
    return () => {
      isStale = true;
    };
  }, [key, call?.endedAt, isWhole, tries]);
  return { loaded, retry: () => setTries(tries + 1) };
}

const MAX_TITLE = 200;

function firstLine(command: string): string {
  const [line = ""] = command.trimStart().split("\n", 1);
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE)}…` : line;
}

/** The title does not show all of it. */
function isLong(command: string): boolean {
  return command.trim() !== firstLine(command).trim();
}
