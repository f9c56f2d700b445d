import { randomUUIDv7 } from "node:crypto";
import type { TestContext } from "node:test";
import type { CheckInput } from "../../../src/checks/checks/check-settings.ts";
import {
  hiddenFromPages,
  type PageVisibility,
} from "../../../src/response/maintenance/planned-window.ts";
import { insertWindow } from "../../../src/response/maintenance/store.ts";
import type { Watched } from "../../../src/runs/scheduling/watch-list.ts";
import { insertService } from "../../../src/sites/status-pages/services/store.ts";
import { type AlertingFixture, createAlertingFixture } from "./alerting.ts";

export interface IncidentRow {
  readonly id: string;
  readonly name: string;
  readonly severity: string;
  readonly status: string;
  readonly check_id: string;
  readonly alert_number: number;
  /** Updates of the incident, oldest first. */
  readonly updates: readonly string[];
}

export interface IncidentScene {
  readonly fixture: AlertingFixture;
  readonly serviceId: string;
  readonly check: Watched;
  readonly listIncidents: () => Promise<IncidentRow[]>;
  /** Returns the statuses of the updates of each incident, oldest first. */
  readonly listCourses: () => Promise<(readonly string[])[]>;
}

export async function addService(fixture: AlertingFixture, name = "Website"): Promise<string> {
  const service = { id: randomUUIDv7(), name, createdAt: fixture.clock.now() };
  await insertService(fixture.context.db, fixture.accountId, service);
  return service.id;
}

type Trigger = NonNullable<CheckInput["triggerIncident"]>;

export function triggerFor(serviceId: string, more: Partial<Trigger> = {}): Trigger {
  return {
    serviceId,
    severity: "MAJOR",
    name: "{{CHECK_NAME}} is down",
    description: "We look into it.",
    notifySubscribers: false,
    ...more,
  };
}

/**
 * Creates a check that opens an incident when it fails. No alert channel is added, because
 * incidents do not need one.
 */
export async function createIncidentScene(
  t: TestContext,
  input: CheckInput = {},
  trigger: Partial<Trigger> = {},
): Promise<IncidentScene> {
  const fixture = await createAlertingFixture(t);
  const serviceId = await addService(fixture);
  const triggerIncident = triggerFor(serviceId, trigger);
  const check = await fixture.addCheck({ frequency: 1, triggerIncident, ...input });
  const listIncidents = async () =>
    (await fixture.query(
      `select id, name, severity, status, check_id, alert_number,
        array(select status || ': ' || description from incident_updates
          where incident_id = incidents.id order by public_at, number) as updates
        from incidents order by id`,
    )) as unknown as IncidentRow[];
  const listCourses = async () =>
    (await listIncidents()).map(({ updates }) => updates.map((one) => one.split(":")[0] ?? ""));
  return { fixture, serviceId, check, listIncidents, listCourses };
}

export interface WindowTimes {
  readonly fromMinutes: number;
  readonly toMinutes: number;
  readonly isSilencing?: boolean;
}

/** Adds a maintenance window around the current time. By default, the window silences no checks. */
export async function addPlannedWindow(
  { context, clock, accountId }: AlertingFixture,
  times: WindowTimes,
  visibility: Partial<PageVisibility> = {},
): Promise<number> {
  const now = clock.now();
  const schedule = {
    startsAtMs: now.getTime() + times.fromMinutes * 60_000,
    endsAtMs: now.getTime() + times.toMinutes * 60_000,
    timeZone: "UTC",
    repeatInterval: null,
    repeatUnit: null,
    repeatEndsAtMs: null,
    tags: [],
    pauseAllChecks: false,
    silenceAllAlerts: times.isSilencing ?? false,
    silenceAlertsTags: [],
  };
  return insertWindow(context.db, accountId, {
    name: "Patch day",
    description: null,
    schedule,
    visibility: { ...hiddenFromPages, ...visibility },
    createdAt: now,
    nextAnnouncementAt: null,
  });
}
