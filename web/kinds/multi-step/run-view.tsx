import type { TrialViewProps } from "../kind.ts";
import { ScriptRunView } from "../scripts/script-run-view.tsx";

export function MultiStepRunView({ run }: TrialViewProps) {
  return <ScriptRunView document={run.multiStepCheckResult ?? undefined} />;
}
