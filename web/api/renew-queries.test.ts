import assert from "node:assert/strict";
import { test } from "node:test";
import { QueryObserver } from "@tanstack/query-core";
import { createQueryClient } from "./query-client.ts";
import { renewQueries } from "./renew-queries.ts";

test("a change during the first load of a list is included in the list", async () => {
  const client = createQueryClient();
  const answers: ((names: string[]) => void)[] = [];
  const observer = new QueryObserver(client, {
    queryKey: ["variables"],
    queryFn: () => new Promise<string[]>((resolve) => answers.push(resolve)),
  });
  const stop = observer.subscribe(() => {});
  const first = client.fetchQuery(observer.options);
  const renewed = renewQueries(client, ["variables"]);
  assert.equal(answers.length, 2, "it is asked again");
  answers[1]?.(["NEW"]);
  answers[0]?.([]);
  await renewed;
  assert.deepEqual(client.getQueryData(["variables"]), ["NEW"]);
  assert.deepEqual(await first, ["NEW"], "who waited for the first answer gets the second");
  stop();
  client.clear();
});
