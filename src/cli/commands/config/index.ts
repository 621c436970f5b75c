import type { Entries } from "../../args/command.ts";

export const CONFIG_ACTIONS: Entries = {
  list: {
    summary: "List settings with their values and where they are set",
    load: async () => (await import("./list.ts")).list,
  },
  get: {
    summary: "Print the value of a setting",
    load: async () => (await import("./get.ts")).get,
  },
  set: {
    summary: "Set a setting in a configuration file",
    load: async () => (await import("./set.ts")).set,
  },
  unset: {
    summary: "Remove a setting from a configuration file",
    load: async () => (await import("./unset.ts")).unset,
  },
  edit: {
    summary: "Open a configuration file in your editor",
    load: async () => (await import("./edit.ts")).edit,
  },
  path: {
    summary: "Print the path of a configuration file",
    load: async () => (await import("./path.ts")).path,
  },
};
