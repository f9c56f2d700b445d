import { Row } from "../parts/layout.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import styles from "./incidents.module.css";
import type { Severity } from "./search.ts";
import { words } from "./words.ts";

/** Returns the state that an open incident of this severity gives to its services. */
export function stateOf(severity: Severity): "failing" | "degraded" {
  return severity === "CRITICAL" || severity === "MAJOR" ? "failing" : "degraded";
}

interface SeverityMarkProps {
  readonly severity: Severity;
  readonly isOver?: boolean;
}

/** Shows a severity by colour, shape and text. A resolved incident has the passing icon. */
export function SeverityMark({ severity, isOver = false }: SeverityMarkProps) {
  const state = isOver ? "passing" : stateOf(severity);
  return (
    <Row as="span" inline className={styles.severity} data-state={state}>
      <span aria-hidden="true">
        <StateMark state={state} />
      </span>
      {words.severities[severity]}
    </Row>
  );
}
