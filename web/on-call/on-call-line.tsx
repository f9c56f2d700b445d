import { lazy, Suspense } from "react";

const OnDuty = lazy(() => import("./on-duty.tsx").then((module) => ({ default: module.OnDuty })));

/**
 * Shows who is on call now. It is loaded separately, to keep the code of the first screen small.
 */
export function OnCallLine() {
  return (
    <Suspense fallback={null}>
      <OnDuty />
    </Suspense>
  );
}
