import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, type Schemas, send } from "../../api/client.ts";
import { LeaveGuard, useDraft } from "../../editing/index.ts";
import { AddressLink } from "../../parts/address-link.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { getFieldError, getFormError } from "../../parts/field-error.ts";
import { showNotice } from "../../parts/notices.tsx";
import { useSendKey } from "../../parts/send-key.ts";
import type { Incident } from "../queries.ts";
import { composerWords as words } from "../words.ts";
import { AgentDraft } from "./agent-draft.tsx";
import styles from "./composer.module.css";
import { NotifyField } from "./notify-field.tsx";
import { Previews } from "./previews.tsx";
import { StillFailing } from "./still-failing.tsx";
import { TemplateField } from "./template-field.tsx";
import { type Composition, cleanComposition, emptyComposition, toUpdate } from "./values.ts";
import { WhenField } from "./when-field.tsx";
import { WordsFields } from "./words-fields.tsx";

interface UpdateComposerProps {
  readonly incident: Incident;
  /** Whether the update resolves the incident. */
  readonly isEnd: boolean;
}

function usePost(incidentId: string, composition: Composition, onPosted: () => void) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const findKey = useSendKey();
  return useMutation({
    mutationFn: () => {
      const body = toUpdate(composition);
      const params = { path: { incidentId }, header: { "idempotency-key": findKey(body) } };
      return send(
        api.POST("/v1/status-pages/incidents/{incidentId}/incident-updates", { params, body }),
      );
    },
    onSuccess: async () => {
      onPosted();
      showNotice({ text: words.updatePosted });
      void queryClient.invalidateQueries({ queryKey: ["incidents"] });
      void queryClient.invalidateQueries({ queryKey: ["services"] });
      await navigate({ href: `/incidents/${incidentId}`, ignoreBlocker: true });
    },
  });
}

/** Form state of an update, stored in this tab. Other fields come from the incident. */
function useUpdate({ incident, isEnd }: UpdateComposerProps) {
  const { id, name, severity, services, lastUpdateStatus } = incident;
  const own = { name, severity, serviceIds: services.map((service) => service.id) };
  const blank: Composition = {
    ...emptyComposition,
    ...own,
    status: isEnd ? "RESOLVED" : lastUpdateStatus,
    description: isEnd ? words.defaultEnd : "",
  };
  const draftName = `incident.update.${id}.${isEnd ? "end" : "next"}`;
  const [kept, setComposition, forget] = useDraft(draftName, blank, cleanComposition);
  const composition = { ...kept, ...own };
  const [isDone, setDone] = useState(false);
  const change = (part: Partial<Composition>) => setComposition((now) => ({ ...now, ...part }));
  const post = usePost(id, composition, () => {
    setDone(true);
    forget();
  });
  const isDirty = !isDone && kept.description !== blank.description;
  return { composition, change, post, isDirty, forget };
}

/** Composes the next update of an incident. */
export function UpdateComposer(props: UpdateComposerProps) {
  const { incident, isEnd } = props;
  const { id } = incident;
  const { composition, change, post, isDirty, forget } = useUpdate(props);
  const take = ({ status, description }: Schemas["IncidentDraft"]) =>
    change({ description, ...(!isEnd && { status }) });
  const isWritten = composition.description.trim() !== "";
  const beside = getFormError(post.error, ["description", "publicIncidentUpdateDate"]);
  return (
    <section className={styles.columns} aria-label={words.updateTitle}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (isWritten && !post.isPending) post.mutate();
        }}
      >
        <h2>{words.updateTitle}</h2>
        <TemplateField composition={composition} incidentId={id} onChange={change} onDraft={take} />
        {!isEnd && (
          <AgentDraft serviceIds={composition.serviceIds} incidentId={id} onDraft={take} />
        )}
        <WordsFields
          composition={composition}
          onChange={change}
          fault={getFieldError(post.error, "description")}
        />
        <WhenField
          composition={composition}
          onChange={change}
          hasEnd={false}
          fault={getFieldError(post.error, "publicIncidentUpdateDate")}
        />
        <NotifyField
          serviceIds={composition.serviceIds}
          isOn={composition.notify}
          onChange={(notify) => change({ notify })}
        />
        {composition.status === "RESOLVED" && <StillFailing serviceIds={composition.serviceIds} />}
        {beside && <ErrorPanel error={beside} />}
        <div className={styles.actions}>
          <Button type="submit" loading={post.isPending} disabled={!isWritten}>
            {words.postUpdate}
          </Button>
          <Button
            component={AddressLink}
            href={`/incidents/${id}`}
            variant="default"
            onClick={forget}
          >
            {words.cancel}
          </Button>
        </div>
      </form>
      <Previews composition={composition} incidentId={id} />
      <LeaveGuard isDirty={isDirty} onGiveUp={forget} />
    </section>
  );
}
