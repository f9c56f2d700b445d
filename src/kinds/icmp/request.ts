import { Type } from "typebox";
import { Described } from "../../platform/http/schema.ts";
import { type Assertion, AssertionSchema, findAssertionFault } from "../assertions/assertion.ts";
import { parseHostname } from "../network/hostname.ts";

const ipFamilies = ["IPv4", "IPv6"] as const;

export interface IcmpRequestSettings {
  readonly hostname: string;
  readonly ipFamily: (typeof ipFamilies)[number];
  readonly pingCount: number;
  readonly assertions: readonly Assertion[];
}

const family = Type.Union([Type.Enum(["IPv4", "IPv6"], { type: "string" }), Type.Null()]);
const pings = Type.Union([Type.Integer({ minimum: 1, maximum: 50 }), Type.Null()]);

export const IcmpRequestBody = Type.Object({
  hostname: Type.String({
    description: "A host name or an IP address.",
    examples: ["router.example.com"],
    minLength: 1,
    maxLength: 2048,
  }),
  ipFamily: Described(Type.Optional(family), "Which address of the host is pinged; null: IPv4."),
  pingCount: Described(
    Type.Optional(pings),
    "How many packets a run sends, half a second apart; null: 10.",
  ),
  assertions: Type.Optional(
    Type.Array(AssertionSchema, {
      description: "What must hold for a run to pass, beyond the loss thresholds.",
      maxItems: 50,
    }),
  ),
});

/** An update may leave out the host name too; then it stays as it is. */
export const IcmpRequestChange = Type.Partial(IcmpRequestBody);

export const IcmpRequestSchema = Type.Object(
  {
    hostname: Type.String({
      description: "A host name or an IP address.",
      examples: ["router.example.com"],
    }),
    ipFamily: Type.Enum([...ipFamilies], {
      description: "Which address of the host is pinged.",
      type: "string",
    }),
    pingCount: Type.Integer({
      description: "How many packets a run sends, half a second apart.",
      examples: [10],
    }),
    assertions: Type.Array(AssertionSchema, {
      description: "What must hold for a run to pass, beyond the loss thresholds.",
      examples: [[]],
    }),
  },
  { title: "IcmpRequest" },
);

export type IcmpRequestChange = Type.Static<typeof IcmpRequestChange>;

/** Null puts the default back. */
export function mergeIcmpRequest(
  before: IcmpRequestSettings | null,
  change: IcmpRequestChange,
): IcmpRequestSettings {
  const ipFamily = change.ipFamily === undefined ? before?.ipFamily : change.ipFamily;
  const pingCount = change.pingCount === undefined ? before?.pingCount : change.pingCount;
  return {
    hostname: change.hostname ?? before?.hostname ?? "",
    ipFamily: ipFamily ?? "IPv4",
    pingCount: pingCount ?? 10,
    assertions: change.assertions ?? before?.assertions ?? [],
  };
}

export interface Fault {
  readonly key: string;
  readonly rule: string;
}

export function findIcmpFaults(request: IcmpRequestSettings): Fault[] {
  const parsed = parseHostname(request.hostname);
  const faults: Fault[] = [];
  if (parsed.kind === "invalid") {
    faults.push({ key: "request.hostname", rule: `is not a host: ${parsed.reason}` });
  } else if (parsed.kind === "address" && parsed.family !== request.ipFamily) {
    const rule = `must be ${parsed.family} for the address ${parsed.address}`;
    faults.push({ key: "request.ipFamily", rule });
  }
  for (const [index, assertion] of request.assertions.entries()) {
    const fault = findAssertionFault(assertion);
    if (fault === null) continue;
    faults.push({ key: `request.assertions.${index}.${fault.field}`, rule: fault.rule });
  }
  return faults;
}
