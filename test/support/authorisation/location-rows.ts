import { type Row, read, type Scene } from "./authorisation-row.ts";

const path = "/v1/private-locations";
let count = 0;
const newBody = () => {
  count += 1;
  return { name: "Rack", slugName: `rack-${count}` };
};

async function newLocation({ test: app }: Scene): Promise<{ path: string; keyId: string }> {
  const { body } = await app.call("POST", path, { body: newBody() });
  return { path: `${path}/${body.id}`, keyId: body.keys[0].id };
}

async function newProbe(scene: Scene): Promise<string> {
  const { path: of } = await newLocation(scene);
  const route = of.slice(path.length + 1);
  await scene.test.query(
    `insert into probes (id, location, route, is_built_in, version, ipv4_sources, ipv6_sources,
        is_suspect, started_at, last_seen_at, limitations)
      values ($1, 'rack', $1, false, '1', '{}', '{}', false, now(), now(), '{}')`,
    [route],
  );
  return route;
}

export const locationRows: readonly Row[] = [
  read(path),
  {
    route: `POST ${path}`,
    least: "ADMIN",
    request: () => ({ path, body: newBody() }),
    status: 201,
  },
  {
    route: `GET ${path}/:id`,
    least: "READ_ONLY",
    request: async (scene) => ({ path: (await newLocation(scene)).path }),
    status: 200,
    isScoped: true,
  },
  {
    route: `PUT ${path}/:id`,
    least: "READ_WRITE",
    request: async (scene) => ({
      path: (await newLocation(scene)).path,
      body: { name: "Other" },
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: `DELETE ${path}/:id`,
    least: "READ_WRITE",
    request: async (scene) => ({ path: (await newLocation(scene)).path }),
    status: 204,
    isScoped: true,
  },
  {
    route: `POST ${path}/:id/keys`,
    least: "ADMIN",
    request: async (scene) => ({ path: `${(await newLocation(scene)).path}/keys` }),
    status: 201,
    isScoped: true,
  },
  {
    route: `DELETE ${path}/:id/keys/:keyId`,
    least: "READ_WRITE",
    request: async (scene) => {
      const location = await newLocation(scene);
      return { path: `${location.path}/keys/${location.keyId}` };
    },
    status: 204,
    isScoped: true,
  },
  {
    route: `GET ${path}/:id/metrics`,
    least: "READ_ONLY",
    request: async (scene) => ({
      path: `${(await newLocation(scene)).path}/metrics?from=2026-11-15&to=2026-11-16`,
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: "POST /v1/probes/:id/quarantine",
    least: "READ_WRITE",
    request: async (scene) => ({
      path: `/v1/probes/${await newProbe(scene)}/quarantine`,
      body: { reason: "It lies.", leavesNone: true },
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: "POST /v1/probes/:id/release",
    least: "READ_WRITE",
    request: async (scene) => {
      const id = await newProbe(scene);
      await scene.test.query("update probes set quarantined_at = now() where id = $1", [id]);
      return { path: `/v1/probes/${id}/release`, body: { reason: "It was fixed." } };
    },
    status: 200,
    isScoped: true,
  },
];
