import assert from "node:assert/strict";
import { test } from "node:test";
import { Value } from "typebox/value";
import type { Outcome } from "../../../contract/result.ts";
import type { Assertion } from "../../kit/assertions/assertion.ts";
import { explainVerdict, judgeRun } from "../../kit/verdict.ts";
import type { CertificateFacts, TlsFacts } from "../../wire/tls/tls-facts.ts";
import type { BaselineInput } from "./baseline.ts";
import { ssl } from "./index.ts";
import { handshakeTroubles, type SslMeasurement } from "./measurement.ts";
import { mergeSettings, type SslSettings, toRequest } from "./request.ts";

const dayMs = 86_400_000;
const nowMs = Date.UTC(2026, 10, 16, 12);

const leaf: CertificateFacts = {
  fingerprint: "ab".repeat(32),
  issuerName: "R11",
  validFromMs: nowMs - 10 * dayMs,
  validToMs: nowMs + 60 * dayMs,
  subject: "CN=shop.example",
  issuer: "CN=R11, O=Let's Encrypt, C=US",
  serial: "0abc",
  names: ["shop.example", "www.shop.example"],
  nameCount: 2,
  keyType: "EC",
  keyBits: 256,
  signatureAlgorithm: "sha256WithRSAEncryption",
  isSelfIssued: false,
  isAuthority: false,
  mustStaple: false,
  hasScts: true,
};
const middle: CertificateFacts = {
  ...leaf,
  fingerprint: "cd".repeat(32),
  subject: "CN=R11, O=Let's Encrypt, C=US",
  issuerName: "ISRG Root X1",
  issuer: "CN=ISRG Root X1, O=Internet Security Research Group, C=US",
  names: [],
  isAuthority: true,
};

interface Changed {
  readonly leaf?: Partial<CertificateFacts>;
  readonly middle?: Partial<CertificateFacts>;
  readonly tls?: Partial<TlsFacts>;
  readonly config?: object;
  readonly baseline?: BaselineInput;
  readonly assertions?: readonly Assertion[];
  readonly settings?: Partial<SslSettings>;
  readonly handshakeMs?: number;
}

function settingsOf({ config = {}, baseline = {}, assertions = [], settings = {} }: Changed) {
  const sslConfig = { hostname: "shop.example", ...config, securityBaseline: baseline };
  const own = mergeSettings(null, { request: { sslConfig } });
  const common = { shouldFail: false, degradedResponseTime: 3_000, maxResponseTime: 10_000 };
  return { ...common, request: { ...own.request, assertions }, ...settings };
}

function measure(changed: Changed): SslMeasurement {
  const own = { ...leaf, ...changed.leaf };
  const { fingerprint, issuerName, validFromMs, validToMs } = own;
  const tls: TlsFacts = {
    protocol: "TLSv1.3",
    cipher: "TLS_AES_128_GCM_SHA256",
    alpn: null,
    certificate: { fingerprint, issuerName, validFromMs, validToMs },
    fitsName: true,
    trustError: null,
    staple: null,
    chainLength: 2,
    chainValidToMs: validToMs,
    chain: [own, { ...middle, ...changed.middle }],
    ...changed.tls,
  };
  const daysLeft = Math.floor((validToMs - nowMs) / dayMs);
  const { handshakeMs = 20 } = changed;
  return { resolvedIp: "192.0.2.1", dnsMs: 1, connectMs: 9, handshakeMs, daysLeft, tls };
}

function judgeOutcome(outcome: Outcome<SslMeasurement>, changed: Changed) {
  const settings = settingsOf(changed);
  const run = { request: toRequest(settings), startedAtMs: nowMs, outcome };
  const document = ssl.document(run);
  assert.ok(Value.Check(ssl.DocumentSchema, document), JSON.stringify(document));
  const { verdict, reasons } = judgeRun(ssl, settings, run);
  return {
    verdict,
    names: reasons.map(({ name }) => name),
    said: explainVerdict(ssl, reasons),
    document,
  };
}

function judge(changed: Changed = {}) {
  return judgeOutcome({ kind: "measured", measurement: measure(changed) }, changed);
}

