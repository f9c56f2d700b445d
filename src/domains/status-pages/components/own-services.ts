import type { Database } from "../../../platform/database.ts";
import type { ServicesContext } from "../context.ts";
import { deleteService } from "../services/store.ts";
import { listOwnServiceIds, releaseServices } from "./store.ts";

/**
 * Deletes services that components of a page created: all, or only one. A service that another page
 * shows or for which a check opens incidents is kept and belongs to no page from then on.
 */
export async function removeOwnServices(
  { checksOfServices }: Pick<ServicesContext, "checksOfServices">,
  db: Database,
  page: { readonly accountId: string; readonly pageId: string; readonly only?: string },
): Promise<void> {
  const { accountId, pageId, only } = page;
  const own = await listOwnServiceIds(db, accountId, pageId);
  const unused: string[] = [];
  for (const id of only === undefined ? own : own.filter((one) => one === only)) {
    const check = await checksOfServices.findThatTriggers(db, accountId, id);
    if (check === null) unused.push(id);
  }
  for (const id of unused) await deleteService(db, accountId, id);
  if (only === undefined) await releaseServices(db, accountId, pageId);
}
