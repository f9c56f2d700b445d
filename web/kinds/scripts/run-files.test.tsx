/** The files of a run in the side panel. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  loadRunFiles,
  loadScriptedApps,
  openScreen,
  type ServedApp,
  systemClock,
} from "../../../test/support/components/screen.tsx";

let app: ServedApp;
let checkId: string;
let runId: string;
before(async () => {
  const { startScriptedApp } = await loadScriptedApps();
  ({ app } = await startScriptedApp({}, { clock: systemClock }));
  const body = { name: "Shop", activated: false, retryStrategy: null, script: "1" };
  const made = await app.call("POST", "/v1/checks/multistep", { body });
  assert.equal(made.status, 201, made.text);
  checkId = made.body.id;
  const target = { target: { checkId: [checkId] } };
  const { sessions } = (await app.call("POST", "/v2/check-sessions/trigger", { body: target }))
    .body;
  const path = `/v2/check-sessions/${sessions[0].checkSessionId}/completion`;
  runId = (await app.call("GET", path)).body.results[0].checkResultId;
});
after(() => app.stop());

const open = () => openScreen(app, `/checks/${checkId}?run=${runId}`);

test("a run without files reports that, and why files are missing", async () => {
  const screen = await open();
  await screen.getByText("This run has no files.", { exact: false }).waitFor();
  const { addLosses } = await loadRunFiles();
  await addLosses(app, checkId, runId);
  const again = await open();
  await again.getByText("3 files were deleted to store newer ones.").waitFor();
  await again.getByText("One file was deleted after the retention period.").waitFor();
});

test("screenshots are shown, and every file can be downloaded", async () => {
  const { saveFiles } = await loadRunFiles();
  await saveFiles(app, checkId, undefined, runId);
  const screen = await open();
  const picture = screen.getByRole("img", { name: "Screenshot cart.png" });
  await picture.waitFor();
  const source = await picture.getAttribute("src");
  assert.match(source ?? "", /^\/v1\/assets\/.*signature=/);
  const shown = await app.call("GET", source ?? "", { key: null });
  assert.equal(shown.headers.get("content-type"), "image/png");
  const link = screen.getByRole("link", { name: "Download trace.zip" });
  assert.equal(await link.getAttribute("download"), "trace.zip");
  await screen.getByText("npx playwright show-trace", { exact: false }).waitFor();
  await screen.audit();
});
