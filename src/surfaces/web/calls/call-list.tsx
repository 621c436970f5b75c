import { useContext, useRef, useState } from "preact/hooks";
import { counted } from "../../../core/text/count.ts";
import type { CallMark } from "../../../core/views/activity-timeline.ts";
import { Icon, type IconName } from "../ui/icons.tsx";
import { Button, Text } from "../ui/parts.tsx";
import { Seconds, Time } from "../ui/time.tsx";
import { CallsContext, callKey } from "./open-call.ts";

const SHOWN = 12;
const MORE = 100;

/** The newest calls of the agent, newest first. Each opens in the drawer. */
export function CallList({ left }: { readonly left: number }) {
  const { calls, open, show } = useContext(CallsContext);
  const [most, setMost] = useState(SHOWN);
  const list = useRef<HTMLUListElement>(null);
  const chosen = open?.call && callKey(open.call);
  const newest = calls.toReversed();
  // The open call stays in the list, however old it is.
  const at = newest.findIndex((call) => callKey(call) === chosen);
  const shown = newest.slice(0, Math.max(most, at + 1));
  const hidden = calls.length - shown.length;
  if (calls.length === 0) return null;
  return (
    <div class="calls-list">
      <h3>Calls</h3>
      <ul ref={list}>
        {shown.map((call) => (
          <CallRow
            key={callKey(call)}
            call={call}
            isOpen={callKey(call) === chosen}
            onOpen={() => show({ call })}
          />
        ))}
      </ul>
      {hidden > 0 && (
        <Button look="ghost" onClick={() => setMost(most + MORE)}>
          Show {Math.min(hidden, MORE)} more
        </Button>
      )}
      {hidden === 0 && left > 0 && (
        <p class="foot-note">{counted(left, "older call")} not listed.</p>
      )}
    </div>
  );
}

interface CallRowProps {
  readonly call: CallMark;
  readonly isOpen: boolean;
  onOpen(): void;
}

const RESULTS: Readonly<
  Record<"failed" | "passed" | "open" | "ended", readonly [IconName, string]>
> = {
  failed: ["failed", "failed"],
  passed: ["verified", "check passed"],
  open: ["active", "running"],
  ended: ["unverified", "succeeded"],
};

function CallRow({ call, isOpen, onOpen }: CallRowProps) {
  const { callId, label, at, endedAt, ok, kind } = call;
  const result =
    endedAt === undefined
      ? "open"
      : ok === false
        ? "failed"
        : kind === "check" && ok
          ? "passed"
          : "ended";
  const [icon, name] = RESULTS[result];
  const content = (
    <>
      <Icon name={icon} label={name} />
      <Text class="mono label">{label}</Text>
      <span class="num quiet">
        {endedAt !== undefined && endedAt > at && <Seconds ms={endedAt - at} />}
      </span>
      <span class="num quiet">
        <Time at={at} />
      </span>
    </>
  );
  return (
    <li>
      {callId === undefined ? (
        <span class="call-row" title="The agent's file has no id of this call">
          {content}
        </span>
      ) : (
        <button
          type="button"
          class={`call-row${isOpen ? " is-open" : ""}`}
          data-call={callKey(call)}
          aria-expanded={isOpen}
          onClick={onOpen}
        >
          {content}
        </button>
      )}
    </li>
  );
}
