import assert from "node:assert/strict";
import { test } from "node:test";
import { AccountMemory } from "./account-memory.ts";

function createMemory() {
  const asked: string[] = [];
  const state = { isOn: true, value: 1, wait: Promise.resolve() };
  const memory = new AccountMemory(
    () => state.isOn,
    async (accountId) => {
      asked.push(accountId);
      const { value } = state;
      await state.wait;
      return value;
    },
  );
  return { memory, asked, state };
}

test("an account is read once, also when many ask at once, until it changes", async () => {
  const { memory, asked, state } = createMemory();
  assert.deepEqual(await Promise.all([memory.find("a"), memory.find("a")]), [1, 1]);
  state.value = 2;
  assert.equal(await memory.find("a"), 1);
  assert.equal(await memory.find("b"), 2);
  memory.forget("a");
  assert.equal(await memory.find("a"), 2);
  assert.deepEqual(asked, ["a", "b", "a"]);
  memory.forgetAll();
  await memory.find("b");
  assert.equal(asked.length, 4);
});

test("what changes while it is read is not remembered, nor given to those who ask later", async () => {
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

test("while news may be missed nothing is remembered", async () => {
  const { memory, asked, state } = createMemory();
  await memory.find("a");
  state.isOn = false;
  await memory.find("a");
  state.isOn = true;
  assert.deepEqual(asked, ["a", "a"]);
});

test("an error is not remembered", async () => {
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
