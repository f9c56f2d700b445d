import { Button, NativeSelect, Switch } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas, sendFull } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import {
  EditorNotices,
  getFieldError,
  getFormError,
  ifMatch,
  useEditor,
  type Version,
} from "../../editing/index.ts";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { FormLayout, Row, Stack } from "../../parts/layout.tsx";
import { Skeleton } from "../../parts/loading.tsx";
import { showNotice } from "../../parts/notices.tsx";
import textStyles from "../../parts/text.module.css";
import { ZoneSelect } from "../../parts/zone-select.tsx";
import { contactWords } from "./contact-words.ts";
import { fetchPreferences, preferencesQuery } from "./queries.ts";

type Preferences = Schemas["OnCallPreferences"];

const words = contactWords.shifts;
const offered = [15, 30, 60, 120, 720, 1_440, 10_080];
const labels = new Map([
  ["timezone", words.timezone],
  ["handoffMail", words.handoffMail],
  ["reminderMinutes", words.reminder],
]);

function PreferencesForm({ loaded }: { readonly loaded: Version<Preferences> }) {
  const queryClient = useQueryClient();
  const editor = useEditor<Preferences, Preferences>({
    draftKey: "on-call-preferences",
    stored: loaded,
    toValues: (preferences) => preferences,
    send: (body, version) => {
      const params = { header: ifMatch(version?.etag ?? null) };
      return sendFull(api.PUT("/v1/users/me/on-call-preferences", { params, body }));
    },
    refetch: () => fetchPreferences(),
    onSaved: () => {
      showNotice({ text: words.saved });
      return renewQueries(queryClient, ["on-call-preferences"]);
    },
  });
  const { values, error, change } = editor;
  const { timezone, handoffMail, reminderMinutes } = values;
  const minutes = new Set([...offered, ...(reminderMinutes === null ? [] : [reminderMinutes])]);
  const beside = getFormError(error, [...labels.keys()]);
  return (
    <FormLayout
      onSubmit={(event) => {
        event.preventDefault();
        editor.save();
      }}
    >
      <EditorNotices editor={editor} subject={words.subject} labels={labels} />
      <Switch
        label={words.handoffMail}
        description={words.handoffHint}
        checked={handoffMail}
        onChange={(event) => change({ handoffMail: event.currentTarget.checked })}
      />
      <NativeSelect
        label={words.reminder}
        value={reminderMinutes ?? ""}
        error={getFieldError(error, "reminderMinutes")}
        onChange={(event) => change({ reminderMinutes: Number(event.currentTarget.value) || null })}
        data={[
          { value: "", label: words.noReminder },
          ...[...minutes].map((one) => ({ value: String(one), label: words.before(one) })),
        ]}
      />
      <ZoneSelect
        label={words.timezone}
        description={words.timezoneHint}
        value={timezone}
        error={getFieldError(error, "timezone")}
        none={words.zoneOfSchedule}
        onChange={(zone) => change({ timezone: zone })}
      />
      {beside && <ErrorPanel error={beside} />}
      <Row>
        <Button type="submit" loading={editor.isSaving}>
          {words.save}
        </Button>
      </Row>
    </FormLayout>
  );
}

/** Edits which emails about on-call shifts the member receives, and their time zone. */
export function ShiftPreferences() {
  const { data, error, refetch, isFetchedAfterMount } = useQuery(preferencesQuery);
  const isFresh = data !== undefined && isFetchedAfterMount;
  return (
    <Stack as="section" aria-labelledby="shift-preferences">
      <h2 id="shift-preferences">{words.title}</h2>
      <p className={textStyles.muted}>{words.intro}</p>
      {error && !isFresh && <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />}
      {!error && !isFresh && <Skeleton rows={4} />}
      {isFresh && <PreferencesForm loaded={data} />}
    </Stack>
  );
}
