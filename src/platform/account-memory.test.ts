import assert from "node:assert/strict";
import { test } from "node:test";
import { AccountMemory } from "./account-memory.ts";

function createMemory() {
  const loaded: string[] = [];
  const state = { isOn: true, value: 1, wait: Promise.resolve() };
  const memory = new AccountMemory(
    () => state.isOn,
    async (accountId) => {
      loaded.push(accountId);
      const { value } = state;
      await state.wait;
      return value;
    },
  );
  return { memory, loaded, state };
}

test("loads an account once, even for concurrent callers, until it changes", async () => {
  const { memory, loaded, state } = createMemory();
  assert.deepEqual(await Promise.all([memory.find("a"), memory.find("a")]), [1, 1]);
  state.value = 2;
  assert.equal(await memory.find("a"), 1);
  assert.equal(await memory.find("b"), 2);
  memory.forget("a");
  assert.equal(await memory.find("a"), 2);
  assert.deepEqual(loaded, ["a", "b", "a"]);
  memory.forgetAll();
  await memory.find("b");
  assert.equal(loaded.length, 4);
});

test("a value that changes while it is loaded is neither cached nor returned to later callers", async () => {
  const { memory, state } = createMemory();
  const gate = Promise.withResolvers<void>();
  state.wait = gate.promise;
  const early = memory.find("a");
  memory.forget("a");
  state.value = 2;
  state.wait = Promise.resolve();
  assert.equal(await memory.find("a"), 2);
  gate.resolve();
  assert.equal(await early, 1);
  assert.equal(await memory.find("a"), 2);
});

test("caches nothing while notifications may be missed", async () => {
  const { memory, loaded, state } = createMemory();
  await memory.find("a");
  state.isOn = false;
  await memory.find("a");
  state.isOn = true;
  assert.deepEqual(loaded, ["a", "a"]);
});

test("does not cache an error", async () => {
  let isBroken = true;
  const memory = new AccountMemory(
    () => true,
    async () => {
      if (isBroken) throw new Error("gone");
      return 1;
    },
  );
  await assert.rejects(memory.find("a"), /gone/);
  isBroken = false;
  assert.equal(await memory.find("a"), 1);
});
