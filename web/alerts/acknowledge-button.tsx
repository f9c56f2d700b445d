import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { showNotice } from "../parts/notices.tsx";
import { words } from "./words.ts";

const own = words.list;

interface AcknowledgeButtonProps {
  readonly checkId: string;
  readonly name: string;
}

export function AcknowledgeButton({ checkId, name }: AcknowledgeButtonProps) {
  const queryClient = useQueryClient();
  const acknowledge = useMutation({
    mutationFn: () =>
      send(api.POST("/v1/check-alerts/{checkId}/acknowledge", { params: { path: { checkId } } })),
    onSuccess: () => showNotice({ text: own.acknowledgedNotice }),
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
    onSettled: () => renewQueries(queryClient, ["alerts"]),
  });
  return (
    <Button
      variant="default"
      loading={acknowledge.isPending}
      aria-label={`${own.acknowledge} ${name}`}
      onClick={() => acknowledge.mutate()}
    >
      {own.acknowledge}
    </Button>
  );
}
