import { queryOptions } from "@tanstack/react-query";
import { api, type Schemas, send } from "../api/client.ts";

/** Type and id of an object that a project may own. */
export interface OwnedObject {
  readonly type: Schemas["OwnedResource"]["type"];
  readonly id: string | number;
}

/** Fetches the project that owns an object; `null` if no project owns the object. */
export const ownerQuery = ({ type, id }: OwnedObject) =>
  queryOptions({
    queryKey: ["projects", "owners", type, String(id)],
    meta: { events: ["project"] },
    queryFn: async () => {
      const query = { type, physicalId: String(id) };
      const [owned] = await send(api.GET("/v1/projects/resources", { params: { query } }));
      return owned ?? null;
    },
  });
