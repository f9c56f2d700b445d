import { listPageHosts } from "../status-pages/index.ts";
import type { PublicPagesContext } from "./context.ts";
import { type HostLoader, listHostsOf, PageHosts } from "./page-hosts.ts";

/** Loaded once before the first request, then after every change. Other rooms bring loaders. */
export async function createPageHosts(
  context: Pick<PublicPagesContext, "db" | "log" | "publicUrl" | "onPageChange">,
  others: readonly HostLoader[],
): Promise<PageHosts> {
  const loadOwn: HostLoader = async () => {
    const pages = await listPageHosts(context.db);
    return pages.flatMap((page) => listHostsOf(page, context.publicUrl()));
  };
  const hosts = new PageHosts({ loaders: [loadOwn, ...others], log: context.log });
  context.onPageChange(() => hosts.reloadSoon());
  await hosts.load();
  return hosts;
}
