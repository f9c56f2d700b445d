/** Creates an account with hostile names that has one resource of every type that has a screen. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { startTestApp, type TestApp } from "../apps/app.ts";
import { listScreens, type Screen } from "./screens.ts";

export const attacks = {
  html: `"><img src=x onerror=alert(1)><script>alert(1)</script>`,
  markdown: "[click](javascript:alert(1)) **bold** ![x](http://evil.test/x.png)",
  rightToLeft: "\u202eמבחן بررسی\u202c reversed",
  emoji: "🔥".repeat(20),
  long: "w".repeat(255),
} as const;
export type Attack = keyof typeof attacks;

export interface HostileScene {
  readonly app: TestApp;
  /** All screens except the sign-in screen. */
  readonly screens: readonly Screen[];
}

export async function startHostileScene(): Promise<HostileScene> {
  const app = await startTestApp({ OUTBOUND_ALLOW_PRIVATE: "true" });
  try {
    return { app, screens: await fillScene(app) };
  } catch (error) {
    // The app is stopped, because a running server would keep the test process alive.
    await app.stop();
    throw error;
  }
}

async function fillScene(app: TestApp): Promise<readonly Screen[]> {
  const create = async (path: string, body: unknown): Promise<string> => {
    const answer = await app.call("POST", path, { body });
    assert.ok(answer.status < 300, `${path}: ${answer.text}`);
    return answer.body.dashboardId ?? answer.body.id;
  };
  const ids: string[] = [];
  const cards: { name: string; services: { id: string }[] }[] = [];
  for (const name of Object.values(attacks)) {
    const groupId = await create("/v1/check-groups", { name });
    const request = { hostname: "gateway.invalid" };
    const tags = [name];
    ids.push(await create("/v1/checks/icmp", { name, groupId, tags, frequency: 1_440, request }));
    await create("/v1/alert-channels", {
      type: "WEBHOOK",
      config: { name, url: "http://127.0.0.1:9999/javascript:alert(1)" },
    });
    await create("/v1/api-keys", { name: name.slice(0, 100) });
    cards.push({ name, services: [{ id: await create("/v1/status-pages/services", { name }) }] });
  }
  const name = Object.values(attacks).join(" ").slice(0, 200);
  const statusPageId = await create("/v1/status-pages", { name, url: "hostile", cards });
  const services = cards.flatMap((card) => card.services);
  const things = {
    slugName: "hostile",
    checkId: ids[0] ?? null,
    statusPageId,
    incidentId: await create("/v1/status-pages/incidents", {
      ...{ name, severity: "MAJOR", services },
      incidentUpdates: [{ description: attacks.markdown }],
    }),
    dashboardId: await create("/v1/dashboards", {
      ...{ header: name, customUrl: "hostile-names", isPrivate: false },
    }),
    windowId: await create("/v1/maintenance-windows", {
      ...{ name, startsAt: "2026-11-15T22:00:00Z", endsAt: "2026-11-16T00:00:00Z" },
      tags: Object.values(attacks),
    }),
    scheduleId: await create("/v1/on-call/schedules", { name }),
  };
  const policyId = await create("/v1/escalation-policies", {
    ...{ name: name.slice(0, 100), repeat: 1, repeatAfterMinutes: 5 },
    steps: [{ afterMinutes: 0, targets: [{ scheduleId: things.scheduleId }] }],
  });
  const { slugName } = things;
  await create("/v1/private-locations", { name, slugName });
  await create("/v1/variables", { key: "K".repeat(255), value: name });
  const alertId = randomUUID();
  await app.query(
    `insert into alerts (id, account_id, check_id, alert_number, kind, reason, is_reminder, at,
        decided_at)
      values ($1, $2, $3, 1, 'ALERT_FAILURE', 'failing', false, now(), now())`,
    [alertId, app.owner.accountId, things.checkId],
  );
  return listScreens({ ...things, policyId, alertId }).filter(({ path }) => path !== "/sign-in");
}
