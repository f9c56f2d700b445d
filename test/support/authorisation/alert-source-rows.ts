import { type Row, read, type Scene } from "./authorisation-row.ts";

const path = "/v1/alert-sources";

async function newSource({ test: app }: Scene): Promise<{ id: string; token: string }> {
  const { body } = await app.call("POST", path, { body: { name: `Source ${Math.random()}` } });
  return { id: body.id, token: new URL(body.url).pathname };
}

const one = (method: string, end: string, row: Partial<Row> & { readonly body?: object }): Row => {
  const { body, ...more } = row;
  return {
    route: `${method} ${path}/:id${end}`,
    least: "READ_WRITE",
    request: async (scene) => ({
      path: `${path}/${(await newSource(scene)).id}${end}`,
      ...(body && { body }),
    }),
    status: 200,
    isScoped: true,
    ...more,
  };
};

export const alertSourceRows: readonly Row[] = [
  read(path),
  {
    route: `POST ${path}`,
    least: "READ_WRITE",
    request: () => ({ path, body: { name: "Alertmanager" } }),
    status: 201,
  },
  one("GET", "", { least: "READ_ONLY" }),
  one("PUT", "", { body: { name: "Renamed" } }),
  one("POST", "/token", {}),
  one("DELETE", "", { status: 204 }),
  {
    // The route needs no key, because the secret token is part of its address.
    route: "POST /v1/alertmanager/:token",
    least: null,
    request: async (scene) => ({
      path: (await newSource(scene)).token,
      body: { version: "4", groupKey: "{}", status: "resolved", alerts: [] },
    }),
    status: 200,
    isUnaudited: true,
  },
];
