import { Button, Modal, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type PointerEvent, useState } from "react";
import { api, send, sendFull } from "../../api/client.ts";
import { useDeletion } from "../../api/deletion.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import {
  EditorNotices,
  getFieldError,
  getFormError,
  ifMatch,
  type Naming,
  useEditor,
  type Version,
} from "../../editing/index.ts";
import { CheckPicker, useChosenChecks } from "../../parts/check-picker.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import { Skeleton } from "../../parts/loading.tsx";
import { showNotice } from "../../parts/notices.tsx";
import { parseTags } from "../../parts/tags.ts";
import { TagsField } from "../../parts/tags-field.tsx";
import textStyles from "../../parts/text.module.css";
import styles from "./cards.module.css";
import { CrossButton, Handle } from "./handle.tsx";
import {
  fetchService,
  followsNothing,
  type Service,
  type Services,
  serviceQuery,
} from "./queries.ts";
import { words } from "./words.ts";

interface ServiceValues {
  readonly name: string;
  readonly checkIds: readonly string[];
  /** Tags separated by commas, as typed. */
  readonly tags: string;
}

const toValues = ({ name, follows }: Service): ServiceValues => ({
  name,
  checkIds: follows.checkIds,
  tags: follows.tags.join(", "),
});

const naming: Naming = {
  subject: words.thisService,
  labels: new Map([
    ["name", words.serviceName],
    ["checkIds", words.followChecks],
    ["tags", words.followTags],
  ]),
};

function useServiceEditor(stored: Version<Service>, onClose: () => void) {
  const client = useQueryClient();
  const { id: serviceId } = stored.data;
  return useEditor<Service, ServiceValues>({
    // No draft is stored. The page behind the dialog has its own draft, and the dialog does not
    // reopen with the page.
    draftKey: null,
    stored,
    toValues,
    send: ({ name, checkIds, tags }, version) =>
      sendFull(
        api.PUT("/v1/status-pages/services/{serviceId}", {
          params: { path: { serviceId }, header: ifMatch(version?.etag ?? null) },
          body: {
            name: name.trim(),
            follows: { checkIds: [...checkIds], tags: parseTags(tags) },
          },
        }),
      ),
    refetch: () => fetchService(serviceId),
    onSaved: async ({ data }) => {
      showNotice({ text: words.savedService(data.name) });
      onClose();
      await renewQueries(client, ["services"]);
      void renewQueries(client, ["status-pages", "overviews"]);
    },
  });
}

