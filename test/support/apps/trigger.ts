import assert from "node:assert/strict";
import type { Answer, TestApp } from "./app.ts";

/**
 * Triggers one run of a check and returns its complete result. Waits long enough for slow runs,
 * such as scripts.
 */
export async function triggerRun(app: TestApp, checkId: string): Promise<Answer> {
  const body = { target: { checkId: [checkId] } };
  const { body: triggered } = await app.call("POST", "/v2/check-sessions/trigger", { body });
  const path = `/v2/check-sessions/${triggered.sessions[0].checkSessionId}/completion`;
  let ended = await app.call("GET", path);
  for (let tries = 0; ended.status === 408 && tries < 10; tries += 1) {
    ended = await app.call("GET", path);
  }
  assert.equal(ended.status, 200, ended.text);
  const [{ checkResultId }] = ended.body.results;
  return app.call("GET", `/v1/check-results/${checkId}/${checkResultId}`);
}
