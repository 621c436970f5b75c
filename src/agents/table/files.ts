import type { Machine, Place } from "../agent.ts";
import type { PlaceShape } from "./table.ts";

/** Declared places as folders of a machine. */
export function placesOf(shapes: readonly PlaceShape[]): (machine: Machine) => readonly Place[] {
  return (machine) =>
    shapes.map((shape) => ({
      root: rootOf(shape, machine),
      depth: shape.depth,
      kind: shape.kind,
      accept: (path) => {
        const found = shape.file.exec(path.join("/"));
        if (!found) return undefined;
        return found[1] === undefined ? {} : { session: found[1] };
      },
    }));
}

function rootOf({ env, base, path }: PlaceShape, machine: Machine): string {
  const given = env === undefined ? undefined : machine.env[env];
  return given || machine.join(baseOf(base, machine), ...path);
}

function baseOf(base: PlaceShape["base"], { home, platform, env, join }: Machine): string {
  if (base === "home") return home;
  if (base === "data") return env.XDG_DATA_HOME || join(home, ".local", "share");
  const settings =
    platform === "win32"
      ? env.APPDATA || join(home, "AppData", "Roaming")
      : platform === "darwin"
        ? join(home, "Library", "Application Support")
        : env.XDG_CONFIG_HOME || join(home, ".config");
  return join(settings, "Code", "User");
}
