import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createRunsWorld, type RunsWorld } from "../../../test/support/rooms/runs.ts";
import { WatchList } from "./watch-list.ts";

let world: RunsWorld;
before(async () => {
  world = await createRunsWorld();
});
after(() => world.stop());

/** Reads two checks, and gives back which of them are known once both are gone. */
async function findRemembered(meanwhile: (list: WatchList, changedId: string) => void) {
  const { checkId: changedId } = await world.addCheck();
  const { checkId: otherId } = await world.addCheck();
  const list = new WatchList(world.context.db, "home", () => true);
  const reading = list.find([changedId, otherId]);
  meanwhile(list, changedId);
  assert.equal((await reading).size, 2);
  await world.query("delete from checks where id = any($1::uuid[])", [changedId, otherId]);
  const known = await list.find([changedId, otherId]);
  return { isChangedKnown: known.has(changedId), isOtherKnown: known.has(otherId) };
}

test("a check that changes while it is read is read again, and no other is", async () => {
  const known = await findRemembered((list, changedId) => list.forget(changedId));
  assert.deepEqual(known, { isChangedKnown: false, isOtherKnown: true });
});

test("nothing that was read while news may have been missed is remembered", async () => {
  const known = await findRemembered((list) => list.forgetAll());
  assert.deepEqual(known, { isChangedKnown: false, isOtherKnown: false });
});
