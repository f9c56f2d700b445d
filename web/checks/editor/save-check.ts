import { api, sendFull } from "../../api/client.ts";
import { ifMatch, type Version } from "../../editing/index.ts";
import type { AnyValues, Check, CheckKind } from "../../kinds/form-values.ts";
import { fromCheck, toChangeBody, toNewBody } from "./check-values.ts";

type BodyOf<Options> = Options extends { body?: infer Body } ? NonNullable<Body> : never;
type CreateBody = BodyOf<NonNullable<Parameters<typeof api.POST<"/v1/checks", never>>[1]>>;
type ChangeBody = BodyOf<NonNullable<Parameters<typeof api.PUT<"/v1/checks/{id}", never>>[1]>>;

/** Casts form values to a request body. The API validates the values and reports invalid fields. */
export const asCreateBody = (values: AnyValues) => values as CreateBody;
const asChangeBody = (values: AnyValues) => values as ChangeBody;

export async function createCheck(
  values: AnyValues,
  kind: CheckKind,
  findKey: (body: unknown) => string,
): Promise<Version<Check>> {
  const body = asCreateBody(toNewBody(values, kind));
  const params = { header: { "idempotency-key": findKey(body) } };
  const { data, etag } = await sendFull(api.POST("/v1/checks", { params, body }));
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
