import { useQuery } from "@tanstack/react-query";
import { Callout } from "../../parts/blocks.tsx";
import { serviceStatusesQuery } from "../queries.ts";
import { composerWords as words } from "../words.ts";

/** Warns when an incident is resolved while checks of its services are still failing. */
export function StillFailing({ serviceIds }: { readonly serviceIds: readonly string[] }) {
  const { data } = useQuery(serviceStatusesQuery);
  const failing = (data ?? []).filter(
    ({ serviceId, checks }) =>
      serviceIds.includes(serviceId) &&
      (checks?.status === "failing" || checks?.status === "degraded"),
  );
  if (failing.length === 0) return null;
  return (
    <Callout as="p" tone="fair" role="alert">
      {words.stillFailing(failing.map(({ name }) => name))}
    </Callout>
  );
}
