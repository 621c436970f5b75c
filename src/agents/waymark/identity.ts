import type { Identity } from "../identity.ts";

export const identity = {
  id: "waymark",
  name: "Waymark",
  code: "wm",
  proof: "its own output",
} satisfies Identity;
