/** The record types whose data is shown in words. Checks may ask for those of `askedTypes`. */
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

/** Says how a server understands the extensions of RFC 6891; it is no data. */
export const optType = 41;

export const askedTypes = [
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
export type AskedType = (typeof askedTypes)[number];

export function getTypeNumber(type: AskedType): number {
  return typeNumbers[type];
}

const typeNames: ReadonlyMap<number, string> = new Map(
  Object.entries(typeNumbers).map(([name, number]) => [number, name]),
);

/** Types that have no name here are written as RFC 3597 has it: `TYPE46`. */
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

/** As its users know it: `NXDOMAIN`. */
export function writeResponseCode(code: number): string {
  return responseCodes[code] ?? extendedCodes.get(code) ?? `RCODE${code}`;
}
