// Without TypeBox, because the socket thread loads it.
import { type AskedType, askedTypes } from "./wire/record-types.ts";

export const defaultPort = 53;
/** Below this nobody could tell a slow server from a lost packet. */
export const minTimeoutMs = 1_000;
const maxTimeoutMs = 60_000;

/** What a probe is asked for. */
export interface DnsRequest {
  readonly query: string;
  readonly recordType: AskedType;
  /** Null: the first server that the system uses. */
  readonly nameServer: string | null;
  readonly port: number;
  readonly protocol: "UDP" | "TCP";
  /** From the first query to the whole answer. */
  readonly timeoutMs: number;
}

export function isDnsRequest(value: unknown): value is DnsRequest {
  if (typeof value !== "object" || value === null) return false;
  const request = value as Partial<Record<keyof DnsRequest, unknown>>;
  const { query, recordType, nameServer, port, protocol, timeoutMs } = request;
  return (
    typeof query === "string" &&
    askedTypes.some((type) => type === recordType) &&
    (nameServer === null || typeof nameServer === "string") &&
    Number.isInteger(port) &&
    Number(port) >= 1 &&
    Number(port) <= 65_535 &&
    (protocol === "UDP" || protocol === "TCP") &&
    typeof timeoutMs === "number" &&
    timeoutMs >= minTimeoutMs &&
    timeoutMs <= maxTimeoutMs
  );
}
