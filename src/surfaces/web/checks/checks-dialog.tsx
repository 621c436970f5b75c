import { useEffect, useState } from "preact/hooks";
import type {
  CheckForm,
  ChecksRequest,
  ChecksResponse,
  VerifyBody,
} from "../../../core/checks/wire.ts";
import type { TrackId } from "../../../core/model.ts";
import { fetchChecks, Refused, sendChecks } from "../connection/api.ts";
import { endLabel } from "../session/evidence-fact.tsx";
import { useApp } from "../state/app-context.ts";
import { useIsMounted, useSingleFlight } from "../state/hooks.ts";
import { Dialog } from "../ui/dialog.tsx";
import { onEnter } from "../ui/form.tsx";
import { Button, Text } from "../ui/parts.tsx";
import { Duration, Time } from "../ui/time.tsx";
import { startRun } from "./runs.ts";

/** The checks to show, and the run that the user wanted. */
export interface WantedChecks {
  readonly id: TrackId;
  readonly wanted?: VerifyBody;
  /** Why the run did not start. */
  readonly why?: string;
}

/** The checks of a repository: list, add, trust, remove, run. */
export function ChecksDialog({
  id,
  wanted = {},
  why,
  onClose,
}: WantedChecks & { readonly onClose: () => void }) {
  const app = useApp();
  const [list, setList] = useState<ChecksResponse | undefined>();
  const [problem, setProblem] = useState(why);
  const isMounted = useIsMounted();
  const show = async (answer: Promise<ChecksResponse>): Promise<boolean> => {
    try {
      const next = await answer;
      if (isMounted()) setList(next);
      return true;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (isMounted()) setProblem(error.message);
      return false;
    }
  };
  useEffect(() => void show(fetchChecks(id)), []);
  const change = useSingleFlight(async (request: ChecksRequest, onDone?: () => void) => {
    setProblem(undefined);
    if (await show(sendChecks(id, request))) onDone?.();
  });
  const run = (check: string): void => {
    onClose();
    void startRun(app, id, { ...wanted, check });
  };
  return (
    <Dialog title="Checks" problem={problem} onClose={onClose}>
      {list && (
        <>
          <p class="quiet">
            Commands that Waymark may run for <Text class="mono">{list.root}</Text>, in{" "}
            {list.isRepository
              ? "a clean checkout of its files."
              : "the directory itself: it is not a git repository."}
          </p>
          {list.checks.length === 0 && <p>No check yet.</p>}
          <ul class="checks">
            {list.checks.map((check) => (
              <Check
                key={check.name}
                check={check}
                onRun={() => run(check.name)}
                onTrust={() => void change({ action: "trust", name: check.name, hash: check.hash })}
                onRemove={() => void change({ action: "remove", name: check.name })}
              />
            ))}
          </ul>
          {list.problems.map((text) => (
            <p key={text} class="bad">
              <Text>{text}</Text>
            </p>
          ))}
          <AddCheck
            suggestion={list.checks.length === 0 ? list.suggestion : undefined}
            onAdd={(request, onDone) => void change(request, onDone)}
          />
        </>
      )}
      <Button onClick={onClose} shortcut="Escape">
        Close
      </Button>
    </Dialog>
  );
}

interface CheckProps {
  readonly check: CheckForm;
  onRun(): void;
  onTrust(): void;
  onRemove(): void;
}

function Check({ check, onRun, onTrust, onRemove }: CheckProps) {
  const { name, command, directory, timeoutMs, trust, file, lastRun } = check;
  const mayRun = trust === "yours" || trust === "trusted";
  return (
    <li aria-label={name}>
      <p>
        <b>{name}</b>{" "}
        <span class={mayRun ? "quiet" : "warn"}>
          {trust === "yours" && "added by you"}
          {trust === "trusted" && `from ${file}, trusted by you`}
          {trust === "changed" && `from ${file}, changed since you trusted it`}
          {trust === "untrusted" && `from ${file}, not trusted`}
        </span>
      </p>
      <pre class="scroll" tabIndex={0}>
        <Text>{command}</Text>
      </pre>
      <p class="quiet">
        {directory !== "" && (
          <>
            In <Text class="mono">{directory}</Text>.{" "}
          </>
        )}
        At most <Duration ms={timeoutMs} />.{" "}
        {lastRun && (
          <>
            Last run <Time at={lastRun.at} />:{" "}
            {lastRun.ok ? "passed" : endLabel(lastRun).toLowerCase()}.
          </>
        )}
      </p>
      <div class="actions">
        {mayRun ? (
          <Button onClick={onRun} label={`Verify with ${name}`}>
            Verify
          </Button>
        ) : (
          <Button look="primary" onClick={onTrust} label={`Trust this command: ${name}`}>
            Trust this command
          </Button>
        )}
        {trust !== "untrusted" && (
          <Button look="ghost" onClick={onRemove} label={`Remove ${name}`}>
            Remove
          </Button>
        )}
      </div>
    </li>
  );
}

interface AddProps {
  readonly suggestion: string | undefined;
  onAdd(request: ChecksRequest, onDone: () => void): void;
}

function AddCheck({ suggestion, onAdd }: AddProps) {
  const [command, setCommand] = useState("");
  const [name, setName] = useState("");
  const [timeout, setLimit] = useState("");
  const add = (): void => {
    if (command.trim() === "") return;
    const request: ChecksRequest = {
      action: "add",
      command,
      ...(name.trim() !== "" && { name: name.trim() }),
      ...(timeout.trim() !== "" && { timeout: timeout.trim() }),
    };
    onAdd(request, () => {
      setCommand("");
      setName("");
      setLimit("");
    });
  };
  const onKeyDown = onEnter(add);
  return (
    <div class="add-check">
      <h3>Add a check</h3>
      <input
        aria-label="Command"
        placeholder={suggestion ?? "npm test"}
        value={command}
        spellcheck={false}
        autocapitalize="off"
        onInput={(event) => setCommand(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div class="form-row">
        <input
          aria-label="Name"
          placeholder="Name (optional)"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <input
          aria-label="Time limit"
          placeholder="Time limit (default: 10m)"
          value={timeout}
          onInput={(event) => setLimit(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <div class="actions">
        <Button onClick={add} shortcut="Enter">
          Add check
        </Button>
        <span class="quiet">Adding a command allows Waymark to run it when you verify.</span>
      </div>
    </div>
  );
}
