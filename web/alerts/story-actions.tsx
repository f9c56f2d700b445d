import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { AddressLink } from "../parts/address-link.tsx";
import { BackIcon } from "../parts/icons.tsx";
import { showNotice } from "../parts/notices.tsx";
import styles from "./alerts.module.css";
import { storyCheckQuery } from "./queries.ts";
import { words } from "./words.ts";

const own = words.story;

export function BackLink() {
  return (
    <Link to="/alerts" className={styles.back}>
      <BackIcon size={16} /> {own.all}
    </Link>
  );
}

interface StoryActionsProps {
  readonly checkId: string;
  readonly name: string;
}

/** Actions on an alert besides acknowledging it. */
export function StoryActions({ checkId, name }: StoryActionsProps) {
  const mayWrite = useMay("write");
  const queryClient = useQueryClient();
  const { data: check } = useQuery({ ...storyCheckQuery(checkId), enabled: mayWrite });
  const mute = useMutation({
    mutationFn: (muted: boolean) =>
      send(api.PUT("/v1/checks/{id}", { params: { path: { id: checkId } }, body: { muted } })),
    onSuccess: (_check, muted) => showNotice({ text: (muted ? own.muted : own.unmuted)(name) }),
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
    onSettled: () => renewQueries(queryClient, ["checks"]),
  });
  if (!mayWrite) return null;
  return (
    <>
      {check !== undefined && (
        <Button
          variant="default"
          loading={mute.isPending}
          onClick={() => mute.mutate(!check.muted)}
        >
          {check.muted ? own.unmute : own.mute}
        </Button>
      )}
      <Button component={AddressLink} href={`/incidents/new?checkId=${checkId}`} variant="default">
        {own.createIncident}
      </Button>
    </>
  );
}
