/** The editor and the results of multi-step checks. */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import {
  loadScriptedApps,
  openScreen,
  type Screen,
  type ServedApp,
  systemClock,
} from "../../../test/support/components/screen.tsx";
import { test } from "../../../test/support/long-run.ts";
import { hideRepeatedErrors, listMajor } from "../scripts/script-run-view.tsx";

let app: ServedApp;
before(async () => {
  const { startScriptedApp } = await loadScriptedApps();
  ({ app } = await startScriptedApp({}, { clock: systemClock }));
});
after(() => app.stop());

const press = (screen: Screen, label: string) =>
  screen.getByRole("button", { name: label, exact: true }).first().click();

test("an example fills the editor, a trial shows steps, logs and connections, and the check is saved", async () => {
  const screen = await openScreen(app, "/checks/new?kind=MULTI_STEP", { width: 390 });
  await screen.getByRole("textbox", { name: "Name", exact: true }).fill("Shop");
  await press(screen, "Create");
  await screen.getByText("Enter a script").first().waitFor();
  await press(screen, "Log in, then call");
  await screen.getByText(/Gets a token/).waitFor();
  await screen
    .getByText(/^Runs a script of \d+ lines in a sandbox\.$/)
    .first()
    .waitFor();
  await screen.getByLabel("Runtime").selectOption("2024.09");
  await screen.getByText("Runtime 2024.09 is not installed on this server yet.").waitFor();
  assert.equal(await screen.getByRole("option", { name: "2023.09" }).count(), 0);

  await press(screen, "Try it");
  await screen.getByRole("heading", { name: "Steps" }).waitFor();
  await screen.getByText("Log in", { exact: true }).waitFor();
  assert.equal(await screen.getByText("fixture: request").count(), 0);
  await press(screen, "Show hooks and fixtures");
  await screen.getByText("fixture: request").waitFor();
  await screen.getByText("api.example.com:443").waitFor();
  await screen.getByText("It is in PROBE_DENY.").waitFor();
  await screen.getByText("slow", { exact: true }).waitFor();

  await press(screen, "Create");
  await screen.waitForAddress(/^\/checks\/[0-9a-f-]{36}$/);
  const id = screen.address.split("/").at(-1) ?? "";
  const { body } = await app.call("GET", `/v1/checks/${id}`);
  assert.match(body.script, /log in/);
  assert.deepEqual([body.runtimeId, body.frequency], ["2024.09", 10]);
});

test("files are listed, added and removed, and a fault is shown at its file", async () => {
  const { body: check } = await app.call("POST", "/v1/checks/multistep", {
    body: {
      name: "Files",
      script: "1",
      activated: false,
      scriptPath: "a.spec.ts",
      dependencies: [{ path: "lib/login.ts", content: "export {}" }],
    },
  });
  const screen = await openScreen(app, `/checks/${check.id}/edit`);
  await screen.getByRole("main").getByText("More", { exact: true }).click();
  await screen.getByText("lib/login.ts").first().waitFor();
  await press(screen, "Add a file");
  await screen.getByLabel("Path", { exact: true }).last().fill("../x.ts");
  await press(screen, "Save");
  await screen
    .getByText(/must be a relative path/)
    .first()
    .waitFor();
  await screen.getByLabel("Path", { exact: true }).last().fill("x.ts");
  await screen.getByText("lib/login.ts").first().click();
  await press(screen, "Remove lib/login.ts");
  await press(screen, "Save");
  await screen.waitForAddress(/^\/checks\/[0-9a-f-]{36}$/);
  const { body } = await app.call("GET", `/v1/checks/${check.id}`);
  assert.deepEqual(body.dependencies, [{ path: "x.ts", content: "" }]);
});

test("a failed run shows its error with the line, its step and its logs", async () => {
  const { body: check } = await app.call("POST", "/v1/checks/multistep", {
    body: { name: "Broken", frequency: 1_440, script: "throw 1" },
  });
  const target = { target: { checkId: [check.id] } };
  const { body: started } = await app.call("POST", "/v2/check-sessions/trigger", { body: target });
  const path = `/v2/check-sessions/${started.sessions[0].checkSessionId}/completion`;
  const { body: session } = await app.call("GET", path);
  const [{ checkResultId }] = session.results;
  const screen = await openScreen(app, `/checks/${check.id}?run=${checkResultId}`);
  await screen.getByText("shop.spec.ts:3:1").first().waitFor();
  await screen.getByRole("heading", { name: "Errors" }).waitFor();
  await screen
    .getByText(/“Log in” failed at shop\.spec\.ts:3: boom/)
    .first()
    .waitFor();
  await screen.getByText("Peak memory").waitFor();
});

const step = (
  title: string,
  category: "hook" | "step" | "test",
  depth: number,
  error?: string,
) => ({
  ...{ title, category, depth, error: error ?? null, startMs: 0, durationMs: 1 },
});

test("hooks and what is inside them are left out, unless they fail", () => {
  const steps = [
    step("test", "test", 0),
    step("Before Hooks", "hook", 1),
    step("inside", "step", 2),
    step("own", "step", 1),
    step("After Hooks", "hook", 1, "boom"),
    step("clean up", "step", 2, "boom"),
  ];
  assert.deepEqual(
    listMajor(steps).map(({ title }) => title),
    ["test", "own", "After Hooks", "clean up"],
  );
});

test("an error is shown at the innermost step that failed with it", () => {
  const steps = [
    step("test", "test", 0, "boom\nat shop.spec.ts:3"),
    step("Log in", "step", 1, "boom\nat shop.spec.ts:3"),
    step("expect", "step", 2, "boom\nat shop.spec.ts:3"),
    step("Log out", "step", 1, "other"),
  ];
  assert.deepEqual(
    hideRepeatedErrors(steps).map(({ isErrorHidden }) => isErrorHidden),
    [true, true, false, false],
  );
});
