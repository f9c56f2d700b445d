import { Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { BoundedMap } from "../bounded-map.ts";
import { readCode } from "../errors.ts";
import type { IpFamily } from "./host.ts";
import { parseHostname } from "./host.ts";

type HostsTable = ReadonlyMap<string, Readonly<Partial<Record<IpFamily, string>>>>;

const MAX_LINES = 100_000;

/**
 * Parses a hosts file. If a name has several addresses of a family, the first address applies, as
 * in libc.
 */
export function parseHostsFile(text: string): HostsTable {
  const table = new Map<string, Partial<Record<IpFamily, string>>>();
  for (const line of text.split("\n", MAX_LINES)) {
    const [address = "", ...names] = (line.split("#", 1)[0] ?? "").trim().split(/\s+/);
    const parsed = parseHostname(address);
    if (parsed.kind !== "address") continue;
    for (const name of names) {
      const key = name.toLowerCase().replace(/\.$/, "");
      const entry = table.get(key) ?? {};
      entry[parsed.family] ??= parsed.address;
      table.set(key, entry);
    }
  }
  return table;
}

export interface ResolveError {
  readonly code: string;
  readonly message: string;
}

/**
 * Result of resolving a name. A failed resolution has a separate error and never counts as packet
 * loss.
 */
export type Resolution =
  | { readonly address: string; readonly durationMs: number; readonly error?: never }
  | { readonly address?: never; readonly durationMs: number; readonly error: ResolveError };

export interface AddressRecord {
  readonly address: string;
  readonly ttl: number;
}

/** The DNS queries of `node:dns`, replaceable in tests. */
export interface DnsQueries {
  resolve4(name: string): Promise<readonly AddressRecord[]>;
  resolve6(name: string): Promise<readonly AddressRecord[]>;
}

export interface NameResolverOptions {
  readonly dns?: DnsQueries;
  /**
   * DNS servers to use instead of the servers of the system. An entry is an IP address, with a port
   * unless the port is 53.
   */
  readonly nameServers?: readonly string[];
  readonly readHosts?: () => Promise<string>;
  readonly nowMs?: () => number;
  /** Maximum number of concurrent queries. More queries would overflow the resolver's socket. */
  readonly maxQueries?: number;
  readonly maxWaiting?: number;
}

export interface NameResolver {
  resolve(hostname: string, family: IpFamily): Promise<Resolution>;
}

type Answer = { readonly address: string } | { readonly error: ResolveError };

const DNS_TIMEOUT_MS = 2000;
const DNS_TRIES = 2;
const MAX_QUERIES = 64;
const MAX_WAITING = 20_000;
const MAX_CACHED_NAMES = 20_000;
const MIN_TTL_MS = 1000;
const MAX_TTL_MS = 300_000;
const HOSTS_FRESH_MS = 5000;
const LOCALHOST: Readonly<Record<IpFamily, string>> = { IPv4: "127.0.0.1", IPv6: "::1" };

/**
 * Creates a resolver. A numeric address resolves to itself. A name in the hosts file resolves to
 * its address there. Without an entry, `localhost` resolves to the loopback address, and DNS
 * resolves all other names. Search domains are not applied, so that a name means the same on every
 * probe.
 */
export function createNameResolver(options: NameResolverOptions = {}): NameResolver {
  return new CachingResolver(options);
}

interface CachedAddress {
  readonly address: string;
  readonly untilMs: number;
}

class CachingResolver implements NameResolver {
  readonly #dns: DnsQueries;
  readonly #nowMs: () => number;
  readonly #readHosts: () => Promise<string>;
  readonly #maxQueries: number;
  readonly #maxWaiting: number;
  readonly #cache = new BoundedMap<string, CachedAddress>(MAX_CACHED_NAMES);
  readonly #inFlight = new Map<string, Promise<Answer>>();
  readonly #waiting: (() => void)[] = [];
  #queryCount = 0;
  #hosts: Promise<HostsTable> = Promise.resolve(new Map());
  #hostsReadMs = Number.NEGATIVE_INFINITY;

  constructor(options: NameResolverOptions) {
    this.#dns = options.dns ?? createDnsQueries(options.nameServers);
    this.#nowMs = options.nowMs ?? (() => performance.now());
    this.#readHosts = options.readHosts ?? (() => readFile("/etc/hosts", "utf8"));
    this.#maxQueries = options.maxQueries ?? MAX_QUERIES;
    this.#maxWaiting = options.maxWaiting ?? MAX_WAITING;
  }

  async resolve(hostname: string, family: IpFamily): Promise<Resolution> {
    const startedMs = this.#nowMs();
    const answer = await this.#answer(hostname, family);
    return { ...answer, durationMs: this.#nowMs() - startedMs };
  }

  async #answer(hostname: string, family: IpFamily): Promise<Answer> {
    const parsed = parseHostname(hostname);
    if (parsed.kind === "invalid") return fail("EBADNAME", parsed.reason);
    if (parsed.kind === "address") {
      if (parsed.family === family) return { address: parsed.address };
      return fail("EADDRFAMILY", `${parsed.address} is not an ${family} address.`);
    }
    const name = parsed.ascii;
    const local = (await this.#loadHosts()).get(name)?.[family];
    if (local !== undefined) return { address: local };
    if (name === "localhost" || name.endsWith(".localhost")) return { address: LOCALHOST[family] };
    const key = `${family} ${name}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined && cached.untilMs > this.#nowMs()) return { address: cached.address };
    return this.#shareQuery(key, name, family);
  }

  #shareQuery(key: string, name: string, family: IpFamily): Promise<Answer> {
    const running = this.#inFlight.get(key);
    if (running !== undefined) return running;
    const query = this.#paceQuery(key, name, family).finally(() => this.#inFlight.delete(key));
    this.#inFlight.set(key, query);
    return query;
  }

  async #paceQuery(key: string, name: string, family: IpFamily): Promise<Answer> {
    if (this.#queryCount >= this.#maxQueries) {
      if (this.#waiting.length >= this.#maxWaiting) {
        return fail("EBUSY", "Too many names are waiting to be resolved on this probe.");
      }
      // The count stays the same: a finished query hands its slot to the next waiting query.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#queryCount += 1;
    }
    try {
      return await this.#query(key, name, family);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#queryCount -= 1;
      else next();
    }
  }

  async #query(key: string, name: string, family: IpFamily): Promise<Answer> {
    try {
      const records =
        family === "IPv4" ? await this.#dns.resolve4(name) : await this.#dns.resolve6(name);
      const [first] = records;
      if (first === undefined) return fail("ENODATA", describeDnsFailure("ENODATA", family));
      const parsed = parseHostname(first.address);
      if (parsed.kind !== "address" || parsed.family !== family) {
        return fail(
          "EBADADDRESS",
          `The name resolves to ${first.address}, which does not identify a host.`,
        );
      }
      this.#remember(key, parsed.address, first.ttl * 1000);
      return { address: parsed.address };
    } catch (error) {
      const code = readCode(error);
      return fail(code, describeDnsFailure(code, family));
    }
  }

  #remember(key: string, address: string, ttlMs: number): void {
    const keptMs = Math.min(Math.max(ttlMs, MIN_TTL_MS), MAX_TTL_MS);
    this.#cache.set(key, { address, untilMs: this.#nowMs() + keptMs });
  }

  /**
   * Returns the parsed hosts file. All calls within `HOSTS_FRESH_MS` share one read of the file.
   */
  #loadHosts(): Promise<HostsTable> {
    if (this.#nowMs() - this.#hostsReadMs >= HOSTS_FRESH_MS) {
      this.#hostsReadMs = this.#nowMs();
      this.#hosts = this.#readHosts().then(parseHostsFile, () => new Map());
    }
    return this.#hosts;
  }
}

function createDnsQueries(nameServers?: readonly string[]): DnsQueries {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  if (nameServers !== undefined) resolver.setServers(nameServers);
  return {
    resolve4: (name) => resolver.resolve4(name, { ttl: true }),
    resolve6: (name) => resolver.resolve6(name, { ttl: true }),
  };
}

function describeDnsFailure(code: string, family: IpFamily): string {
  const record = family === "IPv4" ? "A" : "AAAA";
  const texts: Readonly<Record<string, string>> = {
    ENOTFOUND: "The host name does not exist.",
    ENODATA: `The host name has no ${family} address (no ${record} record).`,
    ETIMEOUT: "The DNS server did not respond in time.",
    ESERVFAIL: "The DNS server failed to resolve the name (SERVFAIL).",
    EREFUSED: "The DNS server refused the query.",
    ECONNREFUSED: "No DNS server could be reached.",
  };
  return texts[code] ?? `The host name could not be resolved (${code}).`;
}

function fail(code: string, message: string): Answer {
  return { error: { code, message } };
}
