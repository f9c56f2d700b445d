import { getNumber, type PathTo } from "../../parts/fields.ts";
import textStyles from "../../parts/text.module.css";
import type { AnyValues } from "../form-values.ts";
import { useEditor } from "./editor-context.ts";
import { anyFields, FieldRow } from "./fields.tsx";
import { words } from "./words.ts";

const { NumberField, SelectField } = anyFields;

/** Response time limits above which a run is degraded or failing. */
export function TimeLimits() {
  return (
    <>
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
      <LimitOrder degraded="degradedResponseTime" failing="maxResponseTime" />
    </>
  );
}

interface LimitOrderProps {
  /** Paths of the two limits. */
  readonly degraded: PathTo<AnyValues, number>;
  readonly failing: PathTo<AnyValues, number>;
}

/** Warns if a run can never be degraded because it fails first. */
export function LimitOrder({ degraded, failing }: LimitOrderProps) {
  const { values } = useEditor();
  const lower = getNumber(values, degraded);
  const upper = getNumber(values, failing);
  const isReached = lower === null || upper === null || lower < upper;
  return (
    <div role="status">
      {!isReached && (
        <p className={`${textStyles.fair} ${textStyles.small}`}>{words.neverDegraded}</p>
      )}
    </div>
  );
}

interface FamilyFieldProps {
  readonly path?: PathTo<AnyValues, "IPv4" | "IPv6">;
}

export function FamilyField({ path = "request.ipFamily" }: FamilyFieldProps) {
  return <SelectField path={path} label={words.ipFamily} />;
}
