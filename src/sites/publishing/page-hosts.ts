import { isIP } from "node:net";
import type { Database } from "../../platform/database.ts";
import type { Log } from "../../platform/log.ts";
import type { ChangeNotifications } from "../../platform/notifications.ts";
import { listNamedPages, type NamedPage } from "./name-store.ts";
import type { PageKind } from "./page-names.ts";

/** Host name of a page, with the path at which the page is served. */
export interface HostedPage {
  readonly host: string;
  readonly prefix: string;
}

interface PageHostsOptions {
  readonly load: () => Promise<readonly HostedPage[]>;
  readonly log: Log;
}

const minPauseMs = 200;
const retryMs = 1_000;

/** Maps hosts to pages in memory, because no request may wait for the database. */
export class PageHosts {
  readonly #options: PageHostsOptions;
  #prefixes: ReadonlyMap<string, string> = new Map();
  #lastHost: string | null = null;
  #lastPrefix: string | null = null;
  #timer: NodeJS.Timeout | null = null;
  #loading: Promise<void> = Promise.resolve();
  #isStopped = false;
  #isStale = false;
  #pauseMs = minPauseMs;

  constructor(options: PageHostsOptions) {
    this.#options = options;
  }

  /** Returns the path of the page with this host; `null` if the host belongs to no page. */
  find(host: string): string | null {
    // The last lookup is cached, because most requests have the same host as the previous request.
    if (host !== this.#lastHost) {
      this.#lastPrefix = this.#prefixes.get(normaliseHost(host)) ?? null;
      this.#lastHost = host;
    }
    return this.#lastPrefix;
  }

  async load(): Promise<void> {
    const pages = await this.#options.load();
    this.#lastHost = null;
    this.#prefixes = new Map(pages.map(({ host, prefix }) => [host.toLowerCase(), prefix]));
  }

  /** Schedules a reload of the map. Changes that arrive before the reload cause only one reload. */
  reloadSoon(): void {
    this.#isStale = true;
    if (this.#timer === null) this.#schedule(this.#pauseMs);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#loading;
  }

  #schedule(afterMs: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#loading = this.#turn();
    }, afterMs);
    this.#timer.unref();
  }

  async #turn(): Promise<void> {
    this.#isStale = false;
    const begunMs = performance.now();
    try {
      await this.load();
    } catch (error) {
      this.#options.log.warn({ err: error }, "page hosts could not be read; retrying");
      this.#schedule(retryMs);
      return;
    }
    // The pause is ten times the loading time, which limits the load for any number of pages.
    this.#pauseMs = Math.max(minPauseMs, (performance.now() - begunMs) * 10);
    this.#timer = null;
    if (this.#isStale) this.#schedule(this.#pauseMs);
  }
}

/** Returns the host in lower case, without port and trailing dot. */
export function normaliseHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/:\d{1,5}$/, "")
    .replace(/\.$/, "");
}

const prefixes: Readonly<Record<PageKind, (page: NamedPage) => string>> = {
  "status-page": ({ label }) => `/status/${label}`,
  dashboard: ({ pageId }) => `/dashboards/${pageId}`,
};

/** Returns the host names of a page: a subdomain of this server's host, and the custom domain. */
export function listHostsOf(page: NamedPage, publicUrl: string): readonly HostedPage[] {
  const { label, domain } = page;
  const prefix = prefixes[page.pageKind](page);
  const { hostname } = new URL(publicUrl);
  // An IP address has no subdomains. `hostname` has an IPv6 address in brackets.
  const isName = isIP(hostname.replace(/^\[|\]$/g, "")) === 0;
  return [
    ...(isName && label !== null ? [{ host: `${label}.${hostname}`, prefix }] : []),
    ...(domain === null ? [] : [{ host: domain, prefix }]),
  ];
}

interface PageHostsContext {
  readonly db: Database;
  readonly log: Log;
  readonly publicUrl: () => string;
  readonly pageChanges: ChangeNotifications;
}

/** Creates the host map, loads it before the first request, and reloads it after every change. */
export async function createPageHosts(context: PageHostsContext): Promise<PageHosts> {
  const { db, log, publicUrl } = context;
  const load = async () =>
    (await listNamedPages(db)).flatMap((page) => listHostsOf(page, publicUrl()));
  const hosts = new PageHosts({ load, log });
  context.pageChanges.onChange(() => hosts.reloadSoon());
  await hosts.load();
  return hosts;
}
