import type { TrialViewProps } from "../kind.ts";
import { PageRunView } from "../scripts/page-run-view.tsx";

export function BrowserRunView({ run }: TrialViewProps) {
  return <PageRunView document={run.browserCheckResult ?? undefined} />;
}
