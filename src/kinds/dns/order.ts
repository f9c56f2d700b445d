// Does not import TypeBox, because the socket thread loads this file.
import { type QueryType, queryTypes } from "./wire/record-types.ts";

export const defaultPort = 53;
/** A shorter timeout could not distinguish a slow server from a lost packet. */
export const minTimeoutMs = 1_000;
const maxTimeoutMs = 60_000;

/** The request that a probe receives. */
export interface DnsRequest {
  readonly query: string;
  readonly recordType: QueryType;
  /** `null` for the first DNS server of the system. */
  readonly nameServer: string | null;
  readonly port: number;
  readonly protocol: "UDP" | "TCP";
  /** From the first query to the complete answer. */
  readonly timeoutMs: number;
}

export function isDnsRequest(value: unknown): value is DnsRequest {
  if (typeof value !== "object" || value === null) return false;
  const request = value as Partial<Record<keyof DnsRequest, unknown>>;
  const { query, recordType, nameServer, port, protocol, timeoutMs } = request;
  return (
    typeof query === "string" &&
    queryTypes.some((type) => type === recordType) &&
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
