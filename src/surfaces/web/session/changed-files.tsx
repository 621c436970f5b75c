import { useEffect, useRef, useState } from "preact/hooks";
import {
  type ChangedFile,
  type ChangedFiles,
  type FileLines,
  sumLines,
} from "../../../core/files/changed-files.ts";
import type { TrackId } from "../../../core/model.ts";
import { counted } from "../../../core/text/count.ts";
import { forPage } from "../../../core/text/escape.ts";
import { trackKey } from "../../../core/text/ids.ts";
import type { MergedTrack } from "../../../core/views/merged.ts";
import { fetchFiles, Refused } from "../connection/api.ts";
import { useIsMounted } from "../state/hooks.ts";
import { Icon } from "../ui/icons.tsx";
import { Text } from "../ui/parts.tsx";
import { timeText } from "../ui/time.tsx";

const LOAD_EVERY = 2_000;
/** Reading a long transcript takes a while: the server spends at most this part of its time on it. */
const SHARE = 0.1;

/** The changed files of a session, loaded again after edits; undefined until the first response. */
export function useChangedFiles(
  id: TrackId,
  merged: MergedTrack | undefined,
): ChangedFiles | undefined {
  const [changed, setChanged] = useState<ChangedFiles | undefined>();
  const isMounted = useIsMounted();
  const nextAt = useRef(0);
  const key = trackKey(id);
  const isKnown = merged !== undefined;
  // Todos decide which files belong to which.
  const state = `${merged?.activity?.edits?.count ?? 0} ${merged?.track.revision ?? 0}`;
  useEffect(() => {
    if (!isKnown) return undefined;
    const load = async (): Promise<void> => {
      const began = Date.now();
      nextAt.current = began + LOAD_EVERY;
      try {
        const answer = await fetchFiles(id);
        if (isMounted()) setChanged(answer);
      } catch (error) {
        // The page says elsewhere that the server is away; the next edit loads them again.
        if (!(error instanceof Refused)) throw error;
      }
      const now = Date.now();
      nextAt.current = Math.max(nextAt.current, now + (now - began) / SHARE);
    };
    const wait = Math.max(0, nextAt.current - Date.now());
    const timer = setTimeout(() => void load(), wait);
    return () => clearTimeout(timer);
  }, [key, isKnown, state]);
  return changed;
}

/** All files that the agents of a session changed. */
export function ChangedFilesCard({ changed }: { readonly changed: ChangedFiles | undefined }) {
  if (!changed) return null;
  const { files, unnamed, dropped, git, problem } = changed;
  if (files.length === 0 && unnamed === 0) return null;
  const others = git?.others ?? [];
  return (
    <section class="card changed" aria-labelledby="changed-title">
      <header>
        <h2 id="changed-title">Changed files</h2>
        <Sum files={files} />
      </header>
      <FileList files={files} />
      {unnamed > 0 && (
        <p class="foot-note">
          {counted(unnamed, "more edit")} in files that the{" "}
          {unnamed === 1 ? "call does" : "calls do"} not name.
        </p>
      )}
      {dropped > 0 && <p class="foot-note">{counted(dropped, "older edit")} not included.</p>}
      {git && git.othersTotal > 0 && (
        <details class="others">
          <summary>
            {counted(git.othersTotal, "other file")} in the repository{" "}
            {git.othersTotal === 1 ? "differs" : "differ"}
          </summary>
          <ul class="files">
            {others.map(({ path, lines }) => (
              <li key={path}>
                <Icon name="file" />
                <Text class="mono">{path}</Text>
                <Lines lines={lines} />
              </li>
            ))}
          </ul>
          {git.othersTotal > others.length && (
            <p class="foot-note">And {git.othersTotal - others.length} more.</p>
          )}
        </details>
      )}
      {problem !== undefined ? (
        <p class="foot-note">
          Lines not counted. <Text>{problem}</Text>
        </p>
      ) : (
        git && <p class="foot-note">{sinceText(git.since)}</p>
      )}
    </section>
  );
}

function sinceText(since: string | null): string {
  return since === null
    ? "Lines: git diff, nothing was committed before this session."
    : `Lines: git diff since ${since.slice(0, 7)}, the last commit before this session.`;
}

interface TodoFilesProps {
  readonly todo: string;
  readonly files: readonly ChangedFile[] | undefined;
}

/** The files that were changed while one todo was in progress. */
export function TodoFiles({ todo, files }: TodoFilesProps) {
  if (!files) return null;
  const own = files.filter(({ todos }) => todos.length === 1);
  return (
    <section class="todo-files" aria-labelledby="todo-files-title">
      <h3 id="todo-files-title">
        Changed for this todo{" "}
        {own.length === files.length ? (
          <Sum files={files} />
        ) : (
          <span class="quiet num">{counted(files.length, "file")}</span>
        )}
      </h3>
      <FileList files={files} todo={todo} />
    </section>
  );
}

const FEW = 12;

interface FileListProps {
  readonly files: readonly ChangedFile[];
  /** Git does not know which lines of a file belong to one of several todos. */
  readonly todo?: string;
}

function FileList({ files, todo }: FileListProps) {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? files : files.slice(0, FEW);
  return (
    <>
      <ul class="files">
        {shown.map(({ path, edits, at, lines, todos }) => (
          <li key={path} title={`${counted(edits, "edit")}, the last ${timeText(at)}`}>
            <Icon name="file" />
            <Text class="mono">{path}</Text>
            {todo !== undefined && todos.length > 1 ? (
              <span class="quiet">also todo {todos.filter((id) => id !== todo).join(", ")}</span>
            ) : lines ? (
              <Lines lines={lines} />
            ) : (
              <span class="quiet">{counted(edits, "edit")}</span>
            )}
          </li>
        ))}
      </ul>
      {files.length > shown.length && (
        <p class="hidden-rows">
          <button type="button" onClick={() => setAll(true)}>
            {files.length - shown.length} more<span class="visually-hidden">, show</span>
          </button>
        </p>
      )}
    </>
  );
}

/** `3 files, +58 −11` */
function Sum({ files }: { readonly files: readonly ChangedFile[] }) {
  const sum = sumLines(files);
  return (
    <span class="quiet num">
      {counted(files.length, "file")}
      {sum && `, +${sum.added} −${sum.removed}`}
    </span>
  );
}

function Lines({ lines: { added, removed } }: { readonly lines: FileLines }) {
  return (
    <span class="lines num">
      {added === null || removed === null ? (
        "binary"
      ) : (
        <>
          +{added} <span class="quiet">−{removed}</span>
        </>
      )}
    </span>
  );
}

/** `2 files` in the row of a todo. */
export function FilesButton({
  files,
  onShow,
}: {
  readonly files: readonly ChangedFile[] | undefined;
  onShow(): void;
}) {
  if (!files) return null;
  return (
    <button
      type="button"
      class="files-count num"
      title={files.map(({ path }) => forPage(path)).join("\n")}
      onClick={onShow}
    >
      {counted(files.length, "file")}
    </button>
  );
}
