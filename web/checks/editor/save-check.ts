import { api, send, sendFull } from "../../api/client.ts";
import { ifMatch, type Version } from "../../editing/index.ts";
import { findKind } from "../../kinds/index.ts";
import { type Fields, getText } from "../../parts/fields.ts";
import { fromCheck, toChangeBody, toNewBody } from "./check-values.ts";

type CreateBody = NonNullable<
  NonNullable<Parameters<typeof api.POST<"/v1/checks", never>>[1]>
>["body"];
type ChangeBody = NonNullable<
  NonNullable<Parameters<typeof api.PUT<"/v1/checks/{id}", never>>[1]>
>["body"];

/** The form values are untyped; the API validates them. */
const asCreateBody = (fields: Fields) => fields as unknown as CreateBody;
const asChangeBody = (fields: Fields) => fields as unknown as ChangeBody;

const maxTriggered = 100;

/** Runs new checks immediately, so that their first results appear soon. */
export async function runAtOnce(ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += maxTriggered) {
    const body = { target: { checkId: ids.slice(at, at + maxTriggered) } };
    // Errors are ignored, because the schedule runs the checks anyway.
    await send(api.POST("/v2/check-sessions/trigger", { body })).catch(() => {});
  }
}

/** Creates a check and requests its first run. */
export async function createCheck(
  values: Fields,
  findKey: (body: unknown) => string,
): Promise<Version<Fields>> {
  const body = asCreateBody(toNewBody(values));
  const params = { header: { "idempotency-key": findKey(body) } };
  const { data, etag } = await sendFull(api.POST("/v1/checks", { params, body }));
  const isRun = findKind(values.checkType)?.isOrdered === true && values.activated === true;
  if (isRun) await runAtOnce([data.id]);
  return { data: data as unknown as Fields, etag };
}

export async function changeCheck(
  values: Fields,
  version: Version<Fields>,
): Promise<Version<Fields>> {
  const params = { path: { id: getText(version.data, "id") }, header: ifMatch(version.etag) };
  const body = asChangeBody(toChangeBody(fromCheck(version.data), values));
  const { data, etag } = await sendFull(api.PUT("/v1/checks/{id}", { params, body }));
  return { data: data as unknown as Fields, etag };
}
