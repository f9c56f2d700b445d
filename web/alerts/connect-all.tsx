import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { Row } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import { checkCountQuery } from "./queries.ts";
import { words } from "./words.ts";

const own = words.subscribers;

/** Connects all checks to a channel, or disconnects all checks and groups. */
export function sendConnectAll(channelId: number, activated: boolean, search = "") {
  return send(
    api.PUT("/v1/alert-channels/{id}/subscribers", {
      params: { path: { id: channelId } },
      body: { activated, ...(search !== "" && { search }) },
    }),
  );
}

interface ConnectAllProps {
  readonly channelId: number;
  /** Restricts the action to names that contain this text. */
  readonly search: string;
}

/** Changes all matching checks, not only those on this page. */
export function ConnectAll({ channelId, search }: ConnectAllProps) {
  const queryClient = useQueryClient();
  const { data: count } = useQuery(checkCountQuery);
  const text = search.trim();
  const change = useMutation({
    mutationFn: (activated: boolean) => sendConnectAll(channelId, activated, text),
    onSuccess: ({ checks, groups }, activated) =>
      showNotice({ text: (activated ? own.connected : own.disconnected)(checks, groups) }),
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
    onSettled: () => renewQueries(queryClient, ["alert-channels"]),
  });
  if (count === undefined || count === 0) return null;
  return (
    <Row gap={3}>
      <Button
        variant="default"
        size="xs"
        loading={change.isPending && change.variables}
        onClick={() => change.mutate(true)}
      >
        {text === "" ? own.connectAll(count) : own.connectFound}
      </Button>
      <Button
        variant="default"
        size="xs"
        loading={change.isPending && !change.variables}
        onClick={() => change.mutate(false)}
      >
        {text === "" ? own.disconnectAll : own.disconnectFound}
      </Button>
    </Row>
  );
}
