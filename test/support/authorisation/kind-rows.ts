import { Type } from "typebox";
import { Value } from "typebox/value";
import { allKinds, defaultType, kinds } from "../../../src/kinds/index.ts";
import type { Kind } from "../../../src/kinds/kit/kind.ts";
import type { Row, Scene } from "./authorisation-row.ts";

async function newCheckOf({ path, operations }: Kind, { test: app }: Scene): Promise<string> {
  const body = { name: "watched", tags: ["matrix"], ...operations.example };
  return (await app.call("POST", `/v1/checks/${path}`, { body })).body.id;
}

export function newCheck(scene: Scene): Promise<string> {
  return newCheckOf(kinds[defaultType], scene);
}

/** Returns the rows of the operations of one check type. */
function listRows(kind: Kind): Row[] {
  const { path, analyticsPath, operations, fields } = kind;
  const mustBeSent = Value.Create(Type.Object(fields.unused.change));
  return [
    {
      route: `POST /v1/checks/${path}`,
      least: "READ_WRITE",
      request: () => ({
        path: `/v1/checks/${path}`,
        body: { name: "new", ...operations.example },
      }),
      status: 201,
    },
    {
      route: `PUT /v1/checks/${path}/:id`,
      least: "READ_WRITE",
      request: async (scene) => ({
        path: `/v1/checks/${path}/${await newCheckOf(kind, scene)}`,
        body: { ...mustBeSent, ...operations.example },
      }),
      status: 200,
      isScoped: true,
    },
    {
      route: `GET /v1/analytics/${analyticsPath}/:id`,
      least: "READ_ONLY",
      request: async (scene) => ({
        path: `/v1/analytics/${analyticsPath}/${await newCheckOf(kind, scene)}?metrics=availability`,
      }),
      status: 200,
      isScoped: true,
    },
  ];
}

export const kindRows: readonly Row[] = allKinds.flatMap(listRows);
