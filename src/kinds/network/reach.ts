import { BlockList, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import {
  type AddressClass,
  classifyAddress,
  listEmbeddedIpv4,
} from "../../platform/outbound-guard.ts";

/** A port that the service itself uses, and that nobody's checks may talk to. */
export interface OwnEndpoint {
  /** "the database of this service" */
  readonly name: string;
  /** As the settings name it. */
  readonly host?: string;
  readonly addresses: readonly string[];
  readonly port: number;
}

/** A host that the service itself connects to, and that nobody's checks may talk to. */
export interface OwnHost {
  /** "the database of this service" */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** Whether public addresses are exempt: many sites may share one, and it serves everybody. */
  readonly isPublicExempt: boolean;
}

/** Plain data: the socket thread gets a copy. */
export interface ReachRules {
  /** Addresses or prefixes, as people write them. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly own?: readonly OwnEndpoint[];
  /** The same as hosts, for whoever has to follow their addresses. */
  readonly ownHosts?: readonly OwnHost[];
}

/** Which addresses probes may connect to. It is asked about resolved addresses only. */
export interface Reach {
  /** Why it may not be reached, as a sentence; null: it may. A ping has no port. */
  findRefusal(address: string, port: number | null): string | null;
}

/** Rules whose own endpoints may move. */
export interface ChangingReach extends Reach {
  readonly own: readonly OwnEndpoint[];
  setOwn(own: readonly OwnEndpoint[]): void;
}

/** Whoever may create checks must not read what a cloud tells this machine only. */
const refusedClasses: Readonly<Partial<Record<AddressClass, string>>> = {
  metadata: "is the metadata service of a cloud",
  "link-local": "is link-local",
};

const maxRemembered = 10_000;

/** Internal hosts may be reached: a monitor watches them. Allowed prefixes win over denied ones. */
export function createReach({ allow, deny, own: ownAtFirst = [] }: ReachRules): ChangingReach {
  let own = ownAtFirst;
  const allowed = createList(allow);
  const denied = createList(deny);
  const isIn = (list: BlockList, address: string) =>
    list.check(address, isIPv6(address) ? "ipv6" : "ipv4");
  const find = (address: string): string | null => {
    if (allow.length > 0 && isIn(allowed, address)) return null;
    // What a translator would make of an address may not be reached by way of it either.
    const meant = [address, ...listEmbeddedIpv4(address)];
    if (deny.length > 0 && meant.some((one) => isIn(denied, one))) {
      return `The address ${address} is denied to this probe by PROBE_DENY.`;
    }
    const refused = meant.map((one) => refusedClasses[classifyAddress(one)]).find(Boolean);
    if (refused === undefined) return null;
    return `The address ${address} ${refused}, which probes do not reach unless PROBE_ALLOW names it.`;
  };
  const remembered = new Map<string, string | null>();
  const findRefusal = (address: string, port: number | null) => {
    const known = remembered.get(address);
    const refusal = known === undefined ? find(address) : known;
    if (known === undefined) {
      if (remembered.size >= maxRemembered) remembered.clear();
      remembered.set(address, refusal);
    }
    if (refusal !== null || port === null) return refusal;
    const endpoint = own.find((one) => one.port === port && isAt(one, address));
    if (endpoint === undefined || isIn(allowed, address)) return null;
    return `${address} port ${port} is ${endpoint.name}, which checks do not reach unless PROBE_ALLOW names the address.`;
  };
  return {
    findRefusal,
    get own() {
      return own;
    },
    setOwn: (moved) => {
      own = moved;
    },
  };
}

/** One that is on this machine is there by every address of the machine. */
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
