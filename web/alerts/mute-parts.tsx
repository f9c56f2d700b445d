import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import type { components } from "../api/schema.d.ts";
import { useMay } from "../api/session.ts";
import { MuteIcon } from "../parts/icons.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import textStyles from "../parts/text.module.css";
import { DateTime } from "../parts/time.tsx";
import { type Mute, type MuteScope, mutesQuery } from "./queries.ts";
import { words } from "./words.ts";

type MuteBody = components["requestBodies"]["MuteManyInput"]["content"]["application/json"];
export type MuteTarget = MuteBody["targets"][number];

const own = words.mutes;

/** Maximum number of mute targets per request. */
const maxTargets = 1_000;

/** Mutes the targets until a time, or ends the targets' mutes if the time is `null`. */
export async function sendMutes(
  targets: readonly MuteTarget[],
  change: { readonly mutedUntil: string | null; readonly reason?: string },
): Promise<void> {
  for (let at = 0; at < targets.length; at += maxTargets) {
    const part = targets.slice(at, at + maxTargets);
    await send(api.PUT("/v1/mutes", { body: { ...change, targets: part } }));
  }
}

/** Returns a function that re-fetches the data that depends on mutes. */
export function useMuteRenewal() {
  const client = useQueryClient();
  return () => Promise.all([renewQueries(client, ["mutes"]), renewQueries(client, ["now"])]);
}

/** Ends a mute, which may have been created by another user. */
export function UnmuteButton({ mute }: { readonly mute: Mute }) {
  const renew = useMuteRenewal();
  const end = useMutation({
    mutationFn: () => send(api.DELETE("/v1/mutes/{id}", { params: { path: { id: mute.id } } })),
    onSuccess: () => showNotice({ text: own.unmuted }),
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
    onSettled: renew,
  });
  return (
    <Button
      size="compact-xs"
      variant="default"
      loading={end.isPending}
      aria-label={own.unmuteNamed(nameMuted(mute))}
      onClick={() => end.mutate()}
    >
      {own.unmute}
    </Button>
  );
}

/** Names the target of a mute: "Group Shop". */
export function nameMuted({ target, name }: Mute): string {
  return `${own.types[target.type]} ${name}`.trim();
}

/** Shows the end, creator and reason of a mute: "until … by …: reason". */
export function MuteText({ mute }: { readonly mute: Mute }) {
  return (
    <>
      {own.mutedUntil} <DateTime at={mute.mutedUntil} /> {own.by} <bdi>{mute.author}</bdi>
      {mute.reason === "" ? "." : ": "}
      {mute.reason !== "" && <q>{mute.reason}</q>}
    </>
  );
}

/** Lists the mutes that apply to a check or group, each with a button that ends it. */
export function MuteNotes({ scope }: { readonly scope: MuteScope }) {
  const mayWrite = useMay("write");
  const { data: mutes = [] } = useQuery(mutesQuery(scope));
  if (mutes.length === 0) return null;
  return (
    <Stack as="ul" gap={1} aria-label={own.applying}>
      {mutes.map((mute) => {
        const { checkId, groupId } = mute.target;
        const isOwn = checkId === (scope.checkId ?? "") || groupId === (scope.groupId ?? 0);
        return (
          <Row as="li" key={mute.id} tight className={textStyles.wrap}>
            <MuteIcon size={14} />
            <span className={textStyles.wrap}>
              {!isOwn && <bdi>{`${nameMuted(mute)}: `}</bdi>}
              <MuteText mute={mute} />
            </span>
            {mayWrite && <UnmuteButton mute={mute} />}
          </Row>
        );
      })}
    </Stack>
  );
}
