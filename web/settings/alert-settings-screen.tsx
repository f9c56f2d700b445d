import { Button } from "@mantine/core";
import { useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import type { FormEvent } from "react";
import {
  alertSettingsQuery,
  channelsQuery,
  describeChannel,
  fetchAlertSettings,
} from "../alerts/index.ts";
import { api, type Schemas, sendFull } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { EditorNotices, ifMatch, useEditor, type Version } from "../editing/index.ts";
import { usePolicySentences } from "../on-call/index.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Row, ScreenBody, Stack } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import textStyles from "../parts/text.module.css";
import { AlertSettingsFields, formatAmount } from "./alert-settings-fields.tsx";
import { describeRules } from "./describe-rules.ts";

import styles from "./settings.module.css";
import { words } from "./words.ts";

const own = words.alertSettings;
type Settings = Schemas["AccountAlertSettings"];

interface SettingsFormProps {
  readonly loaded: Version<Settings>;
}

type NameOf = (channelId: number) => string;

interface ExplanationProps {
  readonly settings: Settings;
  readonly nameOf: NameOf;
}

/** Describes the edited settings in sentences before they are saved. */
function Explanation({ settings, nameOf }: ExplanationProps) {
  const policy = usePolicySentences(settings.escalationPolicyId ?? null);
  return (
    <Stack as="section" aria-labelledby="rules-in-words">
      <h2 id="rules-in-words">{own.inWords}</h2>
      <Stack as="ol" gap={1} className={styles.sentences}>
        {describeRules(settings, nameOf, policy).map((sentence) => (
          <li key={sentence}>
            <bdi>{sentence}</bdi>
          </li>
        ))}
      </Stack>
    </Stack>
  );
}

const labels: ReadonlyMap<string, string> = new Map([
  ["escalationType", own.when],
  ["runBasedEscalation.failedRunThreshold", own.failedRuns],
  ["timeBasedEscalation.minutesFailingThreshold", own.failingMinutes],
  ["parallelRunFailureThreshold.enabled", own.locations],
  ["parallelRunFailureThreshold.percentage", own.percentage],
  ["noDataMinutes", own.noDataMinutes],
  ["reminders.amount", own.reminderAmount],
  ["reminders.interval", own.reminderInterval],
  ["flapDamping", own.damping],
  ["flapDamping.transitions", own.transitions],
  ["flapDamping.windowMinutes", own.window],
  ["escalationStages", own.escalation],
  ["fallbackAlertChannelId", own.fallbackChannel],
]);

/** Formats a setting for the conflict panel; `undefined` for values without a special format. */
function formatValue(path: string, value: unknown, nameOf: NameOf): string | undefined {
  if (path === "escalationType") return value === "RUN_BASED" ? own.runBased : own.timeBased;
  if (path === "reminders.amount") return formatAmount(Number(value));
  if (path === "flapDamping" && value !== null) {
    const { transitions, windowMinutes } = value as NonNullable<Settings["flapDamping"]>;
    return `${transitions} ${own.window} ${windowMinutes}`;
  }
  if (path === "fallbackAlertChannelId") {
    return value === null ? own.ownersEmail : nameOf(Number(value));
  }
  if (path !== "escalationStages") return undefined;
  const stages = value as Settings["escalationStages"];
  if (stages.length === 0) return own.noStages;
  const format = ({ afterMinutes, alertChannelIds }: (typeof stages)[number]) =>
    `${own.afterMinutes} ${afterMinutes}: ${alertChannelIds.map(nameOf).join(", ")}`;
  return stages.map(format).join("; ");
}

function SettingsForm({ loaded }: SettingsFormProps) {
  const isAdmin = useMay("admin");
  const queryClient = useQueryClient();
  const { data: channels = [] } = useQuery(channelsQuery);
  const editor = useEditor<Settings, Settings>({
    draftKey: "alert-settings",
    stored: loaded,
    toValues: (settings) => settings,
    send: (body, version) => {
      const params = { header: ifMatch(version?.etag ?? null) };
      return sendFull(api.PUT("/v1/alert-settings", { params, body }));
    },
    refetch: () => fetchAlertSettings(),
    onSaved: () => {
      showNotice({ text: words.saved });
      return renewQueries(queryClient, ["alert-settings"]);
    },
  });
  const { values: settings, error } = editor;
  const nameOf = (id: number) => {
    const channel = channels.find((one) => one.id === id);
    return channel === undefined ? own.deletedChannel : describeChannel(channel);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    editor.save();
  };
  return (
    <ScreenBody as="form" className={styles.body} onSubmit={submit}>
      {!isAdmin && <p className={textStyles.muted}>{own.readOnly}</p>}
      <EditorNotices
        editor={editor}
        subject={own.subject}
        labels={labels}
        format={(path, value) => formatValue(path, value, nameOf)}
      />
      <Stack as="fieldset" gap={6} disabled={!isAdmin}>
        <AlertSettingsFields
          settings={settings}
          channels={channels}
          error={error}
          isReadOnly={!isAdmin}
          onChange={editor.change}
        />
      </Stack>
      <Explanation settings={settings} nameOf={nameOf} />
      {error && <ErrorPanel error={error} />}
      {isAdmin && (
        <Row>
          <Button type="submit" loading={editor.isSaving}>
            {words.save}
          </Button>
        </Row>
      )}
    </ScreenBody>
  );
}

function AlertSettingsScreen() {
  const { data } = useSuspenseQuery(alertSettingsQuery);
  return (
    <>
      <PageHeader title={own.title}>
        <p className={textStyles.muted}>{own.intro}</p>
      </PageHeader>
      <SettingsForm loaded={data} />
    </>
  );
}

export const route = createLazyRoute("/signed-in/settings/alerts")({
  component: AlertSettingsScreen,
});
