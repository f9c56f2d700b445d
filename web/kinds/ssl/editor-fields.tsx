import { useQuery } from "@tanstack/react-query";
import { certificatesQuery } from "../../client-certificates/index.ts";
import { getFlag, getText } from "../../parts/fields.ts";
import { AssertionsField, type SourceChoice } from "../editor/assertions-field.tsx";
import { useEditor } from "../editor/editor-context.ts";
import {
  type Choice,
  FieldRow,
  FlagField,
  NumberField,
  SelectField,
  TextField,
} from "../editor/fields.tsx";
import { FamilyField, TimeLimits } from "../editor/time-limits.tsx";
import type { KindEditor } from "../kind.ts";
import { CertificateSelect } from "./certificate-select.tsx";
import { assertionSources, describeSsl } from "./describe.ts";
import { words } from "./editor-words.ts";

const base = "request.sslConfig.securityBaseline";

const severities = [
  { value: "fail", label: words.fails },
  { value: "degrade", label: words.degrades },
  { value: "ignore", label: words.ignored },
];

/** Security requirements for keys, signatures and protocols. */
function BaselineFields() {
  const { values } = useEditor();
  return (
    <>
      <FlagField path={`${base}.enabled`} label={words.baseline} />
      {getFlag(values, `${base}.enabled`) && (
        <FieldRow>
          {Object.entries(words.rules).map(([rule, label]) => (
            <SelectField
              key={rule}
              path={`${base}.${rule}.severity`}
              label={label}
              choices={severities}
            />
          ))}
        </FieldRow>
      )}
    </>
  );
}

const sources: readonly SourceChoice[] = [
  {
    value: "CERTIFICATE",
    label: words.certificate,
    holds: "anything",
    property: {
      example: "daysUntilExpiry",
      names: [
        "daysUntilExpiry",
        "keySizeBits",
        "subjectCN",
        "issuerCN",
        "serialNumber",
        "fingerprintSha256",
        "issuerFingerprintSha256",
        "keyAlgorithm",
        "signatureAlgorithm",
        "sans",
        "selfSigned",
        "isCA",
      ],
    },
  },
  {
    value: "CONNECTION",
    label: words.connection,
    holds: "anything",
    property: {
      example: "tlsVersion",
      names: [
        "tlsVersion",
        "cipherSuite",
        "hostnameVerified",
        "chainTrusted",
        "ocspStapled",
        "ocspStatus",
        "resolvedIp",
      ],
    },
  },
  { value: "RESPONSE_TIME", label: words.time, holds: "number", property: null },
  {
    value: "JSON_RESPONSE",
    label: words.json,
    holds: "anything",
    property: { example: "$.certificate.issuerCN" },
  },
  {
    value: "TEXT_RESPONSE",
    label: words.text,
    holds: "text",
    property: { example: words.pattern },
  },
];

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
      <AssertionsField sources={sources} hint={words.assertionsHint} />
    </>
  );
}

function MoreFields() {
  const { values } = useEditor();
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

export const editor: KindEditor = {
  describe: describeSsl,
  assertionSources,
  FailingFields,
  MoreFields,
};
