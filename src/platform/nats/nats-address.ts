import { fault, ok, type Parsed } from "../setting-parsers.ts";

/** Addresses of the NATS servers, with the user and the password. */
export interface NatsAddress {
  /** Addresses in the format `host:port`, one for each server of the cluster. */
  readonly servers: readonly string[];
  readonly isTls: boolean;
  readonly user: string | null;
  readonly password: string | null;
}

const rule =
  "must be up to 16 addresses such as nats://user:password@host:4222 or tls://host, " +
  "separated by commas";
const maxServers = 16;

/** Parses a list of NATS URLs. All must belong to one cluster, with the same user and password. */
export function parseNatsUrl(text: string): Parsed<NatsAddress> {
  const urls = text.split(",").map((item) => URL.parse(item.trim()));
  const servers: string[] = [];
  let isTls = false;
  let user: string | null = null;
  let password: string | null = null;
  if (urls.length > maxServers) return fault(rule);
  for (const url of urls) {
    const isKnown = url !== null && ["nats:", "tls:"].includes(url.protocol);
    if (!isKnown || url.hostname === "" || url.search !== "") return fault(rule);
    if (url.pathname !== "" && url.pathname !== "/") return fault(rule);
    servers.push(`${url.hostname}:${url.port || "4222"}`);
    isTls ||= url.protocol === "tls:";
    if (url.username !== "") user = decodeURIComponent(url.username);
    if (url.password !== "") password = decodeURIComponent(url.password);
  }
  return ok({ servers, isTls, user, password });
}
