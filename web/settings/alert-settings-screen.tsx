import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { describeChannel } from "../alerts/describe-channel.ts";
import { channelsQuery } from "../alerts/queries.ts";
import { ApiError } from "../api/api-error.ts";
import { api, type FullAnswer, type Schemas, send } from "../api/client.ts";
import { useMay } from "../api/session.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { useDraft } from "../parts/use-draft.ts";
import { AlertSettingsFields } from "./alert-settings-fields.tsx";
import { describeRules } from "./describe-rules.ts";
import { alertSettingsQuery } from "./queries.ts";
import styles from "./settings.module.css";
import { words } from "./words.ts";

const own = words.alertSettings;
type Settings = Schemas["AccountAlertSettings"];

interface SettingsFormProps {
  readonly loaded: FullAnswer<Settings>;
  readonly onReload: () => void;
}

type Channel = Schemas["AlertChannel"];

interface ExplanationProps {
  readonly settings: Settings;
  readonly channels: readonly Channel[];
}

/** Describes the settings while they are edited, before they are saved. */
function Explanation({ settings, channels }: ExplanationProps) {
  const nameOf = (id: number) => {
    const channel = channels.find((one) => one.id === id);
    return channel === undefined ? own.deletedChannel : describeChannel(channel);
  };
  return (
    <section className={styles.part} aria-labelledby="rules-in-words">
      <h2 id="rules-in-words">{own.inWords}</h2>
      <ol className={styles.sentences}>
        {describeRules(settings, nameOf).map((sentence) => (
          <li key={sentence}>
            <bdi>{sentence}</bdi>
          </li>
        ))}
      </ol>
    </section>
  );
}

function SettingsForm({ loaded, onReload }: SettingsFormProps) {
  const isAdmin = useMay("admin");
  const queryClient = useQueryClient();
  const { data: channels = [] } = useQuery(channelsQuery);
  const start = { settings: loaded.data, etag: loaded.etag };
  // Stored with the ETag it was read with, so that a restored draft conflicts with newer changes.
  const [draft, setDraft, forget] = useDraft("alert-settings", start);
  const change = useMutation({
    mutationFn: () =>
      send(
        api.PUT("/v1/alert-settings", {
          params: { header: draft.etag === null ? {} : { "if-match": draft.etag } },
          body: draft.settings,
        }),
      ),
    onSuccess: async () => {
      forget();
      showNotice({ text: words.saved });
      await queryClient.invalidateQueries({ queryKey: ["alert-settings"] });
      onReload();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  const { error } = change;
  const isOverruled = error instanceof ApiError && error.status === 412;
  return (
    <form className={styles.body} onSubmit={submit}>
      {!isAdmin && <p className={styles.muted}>{own.readOnly}</p>}
      <fieldset className={styles.plain} disabled={!isAdmin}>
        <AlertSettingsFields
          settings={draft.settings}
          channels={channels}
          error={error}
          isReadOnly={!isAdmin}
          onChange={(settings) => setDraft({ ...draft, settings })}
        />
      </fieldset>
      <Explanation settings={draft.settings} channels={channels} />
      {isOverruled && (
        <div className={styles.warning} role="alert">
          <p>{words.changedMeanwhile}</p>
          <Button
            variant="default"
            onClick={async () => {
              forget();
              await queryClient.refetchQueries({ queryKey: ["alert-settings"] });
              onReload();
            }}
          >
            {words.loadAgain}
          </Button>
        </div>
      )}
      {error && !isOverruled && <ErrorPanel error={error} />}
      {isAdmin && (
        <div className={styles.actions}>
          <Button type="submit" loading={change.isPending}>
            {words.save}
          </Button>
        </div>
      )}
    </form>
  );
}

function AlertSettingsScreen() {
  const { data, error, refetch, isFetchedAfterMount } = useQuery(alertSettingsQuery);
  const [turn, setTurn] = useState(0);
  const isFresh = data !== undefined && isFetchedAfterMount;
  return (
    <>
      <PageHeader title={own.title}>
        <p className={styles.muted}>{own.intro}</p>
      </PageHeader>
      {error && !isFresh && (
        <div className={styles.body}>
          <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />
        </div>
      )}
      {!error && !isFresh && (
        <div className={styles.body}>
          <Skeleton rows={8} />
        </div>
      )}
      {isFresh && <SettingsForm key={turn} loaded={data} onReload={() => setTurn(turn + 1)} />}
    </>
  );
}

export const route = createLazyRoute("/signed-in/settings/alerts")({
  component: AlertSettingsScreen,
});
