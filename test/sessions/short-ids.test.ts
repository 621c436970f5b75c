import fc from "fast-check";
import { expect, test } from "vitest";
import { shortIds } from "../../src/sessions/listing/short-ids.ts";

const generated = (middle: string) => `aaaaaaaa-1111-4111-8111-${middle}`;

test("abbreviates ids in any order", () => {
  const sessions = [generated("2b"), generated("1a"), "ses_1", generated("2a"), "ses_12345678"];
  expect(new Map(shortIds(sessions))).toStrictEqual(
    new Map([
      [generated("1a"), "aaaaaaaa-1111-4111-8111-1"],
      [generated("2a"), generated("2a")],
      [generated("2b"), generated("2b")],
      ["ses_1", "ses_1"],
      ["ses_12345678", "ses_12345678".slice(0, 8)],
    ]),
  );
});

test("keeps the machine of a relayed session", () => {
  const id = "aaaaaaaa-1111-4111-8111-111111111111";
  expect([...shortIds([`${id}@desk`, `${id}@lap@top`]).values()]).toEqual([
    `${id}@desk`,
    `${id}@l@top`,
  ]);
  expect([...shortIds([`${id}@desk`]).values()]).toEqual(["aaaaaaaa@desk"]);
  expect([...shortIds(["ses_1@desk"]).values()]).toEqual(["ses_1@desk"]);
});

test("gives each generated id a prefix that no other id has", () => {
  const id = fc.oneof(
    fc.stringMatching(/^[ab]{8}-[ab]{4}-[ab]{1,6}$/),
    fc.stringMatching(/^ses_[ab]{1,8}$/),
    fc.constantFrom("a", "aaaaaaaa", "groceries"),
  );
  fc.assert(
    fc.property(fc.uniqueArray(id, { maxLength: 12 }), (sessions) => {
      const found = shortIds(sessions);
      expect([...found.keys()].sort()).toEqual([...sessions].sort());
      for (const [session, short] of found) {
        expect(session.startsWith(short)).toBe(true);
        if (!/^.{8}-|^ses_/.test(session)) expect(short).toBe(session);
        else if (short !== session) {
          expect(sessions.filter((each) => each.startsWith(short))).toEqual([session]);
          // One character less is too short, or another id has it as well.
          const shorter = short.slice(0, -1);
          const isShared = sessions.filter((each) => each.startsWith(shorter)).length > 1;
          expect(short.length === 8 || isShared).toBe(true);
        }
      }
    }),
  );
});
