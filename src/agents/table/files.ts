import type { Machine, SessionLocation } from "../agent.ts";
import { applicationFolder } from "../common/application-folder.ts";
import type { LocationShape } from "./table.ts";

/** Resolves declared locations on a machine. */
export function locationsOf(
  shapes: readonly LocationShape[],
): (machine: Machine) => readonly SessionLocation[] {
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

function rootOf({ env, base, path }: LocationShape, machine: Machine): string {
  const given = env === undefined ? undefined : machine.env[env];
  return given || machine.join(baseOf(base, machine), ...path);
}

function baseOf(base: LocationShape["base"], machine: Machine): string {
  const { home, env, join } = machine;
  if (base === "home") return home;
  if (base === "data") return env.XDG_DATA_HOME || join(home, ".local", "share");
  return join(applicationFolder(machine), "Code", "User");
}
