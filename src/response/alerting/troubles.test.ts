/**
 * Tests the problems that public pages show: the alert decisions, whether or not alerts are sent.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type AlertingFixture,
  createAlertingFixture,
  failing,
  passing,
} from "../../../test/support/modules/alerting.ts";
import { addPlannedWindow } from "../../../test/support/modules/automatic-incidents.ts";
import { noData } from "../../../test/support/modules/runs.ts";
import { defaultAlertSettings } from "../../checks/checks/index.ts";

const minuteMs = 60_000;

/** Lists each problem with its status, start and end in minutes since the start. */
async function listTroubles(fixture: AlertingFixture, checkId: string, startMs: number) {
  const rows = await fixture.query(
    `select status, extract(epoch from started_at)::float8 * 1000 as "fromMs",
      extract(epoch from ended_at)::float8 * 1000 as "toMs"
      from check_troubles where check_id = $1 order by started_at, id`,
    checkId,
  );
  const minutes = (ms: unknown) =>
    ms === null ? null : Math.round((Number(ms) - startMs) / minuteMs);
  return rows.map((row) => [row.status, minutes(row.fromMs), minutes(row.toMs)]);
}

async function createScene(t: Parameters<typeof createAlertingFixture>[0], input = {}) {
  const fixture = await createAlertingFixture(t);
  const startMs = fixture.clock.now().getTime();
  const check = await fixture.addCheck({ frequency: 1, ...input });
  /** Executes one run per minute. */
  const play = async (...runs: readonly Parameters<AlertingFixture["run"]>[1][]) => {
    for (const outcome of runs) {
      await fixture.run(check, outcome);
      await fixture.pass(1);
    }
  };
  return { fixture, check, play, list: () => listTroubles(fixture, check.checkId, startMs) };
}

const twoInARow = {
  useGlobalAlertSettings: false,
  alertSettings: { ...defaultAlertSettings, runBasedEscalation: { failedRunThreshold: 2 } },
};

test("with a threshold of two, one failing run is no problem, and two are one that starts at the first", async (t) => {
  const { play, list } = await createScene(t, twoInARow);
  await play(passing, failing, passing);
  assert.deepEqual(await list(), []);
  await play(failing, failing);
  assert.deepEqual(await list(), [["failing", 3, null]]);
  await play(passing);
  assert.deepEqual(await list(), [["failing", 3, 5]]);
});

test("a threshold of minutes is reached without a further run", async (t) => {
  const { fixture, play, list } = await createScene(t, {
    useGlobalAlertSettings: false,
    alertSettings: {
      ...defaultAlertSettings,
      escalationType: "TIME_BASED",
      timeBasedEscalation: { minutesFailingThreshold: 5 },
    },
  });
  await play(passing, failing);
  await fixture.pass(2);
  assert.deepEqual(await list(), []);
  await fixture.pass(3);
  assert.deepEqual(await list(), [["failing", 1, null]]);
});

test("muting and maintenance hold alerts, not the state", async (t) => {
  const { fixture, check, play, list } = await createScene(t, { muted: true });
  await play(passing, failing);
  const [alert] = await fixture.listAlerts(check.checkId);
  assert.deepEqual([alert?.kind, alert?.reason], ["NO_ALERT", "muted"]);
  assert.deepEqual(await list(), [["failing", 1, null]]);
  await play(passing);
  await fixture.editCheck(check.checkId, { muted: false });
  await addPlannedWindow(fixture, { fromMinutes: -1, toMinutes: 60, isSilencing: true });
  await play(failing);
  assert.deepEqual(await list(), [
    ["failing", 1, 2],
    ["failing", 3, null],
  ]);
});

test("missing data is a separate problem, even without alerts for it", async (t) => {
  for (const noDataMinutes of [10, null]) {
    const { fixture, play, list } = await createScene(t);
    await fixture.setSettings({ noDataMinutes });
    await play(passing, noData());
    await fixture.pass(5);
    assert.deepEqual(await list(), []);
    await fixture.pass(6);
    assert.deepEqual(await list(), [["unknown", 0, null]]);
    await play(noData());
    assert.deepEqual(await list(), [["unknown", 0, null]]);
    await play(passing);
    assert.deepEqual(await list(), [["unknown", 0, 14]]);
  }
});

test("deactivating a check ends its problem", async (t) => {
  const { fixture, check, play, list } = await createScene(t);
  await play(passing, failing);
  await fixture.editCheck(check.checkId, { activated: false });
  await fixture.pass(15);
  assert.deepEqual(await list(), [["failing", 1, 2]]);
});

test("a recovery and a new failure in one batch are two problems", async (t) => {
  const { play, list } = await createScene(t);
  await play(failing, passing, failing, failing, passing);
  assert.deepEqual(await list(), [
    ["failing", 0, 1],
    ["failing", 2, 4],
  ]);
});
