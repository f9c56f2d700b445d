import { randomUUIDv7 } from "node:crypto";
import type { TestContext } from "node:test";
import { obtainTargetChannel } from "../../../src/channels/alert-channels/index.ts";
import type { EscalationPolicy } from "../../../src/channels/escalation-policies/index.ts";
import { insertPolicy } from "../../../src/channels/escalation-policies/store.ts";
import type { Clock } from "../../../src/platform/clock.ts";
import {
  getSettings,
  saveSettings,
} from "../../../src/response/alerting/settings/settings-store.ts";
import { type AlertingFixture, createAlertingFixture } from "./alerting.ts";

const everyDay = { unit: "DAY", interval: 1, handoffTime: "00:00", handoffDay: "MONDAY" };

/** Columns of a sent alert message or page that the tests compare. */
export interface PageRow {
  readonly recipient: string;
  readonly status: string;
  readonly reason: string | null;
}

/** Notification step of a member: a webhook that sends to a path of the receiver, and its delay. */
type Step = readonly [path: string, afterMinutes: number];

interface NewMember {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly role: string;
}

/** Adds a member whose contact methods are webhooks to the receiver, and returns the user's id. */
export async function insertMember(
  {
    query,
    accountId,
    http,
    clock,
  }: Pick<AlertingFixture, "query" | "accountId" | "http"> & { readonly clock: Clock },
  { name, steps, role }: NewMember,
): Promise<string> {
  const userId = randomUUIDv7();
  const at = clock.now();
  const email = `${name.toLowerCase()}@example.com`;
  await query(
    "insert into users (id, email, name, created_at) values ($1, $2, $3, $4)",
    ...[userId, email, name, at],
  );
  await query(
    `insert into members (account_id, user_id, role, created_at, updated_at)
      values ($1, $2, $3, $4, $4)`,
    ...[accountId, userId, role, at],
  );
  const planned = steps.map(([, afterMinutes]) => ({ methodId: randomUUIDv7(), afterMinutes }));
  for (const [index, [path]] of steps.entries()) {
    await query(
      `insert into contact_methods (id, account_id, user_id, type, config, verified_at, created_at)
        values ($1, $2, $3, 'WEBHOOK', $4, $5, $5)`,
      ...[planned[index]?.methodId, accountId, userId],
      { name: path, url: `${http.url}/${path}` },
      at,
    );
  }
  if (steps.length === 0) return userId;
  await query(
    `insert into notification_rules (account_id, user_id, rules, updated_at)
      values ($1, $2, $3, $4)`,
    ...[accountId, userId, { high: planned, low: planned }, at],
  );
  return userId;
}

async function insertSchedule(
  { query, accountId, clock }: Pick<AlertingFixture, "query" | "accountId" | "clock">,
  name: string,
  participants: readonly string[],
): Promise<string> {
  const scheduleId = randomUUIDv7();
  const times = { rotation: everyDay, start: "2000-01-03T00:00", end: null, restrictions: [] };
  const layers = JSON.stringify([{ name: "Daily", participants, ...times }]);
  await query(
    `insert into on_call_schedules (id, account_id, name, time_zone, layers, warns_about_gaps,
      created_at) values ($1, $2, $3, 'UTC', $4, true, $5)`,
    ...[scheduleId, accountId, name, layers, clock.now()],
  );
  return scheduleId;
}

type NewPolicy = Partial<EscalationPolicy> & {
  /**
   * Targets of each policy step, after its delay in minutes. A string is a user's id, a number a
   * channel's id.
   */
  readonly targets: readonly (readonly [afterMinutes: number, ...(string | number)[]])[];
};

