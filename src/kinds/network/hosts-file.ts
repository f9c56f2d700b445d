import { parseHostname } from "./hostname.ts";
import type { IpFamily } from "./ip-address.ts";

export type HostsTable = ReadonlyMap<string, Readonly<Partial<Record<IpFamily, string>>>>;

const MAX_LINES = 100_000;

/** Parses a hosts file. As in libc, the first address of each family takes precedence. */
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
