import { Type } from "typebox";
import { Described, OneOf } from "../../../platform/http/schema.ts";

export const severities = ["fail", "degrade", "ignore"] as const;
export type Severity = (typeof severities)[number];

const tlsVersions = ["TLS1.2", "TLS1.3"] as const;
export type TlsVersion = (typeof tlsVersions)[number];

interface Rule {
  readonly severity: Severity;
}

/**
 * Security rules for a connection, in addition to trust in its certificate. Each rule defines the
 * severity of a violation.
 */
export interface SecurityBaseline {
  readonly enabled: boolean;
  readonly minTLSVersion: Rule & { readonly value: TlsVersion };
  readonly minKeySizeBits: Rule & { readonly value: number };
  readonly weakSignatureAlgorithm: Rule;
  readonly weakCipherSuite: Rule;
  readonly knownBadCA: Rule;
  readonly recommendedTLSVersion: Rule & { readonly value: TlsVersion };
  readonly recommendedKeySizeBits: Rule & { readonly value: number };
  readonly ocspMustStapleRespected: Rule;
  readonly sctPresent: Rule;
}

export const baselineRules = [
  "minTLSVersion",
  "minKeySizeBits",
  "weakSignatureAlgorithm",
  "weakCipherSuite",
  "knownBadCA",
  "recommendedTLSVersion",
  "recommendedKeySizeBits",
  "ocspMustStapleRespected",
  "sctPresent",
] as const satisfies readonly (keyof SecurityBaseline)[];
export type BaselineRule = (typeof baselineRules)[number];

export const defaultBaseline: SecurityBaseline = {
  enabled: true,
  minTLSVersion: { value: "TLS1.2", severity: "fail" },
  minKeySizeBits: { value: 2_048, severity: "fail" },
  weakSignatureAlgorithm: { severity: "fail" },
  weakCipherSuite: { severity: "fail" },
  knownBadCA: { severity: "fail" },
  recommendedTLSVersion: { value: "TLS1.3", severity: "ignore" },
  recommendedKeySizeBits: { value: 3_072, severity: "ignore" },
  ocspMustStapleRespected: { severity: "ignore" },
  sctPresent: { severity: "ignore" },
};

const words: Readonly<Record<BaselineRule, string>> = {
  minTLSVersion: "The minimum TLS version.",
  minKeySizeBits: "The minimum size of RSA and DSA keys; other key types need the same strength.",
  weakSignatureAlgorithm: "A certificate that is signed with MD5 or SHA-1.",
  weakCipherSuite:
    "A cipher suite without forward secrecy, or with NULL, export, anonymous, RC4, DES, 3DES or MD5.",
  knownBadCA: "An authority that browsers have removed for misconduct.",
  recommendedTLSVersion: "The recommended TLS version.",
  recommendedKeySizeBits: "The recommended key size.",
  ocspMustStapleRespected:
    "A certificate that requires OCSP stapling from a server that does not staple.",
  sctPresent: "A certificate without signed certificate timestamps (SCTs).",
};

const SeveritySchema = Described(
  OneOf(severities),
  "The effect: a failing run, a degraded run, or only a note in the result.",
  "fail",
);
const Version = Described(OneOf(tlsVersions), "The TLS version.", "TLS1.2");
const Bits = Type.Integer({
  description: "Key size in bits.",
  examples: [2_048],
  minimum: 1_024,
  maximum: 16_384,
});

const values = {
  minTLSVersion: Version,
  recommendedTLSVersion: Version,
  minKeySizeBits: Bits,
  recommendedKeySizeBits: Bits,
} as const;

function createRuleSchema(rule: BaselineRule) {
  const value = Object.hasOwn(values, rule) ? values[rule as keyof typeof values] : null;
  const properties = { ...(value && { value }), severity: SeveritySchema };
  return { properties, description: words[rule] };
}

const ofRules = (create: (rule: BaselineRule) => Type.TSchema) =>
  Object.fromEntries(baselineRules.map((rule) => [rule, create(rule)]));

const Enabled = Type.Boolean({
  description: "Whether the baseline is evaluated.",
  examples: [true],
});

/**
 * Schema of the baseline in a request. In a new check, an omitted field gets its default. In an
 * update, an omitted field keeps its value.
 */
export const BaselineChange = Type.Unsafe<BaselineInput>(
  Type.Object({
    enabled: Type.Optional(Enabled),
    ...ofRules((rule) => {
      const { properties, description } = createRuleSchema(rule);
      return Type.Optional(Type.Partial(Type.Object(properties), { description }));
    }),
  }),
);

export const BaselineShown = Type.Unsafe<SecurityBaseline>(
  Type.Object(
    {
      enabled: Enabled,
      ...ofRules((rule) => {
        const { properties, description } = createRuleSchema(rule);
        return Type.Object(properties, { description });
      }),
    },
    { title: "SslSecurityBaseline" },
  ),
);

export type BaselineInput = {
  readonly [Key in keyof SecurityBaseline]?: SecurityBaseline[Key] extends boolean
    ? boolean
    : Partial<SecurityBaseline[Key]>;
};

export function mergeBaseline(
  before: SecurityBaseline,
  change: BaselineInput = {},
): SecurityBaseline {
  return {
    enabled: change.enabled ?? before.enabled,
    minTLSVersion: { ...before.minTLSVersion, ...change.minTLSVersion },
    minKeySizeBits: { ...before.minKeySizeBits, ...change.minKeySizeBits },
    weakSignatureAlgorithm: { ...before.weakSignatureAlgorithm, ...change.weakSignatureAlgorithm },
    weakCipherSuite: { ...before.weakCipherSuite, ...change.weakCipherSuite },
    knownBadCA: { ...before.knownBadCA, ...change.knownBadCA },
    recommendedTLSVersion: { ...before.recommendedTLSVersion, ...change.recommendedTLSVersion },
    recommendedKeySizeBits: { ...before.recommendedKeySizeBits, ...change.recommendedKeySizeBits },
    ocspMustStapleRespected: {
      ...before.ocspMustStapleRespected,
      ...change.ocspMustStapleRespected,
    },
    sctPresent: { ...before.sctPresent, ...change.sctPresent },
  };
}
