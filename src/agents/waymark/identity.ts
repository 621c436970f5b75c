import type { Identity } from "../identity.ts";

export const identity = {
  id: "waymark",
  name: "Waymark",
  code: "wm",
  basis: "its own output",
} satisfies Identity;
