import { lookup } from "node:dns/promises";
import { BlockList, isIP, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { BoundedMap } from "../bounded-map.ts";
import { type AddressClass, classifyAddress, listEmbeddedIpv4 } from "../outbound-guard.ts";

/** An endpoint of the service itself, such as its database, to which checks may not connect. */
interface OwnEndpoint {
  /** Description of the endpoint in an error message, such as "the database of this service". */
  readonly name: string;
  /** Host name of the endpoint, as written in the settings. */
  readonly host?: string;
  readonly addresses: readonly string[];
  readonly port: number;
}

/** A host that the service itself uses and to which checks may not connect. */
export interface OwnHost {
  /** Description of the host in an error message, such as "the database of this service". */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /**
   * Whether checks may connect to the host's public addresses. An external host may share its
   * public addresses with unrelated sites.
   */
  readonly isPublicExempt: boolean;
}

/** Address rules as plain data, so that they can be sent to other threads and processes. */
export interface ReachRules {
  /** Allowed addresses, or prefixes in CIDR notation. `deny` has the same format. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly own?: readonly OwnEndpoint[];
  /**
   * Hosts that the service itself uses. The list `own` contains the addresses of these hosts. The
   * socket thread and the script runner resolve the hosts again at an interval, because the
   * addresses may change.
   */
  readonly ownHosts?: readonly OwnHost[];
}

/** Address guard: decides which resolved addresses probes may connect to. */
export interface Reach {
  /**
   * Returns a sentence that explains why an address is denied; `null` if the address is allowed.
   * `port` is `null` for a ping.
   */
  findDenial(address: string, port: number | null): string | null;
}

/** Address guard in which the service's own endpoints can be replaced. */
interface ChangingReach extends Reach {
  readonly own: readonly OwnEndpoint[];
  setOwn(own: readonly OwnEndpoint[]): void;
}

/**
 * Address classes that are denied by default, so that checks cannot read the cloud metadata of this
 * machine.
 */
const deniedClasses: Readonly<Partial<Record<AddressClass, string>>> = {
  metadata: "is the metadata service of a cloud",
  "link-local": "is link-local",
};

const maxRemembered = 10_000;

/**
 * Creates the address guard. Internal hosts are allowed by default, because many checks monitor
 * them. Allowed prefixes take precedence over denied prefixes.
 */
export function createReach({ allow, deny, own: ownAtFirst = [] }: ReachRules): ChangingReach {
  let own = ownAtFirst;
  const allowed = createList(allow);
  const denied = createList(deny);
  const isIn = (list: BlockList, address: string) =>
    list.check(address, isIPv6(address) ? "ipv6" : "ipv4");
  const find = (address: string): string | null => {
    if (allow.length > 0 && isIn(allowed, address)) return null;
    // An IPv4 address embedded in an IPv6 address is checked too, because an address translator may
    // forward the connection to the IPv4 address.
    const meant = [address, ...listEmbeddedIpv4(address)];
    if (deny.length > 0 && meant.some((one) => isIn(denied, one))) {
      return `The address ${address} is denied by PROBE_DENY of this probe.`;
    }
    const refused = meant.map((one) => deniedClasses[classifyAddress(one)]).find(Boolean);
    if (refused === undefined) return null;
    return `The address ${address} ${refused}, which probes connect to only if PROBE_ALLOW contains it.`;
  };
  const remembered = new BoundedMap<string, string | null>(maxRemembered);
  const findDenial = (address: string, port: number | null) => {
    const denial = remembered.getOrCreate(address, find);
    if (denial !== null || port === null) return denial;
    const endpoint = own.find((one) => one.port === port && isAt(one, address));
    if (endpoint === undefined || isIn(allowed, address)) return null;
    return `${address} port ${port} is ${endpoint.name}, which checks may connect to only if PROBE_ALLOW contains the address.`;
  };
  return {
    findDenial,
    get own() {
      return own;
    },
    setOwn: (moved) => {
      own = moved;
    },
  };
}

/**
 * Returns whether an address belongs to an endpoint. An endpoint on this machine is reachable at
 * every address of the machine.
 */
function isAt({ addresses }: OwnEndpoint, address: string): boolean {
  const meant = [address, ...listEmbeddedIpv4(address)];
  if (meant.some((one) => addresses.includes(one))) return true;
  return addresses.some(isOfThisMachine) && meant.some(isOfThisMachine);
}

function isOfThisMachine(address: string): boolean {
  const found = classifyAddress(address);
  if (found === "loopback" || found === "unspecified") return true;
  const interfaces = Object.values(networkInterfaces()).flat();
  return interfaces.some((one) => one?.address === address);
}

function createList(prefixes: readonly string[]): BlockList {
  const list = new BlockList();
  for (const prefix of prefixes) {
    const [address = "", bits] = prefix.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/**
 * Interval at which the names of the service's own hosts are resolved again, because container
 * platforms assign a new address to a restarted service.
 */
export const resolveEveryMs = 30_000;

/** Returns the addresses of a host. Rejects if the name does not exist or DNS does not respond. */
type FindAddresses = (host: string) => Promise<readonly string[]>;

const findAddresses: FindAddresses = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/**
 * Resolves the service's own hosts. If a name cannot be resolved, its last known addresses remain.
 */
export async function resolveOwnHosts(
  hosts: readonly OwnHost[],
  before: readonly OwnEndpoint[] = [],
  find = findAddresses,
): Promise<OwnEndpoint[]> {
  const endpoints: OwnEndpoint[] = [];
  for (const { name, host, port, isPublicExempt } of hosts) {
    const known = before.find((one) => one.name === name && one.port === port && one.host === host);
    const addresses = await find(host).catch(() => known?.addresses ?? []);
    const refused = addresses.filter((address) => !isPublicExempt || !isPublic(address));
    endpoints.push({ name, host, port, addresses: refused });
  }
  return endpoints;
}

const isPublic = (address: string) => classifyAddress(address) === "public";

/** Returns whether any host is given by name. Only the addresses of a name may change. */
export function hasNames(hosts: readonly OwnHost[]): boolean {
  return hosts.some(({ host }) => isIP(host) === 0);
}

const postgresPort = 5432;

/**
 * Returns the host and port of a database URL; `null` if the URL is invalid or refers to a Unix
 * socket.
 */
export function readDatabaseHost(url: string): { host: string; port: number } | null {
  if (!URL.canParse(url)) return null;
  const { hostname, port, searchParams } = new URL(url);
  // PostgreSQL clients also accept host and port as query parameters, which take precedence.
  const host = searchParams.get("host") ?? decodeURIComponent(hostname);
  if (host === "" || host.startsWith("/")) return null;
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  return { host: bare, port: Number(searchParams.get("port") ?? port) || postgresPort };
}
