import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { createRunsFixture, type RunsFixture } from "../../../test/support/modules/runs.ts";
import { Progress } from "../../platform/progress.ts";
import { holdOrReleaseLeases } from "./loops.ts";
import { shardCount } from "./schedule-store.ts";
import { Scheduler } from "./scheduler.ts";

let fixture: RunsFixture;
before(async () => {
  fixture = await createRunsFixture();
});
after(() => fixture.stop());

it("a server that cannot record releases its shards, and another server acquires them immediately", async () => {
  const { context } = fixture;
  await fixture.addCheck();
  let nowMs = 0;
  const recording = new Progress({ name: "record results", nowMs: () => nowMs });
  const recorder = { progress: () => recording.state() };
  const [stuck, sound] = [new Scheduler(context, "stuck"), new Scheduler(context, "sound")];
  const reported: boolean[] = [];
  const peers = {
    presence: {
      look: async ({ isScheduling }: { readonly isScheduling: boolean }) => {
        reported.push(isScheduling);
        return [];
      },
    },
    findCondition: () => ({ lagMs: 0, slowestLoop: null }),
  };
  await holdOrReleaseLeases(stuck, recorder, peers);
  await sound.holdLeases();
  assert.deepEqual([stuck.heldShards, sound.heldShards], [shardCount, 0]);
  recording.begin();
  nowMs += 61_000;
  await holdOrReleaseLeases(stuck, recorder, peers);
  await sound.holdLeases();
  assert.deepEqual([stuck.heldShards, sound.heldShards], [0, shardCount]);
  assert.deepEqual([stuck.size, sound.size], [0, 1]);
  recording.succeed();
  await sound.releaseLeases();
  await holdOrReleaseLeases(stuck, recorder, peers);
  assert.equal(stuck.heldShards, shardCount, "it acquires shards again when it makes progress");
  assert.deepEqual(reported, [true, false, true], "the other servers were notified");
  await stuck.releaseLeases();
});

it("a check that cannot be parsed does not affect others", async () => {
  const { context } = fixture;
  const { checkId } = await fixture.addCheck();
  const broken = { frequency: 0, frequencyOffset: null };
  await fixture.query("update checks set settings = settings || $2 where id = $1", checkId, broken);
  context.watchList.forgetAll();
  const scheduler = new Scheduler(context, "third");
  await scheduler.holdLeases();
  const [{ count } = {}] = await fixture.query("select count(*) from checks");
  assert.equal(scheduler.size, Number(count) - 1);
  await scheduler.releaseLeases();
});