interface ServiceFormProps {
  readonly stored: Version<Service>;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

function DeleteService({ service, onGone }: { readonly service: Service; onGone: () => void }) {
  const [isConfirming, setConfirming] = useState(false);
  const remove = useDeletion({
    of: [["services", service.id]],
    send: () => {
      const params = { path: { serviceId: service.id } };
      return send(api.DELETE("/v1/status-pages/services/{serviceId}", { params }));
    },
    leave: () => {
      setConfirming(false);
      onGone();
      showNotice({ text: words.deletedService(service.name) });
    },
    renew: [["services"], ["status-pages"]],
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
  });
  return (
    <>
      <Button variant="outline" color="red" onClick={() => setConfirming(true)}>
        {words.deleteService}
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        title={words.deleteServiceTitle(service.name)}
        action={words.deleteService}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onCancel={() => setConfirming(false)}
      >
        <p>{words.deleteServiceText}</p>
      </ConfirmDialog>
    </>
  );
}

function ServiceForm({ stored, onClose, onDeleted }: ServiceFormProps) {
  const editor = useServiceEditor(stored, onClose);
  const { values, change, error, conflict } = editor;
  const checks = useChosenChecks([
    ...new Set([
      ...values.checkIds,
      ...stored.data.follows.checkIds,
      ...(conflict?.theirs.checkIds ?? []),
    ]),
  ]);
  const names = new Map(checks.map(({ id, name }) => [id, name]));
  const format: Naming["format"] = (path, value) =>
    path === "checkIds" && Array.isArray(value)
      ? value.map((id) => names.get(id) ?? id).join(", ")
      : undefined;
  const other = getFormError(error, ["name", "follows.checkIds", "follows.tags"]);
  return (
    <Stack
      as="form"
      gap={4}
      onSubmit={(event) => {
        event.preventDefault();
        // Events bubble from the dialog to the page's form, which must not be submitted as well.
        event.stopPropagation();
        editor.save();
      }}
    >
      <EditorNotices
        editor={editor}
        owned={{ type: "status-page-service", id: stored.data.id }}
        {...naming}
        format={format}
      />
      <p className={textStyles.hint}>{words.sharedService}</p>
      <TextInput
        label={words.serviceName}
        value={values.name}
        maxLength={255}
        required
        error={getFieldError(error, "name")}
        onChange={({ currentTarget }) => change({ name: currentTarget.value })}
      />
      <CheckPicker
        label={words.followChecks}
        hint={words.followHint}
        chosen={checks.filter(({ id }) => values.checkIds.includes(id))}
        fault={getFieldError(error, "follows.checkIds")}
        formatRemoveLabel={words.unfollow}
        onChange={(chosen) => change({ checkIds: chosen.map(({ id }) => id) })}
      />
      <TagsField
        label={words.followTags}
        description={words.followTagsHint}
        value={values.tags}
        error={getFieldError(error, "follows.tags")}
        onChange={(tags) => change({ tags })}
      />
      {other && <ErrorPanel error={other} title={words.serviceNotSaved} />}
      <Row className={styles.ends}>
        <Button type="submit" loading={editor.isSaving}>
          {words.saveService}
        </Button>
        <Button variant="default" onClick={onClose}>
          {words.cancel}
        </Button>
        <DeleteService service={stored.data} onGone={onDeleted} />
      </Row>
    </Stack>
  );
}

interface ServiceDialogProps {
  readonly service: Service;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/**
 * Edits a service. The service is saved independently of the page, because several pages can share
 * it.
 */
function ServiceDialog({ service, onClose, onDeleted }: ServiceDialogProps) {
  const { data, error } = useQuery(serviceQuery(service.id));
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={words.editService(service.name)}
      closeButtonProps={{ "aria-label": words.close }}
    >
      {error && <ErrorPanel error={error} />}
      {data === undefined && !error && <Skeleton rows={4} />}
      {data && (
        <ServiceForm key={data.data.id} stored={data} onClose={onClose} onDeleted={onDeleted} />
      )}
    </Modal>
  );
}

interface ServiceRowProps {
  readonly serviceId: string;
  readonly services: Services;
  readonly handleId: string;
  /** Whether a dragged service would be inserted before this service. */
  readonly isTarget: boolean;
  readonly onStep: (step: -1 | 1) => void;
  readonly onGrab: (event: PointerEvent<HTMLElement>) => void;
  readonly onRemove: () => void;
  /** Called after the service has been deleted. */
  readonly onDeleted: () => void;
}

export function ServiceRow(props: ServiceRowProps) {
  const { serviceId, services, handleId, isTarget, onStep, onGrab, onRemove, onDeleted } = props;
  const [isEditing, setEditing] = useState(false);
  const service = services.find(serviceId);
  const name = services.nameOf(serviceId);
  return (
    <>
      {isTarget && <li className={styles.line} />}
      <Row as="li" nowrap className={styles.service} data-service={serviceId}>
        <Handle name={name} id={handleId} onStep={onStep} onGrab={onGrab} />
        <Row as="span" gap={3} tight align="baseline" className={styles.serviceName}>
          <bdi>{name}</bdi>
          {service &&
            (followsNothing(service) ? (
              <span className={`${textStyles.fair} ${textStyles.small}`}>
                {words.followsNothing}
              </span>
            ) : (
              <span className={textStyles.hint}>{words.follows(service.follows)}</span>
            ))}
        </Row>
        {service && (
          <Button
            variant="default"
            size="compact-sm"
            aria-label={words.editService(name)}
            onClick={() => setEditing(true)}
          >
            {words.edit}
          </Button>
        )}
        <CrossButton label={words.removeService(name)} onClick={onRemove} />
        {service && isEditing && (
          <ServiceDialog
            service={service}
            onClose={() => setEditing(false)}
            onDeleted={onDeleted}
          />
        )}
      </Row>
    </>
  );
}
