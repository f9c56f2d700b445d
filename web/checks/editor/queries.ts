import { queryOptions } from "@tanstack/react-query";
import { api, sendFull } from "../../api/client.ts";
import type { Version } from "../../editing/index.ts";
import type { Check } from "../../kinds/form-values.ts";

export async function fetchCheck(id: string): Promise<Version<Check>> {
  const call = api.GET("/v1/checks/{id}", { params: { path: { id } } });
  const { data, etag } = await sendFull(call);
  return { data, etag };
}

/** The check as it is stored now, fetched again whenever the event stream reports a change. */
export const storedCheckQuery = (id: string) =>
  queryOptions({
    queryKey: ["checks", id, "stored"],
    meta: { events: ["check", "check-group"] },
    queryFn: () => fetchCheck(id),
    gcTime: 0,
  });
