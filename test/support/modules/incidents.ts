import { randomUUIDv7 } from "node:crypto";
import type { Answer, ServedApp } from "../apps/served-app.ts";

export const incidentsPath = "/v1/status-pages/incidents";
export const templatesPath = "/v1/status-pages/incident-templates";

type Body = Readonly<Record<string, unknown>>;

/** Adds a service. `createdAt` can be long before the test. */
export async function addService(
  app: ServedApp,
  options: {
    readonly name?: string;
    readonly accountId?: string;
    readonly createdAt?: Date | string;
  } = {},
): Promise<string> {
  const id = randomUUIDv7();
  const {
    name = "Checkout",
    accountId = app.owner.accountId,
    createdAt = app.clock.now(),
  } = options;
  await app.query(
    "insert into services (id, account_id, name, created_at) values ($1, $2, $3, $4)",
    [id, accountId, name, createdAt],
  );
  return id;
}

/** Returns a minimal request body that creates an incident. */
export function incidentBody(serviceId: string, more: Body = {}): Body {
  return {
    name: "Payments fail",
    severity: "MAJOR",
    services: [{ id: serviceId }],
    incidentUpdates: [{ description: "We are investigating." }],
    ...more,
  };
}

export async function createIncident(
  app: ServedApp,
  serviceId: string,
  more: Body = {},
): Promise<Answer> {
  return app.call("POST", incidentsPath, { body: incidentBody(serviceId, more) });
}

export async function postUpdate(app: ServedApp, incidentId: string, body: Body): Promise<Answer> {
  return app.call("POST", `${incidentsPath}/${incidentId}/incident-updates`, {
    body: { description: "News.", ...body },
  });
}
