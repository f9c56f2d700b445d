import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, send } from "../../api/client.ts";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import { domainQuery } from "../queries.ts";
import { words } from "../words.ts";

/** Shows whether the saved domain is verified, and the DNS records to add. */
export function DomainState({ dashboardId }: { readonly dashboardId: string }) {
  const client = useQueryClient();
  const query = domainQuery(dashboardId);
  const { data: domain, error } = useQuery(query);
  const look = useMutation({
    mutationFn: () => {
      const params = { path: { dashboardId } };
      return send(api.POST("/v1/dashboards/{dashboardId}/domain/check", { params }));
    },
    onSuccess: (seen) => client.setQueryData(query.queryKey, seen),
  });
  const fault = look.error ?? error;
  return (
    <Stack role="status">
      {fault && <ErrorPanel error={fault} />}
      {domain?.isServed && <p>{words.domain.served}</p>}
      {domain !== undefined && !domain.isServed && (
        <>
          <p>{words.domain.notServed}</p>
          <p>{words.domain.records}</p>
          <Stack as="ul" gap={1}>
            {domain.records.map(({ type, name, value }) => (
              <li key={type}>
                <code className={textStyles.code}>{`${name} ${type} ${value}`}</code>
              </li>
            ))}
          </Stack>
          <div>
            <Button
              variant="default"
              size="compact-sm"
              loading={look.isPending}
              onClick={() => look.mutate()}
            >
              {words.domain.look}
            </Button>
          </div>
        </>
      )}
    </Stack>
  );
}
