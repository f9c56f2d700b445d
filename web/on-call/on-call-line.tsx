import { lazy, Suspense } from "react";

const OnDuty = lazy(() => import("./on-duty.tsx").then((module) => ({ default: module.OnDuty })));

/**
 * Shows who is on call now. The code is loaded separately, because the code of the first screen
 * must stay small.
 */
export function OnCallLine() {
  return (
    <Suspense fallback={null}>
      <OnDuty />
    </Suspense>
  );
}
