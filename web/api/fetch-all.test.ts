import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { fetchAll, onListCut } from "./fetch-all.ts";

const cuts: string[] = [];
const stop = onListCut((what, shown) => void cuts.push(`${what} ${shown}`));
afterEach(() => cuts.splice(0));
test.after(() => stop());

const items = (count: number) => [...Array(count).keys()];

test("a list with numbered pages is fetched to its end", async () => {
  const all = items(250);
  const asked: number[] = [];
  const found = await fetchAll("groups", ({ page, limit }) => {
    asked.push(page);
    const data = all.slice((page - 1) * limit, page * limit);
    return Promise.resolve({ data, total: all.length });
  });
  assert.deepEqual(found, all);
  assert.deepEqual(asked, [1, 2, 3]);
  assert.deepEqual(cuts, []);
});

test("a list with a cursor is fetched to its end", async () => {
  const found = await fetchAll("status pages", ({ nextId, limit }) => {
    const from = Number(nextId ?? 0);
    const entries = items(230).slice(from, from + limit);
    return Promise.resolve({ entries, nextId: from + limit < 230 ? `${from + limit}` : null });
  });
  assert.deepEqual(found, items(230));
  assert.deepEqual(cuts, []);
});

test("a full last page ends the list, with and without a total", async () => {
  for (const total of [100, null]) {
    const found = await fetchAll("groups", ({ page }) =>
      Promise.resolve({ data: page === 1 ? items(100) : [], total }),
    );
    assert.equal(found.length, 100);
  }
  assert.deepEqual(cuts, []);
});

test("a list that is longer than the bound says that it is cut", async () => {
  const found = await fetchAll("groups", ({ limit }) =>
    Promise.resolve({ data: items(limit), total: 1_000_000 }),
  );
  assert.equal(found.length, 5_000);
  assert.deepEqual(cuts, ["groups 5000"]);
});

test("a page that fails, fails the list", async () => {
  await assert.rejects(
    fetchAll("groups", ({ page }) =>
      page === 1 ? Promise.resolve({ data: items(100), total: 150 }) : Promise.reject(Error("no")),
    ),
    /no/,
  );
});
