import { Resolver } from "node:dns/promises";
import { BoundedMap } from "../../../platform/bounded-map.ts";
import { maxNameLength } from "../measurement.ts";

/** Looks up names of addresses, for display only. */
export interface ReverseNames {
  /** Resolves to `null` if there is no name, or none within the timeout. Never rejects. */
  find(address: string): Promise<string | null>;
}

export interface ReverseNamesOptions {
  readonly nameServers?: readonly string[] | null | undefined;
  /** The query, replaceable in tests. */
  readonly query?: (address: string) => Promise<readonly string[]>;
  readonly nowMs?: () => number;
}

const timeoutMs = 1_000;
const maxCached = 10_000;
const freshMs = 300_000;
/** Any router can respond with many addresses, so the number of queries has a limit. */
const maxOpenQueries = 64;
/** The owner of an address chooses its name, so only characters of host names are shown. */
const hostName = /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?$/;

/** A name that DNS gives for an address; `null` if it is not one that can be shown. */
export function readHostName(text: string): string | null {
  const name = text.replace(/\.$/, "").toLowerCase();
  return name.length <= maxNameLength && hostName.test(name) ? name : null;
}

function createQuery(nameServers: readonly string[] | null | undefined) {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
  if (nameServers !== null && nameServers !== undefined) resolver.setServers(nameServers);
  return (address: string) => resolver.reverse(address);
}

interface Cached {
  readonly name: Promise<string | null>;
  readonly untilMs: number;
}

export function createReverseNames(options: ReverseNamesOptions = {}): ReverseNames {
  const query = options.query ?? createQuery(options.nameServers);
  const nowMs = options.nowMs ?? (() => performance.now());
  const cache = new BoundedMap<string, Cached>(maxCached);
  let openQueries = 0;
  const lookUp = async (address: string) => {
    openQueries += 1;
    try {
      const [first = ""] = await query(address);
      return readHostName(first);
    } catch {
      return null;
    } finally {
      openQueries -= 1;
    }
  };
  return {
    find: (address) => {
      const known = cache.get(address);
      if (known !== undefined && known.untilMs > nowMs()) return known.name;
      if (openQueries >= maxOpenQueries) return Promise.resolve(null);
      const name = lookUp(address);
      cache.set(address, { name, untilMs: nowMs() + freshMs });
      return name;
    },
  };
}
