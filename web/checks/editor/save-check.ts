import { api, send, sendFull } from "../../api/client.ts";
import type { Fields } from "../../kinds/fields.ts";
import { findKind } from "../../kinds/targets.ts";
import { toChangeBody, toNewBody } from "./check-values.ts";

type CreateBody = NonNullable<
  NonNullable<Parameters<typeof api.POST<"/v1/checks", never>>[1]>
>["body"];
type ChangeBody = NonNullable<
  NonNullable<Parameters<typeof api.PUT<"/v1/checks/{id}", never>>[1]>
>["body"];

/** The form holds what was typed; the API decides whether it is a body. */
const asCreateBody = (fields: Fields) => fields as unknown as CreateBody;
const asChangeBody = (fields: Fields) => fields as unknown as ChangeBody;

const maxTriggered = 100;

/** New checks run at once, so that their first results are there in a moment. */
export async function runAtOnce(ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += maxTriggered) {
    const body = { target: { checkId: ids.slice(at, at + maxTriggered) } };
    // The schedule runs them anyway, only later.
    await send(api.POST("/v2/check-sessions/trigger", { body })).catch(() => {});
  }
}

/** Creates it, and has it run at once. */
export async function createCheck(
  values: Fields,
  findKey: (body: unknown) => string,
): Promise<string> {
  const body = asCreateBody(toNewBody(values));
  const params = { header: { "idempotency-key": findKey(body) } };
  const { id } = await send(api.POST("/v1/checks", { params, body }));
  const isRun = findKind(values.checkType)?.isOrdered === true && values.activated === true;
  if (isRun) await runAtOnce([id]);
  return id;
}

export async function changeCheck(
  id: string,
  change: { readonly base: Fields; readonly values: Fields; readonly etag: string | null },
): Promise<void> {
  const { base, values, etag } = change;
  await sendFull(
    api.PUT("/v1/checks/{id}", {
      params: { path: { id }, ...(etag !== null && { header: { "if-match": etag } }) },
      body: asChangeBody(toChangeBody(base, values)),
    }),
  );
}
