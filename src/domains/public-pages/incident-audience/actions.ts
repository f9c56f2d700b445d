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

/** The account's pages that show one of some services. */
export async function listPagesThatShow(
  { db }: Pick<PublicPagesContext, "db">,
  accountId: string,
  serviceIds: readonly string[],
): Promise<StatusPage[]> {
  const wanted = new Set(serviceIds);
  const pages = await listStatusPagesOf(db, accountId);
  return pages.filter((page) => listServicesOf(page).some(({ id }) => wanted.has(id)));
}

/** Where an incident of these services appears, and how many confirmed subscribers it can tell. */
export async function findAudience(
  context: Pick<PublicPagesContext, "db" | "publicUrl">,
  { accountId }: Pick<Caller, "accountId">,
  ids: readonly string[],
): Promise<PageAudience[]> {
  const { db } = context;
  const serviceIds = [...new Set(ids.map((id) => id.toLowerCase()))];
  const known = await listServicesByIds(db, accountId, serviceIds);
  if (known.length < serviceIds.length) throw notFound();
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
