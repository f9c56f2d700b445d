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

export const locationRows: readonly Row[] = [
  read(path),
  {
    route: `POST ${path}`,
    least: "READ_WRITE",
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
    least: "READ_WRITE",
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
];
