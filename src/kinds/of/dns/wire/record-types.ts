/**
 * Numbers of the record types whose data is decoded. Checks may query only those in `queryTypes`.
 */
const typeNumbers = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  DNAME: 39,
  SVCB: 64,
  HTTPS: 65,
  CAA: 257,
} as const;

/** Type number of the EDNS pseudo-record (RFC 6891), which carries options instead of data. */
export const optType = 41;

export const queryTypes = [
  "A",
  "AAAA",
  "CNAME",
  "MX",
  "TXT",
  "SOA",
  "NS",
  "HTTPS",
  "SRV",
  "CAA",
  "PTR",
] as const satisfies readonly (keyof typeof typeNumbers)[];
export type QueryType = (typeof queryTypes)[number];

export function getTypeNumber(type: QueryType): number {
  return typeNumbers[type];
}

const typeNames: ReadonlyMap<number, string> = new Map(
  Object.entries(typeNumbers).map(([name, number]) => [number, name]),
);

/** Formats a record type. Types without a known name become text like `TYPE46` (RFC 3597). */
export function writeType(type: number): string {
  return typeNames.get(type) ?? `TYPE${type}`;
}

const responseCodes: readonly string[] = [
  "NOERROR",
  "FORMERR",
  "SERVFAIL",
  "NXDOMAIN",
  "NOTIMP",
  "REFUSED",
  "YXDOMAIN",
  "YXRRSET",
  "NXRRSET",
  "NOTAUTH",
  "NOTZONE",
];
const extendedCodes: ReadonlyMap<number, string> = new Map([
  [16, "BADVERS"],
  [23, "BADCOOKIE"],
]);

export const noError = 0;
export const formatError = 1;

/** Formats a response code by its name, such as `NXDOMAIN`. */
export function writeResponseCode(code: number): string {
  return responseCodes[code] ?? extendedCodes.get(code) ?? `RCODE${code}`;
}
