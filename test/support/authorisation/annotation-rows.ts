import { type Row, read, type Scene } from "./authorisation-row.ts";

const body = { type: "NOTE", text: "A note" };

async function newAnnotation({ test: app }: Scene): Promise<string> {
  return (await app.call("POST", "/v1/annotations", { body })).body.id;
}

export const annotationRows: readonly Row[] = [
  read("/v1/annotations"),
  {
    route: "POST /v1/annotations",
    least: "READ_WRITE",
    request: () => ({ path: "/v1/annotations", body }),
    status: 201,
  },
  {
    route: "DELETE /v1/annotations/:id",
    least: "READ_WRITE",
    request: async (scene) => ({ path: `/v1/annotations/${await newAnnotation(scene)}` }),
    status: 204,
    isScoped: true,
  },
];
