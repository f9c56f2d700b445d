import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, send } from "../api/client.ts";
import { Callout } from "../parts/blocks.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Row } from "../parts/layout.tsx";
import { type Channel, checkCountQuery } from "./queries.ts";
import { TestResult } from "./test-result.tsx";
import { words } from "./words.ts";

const own = words.saved;

/** Next steps after a channel was created. */
export function SavedPanel({ channel }: { readonly channel: Channel }) {
  const { data: checks } = useQuery(checkCountQuery);
  const connected = channel.subscriptions.filter(({ activated }) => activated).length;
  const test = useMutation({
    mutationFn: () =>
      send(api.POST("/v1/alert-channels/{id}/test", { params: { path: { id: channel.id } } })),
  });
  return (
    <Callout as="section" tone="good" aria-labelledby="saved">
      <h2 id="saved">{own.title}</h2>
      <p>
        {checks === 0 && own.noChecks}
        {checks !== 0 && (connected === 0 ? own.notConnected : own.connected(connected))}
      </p>
      <Row gap={3}>
        <Button loading={test.isPending} onClick={() => test.mutate()}>
          {words.channel.test}
        </Button>
        {checks === 0 && (
          <Button component={Link} to="/checks/new" variant="default">
            {own.addCheck}
          </Button>
        )}
        {checks !== 0 && connected === 0 && <a href="#subscribers">{own.choose}</a>}
        <Link to="/alerts/channels">{words.channel.all}</Link>
        <Link to="/">{own.now}</Link>
      </Row>
      {test.data && <TestResult result={test.data} />}
      {test.error && <ErrorPanel error={test.error} />}
    </Callout>
  );
}