test("a valid certificate passes, and its document is complete", () => {
  const { verdict, document } = judge();
  assert.equal(verdict, "passing");
  const { response, ...shown } = document as Record<string, unknown>;
  assert.deepEqual(shown, {
    tlsVersion: "TLS1.3",
    cipherSuite: "TLS_AES_128_GCM_SHA256",
    daysUntilExpiry: 60,
    handshakeTimeMs: 20,
    chainTrusted: true,
    hostnameVerified: true,
    baselineVerdict: "pass",
    baselineGrade: "A",
    failureCategory: null,
    requestError: null,
    request: { hostname: "shop.example", port: 443, serverName: "shop.example", ipFamily: "IPv4" },
    error: null,
  });
  const certificate = (response as { certificate: Record<string, unknown> }).certificate;
  assert.equal(certificate.keyAlgorithm, "ECDSA");
  assert.equal(certificate.signatureAlgorithm, "SHA256-RSA");
  assert.equal(certificate.subjectCN, "shop.example");
});

test("every problem of a certificate has a verdict and a sentence", () => {
  const expired = { leaf: { validToMs: nowMs - dayMs } };
  const table: readonly (readonly [Changed, string, string, RegExp])[] = [
    [
      expired,
      "failing",
      "certificate-expired",
      /^The certificate of shop\.example expired on 15 November 2026\.$/,
    ],
    [
      { ...expired, tls: { trustError: "CERT_HAS_EXPIRED" } },
      "failing",
      "certificate-expired",
      /^The certificate of shop\.example expired on 15 November 2026\.$/,
    ],
    [
      { leaf: { validToMs: nowMs + 6.5 * dayMs } },
      "degraded",
      "certificate-expires-soon",
      /^The certificate of shop\.example expires in 6 days \(on 23 November 2026\)\.$/,
    ],
    [{ leaf: { validToMs: nowMs + 20 * dayMs } }, "passing", "all-within-limits", /./],
    [
      { leaf: { validToMs: nowMs + 1_000 } },
      "degraded",
      "certificate-expires-soon",
      /within a day/,
    ],
    [
      { leaf: { validFromMs: nowMs + dayMs } },
      "failing",
      "certificate-not-yet-valid",
      /17 November 2026/,
    ],
    [
      { tls: { fitsName: false } },
      "failing",
      "wrong-name",
      /^The certificate is for shop\.example, www\.shop\.example, not for shop\.example\.$/,
    ],
    [
      { tls: { trustError: "DEPTH_ZERO_SELF_SIGNED_CERT" } },
      "failing",
      "self-signed-certificate",
      /is self-signed/,
    ],
    [
      { tls: { trustError: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" } },
      "failing",
      "incomplete-chain",
      /does not send the certificate of ISRG Root X1/,
    ],
    [
      { tls: { trustError: "SELF_SIGNED_CERT_IN_CHAIN" } },
      "failing",
      "untrusted-chain",
      /is not trusted/,
    ],
    [
      { tls: { trustError: "CERT_HAS_EXPIRED" } },
      "failing",
      "untrusted-chain",
      /chain of shop\.example has expired/,
    ],
    [
      { tls: { trustError: "SELF_SIGNED_CERT_IN_CHAIN" }, config: { skipChainValidation: true } },
      "passing",
      "all-within-limits",
      /./,
    ],
    [
      { tls: { staple: { status: "revoked", revokedAtMs: nowMs - dayMs } } },
      "failing",
      "certificate-revoked",
      /was revoked on 15 November 2026/,
    ],
    [
      { tls: { staple: { status: "unknown", revokedAtMs: null } } },
      "passing",
      "all-within-limits",
      /./,
    ],
    [{ handshakeMs: 3_000 }, "degraded", "response-time-above-degraded", /3\.01 s/],
    [{ handshakeMs: 10_000 }, "failing", "response-time-above-max", /10\.01 s/],
  ];
  for (const [changed, verdict, name, said] of table) {
    const found = judge(changed);
    assert.equal(found.verdict, verdict, JSON.stringify(changed));
    assert.equal(found.names[0], name, JSON.stringify(changed));
    assert.match(found.said, said);
  }
});

test("each baseline rule fails, degrades or is ignored by its severity", () => {
  const table: readonly (readonly [keyof BaselineInput, Changed, string, string])[] = [
    ["minTLSVersion", { tls: { protocol: "TLSv1.1" } }, "protocol-too-old", "failing"],
    ["minKeySizeBits", { leaf: { keyType: "RSA", keyBits: 1_024 } }, "key-too-small", "failing"],
    ["minKeySizeBits", { leaf: { keyType: "EC", keyBits: 192 } }, "key-too-small", "failing"],
    [
      "weakSignatureAlgorithm",
      { leaf: { signatureAlgorithm: "sha1WithRSAEncryption" } },
      "weak-signature",
      "failing",
    ],
    [
      "weakSignatureAlgorithm",
      { middle: { signatureAlgorithm: "ecdsa-with-SHA1" } },
      "weak-signature",
      "failing",
    ],
    [
      "weakCipherSuite",
      { tls: { cipher: "TLS_RSA_WITH_AES_128_CBC_SHA" } },
      "weak-cipher",
      "failing",
    ],
    [
      "weakCipherSuite",
      { tls: { cipher: "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA" } },
      "weak-cipher",
      "failing",
    ],
    [
      "knownBadCA",
      { middle: { issuer: "CN=Root, O=WoSign CA Limited, C=CN" } },
      "distrusted-authority",
      "failing",
    ],
    [
      "recommendedTLSVersion",
      { tls: { protocol: "TLSv1.2" } },
      "protocol-not-recommended",
      "passing",
    ],
    [
      "recommendedKeySizeBits",
      { leaf: { keyType: "RSA", keyBits: 2_048 } },
      "key-not-recommended",
      "passing",
    ],
    ["ocspMustStapleRespected", { leaf: { mustStaple: true } }, "staple-missing", "passing"],
    ["sctPresent", { leaf: { hasScts: false } }, "scts-missing", "passing"],
  ];
  for (const [rule, changed, name, usual] of table) {
    assert.equal(judge(changed).verdict, usual, `${rule} by default`);
    for (const [severity, verdict] of [
      ["fail", "failing"],
      ["degrade", "degraded"],
      ["ignore", "passing"],
    ] as const) {
      const found = judge({ ...changed, baseline: { [rule]: { severity } } });
      assert.equal(found.verdict, verdict, `${rule}: ${severity}`);
      if (severity !== "ignore") assert.equal(found.names[0], name);
      assert.match(found.said, /^[A-Z].*\.$/s);
      assert.match(JSON.stringify(found.document), new RegExp(name));
    }
    assert.equal(judge({ ...changed, baseline: { enabled: false } }).verdict, "passing");
  }
  const strong = ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256"];
  for (const cipher of strong) assert.equal(judge({ tls: { cipher } }).verdict, "passing", cipher);
  const root = { signatureAlgorithm: "sha1WithRSAEncryption", isSelfIssued: true };
  assert.equal(judge({ middle: root }).verdict, "passing", "nobody checks a root's own signature");
});

test("every failure has a reason that names it", () => {
  const kinds = ["unresolved", "denied", "refused", "timed-out", ...handshakeTroubles];
  const names = new Set<string>();
  for (const kind of kinds) {
    const trouble = { kind, code: "ECODE", message: "Why." };
    const {
      verdict,
      names: [name = ""],
      said,
    } = judgeOutcome({ kind: "unreachable", trouble }, {});
    assert.equal(verdict, "failing");
    assert.match(said, /Why\.$/);
    names.add(name);
  }
  assert.equal(names.size, kinds.length);
});

test("assertions cover the certificate, the connection, the time and the whole response", () => {
  const table: readonly (readonly [string, string, Assertion["comparison"], string, boolean])[] = [
    ["CERTIFICATE", "daysUntilExpiry", "GREATER_THAN", "59", true],
    ["CERTIFICATE", "daysUntilExpiry", "GREATER_THAN", "60", false],
    ["CERTIFICATE", "keySizeBits", "EQUALS", "256", true],
    ["CERTIFICATE", "subjectCN", "EQUALS", "shop.example", true],
    ["CERTIFICATE", "issuerCN", "CONTAINS", "R1", true],
    ["CERTIFICATE", "serialNumber", "EQUALS", "0abc", true],
    ["CERTIFICATE", "fingerprintSha256", "EQUALS", "ab".repeat(32), true],
    ["CERTIFICATE", "issuerFingerprintSha256", "EQUALS", "cd".repeat(32), true],
    ["CERTIFICATE", "keyAlgorithm", "EQUALS", "ECDSA", true],
    ["CERTIFICATE", "signatureAlgorithm", "EQUALS", "SHA256-RSA", true],
    ["CERTIFICATE", "sans", "CONTAINS", "www.shop.example", true],
    ["CERTIFICATE", "sans", "CONTAINS", "www", false],
    ["CERTIFICATE", "selfSigned", "EQUALS", "false", true],
    ["CERTIFICATE", "isCA", "EQUALS", "true", false],
    ["CONNECTION", "tlsVersion", "EQUALS", "TLS1.3", true],
    ["CONNECTION", "cipherSuite", "CONTAINS", "AES_128", true],
    ["CONNECTION", "hostnameVerified", "EQUALS", "true", true],
    ["CONNECTION", "chainTrusted", "EQUALS", "false", false],
    ["CONNECTION", "ocspStapled", "EQUALS", "false", true],
    ["CONNECTION", "ocspStatus", "EQUALS", "good", false],
    ["CONNECTION", "resolvedIp", "EQUALS", "192.0.2.1", true],
    ["RESPONSE_TIME", "", "LESS_THAN", "31", true],
    ["RESPONSE_TIME", "", "LESS_THAN", "30", false],
    ["JSON_RESPONSE", "$.chain[1].issuerCN", "EQUALS", "ISRG Root X1", true],
    ["TEXT_RESPONSE", "", "CONTAINS", "Let's Encrypt", true],
  ];
  for (const [source, property, comparison, target, holds] of table) {
    const assertions = [{ source, property, comparison, target }];
    const what = [source, property, comparison, target].join(" ");
    assert.deepEqual(ssl.findFaults(settingsOf({ assertions })), [], what);
    assert.equal(judge({ assertions }).verdict, holds ? "passing" : "failing", what);
  }
});

test("cross-field errors are reported with the path of the field", () => {
  const keysOf = (changed: Changed) => ssl.findFaults(settingsOf(changed)).map(({ key }) => key);
  assert.deepEqual(keysOf({}), []);
  assert.deepEqual(keysOf({ config: { hostname: "https://a.example" } }), [
    "request.sslConfig.hostname",
  ]);
  assert.deepEqual(keysOf({ config: { hostname: "::1" } }), ["request.sslConfig.ipFamily"]);
  assert.deepEqual(keysOf({ config: { serverName: "a b" } }), ["request.sslConfig.serverName"]);
  assert.deepEqual(keysOf({ config: { clientCertificateMode: "explicit" } }), [
    "request.sslClientCertificateId",
  ]);
  const wrong = {
    source: "CERTIFICATE",
    property: "colour",
    comparison: "EQUALS",
    target: "",
  } as const;
  assert.deepEqual(keysOf({ assertions: [wrong] }), ["request.assertions.0.property"]);
});

test("an update keeps omitted fields, including those of the baseline", () => {
  const before = settingsOf({
    config: { port: 8443 },
    baseline: { sctPresent: { severity: "fail" } },
  });
  const after = mergeSettings(before, {
    request: {
      sslConfig: { serverName: "", securityBaseline: { minTLSVersion: { value: "TLS1.3" } } },
    },
  });
  const { sslConfig } = after.request;
  assert.equal(sslConfig.port, 8443);
  assert.equal(sslConfig.serverName, null);
  assert.deepEqual(sslConfig.securityBaseline.minTLSVersion, { value: "TLS1.3", severity: "fail" });
  assert.deepEqual(sslConfig.securityBaseline.sctPresent, { severity: "fail" });
});

test("mode and id determine the client certificate", () => {
  const id = "7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10";
  const needOf = (config: object, sslClientCertificateId: string | null) => {
    const sslConfig = { hostname: "shop.example", ...config };
    const own = mergeSettings(null, { request: { sslConfig, sslClientCertificateId } });
    return ssl.clientCertificateFor?.(toRequest({ ...settingsOf({}), ...own }));
  };
  assert.deepEqual(needOf({}, null), { host: "shop.example" });
  assert.deepEqual(needOf({ serverName: "b.example" }, null), { host: "b.example" });
  assert.deepEqual(needOf({}, id), { id });
  assert.deepEqual(needOf({ clientCertificateMode: "explicit" }, id), { id });
});
