import {
  addService,
  createIncident,
  incidentBody,
  incidentsPath,
  templatesPath,
} from "../modules/incidents.ts";
import { createStatusPage } from "../modules/status-pages.ts";
import { type Row, read, type Scene } from "./authorisation-row.ts";

async function newIncident({ test: app }: Scene): Promise<string> {
  const serviceId = await addService(app);
  return (await createIncident(app, serviceId)).body.id;
}

async function newPostMortem(scene: Scene): Promise<string> {
  const path = `${incidentsPath}/${await newIncident(scene)}/post-mortem`;
  await scene.test.call("PUT", path, { body: { body: "A certificate expired." } });
  return path;
}

async function newUpdate({ test: app }: Scene): Promise<string> {
  const serviceId = await addService(app);
  const incidentUpdates = [{ description: "One" }, { description: "Two" }];
  const { body } = await createIncident(app, serviceId, { incidentUpdates });
  return `${incidentsPath}/${body.id}/incident-updates/${body.incidentUpdates[0].id}`;
}

let templates = 0;
function templateBody() {
  templates += 1;
  const updates = [{ status: "INVESTIGATING", description: "We look into {{services}}." }];
  return { name: `Template ${templates}`, incidentName: "{{services}} fail", updates };
}

/**
 * Creates a template after deleting all others, because the number of templates per account is
 * limited.
 */
async function newTemplate({ test: app }: Scene): Promise<string> {
  await app.query("delete from incident_templates");
  const { body } = await app.call("POST", templatesPath, { body: templateBody() });
  return `${templatesPath}/${body.id}`;
}

