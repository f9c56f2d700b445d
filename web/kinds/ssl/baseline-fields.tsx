import { getFlag } from "../../parts/fields.ts";
import { useEditor } from "../editor/editor-context.ts";
import { FieldRow, FlagField, SelectField } from "../editor/fields.tsx";
import { words } from "./editor-words.ts";

const base = "request.sslConfig.securityBaseline";

const severities = [
  { value: "fail", label: words.fails },
  { value: "degrade", label: words.degrades },
  { value: "ignore", label: words.ignored },
];

/** Security requirements for keys, signatures and protocols. */
export function BaselineFields() {
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
