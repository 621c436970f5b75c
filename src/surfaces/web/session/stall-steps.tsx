import type { Track } from "../../../core/model.ts";
import { recentStallLine } from "../../../core/stalls/text.ts";
import { capitalize } from "../ui/capitalize.ts";
import { Icon } from "../ui/icons.tsx";
import { Text } from "../ui/parts.tsx";

/** The steps that Waymark took at the last stall. */
export function StallSteps({ track, now }: { readonly track: Track; readonly now: number }) {
  const text = recentStallLine(track.stalls, now);
  return text === undefined ? null : (
    <p class="quiet stall-steps">
      <Icon name="stalled" /> <Text>{`${capitalize(text)}.`}</Text>
    </p>
  );
}