export const incidentRows: readonly Row[] = [
  read(incidentsPath),
  read(`${incidentsPath}/statistics`),
  read(templatesPath),
  {
    route: `GET ${incidentsPath}/audience`,
    least: "READ_ONLY",
    request: async ({ test: app }) => ({
      path: `${incidentsPath}/audience?serviceId=${await addService(app)}`,
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: `POST ${incidentsPath}/draft`,
    least: "READ_ONLY",
    request: async ({ test: app }) => ({
      path: `${incidentsPath}/draft`,
      body: { services: [{ id: await addService(app) }] },
    }),
    status: 200,
    isUnaudited: true,
  },
  {
    route: `POST ${incidentsPath}/preview`,
    least: "READ_WRITE",
    request: async ({ test: app }) => {
      const serviceId = await addService(app);
      await createStatusPage(app, { cards: [{ name: "All", services: [{ id: serviceId }] }] });
      return { path: `${incidentsPath}/preview`, body: incidentBody(serviceId) };
    },
    status: 200,
    isUnaudited: true,
  },
  {
    route: `POST ${incidentsPath}`,
    least: "READ_WRITE",
    request: async ({ test: app }) => ({
      path: incidentsPath,
      body: incidentBody(await addService(app)),
    }),
    status: 201,
  },
  {
    route: `GET ${incidentsPath}/:incidentId`,
    least: "READ_ONLY",
    request: async (scene) => ({ path: `${incidentsPath}/${await newIncident(scene)}` }),
    status: 200,
    isScoped: true,
  },
  {
    route: `PUT ${incidentsPath}/:incidentId`,
    least: "READ_WRITE",
    request: async (scene) => ({
      path: `${incidentsPath}/${await newIncident(scene)}`,
      body: incidentBody(await addService(scene.test), { name: "Renamed" }),
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: `PATCH ${incidentsPath}/:incidentId`,
    least: "READ_WRITE",
    request: async (scene) => ({
      path: `${incidentsPath}/${await newIncident(scene)}`,
      body: { severity: "MINOR" },
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: `DELETE ${incidentsPath}/:incidentId`,
    least: "READ_WRITE",
    request: async (scene) => ({ path: `${incidentsPath}/${await newIncident(scene)}` }),
    status: 204,
    isScoped: true,
  },
  {
    route: `GET ${incidentsPath}/:incidentId/incident-updates`,
    least: "READ_ONLY",
    request: async (scene) => ({
      path: `${incidentsPath}/${await newIncident(scene)}/incident-updates`,
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: `POST ${incidentsPath}/:incidentId/incident-updates`,
    least: "READ_WRITE",
    request: async (scene) => ({
      path: `${incidentsPath}/${await newIncident(scene)}/incident-updates`,
      body: { description: "Found it.", status: "IDENTIFIED" },
    }),
    status: 201,
    isScoped: true,
  },
  {
    route: `GET ${incidentsPath}/:incidentId/incident-updates/:incidentUpdateId`,
    least: "READ_ONLY",
    request: async (scene) => ({ path: await newUpdate(scene) }),
    status: 200,
    isScoped: true,
  },
  {
    route: `PUT ${incidentsPath}/:incidentId/incident-updates/:incidentUpdateId`,
    least: "READ_WRITE",
    request: async (scene) => ({
      path: await newUpdate(scene),
      body: { description: "In other words." },
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: `DELETE ${incidentsPath}/:incidentId/incident-updates/:incidentUpdateId`,
    least: "READ_WRITE",
    request: async (scene) => ({ path: await newUpdate(scene) }),
    status: 204,
    isScoped: true,
  },
  {
    route: `GET ${incidentsPath}/:incidentId/notes`,
    least: "READ_ONLY",
    request: async (scene) => ({ path: `${incidentsPath}/${await newIncident(scene)}/notes` }),
    status: 200,
    isScoped: true,
  },
  {
    route: `POST ${incidentsPath}/:incidentId/notes`,
    least: "READ_WRITE",
    request: async (scene) => ({
      path: `${incidentsPath}/${await newIncident(scene)}/notes`,
      body: { body: "Ticket 4711." },
    }),
    status: 201,
    isScoped: true,
  },
  {
    route: `DELETE ${incidentsPath}/:incidentId/notes/:noteId`,
    least: "READ_WRITE",
    request: async (scene) => {
      const path = `${incidentsPath}/${await newIncident(scene)}/notes`;
      const { body } = await scene.test.call("POST", path, { body: { body: "Ticket 4711." } });
      return { path: `${path}/${body.id}` };
    },
    status: 204,
    isScoped: true,
  },
  {
    route: `GET ${incidentsPath}/:incidentId/post-mortem`,
    least: "READ_ONLY",
    request: async (scene) => ({ path: await newPostMortem(scene) }),
    status: 200,
    isScoped: true,
  },
  {
    route: `PUT ${incidentsPath}/:incidentId/post-mortem`,
    least: "READ_WRITE",
    request: async (scene) => ({
      path: `${incidentsPath}/${await newIncident(scene)}/post-mortem`,
      body: { body: "A certificate expired." },
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: `DELETE ${incidentsPath}/:incidentId/post-mortem`,
    least: "READ_WRITE",
    request: async (scene) => ({ path: await newPostMortem(scene) }),
    status: 204,
    isScoped: true,
  },
  {
    route: `POST ${templatesPath}`,
    least: "READ_WRITE",
    request: () => ({ path: templatesPath, body: templateBody() }),
    status: 201,
  },
  {
    route: `GET ${templatesPath}/:templateId`,
    least: "READ_ONLY",
    request: async (scene) => ({ path: await newTemplate(scene) }),
    status: 200,
    isScoped: true,
  },
  {
    route: `PUT ${templatesPath}/:templateId`,
    least: "READ_WRITE",
    request: async (scene) => ({ path: await newTemplate(scene), body: templateBody() }),
    status: 200,
    isScoped: true,
  },
  {
    route: `DELETE ${templatesPath}/:templateId`,
    least: "READ_WRITE",
    request: async (scene) => ({ path: await newTemplate(scene) }),
    status: 204,
    isScoped: true,
  },
];
