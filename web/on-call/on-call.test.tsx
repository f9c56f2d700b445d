/** On call. Chromium has the journeys in `test/browser/on-call.test.ts`. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openScreen, type ServedApp, shareTestApp } from "../../test/support/components/screen.tsx";
import { waitUntil } from "../../test/support/time/wait-until.ts";
import { joinBars } from "./timeline.tsx";
import { moveUp, newSchedule, toInput, toPreview } from "./values.ts";

let app: ServedApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

const path = "/v1/on-call/schedules";

test("a new layer starts on Monday, and is previewed once it has a participant", () => {
  const values = newSchedule(Date.parse("2026-11-22T12:00:00Z"));
  const [layer] = values.layers;
  assert.equal(layer?.start, "2026-11-16T09:00");
  assert.equal(toPreview(values), null);
  const layers = layer === undefined ? [] : [{ ...layer, participants: ["a"] }];
  assert.equal(toPreview({ ...values, layers })?.name, "Preview");
  assert.equal(toInput({ ...values, name: " Primary ", layers }).layers?.[0]?.end, null);
  assert.deepEqual(moveUp(["a", "b", "c"], 2), ["a", "c", "b"]);
  assert.deepEqual(moveUp(["a", "b"], 0), ["a", "b"]);
});

test("consecutive shifts of one person are one bar, and gaps separate them", () => {
  const bar = (from: string, to: string, userId: string | null) => ({
    from,
    to,
    userId,
    name: userId,
  });
  assert.deepEqual(joinBars([bar("1", "2", "a"), bar("2", "3", "a"), bar("4", "5", "a")]), [
    bar("1", "3", "a"),
    bar("4", "5", "a"),
  ]);
});

test("without schedules the screen explains itself, and a reader sees no controls", async () => {
  const screen = await openScreen(app, "/on-call", { role: "READ_ONLY" });
  await screen.getByText("Nobody is on call yet").waitFor();
  assert.equal(screen.getByRole("link", { name: "New schedule" }).count(), 0);
});

test("an override is added and ended on the screen of a schedule", async () => {
  const { body } = await app.call("POST", path, { body: { name: "Night watch" } });
  const screen = await openScreen(app, `/on-call/${body.id}`);
  await screen.getByText("No override is planned.").waitFor();
  await screen.getByLabel("Reason").fill("Dentist");
  await screen.getByRole("button", { name: "Add override" }).click();
  await screen.getByText("The override was added.").waitFor();
  await screen.getByText(/Dentist, by /).waitFor();
  const overrides = `${path}/${body.id}/overrides`;
  assert.equal((await app.call("GET", overrides)).body.length, 1);
  await screen.getByRole("button", { name: /^End the override/ }).click();
  await screen.getByText("The override has ended.").waitFor();
  await waitUntil("no override is left", async () => {
    return (await app.call("GET", overrides)).body.length === 0;
  });
});
