import { FieldRow, NumberField, SelectField } from "./fields.tsx";
import { words } from "./words.ts";

/** The response time above which a run is degraded or failing. */
export function TimeLimits() {
  return (
    <FieldRow>
      <NumberField
        path="degradedResponseTime"
        label={words.degraded}
        unit={words.ms}
        hint={words.limitHint}
      />
      <NumberField
        path="maxResponseTime"
        label={words.failing}
        unit={words.ms}
        hint={words.limitHint}
      />
    </FieldRow>
  );
}

export function FamilyField({ path = "request.ipFamily" }: { readonly path?: string }) {
  return <SelectField path={path} label={words.ipFamily} choices={["IPv4", "IPv6"]} />;
}
