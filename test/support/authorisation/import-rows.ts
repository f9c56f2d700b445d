import { type Row, read, type Scene } from "./authorisation-row.ts";

const path = "/v1/imports";
const preview = `${path}/preview?source=uptime-kuma`;
const monitor = { name: "Router", type: "ping", interval: 60, hostname: "192.0.2.1" };
let lastId = 1_000;

/**
 * Returns the body of an import. Each body contains another monitor, so that every import creates a
 * check.
 */
function createBody() {
  lastId += 1;
  const monitorList = [{ ...monitor, id: lastId }];
  return { files: [{ name: "backup.json", content: JSON.stringify({ monitorList }) }] };
}

async function newImport({ test: app }: Scene): Promise<string> {
  return (await app.call("POST", preview, { body: createBody() })).body.id;
}

export const importRows: readonly Row[] = [
  {
    route: `POST ${path}/preview`,
    least: "READ_WRITE",
    request: () => ({ path: preview, body: createBody() }),
    status: 201,
    isUnaudited: true,
  },
  read(path),
  {
    route: `GET ${path}/:id`,
    least: "READ_ONLY",
    request: async (scene) => ({ path: `${path}/${await newImport(scene)}` }),
    status: 200,
    isScoped: true,
  },
  {
    route: `GET ${path}/:id/comparison`,
    least: "READ_ONLY",
    request: async (scene) => ({ path: `${path}/${await newImport(scene)}/comparison` }),
    status: 200,
    isScoped: true,
  },
  {
    route: `POST ${path}/:id/run`,
    least: "READ_WRITE",
    request: async (scene) => ({ path: `${path}/${await newImport(scene)}/run`, body: {} }),
    status: 200,
    isScoped: true,
    auditEntries: 2,
  },
  {
    route: `DELETE ${path}/:id`,
    least: "READ_WRITE",
    request: async (scene) => ({ path: `${path}/${await newImport(scene)}` }),
    status: 204,
    isScoped: true,
  },
];
