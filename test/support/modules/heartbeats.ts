import assert from "node:assert/strict";
import type { Answer, TestApp } from "../apps/app.ts";
import { waitUntil } from "../time/wait-until.ts";

export type Input = Readonly<Record<string, unknown>>;

export const minuteMs = 60_000;
const stepMs = 2_500;
export const everyMinute = { period: 1, periodUnit: "minutes", grace: 30, graceUnit: "seconds" };

interface PingOptions {
  readonly method?: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns helpers that create heartbeat checks in the app of a test and send pings. */
export function createHeartbeatsFixture(getApp: () => TestApp) {
  async function newCheck(heartbeat: Input = everyMinute, more: Input = {}) {
    const body = { name: "Nightly backup", heartbeat, ...more };
    const {
      status,
      body: made,
      text,
    } = await getApp().call("POST", "/v1/checks/heartbeat", { body });
    assert.equal(status, 201, text);
    return { id: made.id as string, token: made.heartbeat.pingToken as string };
  }

  function ping(path: string, { method = "GET", body, headers = {} }: PingOptions = {}) {
    const sent = body === undefined ? {} : { rawBody: body };
    return getApp().call(method, `/ping/${path}`, { key: null, headers, ...sent });
  }

  async function taken(path: string, options?: PingOptions): Promise<void> {
    const { status, text } = await ping(path, options);
    assert.equal(status, 200, text);
  }

  async function listEvents(checkId: string, query = ""): Promise<Answer["body"]> {
    const path = `/v1/checks/heartbeats/${checkId}/events${query}`;
    const { status, body, text } = await getApp().call("GET", path);
    assert.equal(status, 200, text);
    return body[0].events;
  }

  const statesOf = async (checkId: string): Promise<string[]> =>
    (await listEvents(checkId)).map(({ state }: { state: string }) => state);

  /**
   * Advances the clock in steps, because one large jump would count as downtime of the ping
   * service.
   */
  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      getApp().clock.advance(Math.min(left, stepMs));
      const at = getApp().clock.now();
      await waitUntil("the heartbeats were judged", async () => {
        const { rows } = await getApp().query(
          `select 1 from ping_service where alive_at >= $1
            or not exists (select 1 from heartbeats where due_at is not null)`,
          [at],
        );
        return rows.length === 1;
      });
    }
  }

  async function passUntil(ms: number, checkId: string, states: readonly string[]): Promise<void> {
    await pass(ms);
    await waitUntil(`events are ${states.join()}`, async () => {
      return (await statesOf(checkId)).join() === states.join();
    });
  }

  async function newestResult(checkId: string) {
    const [{ id }] = await listEvents(checkId);
    return (await getApp().call("GET", `/v1/check-results/${checkId}/${id}`)).body;
  }
  return { newCheck, ping, taken, listEvents, statesOf, pass, passUntil, newestResult };
}
