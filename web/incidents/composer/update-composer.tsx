import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api, type Schemas, sendFull } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { EditorNotices, getFieldError, getFormError } from "../../editing/index.ts";
import { Callout } from "../../parts/blocks.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import { AddressLink } from "../../parts/links.tsx";
import { showNotice } from "../../parts/notices.tsx";
import { useSendKey } from "../../parts/send-key.ts";
import type { Incident } from "../queries.ts";
import { serviceStatusesQuery } from "../queries.ts";
import { composerWords as words } from "../words.ts";
import { AgentDraft } from "./agent-draft.tsx";
import styles from "./composer.module.css";
import { NotifyField, TemplateField, useComposition, WhenField, WordsFields } from "./fields.tsx";
import { Previews } from "./previews.tsx";
import { emptyComposition, toUpdate } from "./values.ts";

/** Warns if the incident is about to be resolved while checks of its services are still failing. */
function StillFailing({ serviceIds }: { readonly serviceIds: readonly string[] }) {
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

interface UpdateComposerProps {
  readonly incident: Incident;
  /** Whether the update resolves the incident. */
  readonly isEnd: boolean;
}

/** Form state of an update, with a draft. Fields such as severity come from the incident. */
function useUpdate({ incident, isEnd }: UpdateComposerProps) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const findKey = useSendKey();
  const { id: incidentId, name, severity, services, lastUpdateStatus } = incident;
  const own = { name, severity, serviceIds: services.map(({ id }) => id) };
  const { editor, composition, change } = useComposition({
    draftKey: `incident.update.${incidentId}.${isEnd ? "end" : "next"}`,
    blank: {
      ...emptyComposition,
      status: isEnd ? "RESOLVED" : lastUpdateStatus,
      description: isEnd ? words.defaultEnd : "",
    },
    post: (written) => {
      const body = toUpdate(written);
      const params = { path: { incidentId }, header: { "idempotency-key": findKey(body) } };
      return sendFull(
        api.POST("/v1/status-pages/incidents/{incidentId}/incident-updates", { params, body }),
      );
    },
    onPosted: async () => {
      showNotice({ text: words.updatePosted });
      void renewQueries(queryClient, ["incidents"]);
      void renewQueries(queryClient, ["services"]);
      await navigate({ href: `/incidents/${incidentId}`, ignoreBlocker: true });
    },
  });
  return { editor, composition: { ...composition, ...own }, change };
}

/** Form that composes the next update of an incident. */
export function UpdateComposer(props: UpdateComposerProps) {
  const { incident, isEnd } = props;
  const { id } = incident;
  const { editor, composition, change } = useUpdate(props);
  const take = ({ status, description }: Schemas["IncidentDraft"]) =>
    change({ description, ...(!isEnd && { status }) });
  const isWritten = composition.description.trim() !== "";
  const beside = getFormError(editor.error, ["description", "publicIncidentUpdateDate"]);
  return (
    <section className={styles.columns} aria-label={words.updateTitle}>
      <Stack
        as="form"
        gap={4}
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (isWritten) editor.save();
        }}
      >
        <h2>{words.updateTitle}</h2>
        <EditorNotices editor={editor} />
        <TemplateField composition={composition} incidentId={id} onChange={change} onDraft={take} />
        {!isEnd && (
          <AgentDraft serviceIds={composition.serviceIds} incidentId={id} onDraft={take} />
        )}
        <WordsFields
          composition={composition}
          onChange={change}
          fault={getFieldError(editor.error, "description")}
        />
        <WhenField
          composition={composition}
          onChange={change}
          hasEnd={false}
          fault={getFieldError(editor.error, "publicIncidentUpdateDate")}
        />
        <NotifyField
          serviceIds={composition.serviceIds}
          isOn={composition.notify}
          onChange={(notify) => change({ notify })}
        />
        {composition.status === "RESOLVED" && <StillFailing serviceIds={composition.serviceIds} />}
        {beside && <ErrorPanel error={beside} />}
        <Row gap={4} className={styles.actions}>
          <Button type="submit" loading={editor.isSaving} disabled={!isWritten}>
            {words.postUpdate}
          </Button>
          <Button
            component={AddressLink}
            href={`/incidents/${id}`}
            variant="default"
            onClick={editor.close}
          >
            {words.cancel}
          </Button>
        </Row>
      </Stack>
      <Previews composition={composition} incidentId={id} />
    </section>
  );
}
