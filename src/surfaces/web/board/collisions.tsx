import { useState } from "preact/hooks";
import { usedFiles } from "../../../core/collisions/shared-files.ts";
import { forPage } from "../../../core/text/escape.ts";
import type { MergedTrack } from "../../../core/views/merged.ts";
import { sharedFileText } from "../../text/files/table.ts";
import { Button } from "../ui/parts.tsx";

const SHOWN = 3;

/** Names the files that several agents are working on. Can be dismissed for each file until the page is loaded again. */
export function Collisions({
  tracks,
  now,
}: {
  readonly tracks: readonly MergedTrack[];
  readonly now: number;
}) {
  const [dismissed, setDismissed] = useState<ReadonlySet<string>>(new Set());
  const shared = usedFiles(tracks, now).filter(
    ({ isShared, path }) => isShared && !dismissed.has(path),
  );
  if (shared.length === 0) return null;
  return (
    <section aria-label="Collisions">
      {shared.slice(0, SHOWN).map((file) => {
        const { what, who } = sharedFileText(file, now);
        return (
          <p key={file.path} class="strip collision" role="status">
            <strong>{forPage(what)}</strong> <span class="dim">{forPage(who)}</span>
            <Button
              look="ghost"
              label={`Dismiss: ${what}`}
              onClick={() => setDismissed(new Set([...dismissed, file.path]))}
            >
              Dismiss
            </Button>
          </p>
        );
      })}
    </section>
  );
}
