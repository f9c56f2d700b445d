import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { certificatesQuery } from "../../client-certificates/index.ts";
import { getFlag, getNumber, getText } from "../../parts/fields.ts";
import { FieldRow } from "../../parts/form.tsx";
import { assertionsOf, FamilyField, TimeLimits } from "../editor/assertions-field.tsx";
import { useEditorOf } from "../editor/editor-context.ts";
import { type Choice, fieldsOf } from "../editor/fields.tsx";
import type { CheckValues } from "../form-values.ts";
import type { KindEditor } from "../kind.ts";
import {
  countOf,
  describeAssertions,
  describeTimeLimits,
  type SourceLabels,
  unnamed,
} from "../sentences.ts";
import { sslTarget } from "../targets.ts";

type Values = CheckValues<"SSL">;

const assertionSources: SourceLabels<"SSL"> = {
  CERTIFICATE: "the certificate's",
  CONNECTION: "the connection's",
  RESPONSE_TIME: "the response time",
  JSON_RESPONSE: "the response as JSON",
  TEXT_RESPONSE: "the response as text",
};

function describeSsl(values: Values, defaults: Values): string[] {
  const target = sslTarget.target?.write(values) || unnamed;
  const name = getText(values, "request.sslConfig.serverName");
  const daysPath = "request.sslConfig.alertDaysBeforeExpiry";
  const days = getNumber(values, daysPath) ?? getNumber(defaults, daysPath) ?? 0;
  const trust = getFlag(values, "request.sslConfig.skipChainValidation")
    ? "The certificate chain is not validated."
    : "It fails if the certificate is expired, is for another name or is not trusted.";
  return [
    `Checks the certificate of ${target}${name === "" ? "" : ` for the name ${name}`}.`,
    trust,
    `It is degraded if the certificate expires in less than ${countOf(days, "day")}.`,
    ...describeAssertions(values, assertionSources),
    ...describeTimeLimits(values),
  ];
}

const words = {
  days: "Degraded when validity is below",
  dayUnit: "days",
  certificate: "Certificate",
  connection: "Connection",
  time: "Response time (ms)",
  json: "Response as JSON",
  text: "Response as text",
  pattern: "Regular expression",
  assertionsHint: "Conditions in addition to a valid certificate.",
  skipChain: "Do not validate the certificate chain",
  serverName: "Server name (SNI)",
  theHost: "Same as the host",
  timeout: "Handshake timeout",
  ms: "ms",
  clientCertificate: "Client certificate",
  byHost: "Automatic (by host)",
  baseline: "Enforce a security baseline for protocol, keys and signatures",
  fails: "Failing",
  degrades: "Degraded",
  ignored: "Ignored",
  rules: {
    minTLSVersion: "TLS version too old",
    minKeySizeBits: "Key too short",
    weakSignatureAlgorithm: "Weak signature algorithm",
    weakCipherSuite: "Weak cipher suite",
    knownBadCA: "CA distrusted by browsers",
    recommendedTLSVersion: "TLS version below the recommended one",
    recommendedKeySizeBits: "Key shorter than recommended",
    ocspMustStapleRespected: "Missing OCSP staple despite must-staple",
    sctPresent: "No signed certificate timestamp (SCT)",
  },
} as const;

const modePath = "request.sslConfig.clientCertificateMode";
const idPath = "request.sslClientCertificateId";
const byHost = "auto";

interface CertificateSelectProps {
  readonly choices: readonly Choice[];
  readonly mode: string;
}

/** Selects the client certificate. The selection sets two API fields. */
function CertificateSelect({ choices, mode }: CertificateSelectProps) {
  const { values, merge, findFieldError, noteLabel } = useEditorOf<"SSL">();
  noteLabel(modePath, words.clientCertificate);
  noteLabel(idPath, words.clientCertificate);
  const id = getText(values, idPath);
  const isKnown = id === "" || choices.some(({ value }) => value === id);
  const choose = (value: string) =>
    merge({
      request: {
        sslConfig: { clientCertificateMode: value === byHost ? byHost : "explicit" },
        sslClientCertificateId: value === byHost ? null : value,
      },
    });
  return (
    <NativeSelect
      label={words.clientCertificate}
      data-path={`${modePath} ${idPath}`}
      error={findFieldError(idPath) ?? findFieldError(modePath)}
      data={[
        { value: byHost, label: words.byHost },
        ...choices,
        ...(isKnown ? [] : [{ value: id, label: id }]),
      ]}
      value={mode === byHost && id === "" ? byHost : id}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    />
  );
}

const { FlagField, NumberField, SelectField, TextField } = fieldsOf<"SSL">();
const AssertionsField = assertionsOf<"SSL">();

const base = "request.sslConfig.securityBaseline";

const severities = { fail: words.fails, degrade: words.degrades, ignore: words.ignored };

const rules = Object.keys(words.rules) as readonly (keyof typeof words.rules)[];

/** Edits the security requirements for keys, signatures and protocols. */
function BaselineFields() {
  const { values } = useEditorOf<"SSL">();
  return (
    <>
      <FlagField path={`${base}.enabled`} label={words.baseline} />
      {getFlag(values, `${base}.enabled`) && (
        <FieldRow>
          {rules.map((rule) => (
            <SelectField
              key={rule}
              path={`${base}.${rule}.severity`}
              label={words.rules[rule]}
              labels={severities}
            />
          ))}
        </FieldRow>
      )}
    </>
  );
}

function FailingFields() {
  return (
    <>
      <FieldRow>
        <NumberField
          path="request.sslConfig.alertDaysBeforeExpiry"
          label={words.days}
          unit={words.dayUnit}
        />
      </FieldRow>
      <TimeLimits />
      <AssertionsField
        sources={[
          { value: "CERTIFICATE", label: words.certificate },
          { value: "CONNECTION", label: words.connection },
          { value: "RESPONSE_TIME", label: words.time },
          { value: "JSON_RESPONSE", label: words.json, example: "$.certificate.issuerCN" },
          { value: "TEXT_RESPONSE", label: words.text, example: words.pattern },
        ]}
        hint={words.assertionsHint}
      />
    </>
  );
}

function MoreFields() {
  const { values } = useEditorOf<"SSL">();
  const { data = [] } = useQuery(certificatesQuery);
  const mode = getText(values, "request.sslConfig.clientCertificateMode");
  const choices: Choice[] = data.map(({ id, host }) => ({ value: id, label: host }));
  return (
    <>
      <FlagField path="request.sslConfig.skipChainValidation" label={words.skipChain} />
      <FieldRow>
        <TextField
          path="request.sslConfig.serverName"
          label={words.serverName}
          example={words.theHost}
          empty={null}
        />
        <NumberField
          path="request.sslConfig.handshakeTimeoutMs"
          label={words.timeout}
          unit={words.ms}
        />
        <FamilyField path="request.sslConfig.ipFamily" />
        <CertificateSelect choices={choices} mode={mode} />
      </FieldRow>
      <BaselineFields />
    </>
  );
}

export const editor: KindEditor<"SSL"> = {
  describe: describeSsl,
  assertionSources,
  FailingFields,
  MoreFields,
};
