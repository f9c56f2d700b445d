import { api, send, sendFull } from "../../api/client.ts";
import { ifMatch, type Version } from "../../editing/index.ts";
import type { AnyValues, Check, CheckKind } from "../../kinds/form-values.ts";
import { findKind } from "../../kinds/index.ts";
import { fromCheck, toChangeBody, toNewBody } from "./check-values.ts";

type BodyOf<Options> = Options extends { body?: infer Body } ? NonNullable<Body> : never;
type CreateBody = BodyOf<NonNullable<Parameters<typeof api.POST<"/v1/checks", never>>[1]>>;
type ChangeBody = BodyOf<NonNullable<Parameters<typeof api.PUT<"/v1/checks/{id}", never>>[1]>>;

/** The form may be incomplete or invalid, which the API reports at its fields. */
export const asCreateBody = (values: AnyValues) => values as CreateBody;
const asChangeBody = (values: AnyValues) => values as ChangeBody;

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
  values: AnyValues,
  kind: CheckKind,
  findKey: (body: unknown) => string,
): Promise<Version<Check>> {
  const body = asCreateBody(toNewBody(values, kind));
  const params = { header: { "idempotency-key": findKey(body) } };
  const { data, etag } = await sendFull(api.POST("/v1/checks", { params, body }));
  const isRun = findKind(data.checkType)?.isOrdered === true && data.activated;
  if (isRun) await runAtOnce([data.id]);
  return { data, etag };
}

export async function changeCheck(
  values: AnyValues,
  kind: CheckKind,
  { data: before, etag: tag }: Version<Check>,
): Promise<Version<Check>> {
  const params = { path: { id: before.id }, header: ifMatch(tag) };
  const body = asChangeBody(toChangeBody(fromCheck(before), values, kind));
  const { data, etag } = await sendFull(api.PUT("/v1/checks/{id}", { params, body }));
  return { data, etag };
}
