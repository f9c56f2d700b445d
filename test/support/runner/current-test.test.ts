import assert from "node:assert/strict";
import { executionAsyncId } from "node:async_hooks";
import { EventEmitter, once } from "node:events";
import { describe, getTestContext, it, test } from "node:test";
import { setImmediate } from "node:timers/promises";

test("the current test is known after an await, in a callback and in a listener", async (t) => {
  await setImmediate();
  assert.equal(getTestContext(), t);
  const emitter = new EventEmitter();
  globalThis.setImmediate(() => emitter.emit("tick", getTestContext()));
  assert.deepEqual(await once(emitter, "tick"), [t]);
  await t.test("also in a subtest", async (inner) => {
    await setImmediate();
    assert.equal(getTestContext(), inner);
  });
});

describe("a suite", () => {
  it("has tests", async (t) => {
    await setImmediate();
    assert.equal(t.fullName.endsWith("a suite > has tests"), true, t.fullName);
  });
});

test("no async hook runs for promises", async () => {
  const ids = [1, 2].map(async () => {
    await null;
    return executionAsyncId();
  });
  assert.equal(await ids[0], await ids[1]);
});
