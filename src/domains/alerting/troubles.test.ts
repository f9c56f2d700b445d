/** What public pages show of a check: the decision of its alerts, whether or not they are sent. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type AlertingWorld,
  createAlertingWorld,
  failing,
  passing,
} from "../../../test/support/rooms/alerting.ts";
import { addPlannedWindow } from "../../../test/support/rooms/automatic-incidents.ts";
import { noData } from "../../../test/support/rooms/runs.ts";
import { defaultAlertSettings } from "../checks/index.ts";

const minuteMs = 60_000;

/** Each trouble: what it is, from when and until when, in minutes since the start. */
async function listTroubles(world: AlertingWorld, checkId: string, startMs: number) {
  const rows = await world.query(
    `select status, extract(epoch from started_at)::float8 * 1000 as "fromMs",
      extract(epoch from ended_at)::float8 * 1000 as "toMs"
      from check_troubles where check_id = $1 order by started_at, id`,
    checkId,
  );
  const minutes = (ms: unknown) =>
    ms === null ? null : Math.round((Number(ms) - startMs) / minuteMs);
  return rows.map((row) => [row.status, minutes(row.fromMs), minutes(row.toMs)]);
}

async function createScene(t: Parameters<typeof createAlertingWorld>[0], input = {}) {
  const world = await createAlertingWorld(t);
  const startMs = world.clock.now().getTime();
  const check = await world.addCheck({ frequency: 1, ...input });
  /** One run a minute. */
  const play = async (...runs: readonly Parameters<AlertingWorld["run"]>[1][]) => {
    for (const outcome of runs) {
      await world.run(check, outcome);
      await world.pass(1);
    }
  };
  return { world, check, play, list: () => listTroubles(world, check.checkId, startMs) };
}

const twoInARow = {
  useGlobalAlertSettings: false,
  alertSettings: { ...defaultAlertSettings, runBasedEscalation: { failedRunThreshold: 2 } },
};

test("with a threshold of two, one failing run is no trouble, and two are, from the first on", async (t) => {
  const { play, list } = await createScene(t, twoInARow);
  await play(passing, failing, passing);
  assert.deepEqual(await list(), []);
  await play(failing, failing);
  assert.deepEqual(await list(), [["failing", 3, null]]);
  await play(passing);
  assert.deepEqual(await list(), [["failing", 3, 5]]);
});

test("a threshold of minutes is reached without a further run", async (t) => {
  const { world, play, list } = await createScene(t, {
    useGlobalAlertSettings: false,
    alertSettings: {
      ...defaultAlertSettings,
      escalationType: "TIME_BASED",
      timeBasedEscalation: { minutesFailingThreshold: 5 },
    },
  });
  await play(passing, failing);
  await world.pass(2);
  assert.deepEqual(await list(), []);
  await world.pass(3);
  assert.deepEqual(await list(), [["failing", 1, null]]);
});

test("muting and maintenance hold alerts, not the state", async (t) => {
  const { world, check, play, list } = await createScene(t, { muted: true });
  await play(passing, failing);
  const [alert] = await world.listAlerts(check.checkId);
  assert.deepEqual([alert?.kind, alert?.reason], ["NO_ALERT", "muted"]);
  assert.deepEqual(await list(), [["failing", 1, null]]);
  await play(passing);
  await world.editCheck(check.checkId, { muted: false });
  await addPlannedWindow(world, { fromMinutes: -1, toMinutes: 60, isSilencing: true });
  await play(failing);
  assert.deepEqual(await list(), [
    ["failing", 1, 2],
    ["failing", 3, null],
  ]);
});

test("missing data is a trouble of its own, even without alerts for it", async (t) => {
  for (const noDataMinutes of [10, null]) {
    const { world, play, list } = await createScene(t);
    await world.setSettings({ noDataMinutes });
    await play(passing, noData());
    await world.pass(5);
    assert.deepEqual(await list(), []);
    await world.pass(6);
    assert.deepEqual(await list(), [["unknown", 0, null]]);
    await play(noData());
    assert.deepEqual(await list(), [["unknown", 0, null]]);
    await play(passing);
    assert.deepEqual(await list(), [["unknown", 0, 14]]);
  }
});

test("switching a check off ends its trouble", async (t) => {
  const { world, check, play, list } = await createScene(t);
  await play(passing, failing);
  await world.editCheck(check.checkId, { activated: false });
  await world.pass(15);
  assert.deepEqual(await list(), [["failing", 1, 2]]);
});

test("a recovery and a new failure in one batch are two troubles", async (t) => {
  const { play, list } = await createScene(t);
  await play(failing, passing, failing, failing, passing);
  assert.deepEqual(await list(), [
    ["failing", 0, 1],
    ["failing", 2, 4],
  ]);
});
