/** The page of a test session, to which the existing command line links. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { openScreen, type ServedApp, shareTestApp } from "../../test/support/components/screen.tsx";
import { waitUntil } from "../../test/support/time/wait-until.ts";

let app: ServedApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

/** A session that has ended, because no probe serves its location, and is set back to its start. */
async function startSession(): Promise<string> {
  const check = { name: "Router", request: { hostname: "192.0.2.1" } };
  const { body } = await app.call("POST", "/v1/checks/icmp", { body: check });
  const { status, text, ...started } = await app.call("POST", "/next/test-sessions/trigger", {
    body: { name: "Nightly", checkRunSuiteId: randomUUID(), checkId: [body.id] },
  });
  assert.equal(status, 201, text);
  const id = started.body.testSessionId;
  await waitUntil("the session ends", async () => {
    return (await app.call("GET", `/v1/test-sessions/${id}`)).body.status === "FAILED";
  });
  await setResult(id, "status = 'RUNNING', error = null, stopped_at = null");
  return id;
}

const setResult = (sessionId: string, values: string) =>
  app.query(`update test_results set ${values} where session_id = '${sessionId}'`);

test("a session is shown while it runs and with the reasons of its failures", async () => {
  const id = await startSession();
  const screen = await openScreen(app, `/test-sessions/${id}`, { role: "READ_ONLY" });
  await screen.getByRole("heading", { name: "Nightly" }).waitFor();
  const row = screen.getByRole("row", { name: /Router/ });
  await row.getByText("Running").waitFor();
  await screen.audit();
  const error = "error = 'All 10 packets were lost.'";
  await setResult(id, `status = 'FAILED', ${error}, stopped_at = now()`);
  await row.getByText("All 10 packets were lost.").waitFor();
  await row.getByText("Failed").waitFor();
  await row.getByRole("link", { name: "Router" }).waitFor();
});
