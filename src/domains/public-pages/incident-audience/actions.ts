import { notFound } from "../../../platform/errors.ts";
import type { Caller } from "../../accounts/index.ts";
import {
  formatPageUrl,
  listServicesByIds,
  listServicesOf,
  listStatusPagesOf,
  type StatusPage,
} from "../../status-pages/index.ts";
import { type Audience, mapAudiences } from "../../subscribers/index.ts";
import type { PublicPagesContext } from "../context.ts";

export interface PageAudience {
  readonly page: StatusPage;
  readonly pageUrl: string;
  readonly subscribers: Audience;
}

/** Lists the account's pages that show one of the given services. */
export async function listPagesThatShow(
  { db }: Pick<PublicPagesContext, "db">,
  accountId: string,
  serviceIds: readonly string[],
): Promise<StatusPage[]> {
  const requested = new Set(serviceIds);
  const pages = await listStatusPagesOf(db, accountId);
  return pages.filter((page) => listServicesOf(page).some(({ id }) => requested.has(id)));
}

/**
 * Returns the pages that would show an incident of these services, with the number of subscribers
 * to notify.
 */
export async function findAudience(
  context: Pick<PublicPagesContext, "db" | "publicUrl">,
  { accountId }: Pick<Caller, "accountId">,
  ids: readonly string[],
): Promise<PageAudience[]> {
  const { db } = context;
  const serviceIds = [...new Set(ids.map((id) => id.toLowerCase()))];
  const services = await listServicesByIds(db, accountId, serviceIds);
  if (services.length < serviceIds.length) throw notFound();
  const [pages, audiences] = await Promise.all([
    listPagesThatShow(context, accountId, serviceIds),
    mapAudiences(db, accountId, serviceIds),
  ]);
  const nobody: Audience = { EMAIL: 0, WEBHOOK: 0, SLACK: 0 };
  return pages.map((page) => ({
    page,
    pageUrl: formatPageUrl(context.publicUrl(), page),
    subscribers: audiences.get(page.id) ?? nobody,
  }));
}
