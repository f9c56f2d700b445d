import type { TrialViewProps } from "../kind.ts";
import { PageRunView } from "../scripts/page-run-view.tsx";

export function SuiteRunView({ run }: TrialViewProps) {
  return <PageRunView document={run.playwrightCheckResult ?? undefined} />;
}
