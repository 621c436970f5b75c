import type { Actor, World } from "../world.ts";

/** Jumps of a clock in milliseconds, also backwards. */
const JUMPS = [-3_600_000, -60_000, -5_000, -300, 300, 5_000, 60_000, 3_600_000];

/** Disks that fail for a while, and wall clocks that jump. */
export function disturbances({ random, machines, scheduler, note }: World): Actor {
  return {
    name: "disturbances",
    weight: 1,
    act() {
      const machine = random.pick(machines);
      if (random.chance(0.5)) {
        const jump = random.pick(JUMPS);
        machine.wallAhead += jump;
        machine.jumps++;
        note(`the clock of ${machine.name} jumps by ${jump} ms`);
        return;
      }
      machine.failingFiles = random.pick([0.05, 0.3, 1]);
      note(`the disk of ${machine.name} fails`);
      scheduler.later(random.below(3_000), `the disk of ${machine.name} works again`, () => {
        machine.failingFiles = 0;
      });
    },
  };
}
