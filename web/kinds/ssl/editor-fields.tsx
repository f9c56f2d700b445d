import { useQuery } from "@tanstack/react-query";
import { certificatesQuery } from "../../client-certificates/index.ts";
import { getFlag, getText } from "../../parts/fields.ts";
import { assertionsOf } from "../editor/assertions-field.tsx";
import { useEditorOf } from "../editor/editor-context.ts";
import { type Choice, FieldRow, fieldsOf } from "../editor/fields.tsx";
import { FamilyField, TimeLimits } from "../editor/time-limits.tsx";
import type { KindEditor } from "../kind.ts";
import { CertificateSelect } from "./certificate-select.tsx";
import { assertionSources, describeSsl } from "./describe.ts";
import { words } from "./editor-words.ts";

const { FlagField, NumberField, SelectField, TextField } = fieldsOf<"SSL">();
const AssertionsField = assertionsOf<"SSL">();

const base = "request.sslConfig.securityBaseline";

const severities = { fail: words.fails, degrade: words.degrades, ignore: words.ignored };

const rules = Object.keys(words.rules) as readonly (keyof typeof words.rules)[];

/** Security requirements for keys, signatures and protocols. */
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
