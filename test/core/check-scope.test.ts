import { expect, test } from "vitest";
import { covers, editedAfter, scopeOf } from "../../src/core/activity/evidence/scope.ts";

test.each<[string, string | undefined, readonly string[], object]>([
  ["npm test", undefined, [], {}],
  ["npm test", "web", [], { directory: "web" }],
  ["npm test", "..", [], {}],
  ["npm test", "../api", [], {}],
  ["npm test", "~/a", [], {}],
  ["npm test", "$DIR", [], {}],
  ["npm test", "build/", [], {}],
  ["npm test", "tests", [], {}],
  ["npm test", "/srv/web", [], { directory: "/srv/web" }],
  ["vitest test/userProfile.test.ts", undefined, [], { words: ["user", "profile"] }],
  ["vitest src/a.ts", undefined, [], {}],
  ["vitest -t refunds", undefined, [], { words: ["refunds"] }],
  ["vitest --reporter dot.test.ts", undefined, [], { words: ["dot"] }],
  ["vitest --a.test.ts", undefined, [], {}],
  [
    "pytest tests/test_orders.py::test_one -k slow",
    undefined,
    [],
    { words: ["orders", "one", "slow"] },
  ],
  ["python -m unittest tests.billing.models", undefined, [], { words: ["billing", "models"] }],
  ["cargo test refunds", undefined, [], { words: ["refunds"] }],
  ["cargo build refunds", undefined, [], {}],
  ["cargo test x refunds", undefined, [], {}],
  ["go test -run TestRefund", undefined, [], { words: ["refund"] }],
  ["rspec spec/models/order_spec.rb", undefined, [], { words: ["models", "order", "rb"] }],
  ["npm run test:slug", undefined, ["test:slug"], { words: ["slug"] }],
  ["npm run x", undefined, ["test:slug", "test:unit"], {}],
  ["npm run x", undefined, ["test:slug", "lint:css"], { words: ["slug", "css"] }],
  ["npm run x", undefined, ["test:node20"], {}],
  ["npm run x", undefined, ["tests:locals"], {}],
  [
    "make",
    undefined,
    [Array.from("abcdefghijklmnopq", (c) => `${c}${c}${c}`).join("-")],
    { words: Array.from("abcdefghijkl", (c) => `${c}${c}${c}`) },
  ],
])("%s in %s covers a part", (command, directory, scripts, wanted) => {
  const { words = [], ...rest } = scopeOf(command.split(" "), directory, scripts);
  const expected = { ...(wanted as { words?: readonly string[] }) };
  expect({ ...rest, words: words.filter((word) => word !== "rb") }).toEqual({
    ...expected,
    words: (expected.words ?? []).filter((word) => word !== "rb"),
  });
});

test.each<[object, readonly string[], boolean]>([
  [{}, [], true],
  [{ words: ["a"] }, [], true],
  [{ words: ["a"] }, ["x.ts", "*"], true],
  [{}, ["x.ts"], true],
  [{ words: ["user"] }, ["src/userProfile.ts"], true],
  [{ words: ["order"] }, ["src/userProfile.ts"], false],
  [{ words: ["order"] }, ["src/user.ts", "src/order.ts"], true],
  [{ directory: "/srv/web" }, ["/srv/web/a.ts"], true],
  [{ directory: "/srv/web/" }, ["/srv/web/a.ts"], true],
  [{ directory: "/srv/web" }, ["/srv/webs/a.ts"], false],
  [{ directory: "web" }, ["/srv/web/a.ts"], true],
  [{ directory: "web" }, ["/srv/api/a.ts"], false],
  [{ directory: "web" }, ["a.ts"], true],
  [{ directory: "web", words: ["order"] }, ["/srv/web/user.ts", "/srv/api/order.ts"], false],
])("%j covers %j: %s", (scope, edited, isCovered) => {
  expect(covers(scope, edited)).toBe(isCovered);
});

test("edited files are listed once, the most recent last, with their directory", () => {
  expect(editedAfter(undefined)).toEqual(["*"]);
  expect(editedAfter(["*", "a"])).toEqual(["a", "*"]);
  expect(editedAfter(["/a", "/b"], ["/a", "c"], "/srv")).toEqual(["/b", "/a", "/srv/c"]);
  expect(editedAfter([], ["c"])).toEqual(["c"]);
  expect(editedAfter([], ["*"], "/srv")).toEqual(["*"]);
  const many = Array.from({ length: 40 }, (_, n) => `/${n}`);
  expect(editedAfter(many, ["/new"])).toEqual([...many.slice(1), "/new"]);
});
