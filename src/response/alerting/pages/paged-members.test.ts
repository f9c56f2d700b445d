import assert from "node:assert/strict";
import { test } from "node:test";
import { decidePaged, decideSteps, nameMethod, type Reach } from "./paged-members.ts";

const onCall =
  (userId: string | null, scheduleName = "Primary") =>
  () =>
    ({ scheduleName, userId }) as never;

test("a channel of a member pages this member, and one of a schedule who is on call", () => {
  const nobody = () => {
    throw new Error("no schedule is needed");
  };
  assert.deepEqual(decidePaged({ userId: "ada" }, nobody), { userId: "ada", via: "" });
  assert.deepEqual(decidePaged({ scheduleId: "s", userId: null }, onCall("ben")), {
    ...{ userId: "ben", via: "Primary" },
  });
  // A schedule takes precedence over a member.
  assert.equal(decidePaged({ scheduleId: "s", userId: "ada" }, onCall("ben")).userId, "ben");
});

test("without anybody to page, the reason says why", () => {
  const reasonOf = (...parameters: Parameters<typeof decidePaged>) => {
    const found = decidePaged(...parameters);
    return found.userId === null ? found.reason : null;
  };
  const none = () => null;
  assert.equal(reasonOf({ scheduleId: "s" }, none), "The on-call schedule was deleted.");
  assert.equal(reasonOf({ scheduleId: "s" }, onCall(null)), "Nobody is on call for Primary.");
  for (const target of [{}, { userId: null, scheduleId: null }, { userId: "", scheduleId: "" }]) {
    assert.equal(reasonOf(target, none), "The channel names nobody.");
  }
});

test("the name of a schedule is one short line in messages", () => {
  const hostile = `a\r\nb\u202e${"x".repeat(300)}`;
  const found = decidePaged({ scheduleId: "s" }, onCall("ben", hostile));
  assert.ok(found.userId !== null);
  assert.match(found.via, /^a bx+…$/);
  assert.ok(found.via.length <= 100);
});

const page = { urgency: "HIGH", atMs: 0 } as const;
const reachWith = (steps: readonly unknown[], name = "Ada") =>
  ({ name, plan: () => steps }) as unknown as Reach;

test("a member who has left, or has no working contact method, cannot be paged", () => {
  assert.deepEqual(decideSteps(undefined, page), {
    ...{ reach: null, reason: "The member has left the account." },
  });
  const silent = reachWith([]);
  assert.deepEqual(decideSteps(silent, page), {
    ...{ reach: silent, reason: "Ada has no working contact method." },
  });
});

test("a member is paged by the rules for the urgency and the time of the page", () => {
  const asked: unknown[] = [];
  const steps = [{ afterMinutes: 0 }];
  const reach = {
    name: "Ada",
    plan: (of: unknown) => {
      asked.push(of);
      return steps;
    },
  } as unknown as Reach;
  const low = { urgency: "LOW", atMs: 5 } as const;
  assert.deepEqual(decideSteps(reach, low), { reach, steps, reason: null });
  assert.deepEqual(asked, [low]);
});

test("push is named as such, and other methods by their address", () => {
  assert.equal(nameMethod({ id: "push", type: "WEB_PUSH", config: {} }), "push");
  const email = { type: "EMAIL", config: { address: "ada@example.com" } };
  assert.equal(nameMethod({ id: "email", ...email }), "ada@example.com");
});
