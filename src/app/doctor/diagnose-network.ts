import { Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { readCode } from "../../platform/errors.ts";
import { checkMailServer } from "../../platform/mail.ts";
import { type Finding, findingsOf } from "./finding.ts";

const network = findingsOf("Network");
const checks = findingsOf("Checks");

/** Sends one query to the first configured DNS server. */
export async function diagnoseNames(host: string): Promise<readonly Finding[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  const servers = resolver.getServers();
  const fix =
    "Checks that name hosts will fail. Check /etc/resolv.conf, and whether its DNS server responds.";
  if (servers.length === 0)
    return [network.fail("This machine has no DNS server configured.", fix)];
  const started = performance.now();
  try {
    await resolver.resolve(host, "SOA");
  } catch (error) {
    const code = readCode(error);
    // A negative response shows that the server works.
    if (code !== "ENODATA" && code !== "ENOTFOUND") {
      return [network.warn(`The DNS server ${servers[0]} does not respond (${code}).`, fix)];
    }
  }
  const ms = Math.round(performance.now() - started);
  return [network.ok(`The DNS server ${servers[0]} answers in ${ms} ms.`)];
}

export async function diagnoseMail(url: string | undefined): Promise<readonly Finding[]> {
  if (url === undefined) {
    return [
      network.ok(
        "No mail server is configured; alerts, invitations and password resets send no mail.",
      ),
    ];
  }
  const fault = await checkMailServer(url, 5_000);
  if (fault === null) return [network.ok("The mail server responds and accepts the credentials.")];
  return [
    network.fail(`The mail server of SMTP_URL cannot be used: ${fault}`, "Correct SMTP_URL."),
  ];
}

const netRaw = 13n;

export interface PingFacts {
  readonly range: string;
  readonly groups: readonly number[];
  readonly capabilities: bigint;
}

export async function gatherPingFacts(): Promise<PingFacts | null> {
  try {
    const range = await readFile("/proc/sys/net/ipv4/ping_group_range", "utf8");
    const status = await readFile("/proc/self/status", "utf8");
    const capabilities = BigInt(`0x${/^CapEff:\s+([0-9a-f]+)/m.exec(status)?.[1] ?? "0"}`);
    const groups = [process.getgid?.() ?? 0, ...(process.getgroups?.() ?? [])];
    return { range, groups, capabilities };
  } catch {
    return null;
  }
}

export function judgePing(facts: PingFacts | null): Finding {
  if (facts === null)
    return checks.ok("Whether pings are allowed cannot be determined on this system.");
  const [low = 1, high = 0] = facts.range.trim().split(/\s+/).map(Number);
  const isInRange = facts.groups.some((group) => group >= low && group <= high);
  if (isInRange) return checks.ok("Pings are allowed: ICMP sockets need no privilege here.");
  if ((facts.capabilities >> netRaw) & 1n)
    return checks.ok("Pings are allowed: the process has CAP_NET_RAW.");
  return checks.fail(
    "Pings are not allowed: this user may open neither kind of ICMP socket.",
    'sysctl -w net.ipv4.ping_group_range="0 2147483647"   (keep it in /etc/sysctl.d/; see docs/operate.md)',
  );
}
