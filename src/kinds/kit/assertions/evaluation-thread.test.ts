import assert from "node:assert/strict";
import { after, test } from "node:test";
import { evaluate } from "../../wire/http/evaluate-http.ts";
import type { Assertion } from "./assertion.ts";
import { EvaluationThread } from "./evaluation-thread.ts";

const { href: module } = new URL("../../wire/http/evaluate-http.ts", import.meta.url);
const thread = new EvaluationThread();
after(() => thread.close());

const claim = (property: string): Assertion => ({
  source: "JSON_BODY",
  property,
  comparison: "NOT_EMPTY",
  target: "",
});
/** A nested filter reads the list once per member. */
const costly = claim("$[?@.a > 0 && count($[?@.a > 1]) > 0]");

function makeDocument(length: number) {
  const text = JSON.stringify(Array.from({ length }, (_, index) => ({ a: index })));
  return { status: 200, responseTime: 1, headers: {}, text, isCut: false };
}

test("the thread returns the same results as direct evaluation", async () => {
  const document = makeDocument(100);
  const assertions = [costly, claim("$[3].a"), claim("$[300].a"), claim("$..a")];
  const results = await thread.evaluate("one", { module, assertions, document });
  assert.deepEqual(
    results,
    evaluate(assertions, document, () => false),
  );
});

test("assertions beyond the time limit of a run fail with the reason", async () => {
  const assertions = Array.from({ length: 50 }, () => costly);
  const results = await thread.evaluate("one", { module, assertions, document: makeDocument(600) });
  assert.equal(results?.length, 50);
  assert.match(results?.at(-1)?.message ?? "", /was not evaluated because .* 500 ms of CPU/);
  assert.equal(results?.at(-1)?.passed, false);
  assert.doesNotMatch(results?.[0]?.message ?? "", /was not evaluated because/);
});

test("accounts take turns, and the caller is not blocked", async () => {
  const assertions = [costly];
  const order: string[] = [];
  const ask = async (account: string) => {
    await thread.evaluate(account, { module, assertions, document: makeDocument(300) });
    order.push(account);
  };
  let turns = 0;
  const counting = setInterval(() => {
    turns += 1;
  }, 1);
  await Promise.all([...Array.from({ length: 8 }, () => ask("noisy")), ask("quiet")]);
  clearInterval(counting);
  assert.ok(order.indexOf("quiet") <= 2, order.join(" "));
  assert.ok(turns > 8, `${turns} turns`);
});

test("an account with too many waiting runs gets no further results, and other accounts do", async () => {
  const job = { module, assertions: [claim("$[0].a")], document: makeDocument(10) };
  const many = Array.from({ length: 120 }, () => thread.evaluate("noisy", job));
  const other = await thread.evaluate("quiet", job);
  const results = await Promise.all(many);
  assert.equal(other?.length, 1);
  assert.ok(results.filter((one) => one === null).length >= 19);
});

test("when the thread ends, its runs are released and the next run starts a new thread", async () => {
  const assertions = Array.from({ length: 50 }, () => costly);
  const document = makeDocument(600);
  const lost = thread.evaluate("one", { module, assertions, document });
  await thread.close();
  assert.equal(await lost, null);
  const found = await thread.evaluate("one", { module, assertions: [claim("$[0]")], document });
  assert.equal(found?.length, 1);
});
