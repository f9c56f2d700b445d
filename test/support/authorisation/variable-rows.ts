import { type Row, read, type Scene } from "./authorisation-row.ts";

let made = 0;

function nextKey(): string {
  made += 1;
  return `ROW_${made}`;
}

async function newVariable({ test: app }: Scene): Promise<string> {
  const key = nextKey();
  await app.call("POST", "/v1/variables", { body: { key, value: "x" } });
  return key;
}

export const variableRows: readonly Row[] = [
  read("/v1/variables"),
  {
    route: "POST /v1/variables",
    least: "READ_WRITE",
    request: () => ({ path: "/v1/variables", body: { key: nextKey(), value: "x" } }),
    status: 201,
  },
  {
    route: "GET /v1/variables/:key",
    least: "READ_ONLY",
    request: async (scene) => ({ path: `/v1/variables/${await newVariable(scene)}` }),
    status: 200,
    isScoped: true,
  },
  {
    route: "PUT /v1/variables/:key",
    least: "READ_WRITE",
    request: async (scene) => ({
      path: `/v1/variables/${await newVariable(scene)}`,
      body: { value: "y" },
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: "DELETE /v1/variables/:key",
    least: "READ_WRITE",
    request: async (scene) => ({ path: `/v1/variables/${await newVariable(scene)}` }),
    status: 204,
    isScoped: true,
  },
];
