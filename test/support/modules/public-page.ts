import type { Answer, ServedApp } from "../apps/served-app.ts";
import { createService } from "./status-pages.ts";

export interface MadePage {
  readonly id: string;
  readonly url: string;
  readonly path: string;
  readonly serviceIds: readonly string[];
}

export interface PageInput {
  readonly url?: string;
  readonly name?: string;
  /** Names of the services on each card, by card name. */
  readonly cards?: Readonly<Record<string, readonly string[]>>;
  readonly more?: Readonly<Record<string, unknown>>;
}

function assertMade(answer: Answer): Answer {
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer;
}

/** Creates a status page and its services through the API. */
export async function createPage(app: ServedApp, input: PageInput = {}): Promise<MadePage> {
  const { url = "acme", name = "Acme", cards = { Website: ["Shop", "Search"] } } = input;
  const serviceIds: string[] = [];
  const made = [];
  for (const [cardName, services] of Object.entries(cards)) {
    const references = [];
    for (const service of services) {
      const id = await createService(app, service);
      serviceIds.push(id);
      references.push({ id });
    }
    made.push({ name: cardName, services: references });
  }
  const body = { name, url, cards: made, ...input.more };
  const { id } = assertMade(await app.call("POST", "/v1/status-pages", { body })).body;
  return { id, url, path: `/status/${url}`, serviceIds };
}

export interface IncidentInput {
  readonly name?: string;
  readonly severity?: string;
  readonly serviceIds: readonly string[];
  /**
   * Updates of the incident, oldest first. Each has the minutes since its publication, a status and
   * a text.
   */
  readonly updates?: readonly (readonly [minutesAgo: number, status: string, words: string])[];
}

export async function createIncident(app: ServedApp, input: IncidentInput): Promise<string> {
  const { name = "Checkout fails", severity = "MAJOR", serviceIds } = input;
  const updates = input.updates ?? [[10, "INVESTIGATING", "We are investigating."]];
  const nowMs = app.clock.now().getTime();
  const body = {
    name,
    severity,
    services: serviceIds.map((id) => ({ id })),
    incidentUpdates: updates.map(([minutesAgo, status, description]) => ({
      status,
      description,
      publicIncidentUpdateDate: new Date(nowMs - minutesAgo * 60_000).toISOString(),
    })),
  };
  return assertMade(await app.call("POST", "/v1/status-pages/incidents", { body })).body.id;
}

export async function postUpdate(
  app: ServedApp,
  incidentId: string,
  update: { readonly status: string; readonly description: string },
): Promise<void> {
  const path = `/v1/status-pages/incidents/${incidentId}/incident-updates`;
  assertMade(await app.call("POST", path, { body: update }));
}

/** Plans a maintenance window that the page shows. Its start and end are in minutes from now. */
export async function planMaintenance(
  app: ServedApp,
  input: {
    readonly name?: string;
    readonly description?: string;
    readonly fromMinutes: number;
    readonly toMinutes: number;
    readonly serviceIds?: readonly string[];
  },
): Promise<number> {
  const nowMs = app.clock.now().getTime();
  const at = (minutes: number) => new Date(nowMs + minutes * 60_000).toISOString();
  const { serviceIds = [] } = input;
  const body = {
    name: input.name ?? "Database upgrade",
    description: input.description ?? null,
    startsAt: at(input.fromMinutes),
    endsAt: at(input.toMinutes),
    statusPageVisibility: {
      enabled: true,
      serviceIds,
      affectAllServices: serviceIds.length === 0,
    },
  };
  return assertMade(await app.call("POST", "/v1/maintenance-windows", { body })).body.id;
}
