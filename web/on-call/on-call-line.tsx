import { lazy, Suspense } from "react";

const OnDuty = lazy(() => import("./on-duty.tsx").then((module) => ({ default: module.OnDuty })));

/** Who is on call now. Its code is loaded after the first screen, which must stay small. */
export function OnCallLine() {
  return (
    <Suspense fallback={null}>
      <OnDuty />
    </Suspense>
  );
}
