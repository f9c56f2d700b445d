import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createRunsFixture, type RunsFixture } from "../../../test/support/modules/runs.ts";
import { WatchList } from "./watch-list.ts";

let fixture: RunsFixture;
before(async () => {
  fixture = await createRunsFixture();
});
after(() => fixture.stop());

/** Loads two checks, deletes them, and returns which are still cached. */
async function findCached(meanwhile: (list: WatchList, changedId: string) => void) {
  const { checkId: changedId } = await fixture.addCheck();
  const { checkId: otherId } = await fixture.addCheck();
  const list = new WatchList(fixture.context.db, "home", () => true);
  const reading = list.find([changedId, otherId]);
  meanwhile(list, changedId);
  assert.equal((await reading).size, 2);
  await fixture.query("delete from checks where id = any($1::uuid[])", [changedId, otherId]);
  const cached = await list.find([changedId, otherId]);
  return { isChangedCached: cached.has(changedId), isOtherCached: cached.has(otherId) };
}

test("a check that changes during its query is not cached, others are", async () => {
  const cached = await findCached((list, changedId) => list.forget(changedId));
  assert.deepEqual(cached, { isChangedCached: false, isOtherCached: true });
});

test("nothing is cached while notifications may be missed", async () => {
  const cached = await findCached((list) => list.forgetAll());
  assert.deepEqual(cached, { isChangedCached: false, isOtherCached: false });
});
