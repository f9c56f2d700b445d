import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createSocketThread } from "./socket-thread.ts";

/** A module that runs the code of each call. */
const code = `
import { threadId } from "node:worker_threads";
export const serve = async (call, { resolver, reach }) => {
  if (call === "throw") throw new Error("a bug");
  if (call === "crash") setImmediate(() => { throw new Error("a worse bug"); });
  if (call === "crash" || call === "wait") return new Promise(() => {});
  if (call === "thread") return threadId;
  if (call === "refusal") return reach.findDenial("127.0.0.9");
  if (call === "resolve") return (await resolver.resolve("localhost", "IPv4")).address;
  return call;
};`;
/** The comment makes the modules different. */
const one = new URL(`data:text/javascript,${encodeURIComponent(code)}`);
const two = new URL(`data:text/javascript,${encodeURIComponent(`${code}//`)}`);

function setUp(t: TestContext) {
  const lines: string[] = [];
  const reach = { allow: [], deny: ["127.0.0.9"] };
  const thread = createSocketThread({ reach, log: (line) => lines.push(line) });
  t.after(() => thread.close());
  return { thread, lines };
}

test("several kinds share one thread that is not the main thread", async (t) => {
  const { thread } = setUp(t);
  const [first, second] = [thread.open<string, number>(one), thread.open<string, number>(two)];
  const ids = await Promise.all([first.call("thread"), second.call("thread")]);
  assert.equal(ids[0], ids[1]);
  assert.ok((ids[0] ?? 0) > 0);
});

test("the thread has a resolver and the guard's rules", async (t) => {
  const calls = setUp(t).thread.open<string, string>(one);
  assert.equal(await calls.call("resolve"), "127.0.0.1");
  assert.match((await calls.call("refusal")) ?? "", /PROBE_DENY/);
});

test("each of many calls gets its own reply", async (t) => {
  const calls = setUp(t).thread.open<number, number>(one);
  const numbers = Array.from({ length: 500 }, (_, number) => number);
  assert.deepEqual(await Promise.all(numbers.map((number) => calls.call(number))), numbers);
});

test("a failing call affects no other call, and only its caller receives the error", async (t) => {
  const { thread, lines } = setUp(t);
  const calls = thread.open<string, string>(one);
  const missing = thread.open<string, string>(new URL("data:text/javascript,"));
  const failing = [calls.call("throw"), missing.call("x")] as const;
  const fine = calls.call("fine");
  await assert.rejects(failing[0], /a bug/);
  await assert.rejects(failing[1], /serve/);
  assert.equal(await fine, "fine");
  assert.deepEqual(lines, []);
});

test("a crash of the thread ends the calls in progress, and the next call restarts it", async (t) => {
  const { thread, lines } = setUp(t);
  const [first, second] = [thread.open<string, number>(one), thread.open<string, number>(two)];
  const former = await first.call("thread");
  const calls = [first.call("wait"), second.call("wait"), second.call("crash")];
  assert.deepEqual(await Promise.all(calls), [null, null, null]);
  assert.match(lines.join("\n"), /a worse bug/);
  assert.notEqual(await first.call("thread"), former);
});

test("a thread without calls for two minutes ends, and the next call starts another", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { thread, lines } = setUp(t);
  const calls = thread.open<string, number>(one);
  const former = await calls.call("thread");
  t.mock.timers.tick(119_999);
  assert.equal(await calls.call("thread"), former);
  t.mock.timers.tick(120_000);
  assert.notEqual(await calls.call("thread"), former);
  assert.deepEqual(lines, []);
});

test("a thread with a call in progress does not end", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { thread } = setUp(t);
  const [first, second] = [thread.open<string, number>(one), thread.open<string, number>(two)];
  const waiting = first.call("wait");
  const former = await second.call("thread");
  t.mock.timers.tick(200_000);
  assert.equal(await second.call("thread"), former);
  first.close();
  assert.equal(await waiting, null);
});

test("closing the calls of one kind leaves the others, and closing the thread ends all", async (t) => {
  const { thread } = setUp(t);
  const [first, second] = [thread.open<string, string>(one), thread.open<string, string>(two)];
  const waiting = [first.call("wait"), second.call("wait")] as const;
  first.close();
  assert.equal(await waiting[0], null);
  assert.equal(await first.call("x"), null);
  assert.equal(await second.call("x"), "x");
  await thread.close();
  assert.equal(await waiting[1], null);
  assert.equal(await second.call("x"), null);
});
