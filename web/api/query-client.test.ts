import assert from "node:assert/strict";
import { test } from "node:test";
import { QueryObserver } from "@tanstack/query-core";
import { askAfterFirstLoads, createQueryClient } from "./query-client.ts";

test("what changes while a list is first loaded is in the list: the older answer is not kept", async () => {
  const client = createQueryClient();
  const answers: ((names: string[]) => void)[] = [];
  const observer = new QueryObserver(client, {
    queryKey: ["variables"],
    queryFn: () => new Promise<string[]>((resolve) => answers.push(resolve)),
  });
  const stop = observer.subscribe(() => {});
  const first = client.fetchQuery(observer.options);
  const renewed = client.invalidateQueries({ queryKey: ["variables"] });
  assert.equal(answers.length, 2, "it is asked again");
  answers[1]?.(["NEW"]);
  answers[0]?.([]);
  await renewed;
  assert.deepEqual(client.getQueryData(["variables"]), ["NEW"]);
  assert.deepEqual(await first, ["NEW"], "who waited for the first answer gets the second");
  stop();
  client.clear();
});

test("news during a first load let it go on, and ask once more when it is there", async () => {
  const client = createQueryClient();
  const answers: ((names: string[]) => void)[] = [];
  const observer = new QueryObserver(client, {
    queryKey: ["checks"],
    queryFn: () => new Promise<string[]>((resolve) => answers.push(resolve)),
  });
  const stop = observer.subscribe(() => {});
  const first = client.fetchQuery(observer.options);
  for (let news = 0; news < 3; news += 1) askAfterFirstLoads(client, () => true);
  assert.equal(answers.length, 1, "the first load goes on");
  answers[0]?.(["OLD"]);
  assert.deepEqual(await first, ["OLD"]);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(answers.length, 2, "it is asked once more, however much news there was");
  answers[1]?.(["NEW"]);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(client.getQueryData(["checks"]), ["NEW"]);
  stop();
  client.clear();
});
