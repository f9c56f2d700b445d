import { type Row, read, type Scene } from "./authorisation-row.ts";

async function newMute({ test: app }: Scene): Promise<string> {
  const until = new Date(app.clock.now().getTime() + 3_600_000).toISOString();
  const body = { targets: [{ type: "TAG", tag: "edge" }], mutedUntil: until };
  return (await app.call("PUT", "/v1/mutes", { body })).body[0].id;
}

const soon = ({ test: app }: Scene) =>
  new Date(app.clock.now().getTime() + 7_200_000).toISOString();

export const muteRows: readonly Row[] = [
  read("/v1/mutes"),
  {
    route: "PUT /v1/mutes",
    least: "READ_WRITE",
    request: (scene) => ({
      path: "/v1/mutes",
      body: { targets: [{ type: "ACCOUNT" }], mutedUntil: soon(scene) },
    }),
    status: 200,
  },
  {
    route: "GET /v1/mutes/:id",
    least: "READ_ONLY",
    request: async (scene) => ({ path: `/v1/mutes/${await newMute(scene)}` }),
    status: 200,
    isScoped: true,
  },
  {
    route: "PUT /v1/mutes/:id",
    least: "READ_WRITE",
    request: async (scene) => ({
      path: `/v1/mutes/${await newMute(scene)}`,
      body: { mutedUntil: soon(scene) },
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: "DELETE /v1/mutes/:id",
    least: "READ_WRITE",
    request: async (scene) => ({ path: `/v1/mutes/${await newMute(scene)}` }),
    status: 204,
    isScoped: true,
  },
];
