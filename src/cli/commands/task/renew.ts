import { roughly } from "../../../surfaces/text/draw/duration.ts";
import { readLease } from "../../options/lease.ts";
import { holderCommand } from "../../options/task-holder.ts";

export const renew = holderCommand({
  options: {
    lease: {
      type: "string",
      value: "TIME",
      summary: "For how long from now; as before unless told",
    },
  },
  examples: [
    { command: "waymark task renew t2 --as ann --epoch 1", says: "For as long as it was claimed" },
    { command: "waymark task renew t2 --as ann --epoch 1 --lease 1h", says: "For another hour" },
  ],
  op: ({ lease }, by) => ({
    op: "renew",
    ...by,
    ...(lease !== undefined && { lease: readLease(lease) }),
  }),
  words: ({ id, lease = 0 }) => `${id} is yours for another ${roughly(lease)}`,
});