async function insertTestPolicy(
  {
    context: { db },
    accountId,
    clock,
  }: Pick<AlertingFixture, "accountId" | "clock"> & {
    readonly context: Pick<AlertingFixture["context"], "db">;
  },
  { targets, ...change }: NewPolicy,
): Promise<string> {
  const at = clock.now();
  const obtain = (userId: string | null) =>
    obtainTargetChannel(db, accountId, { target: { scheduleId: null, userId }, at });
  const steps = [];
  for (const [afterMinutes, ...ids] of targets) {
    const channelIds: number[] = [];
    for (const id of ids) channelIds.push(typeof id === "number" ? id : await obtain(id));
    const targets = ids.map((one) =>
      typeof one === "number" ? { channelId: one } : { userId: one },
    );
    steps.push({ afterMinutes, targets, channelIds });
  }
  const id = randomUUIDv7();
  const policy = {
    ...{ id, name: id, steps, repeat: 0, repeatAfterMinutes: 10, supportHours: null },
    ...{ fallbackChannelId: await obtain(null), isFromStages: false },
    ...{ createdAt: at, updatedAt: null },
    ...change,
  };
  await insertPolicy(db, accountId, policy);
  const settings = { ...(await getSettings(db, accountId)), escalationPolicyId: id };
  await saveSettings(db, accountId, { settings, at });
  return id;
}

/** Creates an alerting fixture with helpers that add members, schedules and policies. */
export async function createPagesFixture(t: TestContext) {
  const fixture: AlertingFixture = await createAlertingFixture(t);
  return { ...fixture, ...createPeople(fixture) };
}

/** Returns helpers that add members, schedules and policies to a fixture. */
export function createPeople(
  fixture: Omit<AlertingFixture, "context"> & {
    readonly context: Pick<AlertingFixture["context"], "db">;
  },
) {
  const { query } = fixture;
  return {
    /** Adds a member and returns the user's id. */
    addMember: (name: string, steps: readonly Step[], role = "READ_ONLY") =>
      insertMember(fixture, { name, steps, role }),
    /** Adds a schedule and a channel that pages the schedule, and returns the channel's id. */
    addSchedule: async (name: string, userIds: readonly string[]) => {
      const scheduleId = await insertSchedule(fixture, name, userIds);
      return fixture.addChannel("ONCALL", { name, scheduleId, userId: null });
    },
    /** Adds a policy, makes it the account's policy for all checks, and returns its id. */
    addPolicy: (policy: NewPolicy) => insertTestPolicy(fixture, policy),
    listRows: async () => {
      const rows = await query("select recipient, status, reason from deliveries order by id");
      return rows as unknown as PageRow[];
    },
    countAt: (path: string) => fixture.listReceived(`/${path}`).length,
  };
}

/** Creates a failing check, and three members with one webhook each. */
export async function createPolicyScene(t: TestContext) {
  const fixture = await createPagesFixture(t);
  const check = await fixture.addCheck({ frequency: 1 });
  const [ada, ben, eve] = [
    await fixture.addMember("Ada", [["ada", 0]]),
    await fixture.addMember("Ben", [["ben", 0]]),
    await fixture.addMember("Eve", [["eve", 0]]),
  ];
  const fallback = await fixture.addChannel("WEBHOOK", { name: "F", url: `${fixture.http.url}/f` });
  await fixture.setSettings({ fallbackAlertChannelId: fallback, noDataMinutes: null });
  const counts = () => ["ada", "ben", "eve", "f"].map((path) => fixture.countAt(path)).join(" ");
  const step = async (minutes: number) => {
    await fixture.pass(minutes);
    for (let round = 0; round < 3; round += 1) {
      await fixture.deliver();
      await fixture.pass(0);
    }
    return counts();
  };
  const refuse = (...paths: string[]) => {
    fixture.http.respond = ({ path }) => ({ status: paths.includes(path) ? 400 : 200 });
  };
  const explanations = async () => {
    const rows = await fixture.query("select explanation from alerts order by id");
    return (rows as unknown as { explanation: string }[]).map(({ explanation }) => explanation);
  };
  return { ...fixture, check, ada, ben, eve, step, counts, refuse, explanations };
}
